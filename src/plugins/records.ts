/**
 * The small JSON files in the home that say which plugins somebody has said yes to: read whole,
 * changed by one process at a time, replaced whole.
 */
import type { Home } from "../config/home.ts";
import { readOptional } from "../config/load.ts";
import { notWritable } from "../config/not_writable.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { PluginProblem } from "./problem.ts";

export interface RecordsFile<T> {
  name: string;
  /** Under which key the file holds its records. */
  key: string;
  /** What to do when it is damaged. */
  hint: string;
  isRecord(value: T): boolean;
  /** Removes what belongs to no record any more. */
  sweep?(home: Home, records: Readonly<Record<string, T>>): Promise<void>;
}

/** The records by name, and nothing else: no name finds what every object has. @throws {PluginProblem} when the file is damaged. */
export function readRecords<T>(home: Home, file: RecordsFile<T>): Record<string, T> {
  const path = home.path(file.name);
  const text = readOptional(path);
  const records: Record<string, T> = Object.create(null);
  if (text === undefined) return records;
  try {
    const found = JSON.parse(text)[file.key] as Record<string, T>;
    if (!Object.values(found).every((value) => file.isRecord(value))) throw new TypeError();
    return Object.assign(records, found);
  } catch (cause) {
    throw new PluginProblem(`${path} is damaged`, { hint: file.hint, cause });
  }
}

/** Changes the records; two processes at once would lose one change. @throws {HermesError} */
export async function changeRecords<T>(
  home: Home,
  file: RecordsFile<T>,
  change: (records: Record<string, T>) => void | Promise<void>,
): Promise<void> {
  using _lock = await lockRecords(home, file);
  const records = readRecords(home, file);
  await change(records);
  const sorted = Object.fromEntries(Object.entries(records).sort(([a], [b]) => a < b ? -1 : 1));
  await saveFile(home.path(file.name), `${JSON.stringify({ [file.key]: sorted }, null, 2)}\n`);
  await file.sweep?.(home, records);
}

/** Keeps other processes from changing the records until it is disposed of. @throws {HermesError} */
export async function lockRecords<T>(home: Home, { name }: RecordsFile<T>): Promise<Deno.FsFile> {
  const path = home.path(`.${name}.lock`);
  try {
    await Deno.mkdir(home.dir, { recursive: true, mode: 0o700 });
    const lock = await Deno.open(path, { create: true, write: true, mode: 0o600 });
    await lock.lock(true);
    return lock;
  } catch (error) {
    throw notWritable(path, error);
  }
}

/** @throws {HermesError} when the file cannot be written. */
export async function saveFile(path: string, data: string | Uint8Array): Promise<void> {
  try {
    await writeFileAtomic(path, data);
  } catch (error) {
    throw notWritable(path, error);
  }
}
