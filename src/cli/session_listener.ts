/**
 * A terminal's listener of one session: shows every event in order, and lets a command wait for
 * the one that it caused. Misses nothing: what a terminal does not show at once waits.
 */
import { HermesError } from "../protocol/error.ts";
import type { AgentEvent, EventType } from "../protocol/event.ts";
import type { Operation } from "../protocol/operation.ts";
import type { Session } from "../session/session.ts";

export type EventOf<T extends EventType> = AgentEvent & { type: T };

interface Waiter {
  accepts(event: AgentEvent): boolean;
  resolve(event: AgentEvent): void;
  reject(error: unknown): void;
}

export class SessionListener {
  readonly #session: Session;
  #waiters: Waiter[] = [];
  readonly #reading: Promise<void>;
  #seq = 0;
  #failure: { error: unknown } | undefined;

  constructor(session: Session, show: (event: AgentEvent) => void) {
    this.#session = session;
    this.#reading = this.#read(show);
  }

  /** Submits an operation and resolves to the first event of these types. @throws {HermesError} when it is rejected. */
  async submit<T extends EventType>(
    operation: Operation,
    types: readonly T[],
  ): Promise<EventOf<T>> {
    const acknowledgement = this.#session.submit(operation);
    if (acknowledgement.status === "rejected") throw new HermesError(acknowledgement.reason);
    return await this.#next((event): event is EventOf<T> =>
      (types as readonly string[]).includes(event.type)
    );
  }

  /** Runs a turn and resolves to its end. */
  async turn(operation: Operation): Promise<EventOf<"turn_end">> {
    const end = await this.submit(operation, ["turn_end"]);
    // A broken store is no end like others: it is told as what it is.
    if (this.#session.failure !== undefined) throw this.#session.failure;
    return end;
  }

  /** Resolves when no turn runs, none waits, and everything was shown. */
  async idle(): Promise<void> {
    const { idle } = this.#session;
    await idle;
    if (this.#session.idle !== idle) return await this.idle();
    while (this.#seq < this.#session.seq) await this.#next((_event): _event is AgentEvent => true);
  }

  /** Resolves when the session is closed and its last event was shown. @throws what showing threw. */
  async closed(): Promise<void> {
    await this.#reading;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #next<E extends AgentEvent>(accepts: (event: AgentEvent) => event is E): Promise<E> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error);
    return new Promise<E>((resolve, reject) => {
      this.#waiters.push({ accepts, resolve: (event) => resolve(event as E), reject });
    });
  }

  async #read(show: (event: AgentEvent) => void): Promise<void> {
    const feed = this.#session.subscribe({ snapshot: false, limit: Infinity });
    try {
      for await (const item of feed) {
        if (item.type !== "event") continue;
        show(item.event);
        this.#seq = item.event.seq;
        const ready = this.#waiters.filter((waiter) => waiter.accepts(item.event));
        this.#waiters = this.#waiters.filter((waiter) => !ready.includes(waiter));
        for (const waiter of ready) waiter.resolve(item.event);
      }
      this.#fail(new HermesError("the session is closed"));
    } catch (error) {
      // No output can be shown any more: nothing more is to happen.
      this.#failure = { error };
      this.#session.submit({ op: "interrupt", reason: "its output cannot be shown" });
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }
}
