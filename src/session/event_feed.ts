/**
 * The event stream of one session for any number of listeners. Each first gets a snapshot and then
 * every event once and in order, from a queue of its own: a listener that does not keep up loses
 * its queue, is told how much, and starts again from a snapshot. Publishing never waits.
 */
import type { AgentEvent } from "../protocol/event.ts";
import type { Snapshot } from "../protocol/snapshot.ts";

export type FeedItem =
  | { type: "snapshot"; snapshot: Snapshot }
  | { type: "event"; event: AgentEvent }
  /** Events that this listener did not get; a snapshot follows. */
  | { type: "missed"; count: number };

export interface SubscribeOptions {
  /** Events that may wait for this listener. */
  limit?: number;
  /** False: events alone, from now on. */
  snapshot?: boolean;
}

export interface Subscription extends AsyncIterable<FeedItem> {
  /** Events that wait to be read; never more than the limit. */
  readonly waiting: number;
  /** Ends the iteration; what still waits is dropped. */
  close(): void;
}

const DEFAULT_LIMIT = 1_000;
const CHUNK = 1_024;

export class EventFeed {
  readonly #listeners = new Set<Listener>();
  readonly #snapshot: () => Snapshot;
  #ended = false;

  constructor(snapshot: () => Snapshot) {
    this.#snapshot = snapshot;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  publish(event: AgentEvent): void {
    for (const listener of this.#listeners) listener.push(event);
  }

  subscribe(options: SubscribeOptions = {}): Subscription {
    const { limit = DEFAULT_LIMIT, snapshot = true } = options;
    const listener = new Listener({
      limit,
      snapshot: this.#snapshot,
      begin: snapshot,
      onClose: () => this.#listeners.delete(listener),
    });
    if (this.#ended) listener.end();
    else this.#listeners.add(listener);
    return listener;
  }

  /** Lets every listener read what waits for it, and then ends it. */
  end(): void {
    this.#ended = true;
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }
}

interface ListenerOptions {
  limit: number;
  snapshot(): Snapshot;
  /** Begins with a snapshot. */
  begin: boolean;
  onClose(): void;
}

class Listener implements Subscription {
  readonly #options: ListenerOptions;
  #waiting: AgentEvent[] = [];
  /** How many of them were taken: to take the first one out would move all others, each time. */
  #taken = 0;
  #missed = 0;
  #needsSnapshot: boolean;
  #ended = false;
  /** Readers that found nothing: while there is one, nothing waits and nothing was missed. */
  #readers: ((result: IteratorResult<FeedItem, void>) => void)[] = [];

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#needsSnapshot = options.begin;
  }

  get waiting(): number {
    return this.#waiting.length - this.#taken;
  }

  push(event: AgentEvent): void {
    if (this.#ended) return;
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader({ value: { type: "event", event }, done: false });
    // Whoever waits for a snapshot finds the event in it.
    if (this.#needsSnapshot) {
      if (this.#missed > 0) this.#missed++;
    } else if (this.waiting >= this.#options.limit) {
      this.#missed += this.waiting + 1;
      this.#forget();
      this.#needsSnapshot = true;
    } else {
      this.#waiting.push(event);
    }
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#readers.splice(0)) reader({ value: undefined, done: true });
  }

  close(): void {
    this.#forget();
    this.#missed = 0;
    this.#needsSnapshot = false;
    this.end();
    this.#options.onClose();
  }

  [Symbol.asyncIterator](): AsyncIterator<FeedItem, void, void> {
    return {
      next: () => this.#read(),
      return: () => {
        this.close();
        return Promise.resolve({ value: undefined, done: true });
      },
    };
  }

  /** No generator: one costs more for each event than all the rest of a listener. */
  #read(): Promise<IteratorResult<FeedItem, void>> {
    const item = this.#take();
    if (item !== undefined) return Promise.resolve({ value: item, done: false });
    if (this.#ended) {
      this.close();
      return Promise.resolve({ value: undefined, done: true });
    }
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  #take(): FeedItem | undefined {
    if (this.#missed > 0) {
      const count = this.#missed;
      this.#missed = 0;
      return { type: "missed", count };
    }
    if (this.#needsSnapshot) {
      this.#needsSnapshot = false;
      return { type: "snapshot", snapshot: this.#options.snapshot() };
    }
    return this.waiting > 0 ? { type: "event", event: this.#next() } : undefined;
  }

  #next(): AgentEvent {
    const event = this.#waiting[this.#taken++]!;
    // Often enough to keep little that was read, seldom enough to cost nothing.
    if (this.#taken === this.#waiting.length) this.#forget();
    else if (this.#taken >= CHUNK && this.#taken * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#taken);
      this.#taken = 0;
    }
    return event;
  }

  #forget(): void {
    this.#waiting = [];
    this.#taken = 0;
  }
}
