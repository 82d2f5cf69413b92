/**
 * The guest's half of pushing: events leave with a number, and only so many are on their way that
 * hermes has not acknowledged. Hermes counts as well; this half only keeps an honest plugin waiting
 * instead of stopped.
 */
import type { PushEvent, PushReceipt } from "../protocol/push.ts";
import type { GuestMessage } from "./messages.ts";

/** Events that hermes has not acknowledged, and the characters of them. */
const WINDOW_EVENTS = 64;
const WINDOW_CHARS = 14_000_000;
/** Events that may wait behind them. */
const MAX_WAITING = 10_000;
/** What a frame can hold. */
const MAX_EVENT_CHARS = 14_000_000;

interface Waiting {
  event: PushEvent;
  chars: number;
  resolve(receipt: PushReceipt): void;
}

/** Sends events in order and gives each its receipt. */
export class PushWindow {
  readonly #send: (message: GuestMessage) => void;
  readonly #waiting: Waiting[] = [];
  readonly #sent = new Map<number, Waiting>();
  #seq = 0;
  #charsSent = 0;

  constructor(send: (message: GuestMessage) => void) {
    this.#send = send;
  }

  /** Resolves when hermes has decided about the event. Rejects only what can never be sent. */
  push(event: PushEvent): Promise<PushReceipt> {
    const chars = JSON.stringify(event).length;
    if (chars > MAX_EVENT_CHARS) {
      return Promise.reject(new Error(`an event of ${chars} characters is too large to push`));
    }
    if (this.#waiting.length >= MAX_WAITING) {
      return Promise.resolve({
        status: "rejected",
        reason: `${MAX_WAITING} events wait already: wait for their receipts`,
        retry: true,
      });
    }
    return new Promise((resolve) => {
      this.#waiting.push({ event, chars, resolve });
      this.#flush();
    });
  }

  acknowledge(seq: number, receipt: PushReceipt): void {
    const sent = this.#sent.get(seq);
    if (sent === undefined) return;
    this.#sent.delete(seq);
    this.#charsSent -= sent.chars;
    sent.resolve(receipt);
    this.#flush();
  }

  #flush(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const isFull = this.#sent.size >= WINDOW_EVENTS ||
        (this.#sent.size > 0 && this.#charsSent + next.chars > WINDOW_CHARS);
      if (isFull) return;
      this.#waiting.shift();
      this.#sent.set(++this.#seq, next);
      this.#charsSent += next.chars;
      this.#send({ t: "event", seq: this.#seq, event: next.event });
    }
  }
}
