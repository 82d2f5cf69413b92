/**
 * What a surface holds: one conversation. Takes operations and tells every listener what happens,
 * and stores everything on the way; `send()` is the same for one consumer. Built by `open.ts`;
 * owns no composition.
 */
import type { LoopDeps, TurnResult } from "../agent/types.ts";
import type { AgentEvent, EndReason, EventBody } from "../protocol/event.ts";
import type { UserPart } from "../protocol/message.ts";
import type { Acknowledgement, Operation } from "../protocol/operation.ts";
import type { SessionOrigin } from "../protocol/session_spec.ts";
import type { Snapshot } from "../protocol/snapshot.ts";
import { reasonOf } from "../util/reason.ts";
import { VERSION } from "../util/version.ts";
import { EventFeed, type SubscribeOptions, type Subscription } from "./event_feed.ts";
import { operationProblem } from "./operation_check.ts";
import { Questions } from "./questions.ts";
import { TurnFollower } from "./running_turn.ts";
import { type FollowedTurn, sendTurn } from "./send.ts";
import { EXIT_CODES, notifyHooks, type SessionDeps } from "./session_deps.ts";
import { TimeBudget } from "./time_budget.ts";
import { settledWithin, startTimer } from "./timers.ts";
import { plainRequest, TurnQueue, type TurnRequest } from "./turn_queue.ts";
import { TurnRunner } from "./turn_runner.ts";
import { Waker } from "./wake.ts";

export type SendOptions = Pick<FollowedTurn, "outputSchema" | "synthetic"> & {
  signal: AbortSignal;
};

export interface EndOptions {
  /** Frees everything and leaves the record as it is: nothing came of this opening. */
  abandon?: boolean;
  detail?: string;
  exitCode?: number;
  /** How long a running turn may go on before it is interrupted; default not at all. */
  graceMs?: number;
}

/** What a session takes while it ends. */
const LATE_OPERATIONS: ReadonlySet<string> = new Set(["answer", "steer", "interrupt", "close"]);
/** Lines that wait for the model's next call, and commands that run at once: a client may be wild. */
const MAX_WAITING = 100;
const MAX_COMMANDS = 16;
/** A turn that does not end this long after its interrupt is left behind. */
const INTERRUPT_LIMIT_MS = 15_000;

export class Session {
  readonly id: string;
  readonly cwd: string;
  readonly resumed: boolean;
  readonly origin: SessionOrigin | undefined;
  readonly surface: string;
  /** What waits for a person's answer. */
  readonly questions: Questions;
  #deps: SessionDeps;
  #seq = 0;
  #steering: string[] = [];
  #closed = false;
  #ending: Promise<void> | undefined;
  #announced: Promise<void> | undefined;
  #failure: unknown;
  readonly #commands = new Set<AbortController>();
  readonly #feed = new EventFeed(() => this.snapshot());
  readonly #follower = new TurnFollower();
  readonly #turns: TurnQueue;
  readonly #time: TimeBudget;
  readonly #waker: Waker;

