/**
 * Questions to one plugin and their answers, matched and limited in time. A plugin that does
 * not answer a sign of life is stopped; what it was asked then fails, and nothing else does.
 */
import type { PushReceipt } from "../protocol/push.ts";
import { cleanOutput } from "../util/clean_output.ts";
import type { GuestMessage, HostMessage, Question } from "./messages.ts";
import { GuestError, GuestGone } from "./problem.ts";

/** The way to a guest, wherever it lives. */
export interface GuestLink {
  /** The guest's process, where it has one of its own. */
  readonly pid?: number;
  send(message: HostMessage): void;
  /**
   * Hands over every message, and how many characters it had on the way, until the guest is gone;
   * resolves to why it went. Never rejects.
   */
  serve(onMessage: (message: GuestMessage, chars: number) => void): Promise<string>;
  /** Ends the guest now. Safe to call twice. */
  close(): Promise<void>;
}

export interface ConversationOptions {
  log(text: string): void;
  /** The guest ended though hermes did not close it; says why. */
  onEnd(reason: string): void;
  /** Decides about an event the guest pushed. Must not reject. */
  onEvent(event: unknown): Promise<PushReceipt>;
}

interface Pending extends Omit<AskOptions, "signal" | "lingerMs"> {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

export interface AskOptions {
  signal: AbortSignal;
  onProgress?: ((text: string) => void) | undefined;
  /** A service says that it works. */
  onReady?: (() => void) | undefined;
  /** A part of an answer that comes in parts. */
  onChunk?: ((value: unknown) => void) | undefined;
  /** How long the answer is still waited for once the signal is aborted; default not at all. */
  lingerMs?: number | undefined;
}

/** How long a plugin may take to show a sign of life once its time is up. */
const GRACE_MS = 1_000;
/** Messages that hermes did not ask for (log lines, progress) in a minute before a plugin counts as flooding. */
const MAX_UNASKED = 10_000;
const FLOOD_WINDOW_MS = 60_000;
const MAX_LINE = 2_000;
/** Events without an acknowledgement; the guest's half waits before it comes to that. */
const MAX_UNACKNOWLEDGED = 64;
const MAX_UNACKNOWLEDGED_CHARS = 32_000_000;

export class Conversation {
  readonly #link: GuestLink;
  readonly #options: ConversationOptions;
  readonly #pending = new Map<number, Pending>();
  readonly #serving: Promise<void>;
  #registering: Pending | undefined;
  #watchdog: ReturnType<typeof setTimeout> | undefined;
  #lastId = 0;
  #unasked = 0;
  #countedSince = 0;
  #unacknowledged = 0;
  #unacknowledgedChars = 0;
  #end: string | undefined;
  #closed = false;

  constructor(link: GuestLink, options: ConversationOptions) {
    this.#link = link;
    this.#options = options;
    this.#serving = link.serve((message, chars) => this.#handle(message, chars))
      .then((why) => this.#over(why));
  }

  /** Lets the plugin register; resolves to what it says it did. @throws when it fails or takes too long. */
  async register(
    message: HostMessage & { t: "register" },
    timeoutMs: number,
  ): Promise<unknown> {
    const answer = new Promise((resolve, reject) => this.#registering = { resolve, reject });
    const timer = setTimeout(() => {
      this.stop(`register() did not return within ${timeoutMs / 1000} s`);
    }, timeoutMs);
    try {
      this.#link.send(message);
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @throws {GuestError} what the plugin threw. @throws {GuestGone} when it is gone. @throws the signal's reason. */
  async ask(question: Question, options: AskOptions): Promise<unknown> {
    const { signal, lingerMs, ...listeners } = options;
    if (this.#end !== undefined) throw new GuestGone(this.#end);
    signal.throwIfAborted();
    const id = ++this.#lastId;
    let onAbort = () => {};
    let lingering: ReturnType<typeof setTimeout> | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject, ...listeners });
        onAbort = () => {
          if (lingerMs === undefined) reject(signal.reason);
          else lingering = setTimeout(() => reject(signal.reason), lingerMs);
          this.#link.send({ t: "cancel", id });
          this.#expectLife();
        };
        signal.addEventListener("abort", onAbort, { once: true });
        this.#link.send({ t: "ask", id, question });
      });
    } finally {
      clearTimeout(lingering);
      this.#pending.delete(id);
      signal.removeEventListener("abort", onAbort);
    }
  }

