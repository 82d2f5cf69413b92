/**
 * Opens the session database, replacing a damaged file by what can still be read of it. The
 * damaged file is kept beside the new one. A sound database is never scanned.
 */
import { existsSync } from "../util/exists.ts";
import { DatabaseSync } from "node:sqlite";
import { Database, type DatabaseOptions, suspectMarker } from "./database.ts";
import { describeFailure, failureKind } from "./failure.ts";
import { copyPadded, describeDamage, isPlainlyDamaged } from "./damage.ts";
import { salvage, type Salvaged } from "./salvage.ts";

/**
 * Opens `path`, creating, migrating and repairing as needed.
 * @throws {HermesError} when it cannot be used: locked, read-only, full disk, newer format.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): Database {
  try {
    if (!existsSync(suspectMarker(path)) && !isPlainlyDamaged(path)) {
      try {
        return new Database(path, options);
      } catch (error) {
        if (failureKind(error) !== "damaged") throw error;
      }
    }
    return repair(path, options);
  } catch (error) {
    throw describeFailure(error, path);
  }
}

/** Checks the file and rebuilds it if it is broken, one process at a time. */
function repair(path: string, options: DatabaseOptions): Database {
  // A file of its own, never the database: closing a descriptor of that drops SQLite's locks.
  if (isOther(`${path}.repair`)) Deno.removeSync(`${path}.repair`);
  using lock = Deno.openSync(`${path}.repair`, { write: true, create: true, mode: 0o600 });
  lock.lockSync(true);
  // An empty file is sound to SQLite, which would throw away the log beside it.
  if (isPlainlyDamaged(path) || !isSound(path)) {
    const keptAs = `${path}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, "")}`;
    const { what, saved } = rebuild(path, keptAs);
    options.onNotice?.(
      `The session database was ${what}: saved ${saved.messages} messages of ${saved.sessions} ` +
        `sessions into a new one; ${whereabouts(path, keptAs)}.`,
    );
  }
  removeIfPresent(suspectMarker(path));
  removeIfPresent(`${path}.repair`);
  return new Database(path, options);
}

function isSound(path: string): boolean {
  try {
    using db = new DatabaseSync(path);
    const row = db.prepare("PRAGMA quick_check(1)").get();
    return row?.["quick_check"] === "ok";
  } catch (error) {
    if (failureKind(error) === "damaged") return false;
    throw error;
  }
}

/** Where what was lost may still be. */
function whereabouts(path: string, keptAs: string): string {
  if (existsSync(keptAs)) return `the damaged file is ${keptAs}`;
  if (existsSync(`${keptAs}-wal`)) return `its log is ${keptAs}-wal`;
  return `${path} held nothing that could be kept: look for a backup of your own`;
}

/** Builds a new file beside the old one and swaps them, so that a crash leaves one or the other. */
function rebuild(path: string, keptAs: string): { what: string; saved: Salvaged } {
  const fresh = `${path}.rebuilt`;
  const copy = `${path}.padded`;
  for (const file of [fresh, copy]) removeDatabase(file);
  const { what, wholeBytes } = describeDamage(path);
  let source = path;
  if (wholeBytes !== undefined) copyPadded(path, { copy: source = copy, wholeBytes });
  const saved = salvage(source, fresh);
  removeDatabase(copy);
  if (Deno.statSync(path).size > 0) Deno.linkSync(path, keptAs);
  // A log left beside the new file would be replayed into it.
  renameIfPresent(`${path}-wal`, `${keptAs}-wal`);
  removeIfPresent(`${path}-shm`);
  Deno.renameSync(fresh, path);
  return { what, saved };
}

function removeDatabase(path: string): void {
  for (const suffix of ["", "-wal", "-shm"]) removeIfPresent(path + suffix);
}

/** True for a pipe, a link or anything else that is no regular file: opening it may never end. */
function isOther(path: string): boolean {
  try {
    return !Deno.lstatSync(path).isFile;
  } catch {
    return false; // absent
  }
}

function removeIfPresent(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function renameIfPresent(from: string, to: string): void {
  try {
    Deno.renameSync(from, to);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
