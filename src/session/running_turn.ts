/** Follows the events of a turn and knows what of it is in no stored message yet. */
import type { EventBody } from "../protocol/event.ts";
import type { RunningCall, RunningTurn } from "../protocol/snapshot.ts";

/** Of what a call reports only the end is kept. */
const MAX_PROGRESS = 8_000;

export class TurnFollower {
  #turn: RunningTurn | undefined;
  /** Pieces, because a long answer comes in thousands of them. */
  #text: string[] = [];
  #reasoning: string[] = [];
  readonly #calls = new Map<string, RunningCall>();

  /** The turn so far; undefined between turns. */
  get running(): RunningTurn | undefined {
    if (this.#turn === undefined) return undefined;
    return {
      ...this.#turn,
      text: this.#text.join(""),
      reasoning: this.#reasoning.join(""),
      calls: [...this.#calls.values()].map((call) => ({ ...call })),
    };
  }

  follow(event: EventBody): void {
    switch (event.type) {
      case "turn_start":
        this.#begin(event.turn, event.input);
        break;
      case "turn_end":
        this.#turn = undefined;
        this.#forgetMessage();
        this.#calls.clear();
        break;
      case "message_start":
      case "message_end":
        this.#forgetMessage();
        break;
      case "message_delta":
        (event.kind === "text" ? this.#text : this.#reasoning).push(event.text);
        break;
      case "tool_start": {
        const { callId, name, arguments: args, parentCallId } = event;
        const parent = parentCallId === undefined ? {} : { parentCallId };
        this.#calls.set(callId, { callId, name, arguments: args, progress: "", ...parent });
        break;
      }
      case "tool_delta": {
        const call = this.#calls.get(event.callId);
        if (call) call.progress = (call.progress + event.text).slice(-MAX_PROGRESS);
        break;
      }
      case "tool_end":
        this.#calls.delete(event.callId);
        break;
    }
  }

  #begin(turn: number, input: RunningTurn["input"]): void {
    this.#turn = { turn, input, text: "", reasoning: "", calls: [] };
    this.#forgetMessage();
    this.#calls.clear();
  }

  #forgetMessage(): void {
    this.#text = [];
    this.#reasoning = [];
  }
}
