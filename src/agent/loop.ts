/**
 * The only control flow of a turn: call the model, run its tool calls, repeat until it
 * answers. Knows no tool, provider, database or surface by name; whatever varies is in
 * `LoopDeps`. Messages are stored before they are reported.
 */
import type { EventBody } from "../protocol/event.ts";
import type { ToolDispatcher } from "../protocol/dispatch.ts";
import type { AssistantMessage, ToolCallPart } from "../protocol/message.ts";
import { messageText, toolCallsOf, withUniqueCallIds } from "../protocol/message.ts";
import { BudgetExceeded } from "./budget.ts";
import { returnToFirst } from "./fallback.ts";
import { account, callModel } from "./model_call.ts";
import { runToolCalls, type ToolCallsOutcome } from "./tool_calls.ts";
import type { LoopDeps, TurnInput, TurnResult } from "./types.ts";

const CONTINUE = "Your answer was cut off. Go on exactly where it stopped, without repeating.";
const WRAP_UP =
  "This is the last model call of this turn: no tool runs any more. If the request is " +
  'fulfilled, answer it. If not, begin with "Unfinished:" and say briefly what was done, what was ' +
  "found, and what is still open.";
const UNFINISHED = /^\W*unfinished\b/i;
const MAX_CONTINUATIONS = 3;
const MAX_UNKNOWN_TOOL_ROUNDS = 3;

/** Runs one turn. Yields events as they happen; the result says how it ended. Throws only when the transcript cannot be stored. */
export async function* runTurn(
  input: TurnInput,
  deps: LoopDeps,
): AsyncGenerator<EventBody, TurnResult> {
  deps.budget.beginTurn();
  const first = returnToFirst(deps.providers, Date.now());
  if (first !== undefined) {
    yield { type: "notice", text: `trying ${first.name}/${first.model.id} again` };
  }
  const runCalls = createCallRunner(deps);
  if (input.content) {
    // What waited is older than the input: the model must read the input last.
    note(deps, deps.inbox.drain());
    deps.history.append({
      role: "user",
      content: input.content,
      ...(input.synthetic ? { synthetic: true } : {}),
    });
  } else {
    const pending = yield* runPendingCalls(deps, runCalls);
    if (pending) return pending;
  }
  let unknownRounds = 0;
  let stitched = "";
  let continuations = 0;
  while (true) {
    const spent = deps.budget.spent();
    if (spent !== undefined) return end(deps, { reason: "budget", text: stitched, detail: spent });
    if (!deps.budget.takeIteration()) {
      return end(deps, { reason: "budget", text: stitched, detail: usedUp(deps) });
    }
    note(deps, deps.inbox.drain());
    // The only call of a turn, or one that completes a cut answer, is not spent on a summary.
    const mayWrapUp = deps.budget.iterations > 1 && continuations === 0;
    if (deps.budget.isLastIteration && mayWrapUp) return yield* wrapUp(deps);

    const message = yield* answer(deps, "auto");
    if ("reason" in message) return { ...message, text: stitched + message.text };
    const calls = toolCallsOf(message);
    if (calls.length === 0) {
      stitched += messageText(message);
      if (message.stopReason !== "length" || continuations++ >= MAX_CONTINUATIONS) {
        return end(deps, { reason: "done", text: stitched });
      }
      note(deps, [CONTINUE]);
      continue;
    }
    stitched = "";
    continuations = 0;
    const outcome = yield* runCalls(calls);
    if (deps.signal.aborted) return stopped(deps, "");
    if (outcome.needsApproval !== undefined) {
      return end(deps, { reason: "needs_approval", text: "", detail: outcome.needsApproval });
    }
    unknownRounds = outcome.allUnknown ? unknownRounds + 1 : 0;
    const halt = unknownRounds >= MAX_UNKNOWN_TOOL_ROUNDS
      ? "the model keeps calling tools that do not exist"
      : outcome.halt;
    if (halt !== undefined) return end(deps, { reason: "failed", text: "", detail: halt });
  }
}

type CallRunner = (
  calls: readonly ToolCallPart[],
) => AsyncGenerator<EventBody, ToolCallsOutcome>;

