/**
 * What the walls must know of the disk before they are raised: names in directories and real
 * paths. Listings are kept while a directory's time of change stays, so asking again is cheap.
 */
import { basename, dirname, joinPath } from "../../util/path.ts";

export type EntryKind = "file" | "directory" | "link" | "other";

export type Listing = ReadonlyMap<string, EntryKind>;

export interface PolicyDisk {
  /** Names in a directory, or undefined where there is none, it cannot be read or is too large. */
  list(directory: string): Listing | undefined;
  /** The path behind links, also where its last parts do not exist. */
  real(path: string): string;
  /** What `path` itself is; a link is followed. Undefined where nothing is. */
  kind(path: string): EntryKind | undefined;
  /** A small text file, or undefined. */
  text(path: string): string | undefined;
  /** True for what this process could not open without any walls. */
  closed(path: string): boolean;
}

/** No file that is read here has more that matters. */
const MAX_TEXT = 64 * 1024;
/** A directory of this size has had some twenty thousand entries: listing it takes 50 ms. */
const MAX_DIRECTORY_BYTES = 512 * 1024;
/** The same for a temporary directory, which changes all the time: some five hundred entries. */
const MAX_TEMPORARY_BYTES = 24 * 1024;
/** The mark of a directory where everybody may make files. */
const STICKY = 0o1000;
/** Two changes within one tick of the clock have one time: so soon a listing is not kept. */
const SETTLED_MS = 2000;
const MAX_KEPT = 256;

interface Kept {
  version: string;
  names: Listing;
}

const kept = new Map<string, Kept>();

/** The disk of this machine as it is now: a change while one object is used may go unseen. */
export class HostDisk implements PolicyDisk {
  readonly #listings = new Map<string, Listing | undefined>();
  readonly #rootOwned = new Map<string, boolean>();
  readonly #uid = Deno.uid() ?? 0;

  list(directory: string): Listing | undefined {
    if (!this.#listings.has(directory)) this.#listings.set(directory, listed(directory));
    return this.#listings.get(directory);
  }

  real(path: string): string {
    try {
      return Deno.realPathSync(path);
    } catch {
      const parent = dirname(path);
      // Nothing of it exists or may be looked at: its name is all there is.
      if (parent === path || parent === ".") return path;
      return joinPath(this.real(parent), basename(path));
    }
  }

  kind(path: string): EntryKind | undefined {
    try {
      const { isFile, isDirectory } = Deno.statSync(path);
      return kindOf({ isFile, isDirectory, isSymlink: false });
    } catch {
      // Gone, or a link that leads nowhere.
      return undefined;
    }
  }

  text(path: string): string | undefined {
    try {
      const info = Deno.statSync(path);
      if (!info.isFile || info.size > MAX_TEXT) return undefined;
      return Deno.readTextFileSync(path);
    } catch {
      return undefined;
    }
  }

  closed(path: string): boolean {
    // Owners open what is theirs; in a directory of root only root makes something.
    if (this.#uid === 0 || !this.#isRoots(dirname(path))) return false;
    try {
      const info = Deno.lstatSync(path);
      // Opening anything else could wait or have an effect.
      if (!info.isFile && !info.isDirectory) return false;
      Deno.openSync(path).close();
      return false;
    } catch (error) {
      return error instanceof Deno.errors.PermissionDenied ||
        error instanceof Deno.errors.NotFound;
    }
  }

  /** True where the directory, or the nearest above it that exists, is root's alone to change. */
  #isRoots(directory: string): boolean {
    const known = this.#rootOwned.get(directory);
    if (known !== undefined) return known;
    let answer: boolean;
    try {
      const { uid, mode } = Deno.statSync(directory);
      answer = uid === 0 && ((mode ?? 0) & 0o022) === 0;
    } catch {
      answer = directory === "/" || this.#isRoots(dirname(directory));
    }
    this.#rootOwned.set(directory, answer);
    return answer;
  }
}

function listed(directory: string): Listing | undefined {
  try {
    const { mtime, ino, dev, size, mode, isDirectory } = Deno.statSync(directory);
    const temporary = ((mode ?? 0) & STICKY) !== 0;
    if (!isDirectory || size > (temporary ? MAX_TEMPORARY_BYTES : MAX_DIRECTORY_BYTES)) {
      return undefined;
    }
    const version = `${dev}:${ino}:${mtime?.getTime()}`;
    const before = kept.get(directory);
    if (before?.version === version) return before.names;
    const names = new Map<string, EntryKind>();
    for (const entry of Deno.readDirSync(directory)) names.set(entry.name, kindOf(entry));
    if (Date.now() - (mtime?.getTime() ?? 0) > SETTLED_MS) {
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(directory, { version, names });
    }
    return names;
  } catch {
    // Gone or not for this user: nothing in it can be granted.
    return undefined;
  }
}

function kindOf(
  entry: { isFile: boolean; isDirectory: boolean; isSymlink: boolean },
): EntryKind {
  if (entry.isSymlink) return "link";
  return entry.isDirectory ? "directory" : entry.isFile ? "file" : "other";
}
