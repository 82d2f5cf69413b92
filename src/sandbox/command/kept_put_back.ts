/**
 * Putting kept files back as they were. What a command left in their place is never lost: a file
 * goes to the store, anything else is moved aside in the workspace. No link is followed, whatever
 * other processes do meanwhile (`kept_disk.ts`).
 */
import { randomId } from "../../util/id.ts";
import { basename, dirname, isWithin, relativePath } from "../../util/path.ts";
import { reasonOf } from "../../util/reason.ts";
import { FILE_BYTES_MAX, KEPT_NAMES } from "./kept_files_data.ts";
import { type At, type KeptDisk, lookAt } from "./kept_disk.ts";
import type { PutBack } from "./kept_report.ts";
import {
  type FileChange,
  isSameBytes,
  type KeptDirectory,
  type KeptState,
  type Remembered,
} from "./kept_state.ts";
import type { KeptStore } from "./kept_store.ts";

export interface PutterOptions {
  disk: KeptDisk;
  state: KeptState;
  store: KeptStore;
}

export class Putter {
  readonly #disk: KeptDisk;
  readonly #state: KeptState;
  readonly #store: KeptStore;
  /** Paths that could not be put back, as was told. */
  readonly #failed: Set<string> = new Set();

  constructor(options: PutterOptions) {
    this.#disk = options.disk;
    this.#state = options.state;
    this.#store = options.store;
  }

  /**
   * Restores, or removes a file that was not there. Never throws: the record says what failed.
   * What failed is tried again by the next comparison, and told once: undefined after that.
   */
  file(change: FileChange, as: Remembered | undefined = change.was): PutBack | undefined {
    const record = describeChange(change);
    if (as?.type === "large" || as?.type === "other") {
      this.#state.adopt(change);
      const reason = as.type === "large" ? "too large to be remembered" : "it was no file before";
      return { ...record, outcome: "left", reason };
    }
    try {
      this.#makeWay(change);
      const place = { root: change.root, path: dirname(change.path) };
      const copy = this.#disk.within(place, (at) => this.#put(change, { at, as }));
      this.#state.restamp(change.path);
      if (as === undefined) this.#removeEmpty(dirname(change.path));
      this.#failed.delete(change.path);
      const outcome = as === undefined ? "removed" : "restored";
      return { ...record, outcome, ...(copy === undefined ? {} : { copy }) };
    } catch (error) {
      if (this.#failed.has(change.path)) return undefined;
      this.#failed.add(change.path);
      return { ...record, outcome: "left", reason: reasonOf(error) };
    }
  }

  /** Removes new directories that held nothing but what was removed. */
  #removeEmpty(path: string): void {
    const directory = this.#state.directories.get(path);
    if (directory === undefined || !directory.isNew || directory.role === "project") return;
    try {
      const place = { root: directory.root, path: dirname(path) };
      this.#disk.within(place, (at) => Deno.removeSync(at(basename(path))));
    } catch {
      return; // It holds something else: an ordinary directory.
    }
    this.#state.forget(path, {});
    this.#removeEmpty(dirname(path));
  }

