/**
 * The durable side of a session: finds or creates its record, repairs what a crash left open,
 * and stores each message as it comes. A session that keeps nothing has the same shape.
 */
import type { EndReason } from "../protocol/event.ts";
import { type AssistantMessage, type Message, toolCallsOf } from "../protocol/message.ts";
import { UsageError } from "../protocol/error.ts";
import { BlobStore } from "../store/blobs.ts";
import type { ScriptCall, SessionRecord } from "../store/record.ts";
import { Store } from "../store/store.ts";
import { createId } from "../util/id.ts";
import { missingResults, SessionHistory } from "./history.ts";
import { type BlobShelf, MemoryShelf } from "./images.ts";

export interface RecordsOptions {
  /** Absent: nothing is kept. */
  home?: { path(...parts: string[]): string };
  resume?: string;
  /** `latest` looks only at sessions of this directory. */
  resumeIn?: string;
  onNotice: (text: string) => void;
  /** Fixed for replays. */
  id?: string;
}

/** What a new session's row says. */
export interface SessionFacts {
  source: string;
  cwd: string;
  provider: string;
  model: string;
  systemPrompt: string;
}

export class SessionRecords {
  readonly id: string;
  /** The record of a resumed session as it was found. */
  readonly found: SessionRecord | undefined;
  /** It comes from a file: neither its directory nor its prompt nor its open calls count. */
  readonly isImported: boolean;
  readonly history: SessionHistory;
  readonly blobs: () => BlobShelf;
  #store: Store | undefined;
  #facts: SessionFacts | undefined;
  #isAdopted = false;

  /** @throws {UsageError} when the session to resume does not exist. */
  constructor(options: RecordsOptions) {
    const { home } = options;
    this.#store = home && new Store(home.path("state.db"), { onNotice: options.onNotice });
    const memory = new MemoryShelf();
    this.blobs = () => home ? new BlobStore(home.path("blobs")) : memory;
    this.found = options.resume === undefined ? undefined : this.#find(options);
    this.isImported = this.found !== undefined && this.#store!.isImported(this.found.id);
    this.id = this.found?.id ?? options.id ?? createId();
    const messages = this.found ? this.#load(this.found) : [];
    this.history = new SessionHistory(messages, {
      append: (message) => this.#persist(message),
      discard: (message) => this.#recordUsage(message),
    });
  }

  /** Says what the row of a new session holds; it is written with the first message. */
  describe(facts: SessionFacts): void {
    this.#facts = facts;
  }

  logScriptCall(call: ScriptCall): void {
    this.#store?.logScriptCall(this.id, call);
  }

  /** Stores how the session ended. */
  end(reason: EndReason): void {
    if (this.#store?.getSession(this.id)) this.#store.endSession(this.id, reason);
  }

  close(): void {
    this.#store?.tidy();
    this.#store?.[Symbol.dispose]();
  }

  #find(options: RecordsOptions): SessionRecord {
    const store = this.#store!;
    if (options.resumeIn === undefined) return store.findSession(options.resume!);
    const latest = store.latestSession({ cwd: options.resumeIn });
    if (latest) return latest;
    throw new UsageError(`no session was ever run in ${options.resumeIn}`, {
      hint: "See all of them with: hermes sessions list",
    });
  }

  /**
   * The transcript, every call paired. After an unanswered approval the open calls stay open:
   * nothing ran, so going on runs them. Calls that a file brought were never waiting here.
   */
  #load(session: SessionRecord): Message[] {
    const stored = this.#store!.messages(session.id);
    if (stored.some(({ isDamaged }) => isDamaged)) {
      throw new UsageError(`session ${session.id} holds a message that can no longer be read`, {
        hint: `See what is left of it: hermes sessions show ${session.id}`,
      });
    }
    const messages = stored.map(({ message }) => message);
    if (session.endReason === "needs_approval" && !this.isImported) return messages;
    const missing = missingResults(messages);
    if (missing.length > 0) this.#store!.appendMessages(session.id, missing);
    return [...messages, ...missing];
  }

  #persist(message: Message): void {
    const store = this.#store;
    if (store === undefined) return;
    store.transaction(() => {
      if (this.#facts && this.found === undefined && this.history.messages().length === 0) {
        store.createSession({ id: this.id, ...this.#facts });
      }
      if (this.#facts && this.isImported && !this.#isAdopted) {
        store.adoptSession(this.id, this.#facts);
        this.#isAdopted = true;
      }
      store.appendMessage(this.id, message);
      if (message.role === "assistant") this.#recordUsage(message);
    }, { flush: isMilestone(message) });
  }

  #recordUsage({ provider, model, usage }: AssistantMessage): void {
    if (usage !== undefined) this.#store?.recordUsage(this.id, { provider, model, usage });
  }
}

/**
 * What was asked and what was answered survive a power cut at once; the steps between survive
 * the death of the process, and a power cut with the next milestone. Flushing each step would
 * cost more than the rest of a tool turn.
 */
function isMilestone(message: Message): boolean {
  return message.role === "user" ||
    (message.role === "assistant" && toolCallsOf(message).length === 0);
}
