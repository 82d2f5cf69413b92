/** Points where plugins and config-declared shell commands may look or intervene. */

export const HOOK_NAMES = [
  "pre_tool_call",
  "transform_tool_result",
  "post_tool_call",
  "pre_turn",
  "pre_llm_call",
  "post_llm_call",
  "transform_llm_output",
  "post_turn",
  "on_session_start",
  "on_session_end",
  "on_session_finalize",
  "on_session_reset",
  "pre_approval_request",
  "post_approval_response",
  "on_context_compress",
] as const;

/** Names that configurations and plugins of other builds use, and why nothing is sent under them. */
export const UNSENT_HOOKS: ReadonlyMap<string, string> = new Map([
  ["subagent_stop", "nothing sends it, because hermes has no sub-agents; remove it"],
]);

export type HookName = typeof HOOK_NAMES[number];

/** Hooks whose answer takes the place of a text, and the key of their payload that holds it. */
export const TRANSFORMED = {
  "transform_tool_result": "result",
  "transform_llm_output": "response",
} as const;

export type TransformName = keyof typeof TRANSFORMED;

export interface HookPayload {
  sessionId: string;
  [key: string]: unknown;
}

/** What a `pre_tool_call` hook may answer; observers answer nothing. */
export type HookDirective =
  | { action: "block"; message: string }
  | { action: "approve"; message?: string; rule?: string }
  | { action: "modify"; args: Record<string, unknown> };

/** Runs every hook of a name in order. Never throws: failures are logged and skipped. */
export interface HookRunner {
  /** True when anything listens, so that hot paths can skip building payloads. */
  has(name: HookName): boolean;
  /** What the hooks say, in order: a block comes last, changes and demands for approval add up. */
  preToolCall(payload: HookPayload, signal: AbortSignal): Promise<HookDirective[]>;
  /** Extra context for the user's message from `pre_turn`, empty when none. */
  preTurn(payload: HookPayload, signal: AbortSignal): Promise<string>;
  /** The text that takes the place of the payload's; undefined when no hook replaces it. */
  transform(
    name: TransformName,
    payload: HookPayload,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  /** Tells observers; those of a turn that is interrupted (`turn`) are not waited for much longer. */
  notify(name: HookName, payload: HookPayload, turn?: AbortSignal): Promise<void>;
}
