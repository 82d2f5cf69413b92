/** Output of a process that can be read from any offset not too far back, by a reader that may come again. */
import type { Message } from "./modal_server_wire.ts";

/** Kept for readers that come again, and read ahead at most. */
const WINDOW = 1 << 20;

export class ModalOutput {
  #kept: Uint8Array[] = [];
  /** Offset of the first byte kept. */
  #start = 0;
  #end = 0;
  /** How far readers have come. */
  #taken = 0;
  #finished = false;
  #error: Error | undefined;
  #changed = Promise.withResolvers<void>();

  constructor(source: ReadableStreamDefaultReader<Uint8Array>) {
    void this.#pump(source);
  }

  /** Ends every reader with an error. */
  fail(error: Error): void {
    this.#error = error;
    this.#wake();
  }

  async *read(offset: number, signal: AbortSignal): AsyncGenerator<Message> {
    if (offset < this.#start) throw new Error(`Output before ${this.#start} is gone`);
    const stop = () => this.#wake();
    signal.addEventListener("abort", stop);
    try {
      for (let at = offset;;) {
        if (this.#error) throw this.#error;
        if (signal.aborted) return;
        if (at > this.#taken) {
          this.#taken = at;
          this.#wake();
        }
        const data = this.#from(at);
        at += data.length;
        if (data.length > 0) yield { data };
        else if (this.#finished) return;
        else await this.#wait();
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #pump(source: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
    try {
      for (let chunk; !(chunk = await source.read()).done;) {
        this.#kept.push(chunk.value);
        this.#end += chunk.value.length;
        this.#wake();
        while (this.#end - this.#taken > WINDOW && !this.#error) await this.#wait();
        while (this.#kept.length > 1 && this.#taken - this.#start > WINDOW) {
          this.#start += this.#kept.shift()!.length;
        }
      }
    } finally {
      this.#finished = true;
      this.#wake();
    }
  }

  /** The chunk that has this offset, from there; empty when it has not come yet. */
  #from(offset: number): Uint8Array {
    let at = this.#start;
    for (const chunk of this.#kept) {
      if (at + chunk.length > offset) return chunk.subarray(offset - at);
      at += chunk.length;
    }
    return new Uint8Array();
  }

  /** Readers and the pump wake each other. */
  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async #wait(): Promise<void> {
    await this.#changed.promise;
  }
}
