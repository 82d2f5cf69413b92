/**
 * Finds kept files deeper in a project: a bounded walk, one directory at a step, that later only
 * lists directories whose times changed. Tells the work of commands from that of others by the
 * time of a file's last change, which no command can set.
 */
import { SEARCHED_MAX, UNSEARCHED } from "./kept_files_data.ts";
import { isUnchanged, lookAt, type Stamp, stampOf } from "./kept_disk.ts";
import { looksLikeRepository, namedEntry } from "./kept_names.ts";
import type { FileChange, KeptState } from "./kept_state.ts";

interface Searched {
  stamp: Stamp;
  /** A command of this session made the directory: what it holds is new work. */
  isFresh: boolean;
  children: string[];
}

export interface SearchOptions {
  roots: readonly string[];
  state: KeptState;
  isExcluded: (path: string) => boolean;
  /** When commands ran. */
  times: CommandTimes;
}

export class KeptSearch {
  /** True when there were more directories than are searched. */
  isPartial = false;
  readonly #options: SearchOptions;
  #known: Map<string, Searched> = new Map();

  constructor(options: SearchOptions) {
    this.#options = options;
  }

  /** Visits one directory at a step; yields the kept files of it that were not known. */
  *walk(): Generator<FileChange[]> {
    const { state } = this.#options;
    const roots = this.#options.roots.filter((root) =>
      state.directories.get(root)?.role === "project"
    );
    const seen: Map<string, Searched> = new Map();
    const queue: { path: string; root: string; isFresh: boolean }[] = roots.map((root) => ({
      path: root,
      root,
      isFresh: false,
    }));
    for (const place of queue) {
      this.isPartial = seen.size >= SEARCHED_MAX;
      if (this.isPartial) break;
      if (seen.has(place.path)) continue;
      const info = lookAt(place.path);
      if (info === undefined || !info.isDirectory) continue;
      const known = this.#known.get(place.path);
      const isSame = known !== undefined && isUnchanged(known.stamp, info);
      const visited = isSame
        ? { searched: known, changes: [] }
        : this.#visit(place, { info, known });
      seen.set(place.path, visited.searched);
      const { isFresh, children } = visited.searched;
      for (const name of children) {
        queue.push({ path: `${place.path}/${name}`, root: place.root, isFresh });
      }
      yield visited.changes;
    }
    this.#known = seen;
  }

  #visit(
    place: { path: string; root: string; isFresh: boolean },
    found: { info: Deno.FileInfo; known: Searched | undefined },
  ): { searched: Searched; changes: FileChange[] } {
    const { path, root } = place;
    const { state, times, isExcluded } = this.#options;
    const isRoot = path === root;
    const { known } = found;
    const isKnown = known !== undefined && known.stamp.ino === found.info.ino;
    const isMade = isKnown ? known.isFresh : times.isMade(found.info);
    const isFresh = !isRoot && (place.isFresh || isMade);
    const searched: Searched = { stamp: stampOf(found.info), isFresh, children: [] };
    const entries = entriesOf(path);
    const isRepository = !isRoot && looksLikeRepository(new Set(entries.map(({ name }) => name)));
    if (isRepository) {
      const changes = state.addDirectory({ path, root, role: "git" }, {
        isOptional: true,
        isNew: isFresh,
      });
      return { searched, changes };
    }
    let hasKept = false;
    const changes: FileChange[] = [];
    for (const entry of entries) {
      const named = namedEntry("project", entry);
      const below = `${path}/${entry.name}`;
      if (named === undefined) {
        const isSearched = entry.isDirectory && !UNSEARCHED.has(entry.name) && !isExcluded(below);
        if (isSearched) searched.children.push(entry.name);
        continue;
      }
      hasKept = true;
      if (isFresh && named.type === "directory" && named.role === "git") {
        const git = { path: below, root, role: named.role };
        changes.push(...state.addDirectory(git, { isOptional: true, isNew: true }));
      } else if (isFresh && named.type === "file" && named.kind === "git settings") {
        const info = lookAt(below);
        const now = state.inspect(below, info);
        if (info === undefined || state.files.has(below)) continue;
        const stamp = stampOf(info);
        changes.push({
          path: below,
          root,
          kind: named.kind,
          role: "project",
          was: undefined,
          now,
          stamp,
        });
      }
    }
    if (hasKept && !isFresh && !isRoot) {
      changes.push(...state.addDirectory({ path, root, role: "project" }, { isOptional: true }));
    }
    return { searched, changes };
  }
}

/** When commands of the session ran, as far as it takes to tell whose work a file is. */
export class CommandTimes {
  readonly #spans: { from: number; to: number }[] = [];

  start(nowMs: number): void {
    const last = this.#spans.at(-1);
    // Times of files have whole seconds: closer spans cannot be told apart.
    if (last !== undefined && nowMs - last.to < 2000) last.to = Infinity;
    else this.#spans.push({ from: nowMs, to: Infinity });
  }

  end(nowMs: number): void {
    const last = this.#spans.at(-1);
    if (last !== undefined) last.to = nowMs;
  }

  /** True when a file's last change is the work of a command. */
  covers(stamp: Stamp): boolean {
    // The last change is known to the second, the making to the millisecond.
    const first = Math.floor(stamp.ctime / 1000) * 1000;
    const last = first + 999;
    return this.#spans.some(({ from, to }) => {
      if (last < from || first > to + SLACK_MS) return false;
      const isCertain = first >= from && last <= to + SLACK_MS;
      return isCertain || isWithin(stamp.bornAt, { from, to });
    });
  }

  /** True for a directory that was made while commands ran. */
  isMade(info: Deno.FileInfo): boolean {
    const bornAt = (info.birthtime ?? info.ctime)?.getTime();
    return this.#spans.some((span) => isWithin(bornAt, span));
  }
}

function isWithin(at: number | undefined, span: { from: number; to: number }): boolean {
  return at !== undefined && at >= span.from - SLACK_MS && at <= span.to + SLACK_MS;
}

/** The times of files advance in ticks, a little behind the clock. */
const SLACK_MS = 50;

function entriesOf(path: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(path)];
  } catch {
    return []; // Gone meanwhile, or may not be read.
  }
}
