/**
 * What a session remembers of the kept files of a workspace, and how the disk differs from it.
 * Looks at known files and at the directories that hold them, never at a whole tree. Decides
 * nothing about differences.
 */
import { basename, dirname, isWithin } from "../../util/path.ts";
import type { ProtectedKind } from "../../util/protected_paths_data.ts";
import { ENTRIES_MAX, FILE_BYTES_MAX, type KeptRole, TOTAL_BYTES_MAX } from "./kept_files_data.ts";
import {
  isSameStamp,
  isUnchanged,
  type KeptDisk,
  lookAt,
  type Stamp,
  stampOf,
} from "./kept_disk.ts";
import { namedEntry } from "./kept_names.ts";

/** What lay at a path. */
export type Remembered =
  | { type: "file"; mode: number; bytes: Uint8Array }
  /** A file too large to remember: its stamp alone tells that it changed. */
  | { type: "large"; mode: number }
  | { type: "link"; target: string }
  /** A directory, pipe, socket or device. */
  | { type: "other" };

export interface KeptFile {
  readonly path: string;
  /** The workspace root, or the git directory outside one, that holds it. */
  readonly root: string;
  readonly kind: ProtectedKind;
  /** The role of the directory that holds it. */
  readonly role: KeptRole;
  stamp: Stamp;
  was: Remembered;
}

export interface KeptDirectory {
  readonly path: string;
  readonly root: string;
  readonly role: KeptRole;
  /** Removing or moving it as a whole is ordinary work: a clone, a submodule, a package. */
  isOptional: boolean;
  /** It was not there when the session began to remember. */
  readonly isNew: boolean;
  /** It had more than fits: what is not known in it is not new. */
  isPartial: boolean;
  mode: number;
  dev: number;
  ino: number | null;
  /** Undefined when it has to be listed again. */
  stamp: Stamp | undefined;
}

/** A kept file that is not as it was. */
export interface FileChange {
  path: string;
  root: string;
  kind: ProtectedKind;
  role: KeptRole;
  /** Undefined for a new file. */
  was: Remembered | undefined;
  /** Undefined for a file that is gone. */
  now: Remembered | undefined;
  stamp: Stamp | undefined;
}

/** Decides about directories while they are met, because what lies below depends on it. */
export interface DirectoryJudge {
  /** A directory is gone, or something else lies at its place. True: it is back. */
  lost(directory: KeptDirectory): boolean;
  /** Its mode changed. */
  modeChanged(directory: KeptDirectory, mode: number): void;
}

export interface StateOptions {
  disk: KeptDisk;
  /** True for places that hermes itself changes. */
  isExcluded: (path: string) => boolean;
  /** True for a directory that was made while commands ran. */
  isMade: (info: Deno.FileInfo) => boolean;
}

export class KeptState {
  readonly files: Map<string, KeptFile> = new Map();
  readonly directories: Map<string, KeptDirectory> = new Map();
  /** True when there was more than fits: the rest is not kept. */
  isFull = false;
  readonly #options: StateOptions;
  #bytes = 0;

  constructor(options: StateOptions) {
    this.#options = options;
  }

