/**
 * What a surface holds: one conversation. Takes input, yields events, can be steered and
 * interrupted, and stores everything on the way. Built by `open.ts`; owns no composition.
 */
import { runTurn } from "../agent/loop.ts";
import type { LoopDeps, TurnInput, TurnResult } from "../agent/types.ts";
import type { AgentEvent, EndReason, EventBody } from "../protocol/event.ts";
import type { HookName, HookPayload, HookRunner } from "../protocol/hook.ts";
import type { UserPart } from "../protocol/message.ts";
import type { JsonSchema } from "../protocol/json_schema.ts";
import type { ScriptCall } from "../store/record.ts";
import type { BlobShelf } from "./images.ts";
import { missingResults, NOT_APPROVED } from "./history.ts";
import { EXIT } from "../protocol/error.ts";
import { VERSION } from "../util/version.ts";

/** Everything of the loop but what belongs to one call of `send`. */
export type SessionDeps = Omit<LoopDeps, "signal" | "inbox" | "request"> & {
  id: string;
  cwd: string;
  resumed: boolean;
  request: LoopDeps["request"];
  hooks: () => Promise<HookRunner | undefined>;
  images: () => BlobShelf;
  /** Keeps a call made by a script: part of the record, not of the conversation. */
  logScriptCall: (call: ScriptCall) => void;
  /** Called once, when the first request is about to leave. */
  onFirstRequest: () => void;
  /** Notices of background work since the last call. */
  notices: () => string[];
  /** How events are stamped; a replay stamps them the same every time. */
  clock: EventClock;
  /** Stores how it ended; quick. */
  end: (reason: EndReason) => void;
  /** Frees processes, files and the store; nobody waits for it. */
  dispose: () => Promise<void>;
};

export interface EventClock {
  now(): Date;
  /** Durations as they are, or constant. */
  duration(ms: number): number;
}

export interface SendOptions {
  signal: AbortSignal;
  outputSchema?: JsonSchema;
  synthetic?: boolean;
}

const EXIT_CODES: Record<EndReason, number> = {
  done: EXIT.done,
  failed: EXIT.failed,
  "needs_approval": EXIT.needsApproval,
  budget: EXIT.budget,
  provider: EXIT.provider,
  schema: EXIT.schema,
  interrupted: EXIT.interrupted,
};

