/**
 * One SQLite connection: opening and migrating, durable transactions that wait their turn, and
 * failures told in one line. With its neighbours in this folder the only user of `node:sqlite`.
 * The live file is never opened any other way: closing such a descriptor would drop our locks.
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { HermesError } from "../protocol/error.ts";
import { dirname } from "../util/path.ts";
import { backoffMs } from "../util/sleep.ts";
import { describeFailure, failureKind } from "./failure.ts";
import { APPLICATION_ID, MIGRATIONS } from "./schema.ts";

export type Row = Record<string, unknown>;

export interface DatabaseOptions {
  /** How long a write waits for other processes before it gives up; default 10 s. */
  busyTimeoutMs?: number;
  /** Told in one line when a damaged file was replaced. */
  onNotice?: (text: string) => void;
  /** The steps from an empty file to the present format; default `MIGRATIONS`. */
  migrations?: readonly string[];
}

export interface TransactionOptions {
  /** On disk when it returns, whatever happens to the machine; default true. */
  flush?: boolean;
  /** How long to wait for other writers, if not as long as everything else does. */
  waitMs?: number;
}

/** SQLite's own short wait; longer waits are ours, with jitter, so that writers do not move in step. */
const SQLITE_WAIT_MS = 100;
const BUSY_TIMEOUT_MS = 10_000;
const PRIVATE_DIRECTORY = 0o700;
const PRIVATE_FILE = 0o600;

export class Database implements Disposable {
  readonly path: string;
  #db: DatabaseSync;
  #statements = new Map<string, StatementSync>();
  #busyTimeoutMs: number;
  #migrations: readonly string[];
  /** `synchronous = FULL` is in force. */
  #flushes = true;
  #inTransaction = false;

  /**
   * Opens, creating and migrating as needed. A damaged file throws the raw SQLite error: `open.ts`
   * knows what to do about it.
   */
  constructor(path: string, options: DatabaseOptions = {}) {
    this.path = path;
    this.#busyTimeoutMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
    this.#migrations = options.migrations ?? MIGRATIONS;
    preparePrivateFile(path);
    this.#db = new DatabaseSync(path, { timeout: SQLITE_WAIT_MS });
    try {
      this.#configure();
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  get(sql: string, ...params: SQLInputValue[]): Row | undefined {
    return this.#guard(() => this.#statement(sql).get(...params));
  }

  all(sql: string, ...params: SQLInputValue[]): Row[] {
    return this.#guard(() => this.#statement(sql).all(...params));
  }

  /** Runs a change and returns the id of the row it inserted. */
  run(sql: string, ...params: SQLInputValue[]): { id: number; changes: number } {
    return this.#guard(() => {
      const { lastInsertRowid, changes } = this.#statement(sql).run(...params);
      return { id: Number(lastInsertRowid), changes: Number(changes) };
    });
  }

  /** Several statements without parameters. */
  script(sql: string): void {
    this.#guard(() => this.#db.exec(sql));
  }

