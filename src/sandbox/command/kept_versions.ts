/**
 * Tells versions of kept files that git itself brought from those that a command made. A version
 * is the project's own when a commit records it that a branch or tag led to before the session's
 * first command: ids of commits are hashes of all that they record, so that nothing a command
 * does to the repository later can add to them. Reads; decides nothing about other files.
 */
import { dirname, isWithin, relativePath } from "../../util/path.ts";
import { type GitCommit, type GitEntry, GitObjects, objectId } from "./git_objects.ts";
import { RefTips, type Repository, repositoryAt } from "./git_refs.ts";
import type { KeptDisk } from "./kept_disk.ts";
import type { FileChange, Remembered } from "./kept_state.ts";

/** Commits of this session that are followed to those from before it. */
const NEW_MAX = 500;
/** Commits from before the session that are looked through. */
const OLD_MAX = 10_000;
/** Branches and tags that are looked at for a version that would be lost. */
const TIPS_MAX = 200;
/** How far apart clocks of committers may be. */
const CLOCK_SECONDS = 24 * 60 * 60;

/**
 * `own`: the project's own version, as the commit that is checked out has it. `committed`: that
 * commit has it, and nobody knows where the commit comes from.
 */
export type Version = "own" | "committed";

export class KeptVersions {
  readonly #disk: KeptDisk;
  readonly #roots: Map<string, RootVersions> = new Map();

  constructor(disk: KeptDisk) {
    this.#disk = disk;
  }