  #put(change: FileChange, to: { at: At; as: Remembered | undefined }): string | undefined {
    const name = basename(change.path);
    const there = lookAt(to.at(name));
    const copy = there === undefined ? undefined : this.#save(change, { at: to.at, there });
    const { as } = to;
    if (as?.type === "file") {
      this.#disk.replace(to.at, { name, mode: as.mode, content: as.bytes });
    } else if (as?.type === "link") {
      this.#disk.replace(to.at, { name, mode: 0, content: { target: as.target } });
    } else if (there !== undefined && !there.isDirectory && lookAt(to.at(name)) !== undefined) {
      Deno.removeSync(to.at(name));
    }
    return copy;
  }

  /** Stores what a command left, and frees the name when a directory has it. */
  #save(change: FileChange, found: { at: At; there: Deno.FileInfo }): string | undefined {
    const name = basename(change.path);
    const { at, there } = found;
    if (there.isDirectory) return this.#aside(at(name), change);
    if (there.isSymlink) {
      const copy = this.#store.copyPath(name);
      Deno.symlinkSync(Deno.readLinkSync(at(name)), copy);
      return copy;
    }
    if (!there.isFile) return undefined;
    const bytes = this.#disk.read(at(name), FILE_BYTES_MAX);
    if (bytes === undefined) return this.#aside(at(name), change);
    const isKnown = change.was?.type === "file" && isSameBytes(change.was.bytes, bytes);
    if (isKnown) return undefined;
    const copy = this.#store.copyPath(name);
    Deno.writeFileSync(copy, bytes, { mode: 0o600, createNew: true });
    return copy;
  }

  /** Moves something to a free name at the top of the workspace. */
  #aside(path: string, place: { path: string; root: string }): string {
    const name = `put-aside-${basename(place.path).replace(/^\.+/, "")}-${randomId(6)}`;
    return this.#disk.within({ root: place.root, path: place.root }, (at) => {
      Deno.renameSync(path, at(name));
      return `${place.root}/${name}`;
    });
  }

  /** Makes the directories on the way to a file; whatever lies in their way is moved aside. */
  #makeWay(place: { path: string; root: string }): void {
    const parts = relativePath(place.root, dirname(place.path)).split("/").filter((part) =>
      part !== "." && part !== ""
    );
    let path = place.root;
    for (const part of parts) {
      this.#disk.within({ root: place.root, path }, (at) => {
        const there = lookAt(at(part));
        if (there?.isDirectory) return;
        if (there !== undefined) {
          this.#aside(at(part), { path: `${path}/${part}`, root: place.root });
        }
        const mode = this.#state.directories.get(`${path}/${part}`)?.mode ?? 0o755;
        Deno.mkdirSync(at(part), { mode: mode & 0o777 });
      });
      path += `/${part}`;
    }
  }

  /**
   * Brings a directory back: the very one when it lies beside its old name, else an empty one
   * that its files are then put into. Undefined when it could not be done.
   */
  directory(directory: KeptDirectory): PutBack | undefined {
    const { path, root } = directory;
    const name = basename(path);
    try {
      this.#makeWay(directory);
      return this.#disk.within({ root, path: dirname(path) }, (at) => {
        const there = lookAt(at(name));
        const copy = there === undefined ? undefined : this.#aside(at(name), directory);
        const moved = findMoved(at, directory);
        if (moved === undefined) Deno.mkdirSync(at(name), { mode: directory.mode & 0o777 });
        else Deno.renameSync(at(moved), at(name));
        return {
          path,
          shown: shownPath(directory),
          kind: KEPT_NAMES[directory.role].kind,
          change: there === undefined ? "deleted" : "replaced",
          outcome: "restored",
          ...(copy === undefined ? {} : { copy }),
        };
      });
    } catch {
      return undefined; // Its files are put back one by one, and what fails then is told.
    }
  }

  /** Gives a directory its mode back. */
  mode(directory: KeptDirectory): boolean {
    try {
      const { root, path } = directory;
      if (path === root) this.#disk.chmod(root, directory.mode);
      else {
        this.#disk.within({ root, path: dirname(path) }, (at) => {
          this.#disk.chmod(at(basename(path)), directory.mode);
        });
      }
      return true;
    } catch {
      return false; // It belongs to somebody else now; its files are compared all the same.
    }
  }
}

/** Most entries that are looked at for a directory that was moved. */
const MOVED_MAX = 1000;

/** The name that a directory has now, when it was renamed where it lay. */
function findMoved(at: At, directory: KeptDirectory): string | undefined {
  let seen = 0;
  for (const entry of Deno.readDirSync(at("."))) {
    if (++seen > MOVED_MAX) return undefined;
    if (!entry.isDirectory) continue;
    const info = lookAt(at(entry.name));
    if (info?.ino === directory.ino && info.dev === directory.dev) return entry.name;
  }
  return undefined;
}

/** The path as people know it: below its root, and with the name of a git directory. */
export function shownPath(place: { path: string; root: string }): string {
  const { path } = place;
  const root = place.root.endsWith(".git") ? dirname(place.root) : place.root;
  return isWithin(path, root) && path !== root ? relativePath(root, path) : path;
}

function describeChange(
  change: FileChange,
): Pick<PutBack, "path" | "shown" | "kind" | "change"> {
  const { path, kind, was, now } = change;
  return { path, shown: shownPath(change), kind, change: changeOf(was, now) };
}

function changeOf(was: Remembered | undefined, now: Remembered | undefined): PutBack["change"] {
  if (was === undefined) return "created";
  if (now === undefined) return "deleted";
  if (was.type !== now.type && was.type !== "large" && now.type !== "large") return "replaced";
  if (was.type === "file" && now.type === "file" && isSameBytes(was.bytes, now.bytes)) {
    return "mode";
  }
  return "changed";
}
