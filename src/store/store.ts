/**
 * Saved sessions: what was said, what it cost, what scripts called. Synchronous, append-only, on
 * disk when a call returns. Knows nothing of agents or surfaces; `transfer.ts` moves sessions
 * between stores and `blobs.ts` holds images.
 */
import { HermesError, UsageError } from "../protocol/error.ts";
import type { Message, Usage } from "../protocol/message.ts";
import { createId } from "../util/id.ts";
import type { Database, DatabaseOptions, TransactionOptions } from "./database.ts";
import { wentOnElsewhere } from "./failure.ts";
import { FILTERED, type FilterParam, filterParams, type SessionFilter } from "./filter.ts";
import { openDatabase } from "./open.ts";
import {
  blobRefs,
  countToolCalls,
  encodeMessage,
  type NewSession,
  previewOf,
  type PromptFacts,
  RECORD_COLUMNS,
  type ScriptCall,
  type ScriptCallRecord,
  type SessionNote,
  type SessionRecord,
  type SessionSummary,
  type StoredMessage,
  type StoreStats,
  SUMMARY_COLUMNS,
  TOKEN_SUMS,
  toRecord,
  toScriptCall,
  toSession,
  toStoredMessage,
  toUsage,
  toUsageRecord,
  type UsageRecord,
} from "./record.ts";
import { type SearchHit, SearchIndex, type SearchOptions } from "./search_index.ts";
import { storeStats } from "./stats.ts";
import { cleanTitle, shortTitle } from "./title.ts";

/** Milliseconds that tidying may spend on the search index. */
const INDEX_BUDGET_MS = 20;
/** Machines that share a home do not agree on the second. */
const CLOCK_TOLERANCE_MS = 60_000;
const NEWEST_FIRST = "ORDER BY updated_at DESC, id DESC";

export class Store implements Disposable {
  readonly #db: Database;
  readonly #index: SearchIndex;

  /** @throws {HermesError} when the database cannot be used. */
  constructor(path: string, options: DatabaseOptions = {}) {
    this.#db = openDatabase(path, options);
    this.#index = new SearchIndex(this.#db);
  }

  /** Path of the database file. */
  get path(): string {
    return this.#db.path;
  }

  /** Runs `work` as one durable step: all of its writes or none. See `Database.transaction`. */
  transaction<T>(work: () => T, options: TransactionOptions = {}): T {
    return this.#db.transaction(work, options);
  }

