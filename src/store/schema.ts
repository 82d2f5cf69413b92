/**
 * The tables, as migrations that only go forward. The search index is not here: it is derived,
 * and `search_index.ts` makes it at the first search.
 */

/** "HRMS": marks a SQLite file as ours. */
export const APPLICATION_ID = 0x48524d53;

const SESSIONS = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  title TEXT,
  source TEXT NOT NULL,
  cwd TEXT NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  system_prompt TEXT NOT NULL,
  parent_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  tool_call_count INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_by_update ON sessions (updated_at);`;

// AUTOINCREMENT: an id is never used twice, which the high-water mark of the search index needs.
const MESSAGES = `
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  role TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX messages_by_session ON messages (session_id, id);
CREATE TABLE message_blobs (
  message_id INTEGER NOT NULL REFERENCES messages (id) ON DELETE CASCADE,
  ref TEXT NOT NULL
) STRICT;
CREATE INDEX message_blobs_by_message ON message_blobs (message_id);`;

const LEDGERS = `
CREATE TABLE usage (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cached_input_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost_usd REAL
) STRICT;
CREATE INDEX usage_by_session ON usage (session_id, id);
CREATE TABLE script_calls (
  id INTEGER PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  parent_call_id TEXT NOT NULL,
  name TEXT NOT NULL,
  arguments TEXT NOT NULL,
  result TEXT NOT NULL,
  is_error INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX script_calls_by_session ON script_calls (session_id, id);`;

/** Sessions that came from a file and were not gone on with here: see `Store.isImported()`. */
const IMPORTED = `
CREATE TABLE imported_sessions (
  session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE
) STRICT;`;

/** Single texts about a session: see `SessionNote`. */
const NOTES = `
CREATE TABLE session_notes (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (session_id, name)
) STRICT;`;

/** Step `n` brings a database from version `n` to `n + 1`. Never edit a step that was released. */
export const MIGRATIONS: readonly string[] = [
  `${SESSIONS}${MESSAGES}${LEDGERS}`,
  IMPORTED,
  NOTES,
];

/** Tables worth saving from a damaged file, parents first. */
export const TABLES = [
  "sessions",
  "messages",
  "message_blobs",
  "usage",
  "script_calls",
  "imported_sessions",
  "session_notes",
] as const;
