/**
 * The driver's view of the prepared tree: writes it once, tells what a command changed in it and
 * puts that back. Synchronous on purpose: nothing else may run while the tree is compared.
 */
import { type Change, CONTENT_LIMIT, WORKSPACE } from "./protocol.ts";
import { COMMITTED_FILES, TREE_DIRECTORIES, TREE_FILES, TREE_ROOTS } from "./tree_data.ts";
import type { TreeFile } from "./tree_data.ts";

interface Entry {
  type: Change["type"];
  mode: number;
  uid: number;
  /** Changes with every write, so that most files need no reading. */
  stamp: string;
  /** Contents of a file, target of a link. */
  bytes?: Uint8Array;
  target?: string;
}

const LATIN1 = new TextDecoder("latin1");
/** Mounted read-only, or the driver's own; everything else below `/` is compared. */
const UNWATCHED = new Set([
  "/usr",
  "/proc",
  "/driver",
  "/driver-cache",
  "/deno",
  "/etc/alternatives",
  "/etc/ld.so.cache",
  "/dev/null",
  "/dev/zero",
  "/dev/full",
  "/dev/random",
  "/dev/urandom",
]);
const MAX_ENTRIES = 5_000;

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

/** Latin-1 text of at most `CONTENT_LIMIT` bytes. */
export function shownBytes(bytes: Uint8Array): string {
  return LATIN1.decode(bytes.subarray(0, CONTENT_LIMIT));
}

function typeOf(info: Deno.FileInfo): Change["type"] {
  if (info.isFile) return "file";
  if (info.isDirectory) return "directory";
  return info.isSymlink ? "link" : "other";
}

function readEntry(path: string, info: Deno.FileInfo, known: Entry | undefined): Entry {
  const type = typeOf(info);
  const stamp = [info.ino, info.size, info.mode, info.uid, info.ctime, info.mtime?.getTime()]
    .join(" ");
  if (type === "file" && known?.stamp === stamp) return known;
  const entry: Entry = { type, mode: (info.mode ?? 0) & 0o7777, uid: info.uid ?? 0, stamp };
  if (type === "file") entry.bytes = Deno.readFileSync(path);
  if (type === "link") entry.target = Deno.readLinkSync(path);
  return entry;
}

function isSame(a: Entry, b: Entry): boolean {
  return a.type === b.type && a.mode === b.mode &&
    (a.type === "link" || a.uid === b.uid) && a.target === b.target &&
    (a.bytes === undefined || b.bytes === undefined || isEqual(a.bytes, b.bytes));
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The prepared tree; made once, put back after every command. */
export class Tree {
  readonly #uid: number;
  #entries = new Map<string, Entry>();

  constructor(uid: number) {
    this.#uid = uid;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Writes the files of the workspace that belong into the first commit. */
  writeCommitted(): void {
    for (const dir of [...TREE_ROOTS, ...TREE_DIRECTORIES]) this.#makeDirectory(dir);
    for (const [path, file] of Object.entries(COMMITTED_FILES)) this.#write(path, file);
    this.ownAll();
  }

  /** Writes all other files and remembers the state that commands start from. */
  writeRest(): void {
    for (const [path, file] of Object.entries(TREE_FILES)) this.#write(path, file);
    Deno.chmodSync("/tmp", 0o1777);
    this.ownAll();
    this.#entries = this.#read();
  }

  /** Gives everything to the user who runs the commands. */
  ownAll(): void {
    const visit = (path: string) => {
      const info = Deno.lstatSync(path);
      // Links stay the driver's: changing their owner would follow them.
      if (!info.isSymlink) Deno.chownSync(path, this.#uid, this.#uid);
      if (!info.isDirectory) return;
      for (const { name } of Deno.readDirSync(path)) {
        const child = `${path}/${name}`;
        if (!UNWATCHED.has(child)) visit(child);
      }
    };
    for (const root of TREE_ROOTS) visit(root);
    for (const path of ["/", "/dev"]) Deno.chownSync(path, this.#uid, this.#uid);
  }

  /** What differs from the prepared state; the tree is as prepared afterwards. */
  takeChanges(): Change[] {
    const now = this.#read();
    const changes: Change[] = [];
    for (const [path, entry] of now) {
      const before = this.#entries.get(path);
      if (before === undefined) changes.push(describe(path, undefined, entry));
      else if (!isSame(before, entry)) changes.push(describe(path, before, entry));
    }
    for (const [path, before] of this.#entries) {
      if (!now.has(path)) changes.push(describe(path, before, undefined));
    }
    this.#restore(changes);
    return changes;
  }

  #restore(changes: readonly Change[]): void {
    for (const { path, kind } of changes) {
      if (kind === "created" || this.#entries.get(path)?.type !== "directory") remove(path);
    }
    // Parents come before their children in the prepared state.
    const touched = new Set(changes.filter(({ kind }) => kind !== "created").map((c) => c.path));
    if (touched.size === 0) return;
    for (const [path, entry] of this.#entries) if (touched.has(path)) this.#put(path, entry);
  }

  #put(path: string, entry: Entry): void {
    if (entry.type === "directory") {
      if (!isDirectory(path)) {
        remove(path);
        Deno.mkdirSync(path);
      }
    } else if (entry.type === "link") Deno.symlinkSync(entry.target!, path);
    else Deno.writeFileSync(path, entry.bytes ?? new Uint8Array());
    if (entry.type === "link") return;
    Deno.chownSync(path, entry.uid, entry.uid);
    Deno.chmodSync(path, entry.mode);
    const again = readEntry(path, Deno.lstatSync(path), undefined);
    this.#entries.set(path, { ...entry, stamp: again.stamp });
  }

  #read(): Map<string, Entry> {
    const found = new Map<string, Entry>();
    const visit = (path: string) => {
      if (found.size > MAX_ENTRIES) return;
      const info = Deno.lstatSync(path);
      found.set(path, readEntry(path, info, this.#entries.get(path)));
      if (!info.isDirectory) return;
      const names = [...Deno.readDirSync(path)].map(({ name }) => name).sort();
      for (const name of names) {
        const child = `${path === "/" ? "" : path}/${name}`;
        if (!UNWATCHED.has(child)) visit(child);
      }
    };
    visit("/");
    visit("/usr/local");
    return found;
  }

  #makeDirectory(path: string): void {
    Deno.mkdirSync(path, { recursive: true });
  }

  #write(path: string, { text, mode = 0o644 }: TreeFile): void {
    this.#makeDirectory(parent(path));
    Deno.writeTextFileSync(path, text.replaceAll(":UID", `:${this.#uid}`));
    Deno.chmodSync(path, mode);
  }
}

function isDirectory(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false; // nothing is there
  }
}

function remove(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function describe(path: string, before: Entry | undefined, after: Entry | undefined): Change {
  const kind = before === undefined ? "created" : after === undefined ? "deleted" : "changed";
  const change: Change = { path, kind, type: (after ?? before)!.type };
  if (after) change.mode = after.mode;
  if (before) change.oldMode = before.mode;
  if (before) change.before = shown(before);
  if (after) change.after = shown(after);
  return change;
}

function shown(entry: Entry): string {
  return entry.bytes ? shownBytes(entry.bytes) : entry.target ?? "";
}

/** Where git makes the first commit. */
export const COMMIT_DIRECTORY = WORKSPACE;
