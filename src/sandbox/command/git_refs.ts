/**
 * Where the branches and tags of a repository are, read from its files: no program is run and no
 * setting is read. Bounded; what does not fit is not known.
 */
import { resolvePath } from "../../util/path.ts";
import { type KeptDisk, lookAt } from "./kept_disk.ts";

/** The parts of a repository; a worktree has a directory of its own beside the common one. */
export interface Repository {
  gitDir: string;
  commonDir: string;
}

/** Files of branches and tags that are read; most repositories have them in one file. */
const LOOSE_MAX = 200;
const PACKED_BYTES_MAX = 8 * 1024 * 1024;

/** The repository whose work tree `root` is; undefined without one. */
export function repositoryAt(root: string, disk: KeptDisk): Repository | undefined {
  const path = `${root}/.git`;
  const info = lookAt(path);
  if (info?.isDirectory) return { gitDir: path, commonDir: path };
  const pointer = /^gitdir: ([^\n]+)\n?$/.exec(readText(disk, path))?.[1];
  if (pointer === undefined) return undefined;
  const gitDir = resolvePath(root, pointer);
  const common = readText(disk, `${gitDir}/commondir`).trimEnd();
  return { gitDir, commonDir: common === "" ? gitDir : resolvePath(gitDir, common) };
}

/** A line for a branch or tag. What anything else leads to is for git alone, and easy to hide in. */
const NAMED = /^[0-9a-f]{40} refs\/(?:heads|remotes|tags)\//;

/** Ids of commits and tags, as they were when this was made. What git packed is read when asked. */
export class RefTips {
  readonly head: string | undefined;
  readonly #loose: readonly string[];
  /** The newest stash, where it has a file of its own. */
  readonly #stash: string;
  readonly #packed: Uint8Array | undefined;
  #all: Set<string> | undefined;

  constructor({ gitDir, commonDir }: Repository, disk: KeptDisk) {
    this.#packed = disk.read(`${commonDir}/packed-refs`, PACKED_BYTES_MAX);
    const head = readText(disk, `${gitDir}/HEAD`).trimEnd();
    const name = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1];
    const own = name === undefined || name.includes("..")
      ? head
      : readText(disk, `${commonDir}/${name}`).trimEnd();
    this.#stash = readText(disk, `${commonDir}/refs/stash`).trimEnd();
    this.#loose = [own, ...looseIds(commonDir, disk)].filter(isId);
    this.head = isId(own) ? own : name === undefined ? undefined : this.#packedId(name);
  }

  /** Those of branches and tags, that of the checked-out commit first. */
  get all(): ReadonlySet<string> {
    if (this.#all === undefined) {
      const packed = this.#lines().filter((line) => NAMED.test(line)).map((line) =>
        line.slice(0, 40)
      );
      const head = this.head === undefined ? [] : [this.head];
      this.#all = new Set([...head, ...this.#loose, ...packed.filter(isId)]);
    }
    return this.#all;
  }

  /** Where the newest stash is. */
  get stash(): string | undefined {
    return isId(this.#stash) ? this.#stash : this.#packedId("refs/stash");
  }

  #packedId(name: string): string | undefined {
    const id = this.#lines().find((line) => line.slice(41) === name)?.slice(0, 40);
    return id !== undefined && isId(id) ? id : undefined;
  }

  #lines(): string[] {
    return this.#packed === undefined ? [] : new TextDecoder().decode(this.#packed).split("\n");
  }
}

function looseIds(commonDir: string, disk: KeptDisk): string[] {
  const ids: string[] = [];
  const queue = ["heads", "remotes", "tags"].map((name) => `${commonDir}/refs/${name}`);
  let seen = 0;
  for (const directory of queue) {
    for (const { name, isDirectory, isFile } of entriesOf(directory)) {
      if (++seen > LOOSE_MAX) return ids;
      const path = `${directory}/${name}`;
      if (isDirectory) queue.push(path);
      else if (isFile) ids.push(readText(disk, path).trimEnd());
    }
  }
  return ids;
}

function isId(text: string): boolean {
  return /^[0-9a-f]{40}$/.test(text);
}

function readText(disk: KeptDisk, path: string): string {
  const bytes = disk.read(path, 4096);
  return bytes === undefined ? "" : new TextDecoder().decode(bytes);
}

function entriesOf(path: string): Iterable<Deno.DirEntry> {
  try {
    return [...Deno.readDirSync(path)];
  } catch {
    return []; // No branch of that kind.
  }
}
