/**
 * The small JSON files in the home that say which plugins the person has agreed to: read whole,
 * changed by one process at a time, replaced whole. Every record carries a keyed seal of its
 * own; one without is kept and shown, but nothing is loaded because of it.
 */
import type { Home } from "../config/home.ts";
import { readOptional } from "../config/load.ts";
import { notWritable } from "../config/not_writable.ts";
import { writeFileAtomic } from "../util/atomic_write.ts";
import { joinPath } from "../util/path.ts";
import { Seal, SEAL_KEY_FILE } from "../util/seal.ts";
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

/** A record as it was found. */
export interface Kept<T> {
  record: T;
  /** Written by a hermes that has the key of this home, for this name and this file. */
  sealed: boolean;
}

interface Content<T> {
  records: Record<string, T>;
  seals: Record<string, unknown>;
}

/** The seal of everything this home believes. */
export function sealOf(home: Home): Seal {
  return new Seal(joinPath(home.root, SEAL_KEY_FILE));
}

/** Every record by name, and nothing else: no name finds what every object has. @throws {PluginProblem} when the file is damaged. */
export async function readRecords<T>(
  home: Home,
  file: RecordsFile<T>,
): Promise<Record<string, Kept<T>>> {
  const content = readContent(home, file);
  const kept: Record<string, Kept<T>> = Object.create(null);
  for (const name of Object.keys(content.records)) {
    kept[name] = await keptOf({ home, file, content }, name);
  }
  return kept;
}

/** One record; undefined when there is none of the name. @throws {PluginProblem} when the file is damaged. */
export async function readRecord<T>(
  home: Home,
  { file, name }: { file: RecordsFile<T>; name: string },
): Promise<Kept<T> | undefined> {
  const content = readContent(home, file);
  return Object.hasOwn(content.records, name)
    ? await keptOf({ home, file, content }, name)
    : undefined;
}

async function keptOf<T>(
  { home, file, content }: { home: Home; file: RecordsFile<T>; content: Content<T> },
  name: string,
): Promise<Kept<T>> {
  const record = content.records[name]!;
  const seal = String(content.seals[name]);
  const sealed = await sealOf(home).verify(purposeOf(home, file), sealedText(name, record), seal);
  return { record, sealed };
}

/** A record of another profile or another file does not fit. */
function purposeOf<T>(home: Home, file: RecordsFile<T>): string {
  return `${file.name} ${home.profile}`;
}

function sealedText(name: string, record: unknown): string {
  return JSON.stringify([name, record]);
}

function readContent<T>(home: Home, file: RecordsFile<T>): Content<T> {
  const path = home.path(file.name);
  const text = readOptional(path);
  const content: Content<T> = { records: Object.create(null), seals: Object.create(null) };
  if (text === undefined) return content;
  try {
    const { [file.key]: records, seals = {} } = JSON.parse(text);
    if (!Object.values(records as Record<string, T>).every((value) => file.isRecord(value))) {
      throw new TypeError();
    }
    Object.assign(content.records, records);
    Object.assign(content.seals, seals);
    return content;
  } catch (cause) {
    throw new PluginProblem(`${path} is damaged`, { hint: file.hint, cause });
  }
}

export interface RecordChange<T> {
  name: string;
  /** Put in the place of what is there; undefined removes it. */
  record: T | undefined;
  /** What must be done first, while no other process changes the file. */
  first?(before: T | undefined): Promise<void>;
}

/** Seals and stores one record, or removes it; the others stay as they are. @throws {HermesError} */
export async function changeRecord<T>(
  home: Home,
  file: RecordsFile<T>,
  { name, record, first }: RecordChange<T>,
): Promise<void> {
  using _lock = await lockRecords(home, file);
  const { records, seals } = readContent(home, file);
  await first?.(records[name]);
  delete records[name];
  delete seals[name];
  if (record !== undefined) {
    records[name] = record;
    seals[name] = await sign(home, purposeOf(home, file), sealedText(name, record));
  }
  const content = { [file.key]: sorted(records), seals: sorted(seals) };
  await saveFile(home.path(file.name), `${JSON.stringify(content, null, 2)}\n`);
  await file.sweep?.(home, records);
}

async function sign(home: Home, purpose: string, text: string): Promise<string> {
  try {
    return await sealOf(home).sign(purpose, text);
  } catch (error) {
    throw notWritable(joinPath(home.root, SEAL_KEY_FILE), error);
  }
}

function sorted<T>(records: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(records).sort(([a], [b]) => a < b ? -1 : 1));
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