/** Fetches the dispatcher at the first call of the turn and resets its per-turn counters then. */
function createCallRunner(deps: LoopDeps): CallRunner {
  let dispatcher: ToolDispatcher | undefined;
  return async function* (calls) {
    if (dispatcher === undefined) {
      dispatcher = await deps.dispatcher();
      dispatcher.beginTurn();
    }
    return yield* runToolCalls(calls, { ...deps, dispatcher });
  };
}

/** One stored and reported assistant message, or the end of the turn. */
async function* answer(
  deps: LoopDeps,
  toolChoice: "auto" | "none",
): AsyncGenerator<EventBody, AssistantMessage | TurnResult> {
  const outcome = yield* callModel(deps, { toolChoice, iteration: deps.budget.iterations });
  if (!outcome.ok) {
    if (outcome.failure.kind === "aborted") return stopped(deps, outcome.partial);
    const { kind, message } = outcome.failure;
    yield { type: "error", kind, message, fatal: true };
    return end(deps, { reason: "provider", text: outcome.partial, detail: message });
  }
  const message = withUniqueCallIds(outcome.message);
  deps.history.append(message);
  yield { type: "message_end", message };
  yield* account(deps, message);
  return message;
}

/** Going on after an approval was missing: the last message's calls without a result run first. */
async function* runPendingCalls(
  deps: LoopDeps,
  runCalls: CallRunner,
): AsyncGenerator<EventBody, TurnResult | undefined> {
  const messages = deps.history.messages();
  const at = messages.findLastIndex((message) => message.role === "assistant");
  const last = messages[at];
  if (last?.role !== "assistant") return undefined;
  const answered = new Set(
    messages.slice(at + 1).flatMap((m) => m.role === "tool" ? [m.toolCallId] : []),
  );
  const pending = toolCallsOf(last).filter((call) => !answered.has(call.id));
  if (pending.length === 0) return undefined;
  const outcome = yield* runCalls(pending);
  if (deps.signal.aborted) return stopped(deps, "");
  if (outcome.needsApproval === undefined) return undefined;
  return end(deps, { reason: "needs_approval", text: "", detail: outcome.needsApproval });
}

function usedUp({ budget }: LoopDeps): string {
  const { maxIterations } = budget.limits;
  return maxIterations === 1
    ? "used the one model call that this request may make"
    : `used all ${maxIterations} model calls that this request may make`;
}

/** The last call goes without tools, so that the work is not lost: an answer, or what is open. */
async function* wrapUp(deps: LoopDeps): AsyncGenerator<EventBody, TurnResult> {
  const detail = usedUp(deps);
  note(deps, [WRAP_UP]);
  const message = yield* answer(deps, "none");
  if ("reason" in message) {
    return message.reason === "interrupted" ? message : { ...message, reason: "budget", detail };
  }
  for (const call of toolCallsOf(message)) {
    deps.history.append({
      role: "tool",
      toolCallId: call.id,
      name: call.name,
      content: JSON.stringify({ error: "Not run: the budget of model calls is used up." }),
      isError: true,
    });
  }
  const text = messageText(message);
  return toolCallsOf(message).length === 0 && !UNFINISHED.test(text)
    ? end(deps, { reason: "done", text })
    : end(deps, { reason: "budget", text, detail });
}

/** Puts text that came meanwhile before the model, as one message. */
function note(deps: LoopDeps, texts: string[]): void {
  if (texts.length === 0) return;
  deps.history.append({
    role: "user",
    content: texts.map((text) => ({ type: "text", text })),
    synthetic: true,
  });
}

/** The end after an abort: time ran out, or the person said stop. Partial text is kept. */
function stopped(deps: LoopDeps, partial: string): TurnResult {
  if (partial !== "") {
    deps.history.append({
      role: "assistant",
      content: [{ type: "text", text: partial }],
      stopReason: "aborted",
      provider: deps.providers.active.name,
      model: deps.providers.active.model.id,
    });
  }
  const reason: unknown = deps.signal.reason;
  if (reason instanceof BudgetExceeded) {
    return end(deps, { reason: "budget", text: partial, detail: reason.message });
  }
  return end(deps, { reason: "interrupted", text: partial, detail: "interrupted" });
}

function end(deps: LoopDeps, result: Omit<TurnResult, "iterations">): TurnResult {
  return { ...result, iterations: deps.budget.iterations };
}
