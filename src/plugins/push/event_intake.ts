/**
 * Takes what one plugin pushes: checks that it may, keeps it within its rates, hands it on in order,
 * and says what became of it. A flood waits or is refused, and is named once a minute.
 */
import type { PluginInbox, PluginSession, SessionRight } from "../../protocol/plugin.ts";
import type { InboundMessage, PushEvent, PushReceipt, WakeRequest } from "../../protocol/push.ts";
import { Deadline, settleWithin } from "../../registry/dispatch/deadline.ts";
import { sleep } from "../../util/sleep.ts";
import { reasonOf } from "../problem.ts";
import { readEvent } from "./events.ts";
import { TokenBucket } from "./token_bucket.ts";

export interface IntakeOptions {
  plugin: string;
  rights: readonly SessionRight[];
  /** Names of the platforms it may bring messages from. */
  platforms: readonly string[];
  turnsPerMinute: number;
  /** Sessions that use the plugin, by id. */
  sessions: ReadonlyMap<string, PluginSession>;
  inbox: PluginInbox | undefined;
  /** Takes secrets out of text for the model and for those who watch. */
  clean(text: string): string;
  /** A line the person must see. */
  report(line: string): void;
  /** Ends what waits. */
  signal: AbortSignal;
  now?: () => number;
}

export const MESSAGES = { capacity: 600, perMinute: 600 } as const;
const NOTICES = { capacity: 120, perMinute: 120 } as const;
const DELIVERY_MS = 30_000;
const NAMED_EVERY_MS = 60_000;

export class EventIntake {
  readonly #options: IntakeOptions;
  readonly #now: () => number;
  readonly #messages: TokenBucket;
  readonly #turns: TokenBucket;
  readonly #notices: TokenBucket;
  readonly #namedAt = new Map<string, number>();
  /** Messages of one plugin are handed on one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: IntakeOptions) {
    const { now = () => performance.now(), turnsPerMinute } = options;
    this.#options = options;
    this.#now = now;
    this.#messages = new TokenBucket(MESSAGES, now);
    this.#turns = new TokenBucket({ capacity: turnsPerMinute, perMinute: turnsPerMinute }, now);
    this.#notices = new TokenBucket(NOTICES, now);
  }

  /** Resolves when everything that was taken is decided about. */
  get settled(): Promise<unknown> {
    return this.#last;
  }

  /** Never rejects. */
  async take(value: unknown): Promise<PushReceipt> {
    const event = readEvent(value);
    if (typeof event === "string") return rejected(event);
    try {
      return await this.#decide(event);
    } catch (error) {
      return later(reasonOf(error));
    }
  }

  async #decide(event: PushEvent): Promise<PushReceipt> {
    switch (event.kind) {
      case "message": {
        const turn = this.#last.then(() => this.#deliver(event.message));
        this.#last = turn.catch(() => {
          // The receipt of that message says so.
        });
        return await turn;
      }
      case "wake":
        return this.#wake(event.request);
      case "notice": {
        const session = this.#session("notify", event.notice.sessionId);
        if (typeof session === "string") return rejected(session);
        if (!this.#notices.take()) {
          return this.#flood("lines", `more than ${NOTICES.perMinute} lines a minute are dropped`);
        }
        const { plugin, clean } = this.#options;
        session.tell(`${plugin}: ${clean(event.notice.text)}`);
        return { status: "accepted" };
      }
    }
  }

  async #deliver(message: InboundMessage): Promise<PushReceipt> {
    const { plugin, platforms, inbox, signal } = this.#options;
    signal.throwIfAborted();
    if (!platforms.includes(message.platform)) {
      return rejected(`"${message.platform}" is no platform of this plugin`);
    }
    if (inbox === undefined) return rejected("hermes takes no messages from chats here");
    const waitMs = this.#messages.waitMs();
    if (waitMs > 0) {
      this.#flood("messages", `more than ${MESSAGES.perMinute} messages a minute have to wait`);
      await sleep(waitMs, signal);
    }
    this.#messages.take();
    using deadline = new Deadline(signal, DELIVERY_MS);
    const stored = inbox.deliver(message, { plugin });
    return await settleWithin(stored, { signal: deadline.signal, graceMs: 0 });
  }

  #wake({ sessionId, text, busy = "queue" }: WakeRequest): PushReceipt {
    const { plugin, turnsPerMinute, clean } = this.#options;
    const session = this.#session("wake", sessionId);
    if (typeof session === "string") return rejected(session);
    if (!this.#turns.take()) {
      return this.#flood("turns", `more than ${turnsPerMinute} turns a minute are refused`);
    }
    const said = `Message from the plugin ${plugin}, not from the user:\n${clean(text)}`;
    const answer = session.submit({
      op: "input",
      content: [{ type: "text", text: said }],
      busy,
      synthetic: true,
      by: `plugin:${plugin}`,
    });
    if (answer.status === "rejected") return later(answer.reason);
    return answer.status === "accepted" ? { status: "accepted" } : answer;
  }

  /** The session, or why it cannot be reached. */
  #session(right: SessionRight, id: string): PluginSession | string {
    const { rights, sessions } = this.#options;
    if (!rights.includes(right)) {
      return `its manifest does not declare permissions.sessions: [${right}]`;
    }
    return sessions.get(id) ?? "no session of that id uses this plugin";
  }

  #flood(kind: string, line: string): PushReceipt {
    const { plugin, report } = this.#options;
    const now = this.#now();
    if (now - (this.#namedAt.get(kind) ?? -Infinity) >= NAMED_EVERY_MS) {
      this.#namedAt.set(kind, now);
      report(`Plugin ${plugin}: it pushes too much: ${line}`);
    }
    return later(line);
  }
}

function rejected(reason: string): PushReceipt {
  return { status: "rejected", reason, retry: false };
}

/** Refused now; the same may be taken another time. */
function later(reason: string): PushReceipt {
  return { status: "rejected", reason, retry: true };
}
