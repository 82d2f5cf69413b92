/** From a call as the model wrote it to a known tool with checked arguments, or a refusal; and its plan. */
import type { CallPlan } from "../../protocol/dispatch.ts";
import type { Environment } from "../../protocol/environment.ts";
import type { ToolCallPart } from "../../protocol/message.ts";
import type { ToolFacts } from "../../protocol/tool.ts";
import { didYouMean } from "../../util/nearest.ts";
import { readArguments } from "./arguments.ts";
import { type Outcome, refusal } from "./outcome.ts";
import type { ToolRegistry } from "../registry.ts";
import { repairToolName } from "./repair.ts";

export type PreparedCall =
  | { kind: "ready"; name: string; facts: ToolFacts; args: Record<string, unknown> }
  | { kind: "refused"; name: string; unknownTool: boolean; outcome: Outcome };

/** No tool has a longer name, and none is looked for that resembles one. */
const MAX_NAME_CHARS = 100;

export interface PrepareOptions {
  registry: ToolRegistry;
  /** Names of the tools the session offers. */
  tools: readonly string[];
}

/** Finds the tool, mends and checks the arguments. */
export function prepareCall(call: ToolCallPart, options: PrepareOptions): PreparedCall {
  const { registry, tools } = options;
  if (call.name.length > MAX_NAME_CHARS) {
    const name = `${call.name.slice(0, MAX_NAME_CHARS)}…`;
    const why = `Unknown tool: ${name} No tool has a name of ${call.name.length} characters.`;
    return { kind: "refused", name, unknownTool: true, outcome: refusal(why) };
  }
  const name = tools.includes(call.name) ? call.name : repairToolName(call.name, tools);
  const facts = name === undefined ? undefined : registry.facts(name);
  if (name === undefined || !facts) {
    const hint = tools.includes(call.name)
      ? " It was offered, but what provided it is gone."
      : didYouMean(call.name, tools) || ` Available: ${tools.join(", ") || "none"}.`;
    return {
      kind: "refused",
      name: call.name,
      unknownTool: true,
      outcome: refusal(`Unknown tool: ${call.name}.${hint}`),
    };
  }
  const read = readArguments(call.arguments, facts);
  if (read.ok) return { kind: "ready", name, facts, args: read.args };
  return { kind: "refused", name, unknownTool: false, outcome: refusal(read.error) };
}

export interface PlanOptions {
  registry: ToolRegistry;
  environment: Environment;
  taskId: string | undefined;
}

const ALONE: CallPlan = { parallel: false, paths: [] };

/** How a prepared call may be scheduled; alone whenever that cannot be told. */
export async function planCall(prepared: PreparedCall, options: PlanOptions): Promise<CallPlan> {
  if (prepared.kind === "refused" || !prepared.facts.parallel) return ALONE;
  if (prepared.facts.parallel === true) return { parallel: true, paths: [] };
  const { registry, environment, taskId } = options;
  try {
    const spec = await registry.load(prepared.name);
    const uses = spec?.paths?.(prepared.args) ?? [];
    if (uses.length === 0) return ALONE;
    const paths = uses.map(async (use) => {
      const path = environment.resolve(use.path, taskId);
      // Another machine is not asked: planning must not wait for it.
      return { ...use, path: environment.sharesHost ? await environment.realPath(path) : path };
    });
    return { parallel: true, paths: await Promise.all(paths) };
  } catch {
    // Paths that cannot be told only cost concurrency; the call itself reports what is wrong.
    return ALONE;
  }
}