  /**
   * Adds a directory and those below it; the kept files in them are returned as new ones.
   * `isOptional` says whether it may go as a whole.
   */
  addDirectory(
    place: { path: string; root: string; role: KeptRole },
    options: { isOptional: boolean; isNew?: boolean },
  ): FileChange[] {
    const info = lookAt(place.path);
    if (info === undefined || !info.isDirectory || !this.#hasRoom()) return [];
    if (this.directories.has(place.path) || this.#options.isExcluded(place.path)) return [];
    const isNew = options.isNew === true || this.#options.isMade(info);
    const directory: KeptDirectory = {
      path: place.path,
      root: place.root,
      role: place.role,
      // It may have been lost and found again: files of it that are remembered stay so.
      isOptional: (options.isOptional || isNew) && !this.#holds(place.path),
      isNew,
      isPartial: false,
      mode: info.mode ?? 0,
      dev: info.dev,
      ino: info.ino,
      stamp: stampOf(info),
    };
    this.directories.set(place.path, directory);
    return this.#list(directory, { isNew: directory.isNew });
  }

  /** Every difference between the disk and what is remembered. */
  compare(judge: DirectoryJudge, options: { isThorough?: boolean } = {}): FileChange[] {
    const changes: FileChange[] = [];
    // A copy: directories that are met on the way were listed already.
    for (const directory of [...this.directories.values()]) {
      if (this.directories.get(directory.path) !== directory) continue;
      const info = lookAt(directory.path);
      const isQuiet = info !== undefined && isUnchanged(directory.stamp, info);
      if (isQuiet && options.isThorough !== true) continue;
      changes.push(...this.#compareDirectory(directory, { info, judge }));
    }
    for (const file of this.files.values()) {
      const info = lookAt(file.path);
      if (info !== undefined && isUnchanged(file.stamp, info) && options.isThorough !== true) {
        continue;
      }
      const now = this.inspect(file.path, info);
      const stamp = info === undefined ? undefined : stampOf(info);
      const isLarge = file.was.type === "large" && now?.type === "large";
      const isSame = isLarge
        ? isSameStamp(file.stamp, info!)
        : now !== undefined && isSameContent(file.was, now);
      if (isSame) file.stamp = stamp!;
      else changes.push({ ...file, now, stamp });
    }
    return changes;
  }

  #compareDirectory(
    directory: KeptDirectory,
    found: { info: Deno.FileInfo | undefined; judge: DirectoryJudge },
  ): FileChange[] {
    let { info } = found;
    if (info === undefined || !info.isDirectory) {
      const isNeeded = !directory.isOptional && (info !== undefined || this.#holds(directory.path));
      if (!isNeeded || !found.judge.lost(directory)) {
        this.forget(directory.path, { keepFiles: isNeeded });
        return this.#inPlaceOf(directory);
      }
      info = lookAt(directory.path);
      if (info === undefined || !info.isDirectory) return [];
    }
    const isOther = info.dev !== directory.dev || info.ino !== directory.ino;
    if (isOther && directory.isOptional) {
      this.forget(directory.path, {});
      return this.addDirectory(directory, { isOptional: true, isNew: true });
    }
    directory.dev = info.dev;
    directory.ino = info.ino;
    const mode = info.mode ?? 0;
    if (mode !== directory.mode) found.judge.modeChanged(directory, mode);
    directory.stamp = stampOf(lookAt(directory.path) ?? info);
    return this.#list(directory, { isNew: true });
  }

  /** What lies where a directory was, as a new kept file. */
  #inPlaceOf(directory: KeptDirectory): FileChange[] {
    const { path, root } = directory;
    const parent = this.directories.get(dirname(path));
    const info = lookAt(path);
    if (parent === undefined || info === undefined || info.isDirectory) return [];
    const now = this.inspect(path, info);
    const named = namedEntry(parent.role, { ...info, name: basename(path) });
    if (now === undefined || named?.type !== "file") return [];
    const { kind } = named;
    return [{ path, root, kind, role: parent.role, was: undefined, now, stamp: stampOf(info) }];
  }

  /** Meets the entries of a directory; kept files that are not known are returned. */
  #list(
    parent: KeptDirectory,
    options: { isNew: boolean },
  ): FileChange[] {
    const changes: FileChange[] = [];
    const { root, role } = parent;
    for (const entry of entriesOf(parent.path)) {
      const named = namedEntry(role, entry);
      if (named === undefined) continue;
      const path = `${parent.path}/${entry.name}`;
      if (named.type === "directory") {
        if (this.directories.has(path) || this.files.has(path)) continue;
        const { isNew } = options;
        const isOptional = isNew || mayGo(parent, { name: entry.name, role: named.role });
        changes.push(...this.addDirectory({ path, root, role: named.role }, { isOptional, isNew }));
      } else if (!parent.isPartial && !this.#isKnown(path)) {
        const info = lookAt(path);
        const now = this.inspect(path, info);
        if (info === undefined || now === undefined) continue;
        const { kind } = named;
        changes.push({ path, root, kind, role, was: undefined, now, stamp: stampOf(info) });
      }
    }
    return changes;
  }

  #isKnown(path: string): boolean {
    return this.files.has(path) || this.directories.has(path) || this.#options.isExcluded(path);
  }

