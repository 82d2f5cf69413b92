/**
 * What a plugin's hooks see and may answer, by the rights its manifest declares. A call of one
 * of the plugin's own tools is its own matter: nothing of it is hidden, every answer counts.
 */
import type { HookName, HookPayload } from "../protocol/hook.ts";
import type { HookRight } from "../protocol/plugin.ts";
import { parseDirective } from "../registry/hooks/hooks.ts";
import { VISIBLE } from "./hook_rights_data.ts";

export interface HookView {
  rights: readonly HookRight[];
  /** True for a tool of the plugin itself. */
  owns(tool: string): boolean;
}

/** The payload without what the plugin has no right to. */
export function visiblePayload(
  name: HookName,
  payload: HookPayload,
  view: HookView,
): HookPayload {
  if (isOwn(payload, view)) return payload;
  const rules = VISIBLE[name];
  const seen = Object.entries(payload).filter(([key]) => {
    const rule = Object.hasOwn(rules, key) ? rules[key]! : undefined;
    return rule === "open" || (rule !== undefined && view.rights.includes(rule));
  });
  return { ...Object.fromEntries(seen), sessionId: payload.sessionId };
}

/**
 * The right that an answer takes and the plugin does not have; undefined when it may say so.
 * @throws {TypeError} for an answer that means nothing.
 */
export function missingRight(
  name: HookName,
  { answer, payload }: { answer: unknown; payload: HookPayload },
  view: HookView,
): HookRight | undefined {
  const needed = neededRight(name, answer);
  if (needed === undefined || isOwn(payload, view)) return undefined;
  return view.rights.includes(needed) ? undefined : needed;
}

function neededRight(name: HookName, answer: unknown): HookRight | undefined {
  if (name === "pre_turn") return answer ? "add_context" : undefined;
  if (name === "transform_tool_result") return answer ? "change_results" : undefined;
  if (name === "transform_llm_output") return answer ? "change_answers" : undefined;
  // The others only watch: what they answer means nothing.
  if (name !== "pre_tool_call") return undefined;
  const directive = parseDirective(answer);
  if (directive === undefined) return undefined;
  return directive.action === "modify" ? "change_calls" : "guard";
}

/** Approval requests name their tool as `tool`. */
function isOwn({ toolName, tool }: HookPayload, { owns }: HookView): boolean {
  const name = toolName ?? tool;
  return typeof name === "string" && owns(name);
}

const DOING: Partial<Record<HookRight, string>> = {
  "change_calls": "rewrite a call of another tool",
  guard: "stop a call of another tool",
  "add_context": "add text for the model",
  "change_results": "replace the result of another tool",
  "change_answers": "replace the model's answer",
};

/** What the person reads when an answer is refused. */
export function refusedLine(name: HookName, right: HookRight): string {
  return `its hook ${name} wants to ${DOING[right]}, which is refused: its manifest does not ` +
    `declare permissions.hooks: [${right}]`;
}
