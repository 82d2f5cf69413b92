/**
 * One turn at a time. Input that comes while a turn runs waits, steers it, ends it or is refused,
 * as it says; what waits runs in order. Owns the running turn's way to be interrupted; how a turn
 * runs is given.
 */
import type { EventBody } from "../protocol/event.ts";
import type { JsonSchema } from "../protocol/json_schema.ts";
import type { UserPart } from "../protocol/message.ts";
import type { Acknowledgement, BusyPolicy, Operation } from "../protocol/operation.ts";

export interface TurnRequest {
  /** Absent to go on from the transcript. */
  content?: UserPart[];
  synthetic?: boolean;
  by?: string;
  outputSchema?: JsonSchema;
  /** Ends this turn, also one that still waits: it then ends as soon as it begins. */
  signal?: AbortSignal;
  /** Told when it is forgotten before it began. */
  onDrop?(): void;
}

export interface TurnQueueOptions {
  /** Runs one turn to its end. Must not reject for anything but a broken store. */
  run(request: TurnRequest, signal: AbortSignal): Promise<void>;
  /** Takes text for the model at its next call, or says why not. */
  steer(text: string): Acknowledgement;
  /** Text that the turn which just ended did not see any more; it gets a turn of its own. */
  late?(): TurnRequest | undefined;
  emit(event: EventBody): void;
  /** A turn that rejected: the session cannot go on. */
  onFailure(error: unknown): void;
  /** Input that may wait; more is refused. */
  limit?: number;
}

/** What of an operation begins a turn: data only. Other fields it holds must not reach the queue. */
export function plainRequest(
  operation: Operation & { op: "input" | "continue" },
): TurnRequest {
  const { by, outputSchema } = operation;
  const { content, synthetic } = operation.op === "input" ? operation : {};
  return {
    ...(content === undefined ? {} : { content }),
    ...(synthetic === undefined ? {} : { synthetic }),
    ...(by === undefined ? {} : { by }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

const DEFAULT_LIMIT = 100;

export class TurnQueue {
  readonly #options: TurnQueueOptions;
  #waiting: TurnRequest[] = [];
  #running: AbortController | undefined;
  #turns = 0;
  #closed = false;
  #idle: Promise<void> = Promise.resolve();

  constructor(options: TurnQueueOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Input that waits for its turn, next first. */
  get queued(): UserPart[][] {
    return this.#waiting.map(({ content }) => content ?? []);
  }

  /** Resolves when nothing runs and nothing waits. */
  get idle(): Promise<void> {
    return this.#idle;
  }

  submit(request: TurnRequest, busy: BusyPolicy = "queue"): Acknowledgement {
    if (this.#closed) return rejected("the session is closed");
    if (this.#running === undefined) return this.#start(request);
    switch (busy) {
      case "reject":
        return rejected("a turn is running");
      case "steer":
        return this.#steer(request);
      case "interrupt":
        return this.#takePlace(request);
      case "queue":
        return this.#enqueue(request);
    }
  }

  /** Stops the running turn; what waits goes on with its own. False when none runs. */
  interrupt(reason: string | Error): boolean {
    if (this.#running === undefined || this.#running.signal.aborted) return false;
    this.#running.abort(typeof reason === "string" ? new Error(reason) : reason);
    return true;
  }

  /** Takes nothing more, forgets what waits, and gives it back. */
  close(): UserPart[][] {
    this.#closed = true;
    const dropped = this.queued;
    while (this.#waiting.length > 0) {
      const request = this.#waiting.shift()!;
      this.#tell(request, { position: 0, dropped: true });
      request.onDrop?.();
    }
    return dropped;
  }

  #steer({ content = [], ...rest }: TurnRequest): Acknowledgement {
    const texts = content.map((part) => part.type === "text" ? part.text : undefined);
    // An image cannot be put between two calls of the model.
    if (texts.includes(undefined)) return this.#enqueue({ content, ...rest });
    const answer = this.#options.steer(texts.join("\n"));
    return answer.status === "accepted" ? { ...answer, turn: this.#turns } : answer;
  }

  #enqueue(request: TurnRequest): Acknowledgement {
    const full = this.#full();
    if (full !== undefined) return full;
    this.#waiting.push(request);
    return this.#queued(request, this.#waiting.length);
  }

  #takePlace(request: TurnRequest): Acknowledgement {
    const full = this.#full();
    if (full !== undefined) return full;
    this.#waiting.unshift(request);
    this.interrupt("other input took its place");
    return this.#queued(request, 1);
  }

  #full(): Acknowledgement | undefined {
    const { limit = DEFAULT_LIMIT } = this.#options;
    return this.#waiting.length < limit ? undefined : rejected(`${limit} inputs wait already`);
  }

  #queued(request: TurnRequest, position: number): Acknowledgement {
    this.#tell(request, { position });
    return { status: "queued", position };
  }

  #tell({ content = [], by }: TurnRequest, how: { position: number; dropped?: boolean }): void {
    const whose = by === undefined ? {} : { by };
    this.#options.emit({ type: "queue", ...how, input: content, ...whose });
  }

  #start(request: TurnRequest): Acknowledgement {
    const idle = Promise.withResolvers<void>();
    this.#idle = idle.promise;
    this.#runAll(request).then(idle.resolve, (error) => {
      this.#running = undefined;
      this.close();
      this.#options.onFailure(error);
      idle.resolve();
    });
    return { status: "accepted", turn: this.#turns };
  }

  async #runAll(first: TurnRequest): Promise<void> {
    for (let next: TurnRequest | undefined = first; next !== undefined;) {
      this.#running = new AbortController();
      this.#turns++;
      const { signal } = this.#running;
      const both = next.signal === undefined ? signal : AbortSignal.any([signal, next.signal]);
      await this.#options.run(next, both);
      // After an interrupt nothing goes on by itself.
      const late = both.aborted || this.#closed ? undefined : this.#options.late?.();
      if (late !== undefined) {
        this.#waiting.unshift(late);
        this.#tell(late, { position: 1 });
      }
      next = this.#waiting.shift();
      if (next === undefined) break;
      this.#tell(next, { position: 0 });
    }
    this.#running = undefined;
  }
}

function rejected(reason: string): Acknowledgement {
  return { status: "rejected", reason };
}