export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly resumed: boolean;
  #deps: SessionDeps;
  #seq = 0;
  #turn = 0;
  #requests = 0;
  #steering: string[] = [];
  #closed = false;
  #announced: Promise<void> | undefined;
  /** Arguments of script calls under way, by call id. */
  #scriptArguments = new Map<string, string>();

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.id = deps.id;
    this.cwd = deps.cwd;
    this.resumed = deps.resumed;
  }

  /** The active model as `provider/model`. */
  get model(): string {
    const { active } = this.#deps.providers;
    return `${active.name}/${active.model.id}`;
  }

  get toolNames(): string[] {
    return this.#deps.tools.map((tool) => tool.name);
  }

  get usage(): Readonly<LoopDeps["budget"]["total"]> {
    return this.#deps.budget.total;
  }

  /** True when the transcript ends in the middle of something that can go on without new input. */
  get unfinished(): boolean {
    const last = this.#deps.history.messages().at(-1);
    return last !== undefined && (last.role !== "assistant" || last.stopReason === "tool_calls");
  }

  /** The event that opens a run of this session; `replaced` is the one whose place it takes. */
  start(replaced?: string): AgentEvent {
    const { active } = this.#deps.providers;
    this.#announced = this.#announce(active.model.id, replaced);
    return this.#stamp({
      type: "session_start",
      version: VERSION,
      provider: active.name,
      model: active.model.id,
      cwd: this.cwd,
      tools: this.toolNames,
      resumed: this.resumed,
    });
  }

  /** Text for the model at its next call, while a turn runs. */
  steer(text: string): void {
    this.#steering.push(text);
  }

  /** Keeps an image and gives the reference that stands for it in messages. */
  async keepImage(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    return await this.#deps.images().put(bytes);
  }

  /** Runs one turn; `content` undefined goes on from the transcript. The last event is `turn_end`. */
  async *send(
    content: UserPart[] | undefined,
    options: SendOptions,
  ): AsyncGenerator<AgentEvent, TurnResult> {
    const turn = ++this.#turn;
    if (content !== undefined) this.#answerOpenCalls();
    const input = await this.#input(content, options);
    yield this.#stamp({ type: "turn_start", turn, input: content ?? [] });
    const events = runTurn(input, {
      ...this.#deps,
      request: options.outputSchema
        ? { ...this.#deps.request, outputSchema: options.outputSchema }
        : this.#deps.request,
      signal: options.signal,
      inbox: { drain: () => [...this.#steering.splice(0), ...this.#deps.notices()] },
    });
    let step = await events.next();
    while (!step.done) {
      if (step.value.type === "message_start" && this.#requests++ === 0) {
        this.#deps.onFirstRequest();
      }
      this.#logScript(step.value);
      yield this.#stamp(step.value);
      step = await events.next();
    }
    const { reason, text, iterations } = step.value;
    await this.#notify("post_llm_call", { reason, response: text }, options.signal);
    yield this.#stamp({ type: "turn_end", turn, reason, text, iterations });
    return step.value;
  }

  /** Stores how the session ended and gives its last event. `close()` must follow. */
  async finish(reason: EndReason, detail?: string): Promise<AgentEvent> {
    // Observers of the start do not hold up the first request; none is left out for that.
    await this.#announced;
    await this.#notify("on_session_end", { reason });
    this.#deps.end(reason);
    return this.#stamp({
      type: "session_end",
      reason,
      exitCode: EXIT_CODES[reason],
      usage: { ...this.usage },
      ...(detail === undefined ? {} : { detail }),
    });
  }

  /** Frees everything the session holds. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#deps.dispose();
  }

  /** New input puts aside calls that wait for a yes; no provider takes a call without its result. */
  #answerOpenCalls(): void {
    const { history } = this.#deps;
    for (const result of missingResults(history.messages(), NOT_APPROVED)) history.append(result);
  }

  async #input(content: UserPart[] | undefined, options: SendOptions): Promise<TurnInput> {
    if (content === undefined) return {};
    const hooks = await this.#deps.hooks();
    const extra = hooks?.has("pre_llm_call")
      ? await hooks.preLlmCall({ sessionId: this.id, input: content }, options.signal)
      : "";
    return {
      content: extra === "" ? content : [...content, { type: "text", text: extra }],
      ...(options.synthetic ? { synthetic: true } : {}),
    };
  }

  #logScript(event: EventBody): void {
    if (event.type === "tool_start" && event.sandbox) {
      this.#scriptArguments.set(event.callId, JSON.stringify(event.arguments));
    } else if (event.type === "tool_end" && event.sandbox) {
      this.#deps.logScriptCall({
        parentCallId: event.parentCallId ?? "",
        name: event.name,
        arguments: this.#scriptArguments.get(event.callId) ?? "{}",
        result: event.result,
        isError: event.isError,
        durationMs: event.durationMs,
      });
      this.#scriptArguments.delete(event.callId);
    }
  }

  async #announce(model: string, replaced: string | undefined): Promise<void> {
    if (replaced !== undefined) {
      await this.#notify("on_session_reset", { oldSessionId: replaced, newSessionId: this.id });
    }
    await this.#notify("on_session_start", { model });
  }

  async #notify(
    name: HookName,
    payload: Omit<HookPayload, "sessionId">,
    turn?: AbortSignal,
  ): Promise<void> {
    const hooks = await this.#deps.hooks();
    if (hooks?.has(name)) await hooks.notify(name, { ...payload, sessionId: this.id }, turn);
  }

  #stamp(body: EventBody): AgentEvent {
    const { clock } = this.#deps;
    const timed = body.type === "tool_end"
      ? { ...body, durationMs: clock.duration(body.durationMs) }
      : body;
    return { ...timed, ts: clock.now().toISOString(), sessionId: this.id, seq: ++this.#seq };
  }
}
