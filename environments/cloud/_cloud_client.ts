/**
 * One shell in a cloud's sandbox as the remote shell wants it. Keeps the order of what is sent,
 * says when it is in use, and turns a lost connection into an end instead of an exception.
 */
import type { DirectClient } from "../remote/channel.ts";
import type { TerminalSize } from "../../src/process/pty.ts";

/** A started shell as an SDK gives it. Everything rejects when the connection is lost. */
export interface CloudTransport {
  readonly exited: Promise<number>;
  /** The next bytes of output; undefined at the end. */
  read(): Promise<Uint8Array | undefined>;
  write(data: Uint8Array): Promise<void>;
  closeStdin(): Promise<void>;
  /** Of the terminal; absent without one. */
  resize?(size: TerminalSize): Promise<void>;
  /** Tells it to end, and lets go of the connection. Never rejects. */
  close(): Promise<void>;
}

export interface CloudClientEvents {
  /** The first input came: it is no longer a shell that merely waits. */
  onBusy(): void;
  onEnd(): void;
  /** The connection broke while it was needed. */
  onLost(error: unknown): void;
}

/** The code of a shell that was given up. */
const GIVEN_UP = 255;
/** Larger input goes in pieces, so that little of it is held at a time. */
const PIECE_BYTES = 1 << 20;

export class CloudClient implements DirectClient {
  /** There is no process on this side. */
  readonly pid = 0;
  readonly exited: Promise<number>;
  readonly resize?: (size: TerminalSize) => void;
  readonly #transport: CloudTransport;
  readonly #events: CloudClientEvents;
  readonly #givenUp = Promise.withResolvers<number>();
  #resizing: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #busy = false;

  constructor(transport: CloudTransport, events: CloudClientEvents) {
    this.#transport = transport;
    this.#events = events;
    this.exited = Promise.race([this.#givenUp.promise, this.#ended()]).finally(() => {
      events.onEnd();
    });
    if (transport.resize) this.resize = (size) => this.#resize(size);
  }

  get busy(): boolean {
    return this.#busy;
  }

  async read(): Promise<Uint8Array | undefined> {
    try {
      return await this.#transport.read();
    } catch (error) {
      this.#lost(error);
      return undefined;
    }
  }

  async write(data: Uint8Array): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      this.#events.onBusy();
    }
    await this.#resizing;
    for (let at = 0; at < data.length; at += PIECE_BYTES) {
      await this.#transport.write(data.subarray(at, at + PIECE_BYTES));
    }
  }

  async closeStdin(): Promise<void> {
    await this.#transport.closeStdin();
  }

  dispose(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  kill(): void {
    this.#givenUp.resolve(GIVEN_UP);
    void this.dispose();
  }

  async #close(): Promise<void> {
    await this.#transport.close();
    this.#givenUp.resolve(GIVEN_UP);
  }

  async #ended(): Promise<number> {
    try {
      return await this.#transport.exited;
    } catch (error) {
      this.#lost(error);
      return GIVEN_UP;
    }
  }

  /** Output after `close()` is dropped on purpose: nobody reads it. */
  #lost(error: unknown): void {
    if (this.#closing === undefined) this.#events.onLost(error);
  }

  /** Input that follows waits for it: a program that is told to look at the size sees the new one. */
  #resize(size: TerminalSize): void {
    this.#resizing = this.#resizing.then(() => this.#transport.resize!(size)).catch(() => {
      // The terminal is gone, and with it whoever could look at its size.
    });
  }
}
