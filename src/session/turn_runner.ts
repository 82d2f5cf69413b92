/**
 * Runs the turns of one session: puts the loop's events into the stream, keeps what scripts call,
 * tells hooks. Owns the numbers of turns; the queue decides when one runs.
 */
import { runTurn } from "../agent/loop.ts";
import type { TurnInput, TurnResult } from "../agent/types.ts";
import type { EventBody } from "../protocol/event.ts";
import { reasonOf } from "../util/reason.ts";
import { missingResults, NOT_APPROVED } from "./history.ts";
import { ScriptLog } from "./script_log.ts";
import type { FollowedTurn } from "./send.ts";
import { notifyHooks, type SessionDeps } from "./session_deps.ts";

export interface TurnRunnerOptions {
  /** As they are when a turn begins: the model may change between turns. */
  deps(): SessionDeps;
  emit(event: EventBody): void;
  /** Text for the model's next call. */
  drain(): string[];
}

export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  readonly #scripts: ScriptLog;
  #turn = 0;
  #requests = 0;

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
    this.#scripts = new ScriptLog((call) => options.deps().logScriptCall(call));
  }

  /** Runs one turn to its end. @throws when the transcript cannot be stored. */
  async run(request: FollowedTurn, signal: AbortSignal): Promise<void> {
    const { emit } = this.#options;
    const turn = ++this.#turn;
    request.onStart?.(turn);
    try {
      const result = await this.#follow(turn, { request, signal });
      const { reason, text, iterations, detail } = result;
      const why = detail === undefined ? {} : { detail };
      emit({ type: "turn_end", turn, reason, text, iterations, ...why });
      request.onEnd?.(result);
    } catch (error) {
      const detail = reasonOf(error);
      emit({ type: "error", kind: "store", message: detail, fatal: true });
      emit({ type: "turn_end", turn, reason: "failed", text: "", iterations: 0, detail });
      request.onFailure?.(error);
      throw error;
    }
  }

  async #follow(
    turn: number,
    { request, signal }: { request: FollowedTurn; signal: AbortSignal },
  ): Promise<TurnResult> {
    const { emit, drain } = this.#options;
    const deps = this.#options.deps();
    const { content, outputSchema, by } = request;
    if (deps.timeMs !== undefined) deps.budget.startClock(deps.timeMs);
    if (content !== undefined) answerOpenCalls(deps);
    const input = await turnInput(deps, { request, signal });
    const whose = by === undefined ? {} : { by };
    emit({ type: "turn_start", turn, input: content ?? [], ...whose });
    const events = runTurn(input, {
      ...deps,
      request: outputSchema ? { ...deps.request, outputSchema } : deps.request,
      signal,
      inbox: { drain },
    });
    let step = await events.next();
    while (!step.done) {
      if (step.value.type === "message_start" && this.#requests++ === 0) deps.onFirstRequest();
      this.#scripts.follow(step.value);
      emit(step.value);
      step = await events.next();
    }
    const result = await transformed(deps, { result: step.value, signal });
    const { reason, text } = result;
    const payload = { reason, response: text };
    await notifyHooks(deps, { name: "post_turn", payload, turn: signal });
    return result;
  }
}

/** New input puts aside calls that wait for a yes; no provider takes a call without its result. */
function answerOpenCalls({ history }: SessionDeps): void {
  for (const result of missingResults(history.messages(), { error: NOT_APPROVED })) {
    history.append(result);
  }
}

/** The answer as hooks leave it; the transcript keeps what the model said. */
async function transformed(
  { id, hooks, providers: { active } }: SessionDeps,
  { result, signal }: { result: TurnResult; signal: AbortSignal },
): Promise<TurnResult> {
  const runner = result.text === "" ? undefined : await hooks();
  if (!runner?.has("transform_llm_output")) return result;
  const model = `${active.name}/${active.model.id}`;
  const payload = { sessionId: id, model, response: result.text };
  const text = await runner.transform("transform_llm_output", payload, signal);
  return text === undefined ? result : { ...result, text };
}

async function turnInput(
  { id, hooks }: SessionDeps,
  { request: { content, synthetic }, signal }: { request: FollowedTurn; signal: AbortSignal },
): Promise<TurnInput> {
  if (content === undefined) return {};
  const runner = await hooks();
  const extra = runner?.has("pre_turn")
    ? await runner.preTurn({ sessionId: id, input: content }, signal)
    : "";
  return {
    content: extra === "" ? content : [...content, { type: "text", text: extra }],
    ...(synthetic ? { synthetic: true } : {}),
  };
}
