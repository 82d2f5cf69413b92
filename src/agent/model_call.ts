/**
 * One answer from a model: streams it, and deals with every way it can fail. Waits and tries
 * again, shrinks what is sent after an overflow, asks for the rest of a cut answer's tool
 * call, moves to the next provider. Yields events; returns a message or one classified failure.
 */
import { backoffMs, sleep } from "../util/sleep.ts";
import type { EventBody } from "../protocol/event.ts";
import type { AssistantMessage, Message } from "../protocol/message.ts";
import { messageText, toolCallsOf } from "../protocol/message.ts";
import type { ModelRequest, ProviderFailure } from "../protocol/provider.ts";
import { answered, moveOn } from "./fallback.ts";
import type { LoopDeps, RetryPolicy } from "./types.ts";

export type ModelOutcome =
  | { ok: true; message: AssistantMessage }
  | { ok: false; failure: ProviderFailure; partial: string };

const EMPTY_NUDGE = "Your last reply was empty. Go on with the task, or say that it is done.";
/** Attempts at a usable answer (not empty, no tool call cut short) from one provider. */
const MAX_UNUSABLE = 3;
const MAX_SHRINKS = 3;
const LENGTH_CAP = 32_768;
/** A server that asks for a longer wait is not waited for. */
const MAX_RETRY_AFTER_MS = 600_000;

interface CallState {
  request: ModelRequest;
  retries: number;
  unusable: number;
  shrinks: number;
  /** Text shown by the attempt under way. */
  partial: string;
}

/** Calls the active provider, then its fallbacks, until one answers or none is left. */
export async function* callModel(
  deps: LoopDeps,
  options: { toolChoice: "auto" | "none"; iteration: number },
): AsyncGenerator<EventBody, ModelOutcome> {
  let state = freshState(deps, options.toolChoice);
  while (true) {
    yield { type: "message_start", iteration: options.iteration };
    const outcome = yield* streamOnce(deps, state);
    let failure: ProviderFailure;
    if (outcome.ok) {
      const problem = unusable(outcome.message);
      if (problem === undefined) {
        answered(deps.providers);
        return outcome;
      }
      deps.history.discard(outcome.message);
      yield* account(deps, outcome.message);
      failure = problem;
    } else failure = outcome.failure;
    if (failure.kind === "aborted" || deps.signal.aborted) {
      return { ok: false, failure: { ...failure, kind: "aborted" }, partial: state.partial };
    }
    const tooLong = waitTooLong(failure, deps);
    if (tooLong !== undefined) failure = tooLong;
    const before = state.request.messages;
    const waitMs = tooLong === undefined ? await recover(state, { failure, deps }) : undefined;
    if (state.request.messages !== before && failure.action === "overflow") {
      yield { type: "context_start", reason: failure.message, tokens: tokensOf(before) };
      yield { type: "context_end", tokens: tokensOf(state.request.messages) };
    }
    if (waitMs === undefined) {
      const next = failure.action === "fatal"
        ? undefined
        : moveOn(deps.providers, { failure, now: Date.now() });
      if (next === undefined) {
        return { ok: false, failure, partial: state.partial };
      }
      yield { type: "error", kind: failure.kind, message: failure.message, fatal: false };
      yield { type: "notice", text: `switching to ${next.name}/${next.model.id}` };
      state = freshState(deps, options.toolChoice);
      continue;
    }
    yield {
      type: "error",
      kind: failure.kind,
      message: failure.message,
      fatal: false,
      retryInMs: waitMs,
    };
    if (!await waited(waitMs, deps.signal)) {
      return { ok: false, failure: { ...failure, kind: "aborted" }, partial: state.partial };
    }
  }
}

/** Counts what an answer used, whether it can be used or not. */
export function* account(deps: LoopDeps, message: AssistantMessage): Generator<EventBody> {
  const { usage, provider, model } = message;
  if (usage === undefined) return;
  deps.budget.add(usage);
  yield { type: "usage", usage, total: { ...deps.budget.total }, provider, model };
}

function freshState(deps: LoopDeps, toolChoice: "auto" | "none"): CallState {
  return {
    request: {
      ...deps.request,
      system: deps.system,
      messages: deps.history.messages(),
      tools: deps.tools,
      toolChoice,
    },
    retries: 0,
    unusable: 0,
    shrinks: 0,
    partial: "",
  };
}

