/**
 * The durable side of a session: finds or creates its record, repairs what a crash left open,
 * and stores each message as it comes. A session that keeps nothing has the same shape.
 */
import type { EndReason } from "../protocol/event.ts";
import { type AssistantMessage, type Message, toolCallsOf } from "../protocol/message.ts";
import { UsageError } from "../protocol/error.ts";
import { BlobStore } from "../store/blobs.ts";
import type { ScriptCall, SessionRecord } from "../store/record.ts";
import type { Store } from "../store/store.ts";
import { createId } from "../util/id.ts";
import { missingResults, SessionHistory } from "./history.ts";
import { type ImageBlobs, MemoryBlobs } from "./images.ts";

export interface RecordsOptions {
  /** Absent: nothing is kept. Whoever opened the store closes it. */
  store?: Store;
  /** The directory of images; absent: they are kept in memory. */
  blobs?: string;
  /** The session to go on with. */
  found?: SessionRecord;
  /** Fixed for replays. */
  id?: string;
}

/** @throws {UsageError} when there is no such session. */
export function findRecord(
  store: Store,
  { session, here }: { session: string; here?: string },
): SessionRecord {
  if (here === undefined) return store.findSession(session);
  const latest = store.latestSession({ cwd: here });
  if (latest) return latest;
  throw new UsageError(`no session was ever run in ${here}`, {
    hint: "See all of them with: hermes sessions list",
  });
}

/** What a session's row says. */
export interface SessionFacts {
  source: string;
  cwd: string;
  provider: string;
  model: string;
  systemPrompt: string;
  /** What the spec added to the prompt; absent where that is not known. */
  ownPrompt?: string;
  /** Where the model is, when its provider's name does not say that. */
  address?: string;
}

export class SessionRecords {
  readonly id: string;
  /** The record of a resumed session as it was found. */
  readonly found: SessionRecord | undefined;
  /** It comes from a file: neither its directory nor its prompt nor its open calls count. */
  readonly isImported: boolean;
  readonly history: SessionHistory;
  readonly blobs: () => ImageBlobs;
  #store: Store | undefined;
  #facts: SessionFacts | undefined;
  /** The row says what the facts say. */
  #isDescribed = false;
  /** What the row counts, as far as this hermes knows: another one may write to it too. */
  #count: number;
  /** Results for calls that a crash left open; stored with the first message that follows. */
  #repairs: readonly Message[] = [];

  /** @throws {UsageError} when the session to resume cannot be read. */
  constructor(options: RecordsOptions) {
    const { store, blobs } = options;
    this.#store = store;
    const memory = new MemoryBlobs();
    this.blobs = () => blobs === undefined ? memory : new BlobStore(blobs);
    this.found = options.found;
    this.isImported = this.found !== undefined && store?.isImported(this.found.id) === true;
    this.id = this.found?.id ?? options.id ?? createId();
    this.#count = this.found?.messageCount ?? 0;
    const messages = this.found ? this.#load(this.found) : [];
    this.history = new SessionHistory(messages, {
      append: (message) => this.#persist(message),
      discard: (message) => this.#recordUsage(message),
    });
  }

  /** Says what the session's row holds; it is written with the first message. */
  describe(facts: SessionFacts): void {
    this.#facts = facts;
  }

  /** The session goes on with another model, also after it is resumed. */
  changeModel(model: Pick<SessionFacts, "provider" | "model">): void {
    if (this.#facts !== undefined) this.#facts = { ...this.#facts, ...model };
    // A row that does not say so yet is written with the first message.
    if (this.#isDescribed) this.#store?.changeModel(this.id, model);
  }

  logScriptCall(call: ScriptCall): void {
    this.#store?.logScriptCall(this.id, call);
  }

  /**
   * A person is asked whether a call may run, or no longer. On disk before the call can begin:
   * whoever goes on after a crash must not be told that it did not run when it did.
   */
  asking(callId: string | undefined): void {
    this.#store?.setNote(this.id, "asking", callId ?? "");
  }

  /** Where the model of a resumed session was; undefined where that is not known. */
  get address(): string | undefined {
    if (this.found?.provider !== "custom") return undefined;
    return this.#store?.note(this.found.id, "model_address") || undefined;
  }

  /** Stores how the session ended. */
  end(reason: EndReason): void {
    if (this.#store?.getSession(this.id)) this.#store.endSession(this.id, reason);
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
    this.#repairs = missingResults(messages, {
      notBegun: this.#store!.note(session.id, "asking"),
    });
    return [...messages, ...this.#repairs];
  }

  #persist(message: Message): void {
    const store = this.#store;
    if (store === undefined) return;
    const messages = [...this.#repairs, message];
    store.transaction(() => {
      if (this.#facts && !this.#isDescribed) this.#writeRow(store, this.#facts);
      if (this.#repairs.length > 0) this.asking(undefined);
      store.appendMessages(this.id, messages, this.#count);
      if (message.role === "assistant") this.#recordUsage(message);
    }, { flush: isMilestone(message) });
    this.#repairs = [];
    this.#count += messages.length;
  }

  /** Creates the row, or changes what of it no longer holds. */
  #writeRow(store: Store, facts: SessionFacts): void {
    const { found, id } = this;
    if (found === undefined) store.createSession({ id, ...facts });
    else if (this.isImported) store.adoptSession(id, facts);
    else if (facts.systemPrompt !== found.systemPrompt) store.changePrompt(id, facts);
    const isSameModel = facts.provider === found?.provider && facts.model === found.model;
    if (found !== undefined && !isSameModel) store.changeModel(id, facts);
    if (facts.address !== undefined) store.setNote(id, "model_address", facts.address);
    this.#isDescribed = true;
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
