/** What the loop needs from the outside, and what a turn comes to. Implementations are passed in. */
import type { ToolDispatcher } from "../protocol/dispatch.ts";
import type { EndReason } from "../protocol/event.ts";
import type { AssistantMessage, Message, UserPart } from "../protocol/message.ts";
import type { ModelRequest, ToolDefinition } from "../protocol/provider.ts";
import type { Budget } from "./budget.ts";
import type { ProviderChain } from "./fallback.ts";

/** The transcript. `append` returns only when the message is durable. */
export interface History {
  messages(): readonly Message[];
  append(message: Message): void;
  /** Keeps what an answer cost that cannot be used; it is no part of the transcript. */
  discard(message: AssistantMessage): void;
}

/** Text that arrives while a turn runs: steering by the person, notices of background work. */
export interface Inbox {
  drain(): string[];
}

/** Shrinks what is sent after a context overflow; undefined when nothing more can go. */
export type Shrink = (
  messages: readonly Message[],
  attempt: number,
) => Promise<Message[] | undefined>;

export interface RetryPolicy {
  /** Attempts per provider before the next one is tried. */
  maxAttempts: number;
  baseMs: number;
  maxMs: number;
  random?: () => number;
}

export interface LoopDeps {
  /** The chosen provider and its fallbacks, in order. */
  providers: ProviderChain;
  system: string;
  tools: readonly ToolDefinition[];
  /** Loaded when the first call needs it: nothing that runs tools is needed for the first request. */
  dispatcher: () => Promise<ToolDispatcher>;
  history: History;
  inbox: Inbox;
  budget: Budget;
  retry: RetryPolicy;
  shrink: Shrink;
  signal: AbortSignal;
  /** Passed through to every request. */
  request: Pick<ModelRequest, "maxOutputTokens" | "reasoningEffort" | "outputSchema">;
}

export interface TurnInput {
  /** Absent to go on from the transcript as it stands. */
  content?: UserPart[];
  synthetic?: boolean;
}

export interface TurnResult {
  reason: EndReason;
  /** The answer, or what there was of it. */
  text: string;
  iterations: number;
  /** One line about a reason other than `done`. */
  detail?: string;
}