async function* streamOnce(
  deps: LoopDeps,
  state: CallState,
): AsyncGenerator<EventBody, ModelOutcome> {
  state.partial = "";
  for await (const event of deps.providers.active.stream(state.request, deps.signal)) {
    switch (event.type) {
      case "text_delta":
        state.partial += event.text;
        yield { type: "message_delta", kind: "text", text: event.text };
        break;
      case "reasoning_delta":
        yield { type: "message_delta", kind: "reasoning", text: event.text };
        break;
      case "tool_call_delta":
        break;
      case "end":
        return { ok: true, message: event.message };
      case "failure":
        return { ok: false, failure: event.failure, partial: state.partial };
      default:
        event satisfies never;
    }
  }
  const message = `${deps.providers.active.name} ended its stream without an answer`;
  return {
    ok: false,
    failure: { kind: "malformed", action: "retry", message },
    partial: state.partial,
  };
}

/** Why a complete answer cannot be used, as a failure to recover from. */
function unusable(message: AssistantMessage): ProviderFailure | undefined {
  const calls = toolCallsOf(message);
  if (message.stopReason === "content_filter") {
    return {
      kind: "content_filter",
      action: "fallback",
      message: `${message.provider} refused to answer (content filter); rephrase the request`,
    };
  }
  if (message.stopReason === "length" && calls.length > 0) {
    return {
      kind: "malformed",
      action: "retry",
      message: "the answer was cut inside a tool call; asking again with more room",
    };
  }
  if (calls.length === 0 && messageText(message).trim() === "") {
    return {
      kind: "malformed",
      action: "retry",
      message: `${message.provider}/${message.model} gave an empty answer`,
    };
  }
  return undefined;
}

/** A rough number: no format is known here. */
function tokensOf(messages: readonly Message[]): number {
  return Math.ceil(JSON.stringify(messages).length / 4);
}

/** The failure of a server that wants to be left alone for longer than the run can wait. */
function waitTooLong(failure: ProviderFailure, deps: LoopDeps): ProviderFailure | undefined {
  const { retryAfterMs, message } = failure;
  if (failure.action !== "retry" || retryAfterMs === undefined) return undefined;
  if (retryAfterMs <= Math.min(MAX_RETRY_AFTER_MS, deps.budget.timeLeftMs())) return undefined;
  return { ...failure, message: `${message}; come back in ${duration(retryAfterMs)}` };
}

/** In words that need no clock: a replay says the same. */
function duration(ms: number): string {
  const minutes = Math.ceil(ms / 60_000);
  if (ms < 120_000) return `${Math.ceil(ms / 1000)} seconds`;
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
}

/** Prepares the next attempt and says how long to wait; undefined when this provider is done. */
async function recover(
  state: CallState,
  context: { failure: ProviderFailure; deps: LoopDeps },
): Promise<number | undefined> {
  const { failure, deps } = context;
  switch (failure.action) {
    case "retry":
      if (failure.kind === "malformed" && failure.status === undefined) {
        return recoverUnusable(state, deps.retry);
      }
      if (++state.retries >= deps.retry.maxAttempts) return undefined;
      return failure.retryAfterMs === undefined
        ? backoffMs(state.retries - 1, deps.retry)
        : failure.retryAfterMs;
    case "overflow": {
      if (state.shrinks >= MAX_SHRINKS) return undefined;
      const smaller = await deps.shrink(state.request.messages, state.shrinks++);
      if (smaller === undefined) return undefined;
      state.request = { ...state.request, messages: smaller };
      return 0;
    }
    case "auth":
    case "fallback":
    case "fatal":
      return undefined;
    default:
      return failure.action satisfies never;
  }
}

function recoverUnusable(state: CallState, retry: RetryPolicy): number | undefined {
  if (++state.unusable >= MAX_UNUSABLE) return undefined;
  const cap = state.request.maxOutputTokens ?? 4096;
  const { messages } = state.request;
  state.request = {
    ...state.request,
    maxOutputTokens: Math.max(cap, Math.min(cap * 2, LENGTH_CAP)),
    messages: state.unusable > 1 ? withNudge(messages) : messages,
  };
  return backoffMs(state.unusable - 1, { ...retry, baseMs: retry.baseMs / 4 });
}

/** The nudge goes with one request only; it is never part of the transcript. */
function withNudge(messages: readonly Message[]): Message[] {
  return [...messages, {
    role: "user",
    content: [{ type: "text", text: EMPTY_NUDGE }],
    synthetic: true,
  }];
}

async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(ms, signal);
    return true;
  } catch {
    // The only rejection of sleep() is the abort itself.
    return false;
  }
}
