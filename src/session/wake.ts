/**
 * Background work that has something to say to a session: a finished process, a sub-agent, a
 * timer, a plugin. Text goes into the running turn; an idle session begins a turn with it or keeps
 * it for the next one, as its policy says. Owns the text that waits.
 */
import type { Acknowledgement } from "../protocol/operation.ts";
import type { WakePolicy } from "../protocol/session_spec.ts";

export interface WakerOptions {
  policy: WakePolicy;
  isRunning(): boolean;
  /** Begins a turn without typed input. */
  begin(text: string): Acknowledgement;
  /** Text that background work left behind since the last call. */
  collect(): string[];
}

/** Turns in a row that only background work asked for. */
const MAX_WAKES = 20;
const MAX_WAITING = 100;

export class Waker {
  readonly #options: WakerOptions;
  #waiting: string[] = [];
  #inARow = 0;

  constructor(options: WakerOptions) {
    this.#options = options;
  }

  /** A person said something: background work may wake the session again. */
  attended(): void {
    this.#inARow = 0;
  }

  /** Everything that waits, for the model's next call. */
  drain(): string[] {
    return [...this.#waiting.splice(0), ...this.#options.collect()];
  }

  /** What came too late for the turn that just ended, where it may begin another. */
  late(): string | undefined {
    if (this.#options.policy === "hold" || this.#inARow >= MAX_WAKES) return undefined;
    const texts = this.drain();
    if (texts.length === 0) return undefined;
    this.#inARow++;
    return texts.join("\n\n");
  }

  /** Tells the session; without a text it looks at what background work left behind. */
  wake(text?: string): Acknowledgement {
    const { policy, isRunning, begin } = this.#options;
    if (text !== undefined) {
      if (this.#waiting.length >= MAX_WAITING) {
        return rejected(`${MAX_WAITING} notices wait already`);
      }
      this.#waiting.push(text);
    }
    if (isRunning()) return { status: "accepted" };
    // The text is kept, so nothing is to be said again: a person's next turn has it.
    const waits = policy === "hold" || this.#inARow >= MAX_WAKES;
    if (waits) return { status: "queued", position: 1 };
    const late = this.late();
    return late === undefined ? rejected("there is nothing to tell") : begin(late);
  }
}

function rejected(reason: string): Acknowledgement {
  return { status: "rejected", reason };
}
