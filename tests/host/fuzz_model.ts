/**
 * What a listener of a session must have seen: a simple reading of the events themselves, kept
 * apart from the code that makes snapshots and queues. Checks say in one line what is wrong.
 */
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { UserPart } from "../../src/protocol/message.ts";
import type { Snapshot } from "../../src/protocol/snapshot.ts";
import type { FeedItem } from "../../src/session/event_feed.ts";

export function textOf(content: readonly UserPart[]): string {
  return content.map((part) => part.type === "text" ? part.text : "").join("");
}

/** The state after some events, as little of it as a snapshot must agree with. */
class Folded {
  seq = 0;
  turn: number | undefined;
  text = "";
  waiting: string[] = [];
  questions: string[] = [];
  model = "";

  take(event: AgentEvent): void {
    this.seq = event.seq;
    if (event.type === "session_start" || event.type === "model_change") this.model = event.model;
    if (event.type === "turn_start") this.turn = event.turn;
    if (event.type === "turn_end") this.turn = undefined;
    if (event.type === "message_delta") this.text += event.text;
    if (/^(turn|message)_(start|end)$/.test(event.type)) this.text = "";
    if (event.type === "question_start") this.questions.push(event.question.id);
    if (event.type === "question_end") {
      this.questions = this.questions.filter((id) => id !== event.questionId);
    }
    if (event.type === "queue") this.#queue(event.position, textOf(event.input));
  }

  #queue(position: number, text: string): void {
    if (position > 0) this.waiting.splice(position - 1, 0, text);
    else {
      const next = this.waiting.shift();
      if (next !== text) throw new Error(`"${text}" left the queue before "${next}"`);
    }
  }

  problem(snapshot: Snapshot): string | undefined {
    const own = [this.turn, this.turn === undefined ? "" : this.text, this.waiting, this.questions];
    const { running, queued, questions } = snapshot;
    const theirs = [
      running?.turn,
      running?.text ?? "",
      queued.map(textOf),
      questions.map(({ id }) => id),
    ];
    const [expected, found] = [JSON.stringify(own), JSON.stringify(theirs)];
    return expected === found ? undefined : `a snapshot says ${found}, the events say ${expected}`;
  }
}

/** Every event of a session, from a listener that missed none. */
export class Truth {
  readonly events: AgentEvent[];

  constructor(events: AgentEvent[]) {
    this.events = events;
  }

  /** What is wrong with the events in themselves. */
  problem(sessionId: string): string | undefined {
    const folded = new Folded();
    let input: string | undefined;
    for (const [index, event] of this.events.entries()) {
      if (event.seq !== index + 1) return `event ${index + 1} has the number ${event.seq}`;
      if (event.sessionId !== sessionId) return `an event of ${event.sessionId}`;
      if (event.type === "turn_start" && folded.turn !== undefined) return "two turns at once";
      folded.take(event);
      if (event.type === "turn_start") input = textOf(event.input);
      if (event.type !== "turn_end" || event.reason !== "done") continue;
      const [whose, ...heard] = event.text.split("|");
      if (whose !== sessionId || !heard.includes(input!)) {
        return `"${event.text}" answers "${input}"`;
      }
    }
    if (folded.turn !== undefined) return "a turn never ended";
    if (folded.questions.length > 0) return "a question never ended";
    return undefined;
  }

  /** What became of input that was taken: each began once, or was dropped and never began. */
  problemWith(taken: readonly string[]): string | undefined {
    const ends = this.events.flatMap((event) => {
      const isEnd = event.type === "turn_start" || (event.type === "queue" && event.dropped);
      return isEnd ? [textOf(event.input)] : [];
    });
    const wrong = taken.find((text) => ends.filter((end) => end === text).length !== 1);
    return wrong === undefined ? undefined : `"${wrong}" was not begun or dropped exactly once`;
  }

  /**
   * What is wrong with what one listener saw, up to its end. `joinedAt` is the number of the last
   * event before it came, for one that wanted no snapshot.
   */
  problemOf(
    seen: readonly FeedItem[],
    { end, joinedAt }: { end: "closed" | "left"; joinedAt: number | undefined },
  ): string | undefined {
    const folded = new Folded();
    let at = 0;
    const goTo = (seq: number) => {
      while (at < seq) folded.take(this.events[at++]!);
    };
    let missed = 0;
    let isFirst = joinedAt === undefined;
    goTo(joinedAt ?? 0);
    for (const item of seen) {
      if (item.type === "missed") {
        missed = item.count;
      } else if (item.type === "snapshot") {
        const { snapshot } = item;
        if (snapshot.seq < at + missed) {
          return `a snapshot of ${snapshot.seq} after ${at}+${missed}`;
        }
        if (!isFirst && missed === 0) return "a snapshot for no reason";
        goTo(snapshot.seq);
        const problem = folded.problem(snapshot);
        if (problem !== undefined) return `at ${snapshot.seq}: ${problem}`;
        missed = 0;
      } else {
        if (missed > 0) return "an event between a gap and its snapshot";
        if (isFirst) return "an event before the snapshot";
        if (item.event !== this.events[at]) return `${item.event.seq} came after ${at}`;
        goTo(item.event.seq);
      }
      isFirst = false;
    }
    if (end === "closed" && at !== this.events.length) {
      return `it saw ${at} of ${this.events.length} events`;
    }
    return undefined;
  }
}