  /** Starts a session and returns its id. */
  createSession(session: NewSession, nowMs: number = Date.now()): string {
    const id = session.id ?? createId(nowMs);
    const { title: text, ownPrompt, ...rest } = session;
    const title = text === undefined ? undefined : shortTitle(text);
    this.#db.transaction(() => {
      this.insertSession({
        ...rest,
        ...(title !== undefined && { title }),
        id,
        createdAt: nowMs,
        updatedAt: nowMs,
        messageCount: 0,
        toolCallCount: 0,
      });
      if (ownPrompt !== undefined) this.setNote(id, "own_prompt", ownPrompt);
    });
    return id;
  }

  /** Writes a session row as it is; `createSession` for new ones. */
  insertSession(session: SessionRecord): void {
    this.#db.transaction(() =>
      this.#db.run(
        "INSERT INTO sessions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        session.id,
        session.title ?? null,
        session.source,
        session.cwd,
        session.provider,
        session.model,
        session.systemPrompt,
        session.parentId ?? null,
        session.createdAt,
        session.updatedAt,
        session.endedAt ?? null,
        session.endReason ?? null,
        session.messageCount,
        session.toolCallCount,
      )
    );
  }

  /** Notes that a session comes from a file: another person may have written all that is in it. */
  markImported(id: string): void {
    this.#db.run("INSERT INTO imported_sessions VALUES (?)", id);
  }

  /** True until a session that comes from a file goes on here. */
  isImported(id: string): boolean {
    return this.#db.get("SELECT 1 FROM imported_sessions WHERE session_id = ?", id) !== undefined;
  }

  /** Makes an imported session one of this machine: it goes on here, and with this prompt. */
  adoptSession(id: string, { cwd, ...prompt }: PromptFacts & { cwd: string }): void {
    this.#update("cwd = ?", id, cwd);
    this.changePrompt(id, prompt);
    this.#db.run("DELETE FROM imported_sessions WHERE session_id = ?", id);
  }

  /** From now on a session goes on with this prompt. */
  changePrompt(id: string, { systemPrompt, ownPrompt }: PromptFacts): void {
    this.#update("system_prompt = ?", id, systemPrompt);
    if (ownPrompt !== undefined) this.setNote(id, "own_prompt", ownPrompt);
  }

  /** From now on a session goes on with this model. */
  changeModel(id: string, { provider, model }: { provider: string; model: string }): void {
    this.#update("provider = ?, model = ?", id, provider, model);
  }

  /** Keeps a note about a session in place of an older one of that name. */
  setNote(id: string, name: SessionNote, text: string): void {
    const sql = "INSERT OR REPLACE INTO session_notes VALUES (?, ?, ?)";
    this.#db.transaction(() => this.#db.run(sql, id, name, text));
  }

  /** Empty when there is none. */
  note(id: string, name: SessionNote): string {
    const sql = "SELECT text FROM session_notes WHERE session_id = ? AND name = ?";
    return String(this.#db.get(sql, id, name)?.["text"] ?? "");
  }

  /** Stores one message durably and returns its id. */
  appendMessage(sessionId: string, message: Message): number {
    return this.appendMessages(sessionId, [message])[0]!;
  }

  /**
   * Stores messages in order, all or none; an assistant's calls and their results stay together.
   * @throws {HermesError} when the session does not hold `after` messages, where that is given.
   */
  appendMessages(sessionId: string, messages: readonly Message[], after?: number): number[] {
    const nowMs = Date.now();
    return this.#db.transaction(() => {
      const ids = messages.map((message) => this.insertMessage(sessionId, message, nowMs));
      const calls = messages.reduce((sum, message) => sum + countToolCalls(message), 0);
      // A session that goes on has not ended.
      const { changes } = this.#db.run(
        "UPDATE sessions SET updated_at = ?1, ended_at = NULL, end_reason = NULL, " +
          "message_count = message_count + ?2, tool_call_count = tool_call_count + ?3 " +
          "WHERE id = ?4 AND message_count = coalesce(?5, message_count)",
        nowMs,
        messages.length,
        calls,
        sessionId,
        after ?? null,
      );
      if (changes === 0 && after !== undefined) throw wentOnElsewhere(sessionId);
      return ids;
    });
  }

  /** Writes a message row only; `appendMessage` also keeps the session's counts. */
  insertMessage(sessionId: string, message: Message, createdAt: number): number {
    const { id } = this.#db.run(
      "INSERT INTO messages (session_id, role, created_at, body) VALUES (?, ?, ?, ?)",
      sessionId,
      message.role,
      createdAt,
      encodeMessage(message),
    );
    for (const ref of blobRefs(message)) {
      this.#db.run("INSERT INTO message_blobs VALUES (?, ?)", id, ref);
    }
    return id;
  }

  /** Records what one model call used. */
  recordUsage(sessionId: string, record: Omit<UsageRecord, "createdAt"> & { createdAt?: number }) {
    const { usage } = record;
    this.#db.transaction(() =>
      this.#db.run(
        "INSERT INTO usage (session_id, created_at, provider, model, input_tokens, output_tokens, " +
          "cached_input_tokens, cache_write_tokens, reasoning_tokens, cost_usd) " +
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        sessionId,
        record.createdAt ?? Date.now(),
        record.provider,
        record.model,
        usage.inputTokens,
        usage.outputTokens,
        usage.cachedInputTokens,
        usage.cacheWriteTokens,
        usage.reasoningTokens,
        usage.costUsd ?? null,
      )
    );
  }

  /** Records a tool call made by a script; it is no part of the conversation. */
  logScriptCall(sessionId: string, call: ScriptCall & { createdAt?: number }): void {
    this.#db.transaction(() =>
      this.#db.run(
        "INSERT INTO script_calls (session_id, created_at, parent_call_id, name, arguments, " +
          "result, is_error, duration_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        sessionId,
        call.createdAt ?? Date.now(),
        call.parentCallId,
        call.name,
        call.arguments,
        call.result,
        call.isError ? 1 : 0,
        Math.round(call.durationMs),
      )
    );
  }

  /** @throws {UsageError} when the title is empty or too long. */
  setTitle(sessionId: string, title: string): void {
    const clean = cleanTitle(title);
    this.#update("title = ?", sessionId, clean);
  }

  endSession(sessionId: string, reason: string): void {
    this.#update("ended_at = ?, end_reason = ?", sessionId, Date.now(), reason);
  }

  /** Lets the search index catch up a little; for idle moments, and never worth a failure. */
  tidy(): void {
    try {
      this.#index.update(INDEX_BUDGET_MS);
    } catch (error) {
      // A full disk or a busy database: whoever searches brings the index up to date.
      if (!(error instanceof HermesError)) throw error;
    }
  }

  getSession(id: string): SessionRecord | undefined {
    return this.#one("id = ?", id);
  }

  /**
   * The session used last; of a directory, the one that really worked there. One from the future
   * was used while the clock was wrong: it counts only where there is no other.
   */
  latestSession(filter: SessionFilter = {}): SessionRecord | undefined {
    const before = Math.min(filter.before ?? Infinity, Date.now() + CLOCK_TOLERANCE_MS);
    const isOwn = "(?2 IS NULL OR id NOT IN (SELECT session_id FROM imported_sessions))";
    const sql = `${FILTERED} AND ${isOwn} ${NEWEST_FIRST}`;
    return this.#one(sql, ...filterParams({ ...filter, before })) ??
      this.#one(sql, ...filterParams(filter));
  }

  /**
   * The session meant by an id, the beginning of one, a title (the newest that has it) or `latest`.
   * @throws {UsageError} when there is none or the beginning fits several.
   */
  findSession(reference: string): SessionRecord {
    const exact = this.getSession(reference) ??
      (reference === "latest" ? this.latestSession() : undefined);
    if (exact !== undefined) return exact;
    const prefix = reference.toLowerCase();
    // A range instead of LIKE: it uses the index, and no character of the reference is special.
    const ids = this.#db.all(
      "SELECT id FROM sessions WHERE id >= ?1 AND id < ?1 || char(1114111) ORDER BY id LIMIT 4",
      prefix,
    ).map((row) => row["id"] as string);
    if (prefix !== "" && ids.length === 1) return this.getSession(ids[0]!)!;
    const titled = this.#one(`title = ? ${NEWEST_FIRST}`, reference);
    if (titled !== undefined) return titled;
    if (prefix !== "" && ids.length > 1) {
      throw new UsageError(`"${reference}" fits several sessions: ${ids.join(", ")}`, {
        hint: "Write more of the id.",
      });
    }
    throw new UsageError(
      reference === "latest" ? "there is no session yet" : `no session is called "${reference}"`,
      { hint: "`hermes sessions list` shows what there is." },
    );
  }

  /** Newest first. */
  listSessions(options: SessionFilter & { limit?: number } = {}): SessionSummary[] {
    const rows = this.#db.all(
      `SELECT ${SUMMARY_COLUMNS}, (SELECT body FROM messages WHERE session_id = sessions.id
         AND role = 'user' ORDER BY id LIMIT 1) AS first_message
       FROM sessions WHERE ${FILTERED} ${NEWEST_FIRST} LIMIT ?4`,
      ...filterParams(options),
      options.limit ?? -1,
    );
    return rows.map((row) => ({ ...toSession(row), preview: previewOf(row) }));
  }

  /** Every message of a session in order. */
  messages(sessionId: string): StoredMessage[] {
    const sql = "SELECT id, created_at, body FROM messages WHERE session_id = ? ORDER BY id";
    return this.#db.all(sql, sessionId).map(toStoredMessage);
  }

  /** What each model call of a session used, in order. */
  usageOf(sessionId: string): UsageRecord[] {
    const sql = "SELECT * FROM usage WHERE session_id = ? ORDER BY id";
    return this.#db.all(sql, sessionId).map(toUsageRecord);
  }

  /** What a session used in all. */
  totalUsage(sessionId: string): Usage {
    return toUsage(
      this.#db.get(`SELECT ${TOKEN_SUMS} FROM usage WHERE session_id = ?`, sessionId)!,
    );
  }

  scriptCallsOf(sessionId: string): ScriptCallRecord[] {
    const sql = "SELECT * FROM script_calls WHERE session_id = ? ORDER BY id";
    return this.#db.all(sql, sessionId).map(toScriptCall);
  }

  /** Messages that match any text a person may type, newest first. */
  search(query: string, options: SearchOptions = {}): SearchHit[] {
    return this.#index.search(query, options);
  }

  /** Removes a session with everything in it; false when there was none. */
  deleteSession(id: string): boolean {
    return this.#db.transaction(() => {
      this.#index.forget(id);
      return this.#db.run("DELETE FROM sessions WHERE id = ?", id).changes > 0;
    });
  }

  /** Deletes sessions last used before `filter.before` and gives their space back. */
  prune(filter: SessionFilter & { before: number }): string[] {
    const ids = this.listSessions(filter).map((session) => session.id);
    for (const id of ids) this.deleteSession(id);
    this.#db.compact();
    return ids;
  }

  /** Every blob that a message refers to. */
  blobRefs(): Set<string> {
    const rows = this.#db.all("SELECT DISTINCT ref FROM message_blobs");
    return new Set(rows.map((row) => row["ref"] as string));
  }

  stats(): StoreStats {
    return storeStats(this.#db);
  }

  close(): void {
    this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #one(condition: string, ...params: FilterParam[]): SessionRecord | undefined {
    const row = this.#db.get(
      `SELECT ${RECORD_COLUMNS} FROM sessions WHERE ${condition} LIMIT 1`,
      ...params,
    );
    return row && toRecord(row);
  }

  #update(assignments: string, id: string, ...values: (string | number)[]): void {
    const sql = `UPDATE sessions SET ${assignments} WHERE id = ?`;
    this.#db.transaction(() => this.#db.run(sql, ...values, id));
  }
}