  constructor(deps: SessionDeps) {
    const { timer = startTimer } = deps;
    this.#deps = deps;
    this.id = deps.id;
    this.cwd = deps.cwd;
    this.resumed = deps.resumed;
    this.origin = deps.origin;
    this.surface = deps.surface ?? "";
    const emit = (event: EventBody) => void this.#stamp(event);
    this.questions = new Questions({ emit, now: () => deps.clock.now(), timer });
    const runner = new TurnRunner({
      deps: () => this.#deps,
      emit,
      drain: () => [...this.#steering.splice(0), ...this.#waker.drain()],
    });
    this.#time = new TimeBudget(deps.timeMs, timer);
    this.#turns = new TurnQueue({
      emit,
      steer: (text) => this.#steer(text),
      run: (request, signal) => {
        this.start();
        return runner.run(request, this.#time.limit(signal));
      },
      late: () => this.#late(),
      onFailure: (error) => this.#failure = error,
    });
    this.#waker = new Waker({
      policy: deps.wake ?? "hold",
      isRunning: () => this.#turns.isRunning,
      begin: (text) =>
        this.#turns.submit({ content: [{ type: "text", text }], synthetic: true, by: "wake" }),
      collect: () => deps.notices(),
    });
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

  /** True from the call of `end()` on. */
  get isEnding(): boolean {
    return this.#ending !== undefined;
  }

  get isRunning(): boolean {
    return this.#turns.isRunning;
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  /** Resolves when no turn runs and none waits. */
  get idle(): Promise<void> {
    return this.#turns.idle;
  }

  /** What a turn threw because the transcript could not be stored; the session takes no more. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Announces the session once, or else the first turn does; `replaced` is the one it replaces. */
  start(replaced?: string): void {
    if (this.#announced !== undefined) return;
    const { providers: { active }, walls } = this.#deps;
    this.#announced = this.#announce(active.model.id, replaced);
    this.#stamp({
      type: "session_start",
      version: VERSION,
      provider: active.name,
      model: active.model.id,
      cwd: this.cwd,
      tools: this.toolNames,
      resumed: this.resumed,
      ...walls === undefined ? {} : { sandbox: walls.wallName },
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

  /** Takes an operation and says at once what becomes of it. */
  submit(operation: Operation): Acknowledgement {
    const problem = operationProblem(operation);
    if (problem !== undefined) return rejected(problem);
    // A turn that may still end within the grace can be answered and steered.
    const isLate = this.#ending !== undefined && !LATE_OPERATIONS.has(operation.op);
    if (this.#closed || isLate) return rejected("the session is closed");
    if (this.#failure !== undefined && operation.op !== "close") {
      return rejected(reasonOf(this.#failure));
    }
    switch (operation.op) {
      case "input": {
        if (operation.synthetic !== true) this.#waker.attended();
        return this.#turns.submit(plainRequest(operation), operation.busy ?? this.#deps.busy);
      }
      case "continue":
        return this.unfinished
          ? this.#turns.submit(plainRequest(operation), "reject")
          : rejected("the last turn is finished");
      case "steer":
        if (!this.#turns.isRunning) return rejected("no turn is running");
        return this.#steer(operation.text);
      case "interrupt":
        return this.#interrupt(operation.reason ?? "interrupted");
      case "answer":
        return this.#answer(operation);
      case "command":
        return this.#command(operation.name, operation.argument);
      case "compact":
        return this.#perform(this.#deps.compact?.(operation.topic), "compact its context");
      case "set_model":
        if (this.#turns.isRunning) return rejected("a turn is running");
        return this.#perform(this.#setModel(operation), "change its model");
      case "close":
        return this.#perform(this.end(operation.reason ?? "done"), "close");
    }
  }

  /** No operation on purpose: a client that may submit input may not allow everything. */
  get approvals(): SessionDeps["approvals"] {
    return this.#deps.approvals;
  }

  get walls(): SessionDeps["walls"] {
    return this.#deps.walls;
  }

  /** Background work has something to say; without a text, what it left behind. */
  wake(text?: string): Acknowledgement {
    return this.#ending === undefined ? this.#waker.wake(text) : rejected("the session is closed");
  }

  /** A line for whoever listens. */
  tell(text: string): void {
    this.#stamp({ type: "notice", text });
  }

  /** Keeps an image and gives the reference that stands for it in messages. */
  async keepImage(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    return await this.#deps.images().put(bytes);
  }

  /** Runs one turn; `content` undefined goes on from the transcript. The last event is `turn_end`. */
  send(
    content: UserPart[] | undefined,
    options: SendOptions,
  ): AsyncGenerator<AgentEvent, TurnResult> {
    this.#waker.attended();
    return sendTurn({
      subscribe: () => this.subscribe({ snapshot: false, limit: Infinity }),
      submit: (turn) => this.#turns.submit(turn),
    }, { ...options, ...(content === undefined ? {} : { content }) });
  }

  /**
   * Ends the session: takes nothing more, lets the running turn end within the grace or interrupts
   * it, stores how it ended and frees everything. Later calls wait for the first.
   */
  end(reason: EndReason, options: EndOptions = {}): Promise<void> {
    return this.#ending ??= this.#end(reason, options);
  }

  async #end(reason: EndReason, options: EndOptions): Promise<void> {
    const { graceMs = 0, abandon = false } = options;
    this.#turns.close();
    const timer = this.#deps.timer ?? startTimer;
    if (graceMs > 0) await settledWithin(this, { ms: graceMs, timer });
    this.#turns.interrupt("the session is closed");
    for (const command of this.#commands) command.abort(new Error("the session is closed"));
    await settledWithin(this, { ms: INTERRUPT_LIMIT_MS, timer });
    this.#time.close();
    try {
      if (!abandon) await this.#finish(reason, options);
    } finally {
      this.#closed = true;
      this.#feed.end();
      await this.#deps.dispose();
    }
  }

  /** Stores how the session ended, and tells it. */
  async #finish(reason: EndReason, { detail, exitCode }: EndOptions): Promise<void> {
    // Observers of the start do not hold up the first request; none is left out for that.
    await this.#announced;
    if (this.#announced !== undefined) {
      await notifyHooks(this.#deps, { name: "on_session_end", payload: { reason } });
    }
    for (const line of this.#deps.leftOver?.() ?? []) this.tell(line);
    this.#deps.end(reason);
    this.#stamp({
      type: "session_end",
      reason,
      exitCode: exitCode ?? EXIT_CODES[reason],
      usage: { ...this.usage },
      ...(detail === undefined ? {} : { detail }),
    });
  }

  /** A turn for what came after the last call of the model. */
  #late(): TurnRequest | undefined {
    const steering = this.#steering.splice(0).join("\n");
    if (steering !== "") return { content: [{ type: "text", text: steering }] };
    const text = this.#waker.late();
    return text === undefined
      ? undefined
      : { content: [{ type: "text", text }], synthetic: true, by: "wake" };
  }

  #steer(text: string): Acknowledgement {
    if (this.#steering.length >= MAX_WAITING) return rejected(`${MAX_WAITING} lines wait already`);
    this.#steering.push(text);
    return { status: "accepted" };
  }

  #interrupt(reason: string): Acknowledgement {
    if (this.#turns.interrupt(reason)) return { status: "accepted" };
    if (this.#commands.size === 0) return rejected("no turn is running");
    for (const command of this.#commands) command.abort(new Error(reason));
    return { status: "accepted" };
  }

  #answer({ questionId, answer, by = "person" }: Operation & { op: "answer" }): Acknowledgement {
    const { answerers } = this.#deps;
    if (answerers !== undefined && !answerers.includes(by)) {
      return rejected(`${by} may not answer questions of this session`);
    }
    const problem = this.questions.answer(questionId, answer, by);
    return problem === undefined ? { status: "accepted" } : rejected(problem);
  }

  #command(name: string, argument: string): Acknowledgement {
    const { commands } = this.#deps;
    if (!commands?.has(name)) return rejected(`this session has no command ${name}`);
    if (this.#commands.size >= MAX_COMMANDS) {
      return rejected(`${MAX_COMMANDS} commands run already`);
    }
    const abort = new AbortController();
    this.#commands.add(abort);
    const tell = (text: string, isError: boolean) => {
      this.#commands.delete(abort);
      this.#stamp({ type: "command_end", name, text, isError });
    };
    commands.run(name, argument, { signal: abort.signal, sessionId: this.id }).then(
      (text) => tell(text, false),
      (error) => tell(reasonOf(error), true),
    );
    return { status: "accepted" };
  }

  #setModel({ model, provider }: Operation & { op: "set_model" }): Promise<void> | undefined {
    const { findModel } = this.#deps;
    return findModel && (async () => {
      const providers = await findModel(model, provider);
      this.#deps = { ...this.#deps, providers };
      const { name, model: { id } } = providers.active;
      this.#deps.onModel?.({ provider: name, model: id });
      this.#stamp({ type: "model_change", provider: name, model: id });
    })();
  }

  /** Something that takes a while; what goes wrong with it is an event. */
  #perform(work: Promise<unknown> | undefined, what: string): Acknowledgement {
    if (work === undefined) return rejected(`this session cannot ${what}`);
    work.catch((error) =>
      this.#stamp({ type: "error", kind: "config", message: reasonOf(error), fatal: false })
    );
    return { status: "accepted" };
  }

  async #announce(model: string, replaced: string | undefined): Promise<void> {
    if (replaced !== undefined) {
      const payload = { oldSessionId: replaced, newSessionId: this.id };
      await notifyHooks(this.#deps, { name: "on_session_reset", payload });
    }
    await notifyHooks(this.#deps, { name: "on_session_start", payload: { model } });
  }

  #stamp(body: EventBody): void {
    const { clock } = this.#deps;
    const timed = body.type === "tool_end"
      ? { ...body, durationMs: clock.duration(body.durationMs) }
      : body;
    const event = { ...timed, ts: clock.now().toISOString(), sessionId: this.id, seq: ++this.#seq };
    this.#follower.follow(body);
    this.#feed.publish(event);
  }
}

function rejected(reason: string): Acknowledgement {
  return { status: "rejected", reason };
}