  /** Before the first command: takes the branches and tags as they are for the project's own. */
  remember(roots: readonly string[]): void {
    for (const root of roots) {
      const repository = repositoryAt(root, this.#disk);
      if (repository === undefined) continue;
      this.#roots.set(root, new RootVersions(root, { repository, disk: this.#disk }));
    }
  }

  /** Where the new version of a kept file comes from; undefined when git does not know it. */
  judge(change: Pick<FileChange, "path" | "kind" | "was" | "now">): Version | undefined {
    if (change.kind === "git settings") return undefined;
    for (const [root, versions] of this.#roots) {
      if (isWithin(dirname(change.path), root)) return versions.judge(change);
    }
    return undefined;
  }

  /** The change was accepted: going back to what was there is right as well. */
  accepted(change: Pick<FileChange, "path" | "was">): void {
    for (const [root, versions] of this.#roots) {
      if (isWithin(dirname(change.path), root)) versions.accepted(change);
    }
  }

  /** Closes what was opened to judge; the repository may differ the next time. */
  rest(): void {
    for (const versions of this.#roots.values()) versions.rest();
  }
}

/** One repository. */
class RootVersions {
  readonly #root: string;
  readonly #repository: Repository;
  readonly #disk: KeptDisk;
  readonly #before: RefTips;
  /** Commits that were there before the session. */
  #old: OldCommits | undefined;
  #objects: GitObjects | undefined;
  #tips: RefTips | undefined;
  #origins: { head: GitCommit; trees: string[] } | undefined;
  /** By path: versions that were right, that no branch had before the session, and that went. */
  readonly #away: Map<string, Set<string>> = new Map();

  constructor(root: string, from: { repository: Repository; disk: KeptDisk }) {
    this.#root = root;
    this.#repository = from.repository;
    this.#disk = from.disk;
    this.#before = new RefTips(from.repository, from.disk);
  }

  rest(): void {
    this.#objects?.[Symbol.dispose]();
    this.#objects = undefined;
    this.#tips = undefined;
    this.#origins = undefined;
  }

  judge({ path, was, now }: Pick<FileChange, "path" | "was" | "now">): Version | undefined {
    const below = relativePath(this.#root, path);
    const [old, wanted] = [entryOf(was), entryOf(now)];
    if (old === undefined || wanted === undefined) return undefined;
    if (this.#away.get(path)?.has(keyOf(wanted))) {
      return this.#isRecorded(below, old) ? "own" : undefined;
    }
    const origins = this.#origins ??= this.#findOrigins();
    if (origins === undefined) return undefined;
    const has = (tree: string) => isSame(this.#open().entry(tree, below), wanted);
    if (!has(origins.head.tree)) return undefined;
    if (!origins.trees.some(has)) return wanted === null ? undefined : "committed";
    return this.#isRecorded(below, old) ? "own" : undefined;
  }

  accepted({ path, was }: Pick<FileChange, "path" | "was">): void {
    const old = entryOf(was);
    if (old === undefined) return;
    const below = relativePath(this.#root, path);
    if (this.#isIn(this.#before.all, { below, entry: old })) return;
    const away = this.#away.get(path) ?? new Set();
    this.#away.set(path, away.add(keyOf(old)));
  }

  /** True when a version is not lost by going: a branch, a tag or the stash has it. */
  #isRecorded(below: string, entry: GitEntry | null): boolean {
    if (entry === null) return true;
    this.#tips ??= new RefTips(this.#repository, this.#disk);
    const place = { below, entry };
    const { stash } = this.#tips;
    return this.#isIn(this.#before.all, place) || this.#isIn(this.#tips.all, place) ||
      this.#isIn(new Set(stash === undefined ? [] : [stash]), place);
  }

  #isIn(tips: ReadonlySet<string>, place: { below: string; entry: GitEntry | null }): boolean {
    let seen = 0;
    for (const tip of tips) {
      if (++seen > TIPS_MAX) return false;
      const id = this.#open().peel(tip);
      const commit = id === undefined ? undefined : this.#open().commit(id);
      if (commit === undefined) continue;
      if (isSame(this.#open().entry(commit.tree, place.below), place.entry)) return true;
    }
    return false;
  }

  /** The commit that is checked out, and the nearest ones before it that the session did not make. */
  #findOrigins(): { head: GitCommit; trees: string[] } | undefined {
    this.#tips ??= new RefTips(this.#repository, this.#disk);
    const { head: id } = this.#tips;
    const head = id === undefined ? undefined : this.#open().commit(id);
    if (id === undefined || head === undefined) return undefined;
    this.#old ??= new OldCommits(this.#before.all);
    const trees: string[] = [];
    const queue = new Set([id]);
    for (const one of queue) {
      if (queue.size > NEW_MAX) break;
      const commit = this.#open().commit(one);
      if (commit === undefined) continue;
      if (this.#old.has(one, { commit, objects: this.#open() })) trees.push(commit.tree);
      else for (const parent of commit.parents) queue.add(parent);
    }
    return { head, trees };
  }

  #open(): GitObjects {
    return this.#objects ??= new GitObjects(`${this.#repository.commonDir}/objects`, this.#disk);
  }
}

/** Everything that certain commits lead to, found step by step, the newest first. */
class OldCommits {
  readonly #known: Set<string>;
  /** Commits whose parents are not known yet, sorted by time; undefined until it is needed. */
  #open: { id: string; commit: GitCommit }[] | undefined;

  constructor(tips: ReadonlySet<string>) {
    this.#known = new Set(tips);
  }

  has(id: string, from: { commit: GitCommit; objects: GitObjects }): boolean {
    if (this.#known.has(id)) return true;
    const { objects } = from;
    this.#open ??= this.#begin(objects);
    const until = from.commit.committedAt - CLOCK_SECONDS;
    while (!this.#known.has(id) && this.#known.size < OLD_MAX) {
      const next = this.#open.at(-1);
      if (next === undefined || next.commit.committedAt < until) break;
      this.#open.pop();
      for (const parent of next.commit.parents) {
        if (this.#known.has(parent)) continue;
        this.#known.add(parent);
        this.#add(parent, objects);
      }
    }
    return this.#known.has(id);
  }

  #begin(objects: GitObjects): { id: string; commit: GitCommit }[] {
    this.#open = [];
    for (const tip of [...this.#known]) {
      const id = objects.peel(tip);
      if (id === undefined) continue;
      this.#known.add(id);
      this.#add(id, objects);
    }
    return this.#open;
  }

  /** Keeps the order: the newest is last. */
  #add(id: string, objects: GitObjects): void {
    const commit = objects.commit(id);
    if (commit === undefined) return;
    const open = this.#open!;
    let low = 0;
    let high = open.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (open[middle]!.commit.committedAt < commit.committedAt) low = middle + 1;
      else high = middle;
    }
    open.splice(low, 0, { id, commit });
  }
}

/** What git would record of a file: null for nothing, undefined where it would not be itself. */
function entryOf(file: Remembered | undefined): GitEntry | null | undefined {
  if (file === undefined) return null;
  if (file.type === "link") {
    return { mode: "120000", id: objectId("blob", new TextEncoder().encode(file.target)) };
  }
  // Git makes no file that others may write or that has special bits.
  if (file.type !== "file" || (file.mode & 0o7002) !== 0) return undefined;
  const mode = (file.mode & 0o100) === 0 ? "100644" : "100755";
  return { mode, id: objectId("blob", file.bytes) };
}

function keyOf(entry: GitEntry | null): string {
  return entry === null ? "nothing" : `${entry.mode} ${entry.id}`;
}

/** Undefined is what could not be read: it is like nothing. */
function isSame(a: GitEntry | null | undefined, b: GitEntry | null): boolean {
  return a !== undefined && keyOf(a) === keyOf(b);
}
