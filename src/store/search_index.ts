/**
 * Full-text search over messages. The index is derived and lazy: storing a message costs nothing
 * here, and whoever searches first brings the index up to date, so results are always complete.
 * Hits come newest first, which needs no scoring and stays fast on millions of messages.
 */
import type { Message } from "../protocol/message.ts";
import type { Database, Row } from "./database.ts";
import { failureKind } from "./failure.ts";
import { readableMessage } from "./record.ts";
import { makeSnippet, type ParsedQuery, parseQuery, searchableText, segment } from "./text.ts";

export interface SearchOptions {
  /** Hits wanted at most; default 20. */
  limit?: number;
  role?: Message["role"];
  sessionId?: string;
}

export interface SearchHit {
  messageId: number;
  sessionId: string;
  title?: string;
  source: string;
  role: Message["role"];
  createdAt: number;
  /** The text around the match, on one line. */
  snippet: string;
}

/** Changes when the content of the index does; an older index is then built anew. */
const INDEX_VERSION = 1;
/** One transaction of indexing; other writers wait that long at most. */
const BATCH_MS = 100;
const ROWS_PER_READ = 64;

// `words` finds words, phrases and CJK of any length; `trigrams` any part of a word, in what
// people and the model wrote (tool output would treble its size).
const CREATE = `
CREATE VIRTUAL TABLE words USING fts5 (text, role, content = '', contentless_delete = 1);
CREATE VIRTUAL TABLE trigrams USING fts5
  (text, content = '', contentless_delete = 1, tokenize = 'trigram');
CREATE TABLE search_state (version INTEGER NOT NULL, indexed_upto INTEGER NOT NULL) STRICT;
INSERT INTO search_state VALUES (${INDEX_VERSION}, 0);`;
const DROP = `
DROP TABLE IF EXISTS words;
DROP TABLE IF EXISTS trigrams;
DROP TABLE IF EXISTS search_state;`;

export class SearchIndex {
  #db: Database;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Messages that match, newest first. Any text is a valid query. */
  search(query: string, options: SearchOptions = {}): SearchHit[] {
    const parsed = parseQuery(query);
    if (parsed === undefined) return [];
    try {
      return this.#find(parsed, options);
    } catch (error) {
      if (failureKind(error) !== "damaged") throw error;
      this.#db.transaction(() => this.#db.script(DROP));
      return this.#find(parsed, options);
    }
  }

  /** Indexes what is new, for `budgetMs` at most; without a budget, all of it. */
  update(budgetMs = Infinity): void {
    const deadline = performance.now() + budgetMs;
    while (this.#pending() && performance.now() < deadline) {
      const batchEnd = Math.min(deadline, performance.now() + BATCH_MS);
      // Derived, so it may be lost with the power; within a budget no writer is waited for.
      this.#db.transaction(() => this.#indexBatch(batchEnd), {
        flush: false,
        ...(budgetMs < Infinity && { waitMs: budgetMs }),
      });
    }
  }

  /** Forgets a session; part of the transaction that deletes it. */
  forget(sessionId: string): void {
    if (!this.#exists()) return;
    const ids = "(SELECT id FROM messages WHERE session_id = ?)";
    this.#db.run(`DELETE FROM words WHERE rowid IN ${ids}`, sessionId);
    this.#db.run(`DELETE FROM trigrams WHERE rowid IN ${ids}`, sessionId);
  }

  #find(query: ParsedQuery, options: SearchOptions): SearchHit[] {
    this.update();
    let rows = this.#match("words", withRole(query.words, options.role), options);
    if (rows.length === 0 && query.trigrams !== undefined) {
      rows = this.#match("trigrams", query.trigrams, options);
    }
    return rows.map((row) => toHit(row, query));
  }

  #exists(): boolean {
    const sql = "SELECT 1 FROM sqlite_schema WHERE name = 'search_state'";
    return this.#db.get(sql) !== undefined;
  }

  #pending(): boolean {
    if (!this.#exists()) return true;
    const sql = "SELECT version <> ? OR indexed_upto < " +
      "(SELECT coalesce(max(id), 0) FROM messages) AS pending FROM search_state";
    return this.#db.get(sql, INDEX_VERSION)?.["pending"] === 1;
  }

  /** Ids are given out under the write lock, so everything up to the mark is known to be indexed. */
  #indexBatch(deadline: number): void {
    const state = this.#exists() ? this.#db.get("SELECT * FROM search_state") : undefined;
    if (state?.["version"] !== INDEX_VERSION) this.#db.script(DROP + CREATE);
    let position = state?.["version"] === INDEX_VERSION ? state["indexed_upto"] as number : 0;
    while (performance.now() < deadline) {
      const rows = this.#db.all(
        "SELECT id, role, body FROM messages WHERE id > ? ORDER BY id LIMIT ?",
        position,
        ROWS_PER_READ,
      );
      for (const row of rows) this.#add(row);
      position = rows.at(-1)?.["id"] as number ?? position;
      if (rows.length < ROWS_PER_READ) break;
    }
    this.#db.run("UPDATE search_state SET indexed_upto = ?", position);
  }

  #add(row: Row): void {
    const id = row["id"] as number;
    const role = row["role"] as string;
    const text = searchableText(readableMessage(row["body"]));
    const sql = "INSERT INTO words (rowid, text, role) VALUES (?, ?, ?)";
    this.#db.run(sql, id, segment(text), role);
    if (role === "tool") return;
    this.#db.run("INSERT INTO trigrams (rowid, text) VALUES (?, ?)", id, text);
  }

  #match(table: string, expression: string, options: SearchOptions): Row[] {
    const { sessionId = null, role = null, limit = 20 } = options;
    // CROSS JOIN keeps the index as the outer loop: its order is the order of the result.
    const sql = `
      SELECT m.id, m.session_id, m.role, m.created_at, m.body, s.title, s.source
      FROM ${table} AS hit CROSS JOIN messages AS m ON m.id = hit.rowid
        CROSS JOIN sessions AS s ON s.id = m.session_id
      WHERE hit.${table} MATCH ?1 AND (?2 IS NULL OR m.role = ?2)
      ${sessionId === null ? "" : IN_SESSION}
      ORDER BY hit.rowid DESC LIMIT ?3`;
    if (sessionId === null) return this.#db.all(sql, expression, role, limit);
    return this.#db.all(sql, expression, role, limit, sessionId);
  }
}

// The bounds let the index skip everything outside the session's first and last message.
const IN_SESSION = `AND m.session_id = ?4
  AND hit.rowid BETWEEN (SELECT min(id) FROM messages WHERE session_id = ?4)
    AND (SELECT max(id) FROM messages WHERE session_id = ?4)`;

function withRole(words: string, role: string | undefined): string {
  return role === undefined ? `{text} : (${words})` : `{role} : ${role} AND {text} : (${words})`;
}

function toHit(row: Row, query: ParsedQuery): SearchHit {
  const text = searchableText(readableMessage(row["body"]));
  return {
    messageId: row["id"] as number,
    sessionId: row["session_id"] as string,
    ...(row["title"] !== null && { title: row["title"] as string }),
    source: row["source"] as string,
    role: row["role"] as Message["role"],
    createdAt: row["created_at"] as number,
    snippet: makeSnippet(text, query.terms),
  };
}