  /** The guest's process, where it has one of its own. */
  get pid(): number | undefined {
    return this.#link.pid;
  }

  /** Ends the guest because of what it did; `onEnd` is told. The first reason counts. */
  stop(reason: string): void {
    this.#over(reason);
    void this.#link.close();
  }

  /** Ends the guest; resolves when it is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#link.close();
    await this.#serving;
  }

  #handle(message: GuestMessage, chars: number): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = undefined;
    if (message.t === "result") this.#settle(message);
    else if (message.t === "registered") this.#registering?.resolve(message.registrations);
    else if (message.t === "failed") this.#registering?.reject(new GuestError(message));
    else if (message.t === "event") void this.#take(message, chars);
    else if (message.t === "chunk" || message.t === "ready") this.#passOn(message);
    else if (message.t !== "pong") this.#hear(message);
  }

  /** Every event gets an acknowledgement; a guest that does not wait for them is stopped. */
  async #take({ seq, event }: GuestMessage & { t: "event" }, chars: number): Promise<void> {
    this.#unacknowledgedChars += chars;
    const isFlood = ++this.#unacknowledged > MAX_UNACKNOWLEDGED ||
      this.#unacknowledgedChars > MAX_UNACKNOWLEDGED_CHARS;
    if (isFlood) {
      return this.stop(
        `it floods hermes: more than ${MAX_UNACKNOWLEDGED} events, or ` +
          `${MAX_UNACKNOWLEDGED_CHARS / 1e6} million characters, were not acknowledged yet`,
      );
    }
    const receipt = await this.#options.onEvent(event);
    // What is taken is limited by those who take it.
    if (receipt.status === "rejected") this.#countUnasked();
    this.#unacknowledged--;
    this.#unacknowledgedChars -= chars;
    this.#link.send({ t: "ack", seq, receipt });
  }

  #passOn(message: GuestMessage & { t: "chunk" | "ready" }): void {
    const pending = this.#pending.get(message.id);
    if (message.t === "ready") pending?.onReady?.();
    else pending?.onChunk?.(message.value);
    if (pending === undefined || message.t === "ready") this.#countUnasked();
  }

  #settle(message: GuestMessage & { t: "result" }): void {
    const pending = this.#pending.get(message.id);
    if ("failure" in message) pending?.reject(new GuestError(message.failure));
    else pending?.resolve(message.value);
    if (pending === undefined) this.#countUnasked();
  }

  #hear(message: GuestMessage & { t: "log" | "progress" }): void {
    const { text: said } = message as { text: unknown };
    const text = cleanOutput(typeof said === "string" ? said.slice(0, MAX_LINE) : typeof said);
    if (message.t === "log") this.#options.log(text);
    else this.#pending.get(message.id)?.onProgress?.(text);
    this.#countUnasked();
  }

  #countUnasked(): void {
    const now = performance.now();
    if (now - this.#countedSince > FLOOD_WINDOW_MS) {
      this.#countedSince = now;
      this.#unasked = 0;
    }
    if (++this.#unasked > MAX_UNASKED) this.stop("it floods hermes with messages");
  }

  /** Asks for a sign of life: a plugin that is busy waiting gives one, a looping one does not. */
  #expectLife(): void {
    if (this.#watchdog !== undefined || this.#end !== undefined) return;
    this.#link.send({ t: "ping" });
    this.#watchdog = setTimeout(() => {
      this.stop("it went on after its time was up and does not answer");
    }, GRACE_MS);
  }

  #over(reason: string): void {
    clearTimeout(this.#watchdog);
    if (this.#end !== undefined) return;
    this.#end = reason;
    const gone = new GuestGone(reason);
    this.#registering?.reject(gone);
    for (const { reject } of this.#pending.values()) reject(gone);
    if (!this.#closed) this.#options.onEnd(reason);
  }
}
