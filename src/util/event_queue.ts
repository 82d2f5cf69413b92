/**
 * Push on one side, async iteration on the other: how concurrent producers feed one ordered
 * stream, and how a slow consumer is kept from stalling them.
 */
export class EventQueue<T> implements AsyncIterable<T> {
  #items: T[] = [];
  #waiting: (() => void) | undefined;
  #closed = false;
  #failure: unknown;

  /** Appends; ignored once closed. */
  push(item: T): void {
    if (this.#closed) return;
    this.#items.push(item);
    this.#wake();
  }

  /** Ends the stream after what was pushed. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Ends the stream by throwing `reason` after what was pushed. */
  fail(reason: unknown): void {
    this.#failure = { reason };
    this.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    while (true) {
      while (this.#items.length > 0) {
        const batch = this.#items;
        this.#items = [];
        yield* batch;
      }
      if (this.#closed) break;
      await new Promise<void>((resolve) => this.#waiting = resolve);
    }
    if (this.#failure !== undefined) throw (this.#failure as { reason: unknown }).reason;
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }
}
