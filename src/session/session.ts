/**
 * What a surface holds: one conversation. Takes operations and tells every listener what happens,
 * and stores everything on the way; `send()` is the same for one consumer. Built by `open.ts`;
 * owns no composition.
 */
import { runTurn } from "../agent/loop.ts";
import type { LoopDeps, TurnInput, TurnResult } from "../agent/types.ts";
import type { AgentEvent, EndReason, EventBody } from "../protocol/event.ts";
import { type Acknowledgement, type Operation, OPERATION_VERSION } from "../protocol/operation.ts";
import type { Snapshot } from "../protocol/snapshot.ts";
import type { HookName, HookPayload, HookRunner } from "../protocol/hook.ts";
import type { UserPart } from "../protocol/message.ts";
import type { JsonSchema } from "../protocol/json_schema.ts";
import type { ScriptCall } from "../store/record.ts";
import { EventFeed, type SubscribeOptions, type Subscription } from "./event_feed.ts";
import type { BlobShelf } from "./images.ts";
import { Questions } from "./questions.ts";
import { TurnFollower } from "./running_turn.ts";
import { TurnQueue } from "./turn_queue.ts";
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
  /** Changes the model of later turns. @throws {HermesError} when there is none of that name. */
  setModel?: (model: string, provider?: string) => Promise<void>;
  /** Runs a command by name. @throws {HermesError} when it fails. */
  runCommand?: (name: string, argument: string) => Promise<void>;
  /** Makes what is sent smaller from the next request on. */
  compact?: (topic?: string) => Promise<void>;
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
  readonly #feed = new EventFeed(() => this.snapshot());
  readonly #follower = new TurnFollower();
  readonly #turns: TurnQueue;
  /** What waits for somebody's answer. */
  readonly questions: Questions;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    const emit = (event: EventBody) => void this.#stamp(event);
    this.questions = new Questions({ emit, now: () => deps.clock.now(), timer: startTimer });
    this.#turns = new TurnQueue({
      emit,
      steer: (text) => this.steer(text),
      run: async ({ content, synthetic }, signal) => {
        const turn = this.send(content, { signal, ...(synthetic ? { synthetic } : {}) });
        while (!(await turn.next()).done);
      },
      onFailure: (error) =>
        emit({ type: "error", kind: "store", message: String(error), fatal: true }),
    });
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

  /** Everything that happens from now on, after a snapshot of what is. */
  subscribe(options: SubscribeOptions = {}): Subscription {
    return this.#feed.subscribe(options);
  }

  /** The session at this moment. */
  snapshot(): Snapshot {
    const { history, providers: { active } } = this.#deps;
    const { running } = this.#follower;
    return {
      sessionId: this.id,
      seq: this.#seq,
      provider: active.name,
      model: active.model.id,
      cwd: this.cwd,
      usage: { ...this.usage },
      transcript: [...history.messages()],
      ...(running === undefined ? {} : { running }),
      questions: this.questions.list(),
      queued: this.#turns.queued,
    };
  }

  /** Resolves when no turn runs and none waits. */
  get idle(): Promise<void> {
    return this.#turns.idle;
  }

  /** Takes an operation and says at once what becomes of it. */
  submit(operation: Operation): Acknowledgement {
    const { v = OPERATION_VERSION, by } = operation;
    const whose = by === undefined ? {} : { by };
    if (v !== OPERATION_VERSION) return rejected(`operations of version ${v} are not known`);
    if (this.#closed) return rejected("the session is closed");
    switch (operation.op) {
      case "input": {
        const { content, busy, synthetic } = operation;
        return this.#turns.submit({ content, ...whose, ...(synthetic ? { synthetic } : {}) }, busy);
      }
      case "continue":
        return this.unfinished
          ? this.#turns.submit(whose, "reject")
          : rejected("the last turn is finished");
      case "steer":
        if (!this.#turns.isRunning) return rejected("no turn is running");
        this.steer(operation.text);
        return { status: "accepted" };
      case "interrupt":
        return this.#turns.interrupt(operation.reason ?? "interrupted")
          ? { status: "accepted" }
          : rejected("no turn is running");
      case "answer": {
        const { questionId, answer } = operation;
        const problem = this.questions.answer(questionId, answer, by ?? "person");
        return problem === undefined ? { status: "accepted" } : rejected(problem);
      }
      case "command":
        return this.#perform(this.#deps.runCommand?.(operation.name, operation.argument));
      case "compact":
        return this.#perform(this.#deps.compact?.(operation.topic));
      case "set_model":
        if (this.#turns.isRunning) return rejected("a turn is running");
        return this.#perform(this.#deps.setModel?.(operation.model, operation.provider));
      case "close":
        this.#perform(this.end(operation.reason ?? "done"));
        return { status: "accepted" };
    }
  }

  /** Something that takes a while; what goes wrong with it is an event. */
  #perform(work: Promise<unknown> | undefined): Acknowledgement {
    if (work === undefined) return rejected("this session cannot do that");
    work.catch((error) => {
      const message = error instanceof Error ? error.message : String(error);
      this.#stamp({ type: "error", kind: "config", message, fatal: false });
    });
    return { status: "accepted" };
  }

  /**
   * Ends the session: takes nothing more, interrupts the running turn and waits for it, stores how
   * it ended and frees everything.
   */
  async end(reason: EndReason, detail?: string): Promise<void> {
    this.#turns.close();
    this.#turns.interrupt("the session is closed");
    await this.#turns.idle;
    try {
      await this.finish(reason, detail);
    } finally {
      await this.close();
    }
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
    const result = await this.#transformed(step.value, options.signal);
    const { reason, text, iterations, detail } = result;
    await this.#notify("post_turn", { reason, response: text }, options.signal);
    const why = detail === undefined ? {} : { detail };
    yield this.#stamp({ type: "turn_end", turn, reason, text, iterations, ...why });
    return result;
  }

  /** Stores how the session ended and gives its last event. `close()` must follow. */
  async finish(
    reason: EndReason,
    detail?: string,
    exitCode: number = EXIT_CODES[reason],
  ): Promise<AgentEvent> {
    // Observers of the start do not hold up the first request; none is left out for that.
    await this.#announced;
    await this.#notify("on_session_end", { reason });
    this.#deps.end(reason);
    return this.#stamp({
      type: "session_end",
      reason,
      exitCode,
      usage: { ...this.usage },
      ...(detail === undefined ? {} : { detail }),
    });
  }

  /** Frees everything the session holds. Safe to call twice. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#feed.end();
    try {
      await this.#notify("on_session_finalize", {});
    } finally {
      await this.#deps.dispose();
    }
  }

  async #input(content: UserPart[] | undefined, options: SendOptions): Promise<TurnInput> {
    if (content === undefined) return {};
    const hooks = await this.#deps.hooks();
    const extra = hooks?.has("pre_turn")
      ? await hooks.preTurn({ sessionId: this.id, input: content }, options.signal)
      : "";
    return {
      content: extra === "" ? content : [...content, { type: "text", text: extra }],
      ...(options.synthetic ? { synthetic: true } : {}),
    };
  }

  /** The answer as hooks leave it; the transcript keeps what the model said. */
  async #transformed(result: TurnResult, signal: AbortSignal): Promise<TurnResult> {
    const hooks = result.text === "" ? undefined : await this.#deps.hooks();
    if (!hooks?.has("transform_llm_output")) return result;
    const payload = { sessionId: this.id, model: this.model, response: result.text };
    const text = await hooks.transform("transform_llm_output", payload, signal);
    return text === undefined ? result : { ...result, text };
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
    const event = { ...timed, ts: clock.now().toISOString(), sessionId: this.id, seq: ++this.#seq };
    this.#follower.follow(body);
    this.#feed.publish(event);
    return event;
  }
}

function rejected(reason: string): Acknowledgement {
  return { status: "rejected", reason };
}

function startTimer(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms);
  return () => clearTimeout(timer);
}
