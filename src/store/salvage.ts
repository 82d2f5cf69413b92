/**
 * Copies every row that can still be read from a damaged database into a new one, stepping over
 * broken pages. Reads through SQLite only, so that the write-ahead log counts too.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { HermesError } from "../protocol/error.ts";
import { Database, type Row } from "./database.ts";
import { TABLES } from "./schema.ts";

const ROWS_PER_READ = 200;
/** Wider than any gap worth jumping when the end of a table cannot be read. */
const MAX_SKIP = 2 ** 40;

export interface Salvaged {
  sessions: number;
  messages: number;
}

/** Fills `target`, a path where nothing is yet; counts what was saved. */
export function salvage(source: string, target: string): Salvaged {
  using fresh = new Database(target);
  const counts: Salvaged = { sessions: 0, messages: 0 };
  fresh.script("PRAGMA foreign_keys = OFF");
  using damaged = new DatabaseSync(source, { readOnly: true });
  // Definitions of other tables and of indexes may be broken: those are not needed.
  damaged.exec("PRAGMA writable_schema = ON");
  for (const table of TABLES) {
    const saved = fresh.transaction(() => copyTable(damaged, fresh, table));
    if (table === "sessions" || table === "messages") counts[table] = saved;
  }
  fresh.transaction(() => adoptOrphans(fresh));
  fresh.script("PRAGMA wal_checkpoint(TRUNCATE)");
  return counts;
}

function copyTable(damaged: DatabaseSync, fresh: Database, table: string): number {
  let saved = 0;
  for (const row of readableRows(damaged, table)) {
    if (!isWhole(row)) continue;
    const names = Object.keys(row);
    const marks = names.map(() => "?").join(", ");
    const sql = `INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${marks})`;
    try {
      saved += fresh.run(sql, ...Object.values(row) as SQLInputValue[]).changes;
    } catch (error) {
      // A row that no longer fits its columns is damaged too; a full disk is not the row's fault.
      if (error instanceof HermesError) throw error;
    }
  }
  return saved;
}

/** False for a message whose text was cut off by what is missing. */
function isWhole({ body }: Row): boolean {
  if (body === undefined) return true;
  try {
    return typeof JSON.parse(String(body)) === "object";
  } catch {
    return false; // half of a message cannot be shown, nor sent to a model
  }
}

/** Rows in order of rowid; where reading fails, the next reachable one further on. */
function* readableRows(db: DatabaseSync, table: string): Generator<Row> {
  const statement = prepareRead(db, table);
  if (statement === undefined) return;
  const read = (position: number, limit: number) => {
    try {
      return statement.all(position, limit);
    } catch {
      return undefined; // a broken page is on the way
    }
  };
  let position = 0;
  while (true) {
    // Many at once, or one by one up to the broken page.
    let limit = ROWS_PER_READ;
    let rows = read(position, limit);
    if (rows === undefined) rows = read(position, limit = 1);
    if (rows === undefined) {
      const next = nextReadable(position, (from) => read(from, 1) !== undefined);
      if (next === undefined) return;
      position = next;
      continue;
    }
    for (const { salvage_rowid: rowid, ...row } of rows) {
      // A page in the wrong place can lead back, and round and round.
      if (Number(rowid) <= position) {
        position++;
        break;
      }
      yield row;
      position = Number(rowid);
    }
    if (rows.length < limit) return;
  }
}

/** The first position behind a broken one: in growing steps over it, then back by halves. */
function nextReadable(
  broken: number,
  isReadable: (position: number) => boolean,
): number | undefined {
  let step = 1;
  while (!isReadable(broken + step)) {
    step *= 2;
    if (step >= MAX_SKIP) return undefined;
  }
  let low = broken + Math.floor(step / 2);
  let high = broken + step;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isReadable(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function prepareRead(db: DatabaseSync, table: string): StatementSync | undefined {
  const sql = `SELECT rowid AS salvage_rowid, * FROM ${table} WHERE rowid > ? ` +
    "ORDER BY rowid LIMIT ?";
  try {
    return db.prepare(sql);
  } catch {
    return undefined; // the table's own definition is lost, and with it every row
  }
}

/** Gives messages whose session was lost a session again; drops what else hangs in the air. */
function adoptOrphans(db: Database): void {
  db.script(`
    INSERT INTO sessions (id, title, source, cwd, provider, model, system_prompt, created_at, updated_at)
      SELECT session_id, 'recovered', 'recovered', '', '', '', '', min(created_at), max(created_at)
      FROM messages WHERE session_id NOT IN (SELECT id FROM sessions) GROUP BY session_id;
    DELETE FROM message_blobs WHERE message_id NOT IN (SELECT id FROM messages);
    DELETE FROM usage WHERE session_id NOT IN (SELECT id FROM sessions);
    DELETE FROM script_calls WHERE session_id NOT IN (SELECT id FROM sessions);
    UPDATE sessions SET message_count =
      (SELECT count(*) FROM messages WHERE messages.session_id = sessions.id);
  `);
}