  /** What lies at a path; undefined when nothing does. */
  inspect(path: string, info: Deno.FileInfo | undefined): Remembered | undefined {
    if (info === undefined) return undefined;
    if (info.isSymlink) return { type: "link", target: readTarget(path) };
    if (!info.isFile) return { type: "other" };
    const mode = (info.mode ?? 0o644) & 0o7777;
    const bytes = this.#options.disk.read(path, FILE_BYTES_MAX);
    return bytes === undefined ? { type: "large", mode } : { type: "file", mode, bytes };
  }

  /** Takes the disk's state of a file for the right one. */
  adopt(change: FileChange): void {
    const { path, root, kind, role, now, stamp } = change;
    this.#drop(path);
    if (now === undefined || stamp === undefined) return;
    // A directory took the place of a file: what it holds is found by listing its parent.
    if (now.type === "other" && lookAt(path)?.isDirectory) return this.unsettle(dirname(path));
    if (!this.#hasRoom()) {
      const directory = this.directories.get(dirname(path));
      if (directory !== undefined) directory.isPartial = true;
      return;
    }
    const size = sizeOf(now);
    const isTooMuch = this.#bytes + size > TOTAL_BYTES_MAX;
    const was: Remembered = isTooMuch && now.type === "file"
      ? { type: "large", mode: now.mode }
      : now;
    this.#bytes += sizeOf(was);
    this.files.set(path, { path, root, kind, role, stamp, was });
  }

  /** What holds this file came with the project: it may not go as a whole. */
  pin(path: string): void {
    for (let at = dirname(path); at !== dirname(at); at = dirname(at)) {
      const directory = this.directories.get(at);
      if (directory === undefined || directory.role === "project") return;
      directory.isOptional = false;
    }
  }

  /** Takes a new stamp of a file that was put back. */
  restamp(path: string): void {
    const file = this.files.get(path);
    const info = lookAt(path);
    if (file !== undefined && info !== undefined) file.stamp = stampOf(info);
  }

  /** Lists a directory anew the next time, because a change in it was left alone. */
  unsettle(path: string): void {
    const directory = this.directories.get(path);
    if (directory !== undefined) directory.stamp = undefined;
  }

  /** Forgets a directory and everything below it; its files stay known with `keepFiles`. */
  forget(path: string, options: { keepFiles?: boolean }): void {
    for (const known of this.directories.keys()) {
      if (isWithin(known, path)) this.directories.delete(known);
    }
    if (options.keepFiles === true) return;
    for (const known of this.files.keys()) {
      if (isWithin(known, path)) this.#drop(known);
    }
  }

  #drop(path: string): void {
    const file = this.files.get(path);
    if (file === undefined) return;
    this.#bytes -= sizeOf(file.was);
    this.files.delete(path);
  }

  #holds(path: string): boolean {
    return [...this.files.keys()].some((known) => isWithin(known, path));
  }

  #hasRoom(): boolean {
    this.isFull ||= this.files.size + this.directories.size >= ENTRIES_MAX;
    // What did not fit once must not look new as soon as something else goes.
    return !this.isFull;
  }
}

/** True for directories that ordinary work removes as a whole. */
function mayGo(parent: KeptDirectory, entry: { name: string; role: KeptRole }): boolean {
  if (entry.role === "git worktree") return true;
  if (entry.role === "git module") return parent.role === "git module";
  return entry.role === "git" && (parent.isOptional || entry.name.toLowerCase() !== ".git");
}

function isSameContent(a: Remembered, b: Remembered): boolean {
  if (a.type === "file" && b.type === "file") {
    return a.mode === b.mode && isSameBytes(a.bytes, b.bytes);
  }
  if (a.type === "link" && b.type === "link") return a.target === b.target;
  return a.type === "other" && b.type === "other";
}

export function isSameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return false;
  }
  return true;
}

function sizeOf(was: Remembered): number {
  return was.type === "file" ? was.bytes.length : 0;
}

function entriesOf(path: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)];
  } catch {
    return []; // Gone meanwhile, or may not be read: then nobody else can read it either.
  }
}

function readTarget(path: string): string {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return ""; // No link any more: it differs from every target.
  }
}