  /**
   * All of `work` or nothing, on disk when it returns. Takes the write lock at the start: a read
   * lock that has to grow fails at once when another process wrote in between. Without `flush`
   * it survives the death of the process, and the next flushed one makes it survive a power cut.
   */
  transaction<T>(work: () => T, options: TransactionOptions = {}): T {
    const { flush = true, waitMs = this.#busyTimeoutMs } = options;
    if (this.#inTransaction) return work();
    if (flush !== this.#flushes) {
      this.#db.exec(`PRAGMA synchronous = ${flush ? "FULL" : "NORMAL"}`);
      this.#flushes = flush;
    }
    this.#guard(() => this.#retry(() => this.#statement("BEGIN IMMEDIATE").run(), waitMs));
    this.#inTransaction = true;
    try {
      const result = work();
      this.#guard(() => this.#statement("COMMIT").run());
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec("ROLLBACK");
      throw error;
    } finally {
      this.#inTransaction = false;
    }
  }

  /** Rewrites the file when much of it is empty; a busy database keeps its holes for now. */
  compact(): void {
    const free = this.get(
      "SELECT freelist_count * 4 > page_count AS much FROM pragma_freelist_count, pragma_page_count",
    );
    if (free?.["much"] !== 1) return;
    try {
      this.script("VACUUM");
    } catch (error) {
      if (failureKind(error) !== "busy") throw error;
    }
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Turns SQLite's failures into lines for people, and leaves a note when the file is damaged. */
  #guard<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (failureKind(error) === "damaged") markSuspect(this.path);
      throw describeFailure(error, this.path);
    }
  }

  #retry<T>(action: () => T, waitMs = this.#busyTimeoutMs): T {
    const startedAt = performance.now();
    for (let attempt = 0;; attempt++) {
      try {
        return action();
      } catch (error) {
        const expired = performance.now() - startedAt >= waitMs;
        if (expired || failureKind(error) !== "busy") throw error;
        blockFor(backoffMs(attempt, { baseMs: 5, maxMs: 150 }));
      }
    }
  }

  #configure(): void {
    const present = this.#migrations.length;
    let version = this.#readVersion();
    if (version < present) {
      this.#retry(() => this.#statement("PRAGMA journal_mode = WAL").get());
    }
    this.#db.exec("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864");
    if (version === present) return;
    this.transaction(() => {
      version = this.#readVersion(); // another process may have come first
      for (const step of this.#migrations.slice(version)) this.#db.exec(step);
      this.#db.exec(`PRAGMA user_version = ${present}`);
      this.#db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    });
  }

  /** The schema version, once it is clear that the file is ours and not from the future. */
  #readVersion(): number {
    const sql = "SELECT application_id AS application, user_version AS version, " +
      "(SELECT count(*) FROM sqlite_schema) AS objects, " +
      "(SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')) AS programs " +
      "FROM pragma_application_id, pragma_user_version";
    const row = this.#retry(() => this.#statement(sql).get()) as Record<string, number>;
    const { application = 0, version = 0, objects = 0, programs = 0 } = row;
    if (application !== APPLICATION_ID && (application !== 0 || objects > 0)) {
      throw new HermesError(`${this.path} is a database of another program`, {
        hint: "Move it away, or set HERMES_HOME to another directory.",
      });
    }
    // They would run with our statements, for as long as they like.
    if (programs > 0) {
      throw new HermesError(`${this.path} holds triggers or views, which hermes never makes`, {
        hint: "Somebody else changed it: move it away, or restore a backup.",
      });
    }
    const present = this.#migrations.length;
    if (version > present) {
      throw new HermesError(
        `${this.path} was written by a newer hermes (format ${version}, this one knows ${present})`,
        { hint: "Update hermes, or run with --no-session to save nothing." },
      );
    }
    return version;
  }
}

/** Where a process that met damage leaves word for the next one to open the file. */
export function suspectMarker(path: string): string {
  return `${path}.suspect`;
}

function markSuspect(path: string): void {
  try {
    Deno.writeTextFileSync(suspectMarker(path), "", { mode: PRIVATE_FILE });
  } catch {
    // The damage itself is being reported; without the note it is found again at the next use.
  }
}

/** Makes directory and file readable for their owner only, before SQLite would make them otherwise. */
function preparePrivateFile(path: string): void {
  try {
    const { mode, isFile } = Deno.statSync(path);
    if (!isFile) {
      const problem = "it is no regular file";
      throw new HermesError(`cannot open the session database ${path} for writing: ${problem}`, {
        hint: "Move it away, set HERMES_HOME to another directory, or run with --no-session.",
      });
    }
    if (mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(path, PRIVATE_FILE);
    return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  Deno.mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_DIRECTORY });
  try {
    Deno.openSync(path, { write: true, createNew: true, mode: PRIVATE_FILE }).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

/** Blocks the thread: the store's API is synchronous, and there is nothing to do but wait. */
function blockFor(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
