/** The one path from a tool call to a result, as the loop and nested callers see it. */
import type { EventBody } from "./event.ts";
import type { ToolCallPart, ToolMessage } from "./message.ts";
import type { PathUse } from "./tool.ts";

export interface DispatchOptions {
  signal: AbortSignal;
  /** Receives `tool_*` and `approval_*` events as they happen. */
  emit(event: EventBody): void;
  /** Set for calls made by a script or plugin on behalf of another call. */
  parentCallId?: string;
  sandbox?: boolean;
  /** One object for all calls of an assistant message: their results share a size limit. */
  batch?: { usedChars: number };
}

export interface CallPlan {
  /** May run beside other calls of the same message. */
  parallel: boolean;
  /** Files it touches, absolute and without symlinks; overlapping ones with a writer are not run together. */
  paths: PathUse[];
}

export interface DispatchResult {
  message: ToolMessage;
  /** An action needed a yes and no person could be asked: the run must stop with exit code 3. */
  needsApproval?: boolean;
  /** A loop guardrail wants the turn to end; the text says why. */
  halt?: string;
  /** The call named a tool that does not exist and could not be repaired. */
  unknownTool?: boolean;
}

export interface ToolDispatcher {
  /** How a call may be scheduled now. Changes nothing; never rejects. */
  plan(call: ToolCallPart): Promise<CallPlan>;
  /** Runs one call. Never throws: every failure is a result; an abort gives a "cancelled" result. */
  run(call: ToolCallPart, options: DispatchOptions): Promise<DispatchResult>;
  /** Forgets per-turn counters (loop guardrails). */
  beginTurn(): void;
}
