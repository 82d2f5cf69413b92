/**
 * What the walls must know of the disk before they are raised: names in directories and real
 * paths. Listings are kept while a directory's time of change stays, so asking again is cheap.
 */
import { basename, dirname, joinPath } from "../../util/path.ts";

export type EntryKind = "file" | "directory" | "link" | "other";

export type Listing = ReadonlyMap<string, EntryKind>;

export interface PolicyDisk {
  /** Names in a directory, or undefined where there is none or it cannot be read. */
  list(directory: string): Listing | undefined;
  /** The path behind links, also where its last parts do not exist. */
  real(path: string): string;
  /** What `path` itself is; a link is followed. Undefined where nothing is. */
  kind(path: string): EntryKind | undefined;
  /** The beginning of a small text file, or undefined. */
  text(path: string): string | undefined;
  /** True for what this process could not open without any walls. */
  closed(path: string): boolean;
}

/** No file that is read here has more that matters. */
const MAX_TEXT = 64 * 1024;

interface Kept {
  version: string;
  names: Listing;
}

/** The disk of this machine. */
export class HostDisk implements PolicyDisk {
  readonly #listings = new Map<string, Kept>();

  list(directory: string): Listing | undefined {
    try {
      const { mtime, ino, dev } = Deno.statSync(directory);
      const version = `${dev}:${ino}:${mtime?.getTime()}`;
      const before = this.#listings.get(directory);
      // Two changes within one tick of the clock have one time: a fresh listing is not believed.
      if (before?.version === version) return before.names;
      const names = new Map<string, EntryKind>();
      for (const entry of Deno.readDirSync(directory)) names.set(entry.name, kindOf(entry));
      if (Date.now() - (mtime?.getTime() ?? 0) > 2000) {
        this.#listings.set(directory, { version, names });
      }
      return names;
    } catch {
      // Gone, not a directory, or not for this user: nothing in it can be granted.
      return undefined;
    }
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
      return kindOf({ isSymlink: false, ...facts(Deno.statSync(path)) });
    } catch {
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
    const uid = Deno.uid();
    if (uid === 0 || uid === null) return false;
    try {
      const info = Deno.lstatSync(path);
      // Opening anything else could wait or have an effect; its own things it can open itself.
      if (info.uid === uid || !(info.isFile || info.isDirectory)) return false;
      Deno.openSync(path).close();
      return false;
    } catch (error) {
      if (error instanceof Deno.errors.PermissionDenied) return true;
      // What is missing may appear; only root makes something in a directory of root.
      return error instanceof Deno.errors.NotFound && this.#ownedByRoot(dirname(path));
    }
  }

  #ownedByRoot(directory: string): boolean {
    try {
      const { uid, mode } = Deno.statSync(directory);
      return uid === 0 && ((mode ?? 0) & 0o002) === 0;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) return true;
      return directory !== "/" && this.#ownedByRoot(dirname(directory));
    }
  }
}

function facts({ isFile, isDirectory }: { isFile: boolean; isDirectory: boolean }) {
  return { isFile, isDirectory };
}

function kindOf(
  entry: { isFile: boolean; isDirectory: boolean; isSymlink: boolean },
): EntryKind {
  if (entry.isSymlink) return "link";
  return entry.isDirectory ? "directory" : entry.isFile ? "file" : "other";
}
