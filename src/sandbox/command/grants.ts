/**
 * From a policy to what Landlock is told. Landlock only allows, and a right holds for everything
 * beneath: a directory that holds something hidden is not granted itself, its entries are, level
 * by level. What appears at such a level later stays closed.
 */
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { basename, dirname, isWithin } from "../../util/path.ts";
import { isHiddenName } from "./hidden_names.ts";
import type { EntryKind, PolicyDisk } from "./disk.ts";
import { KERNEL_TREES, OPEN_DEVICE_TREES, OPEN_DEVICES } from "./policy_data.ts";

/** Names: `tree-*` is a directory with all it holds, `see` its names alone. */
export interface CommandGrant {
  path: string;
  access: "see" | "tree" | "tree-run" | "tree-work" | "file-run" | "file-work";
}

export interface PathGrants {
  grants: CommandGrant[];
  /** Directories of too many entries: only what is needed of them is open. */
  crowded: string[];
}

/** More entries than this at a level that must be listed are not granted one by one. */
const MAX_ENTRIES = 256;

/**
 * What the kernel is to allow under a policy. Where commands have a view of the file system that
 * hides and keeps what it must inside places they change, such places are granted as a whole:
 * otherwise nothing could be made in a home that is the work.
 */
export function pathGrants(
  policy: SandboxPolicy,
  disk: PolicyDisk,
  { hasView = false }: { hasView?: boolean } = {},
): PathGrants {
  return new GrantList(policy, { disk, hasView }).make();
}

class GrantList {
  readonly #policy: SandboxPolicy;
  readonly #disk: PolicyDisk;
  readonly #writable: readonly string[];
  /** Closed, or unchanged inside what may be changed. */
  readonly #hidden: ReadonlySet<string>;
  readonly #readOnly: ReadonlySet<string>;
  /** Directories above something hidden, for reading and for writing. */
  readonly #splitForRead: ReadonlySet<string>;
  readonly #splitForWrite: ReadonlySet<string>;
  readonly #grants = new Map<string, CommandGrant>();
  readonly #crowded = new Set<string>();

  constructor(
    policy: SandboxPolicy,
    { disk, hasView }: { disk: PolicyDisk; hasView: boolean },
  ) {
    this.#policy = policy;
    this.#disk = disk;
    this.#writable = policy.mode === "read-only"
      ? policy.writable
      : [...policy.workspace, ...policy.writable];
    this.#hidden = new Set(policy.hidden);
    this.#readOnly = new Set(policy.readable.filter((path) => this.#isInside(path)));
    const closing = policy.hidden.filter((path) => !disk.closed(path));
    this.#splitForRead = above(closing);
    this.#splitForWrite = hasView ? new Set() : above([...closing, ...this.#readOnly]);
  }

  make(): PathGrants {
    this.#split("/", this.#splitForRead, (child, kind) => {
      if (child !== "/dev" && !KERNEL_TREES.includes(child)) this.#read(child, kind);
    });
    this.#kernelPlaces();
    for (const path of this.#policy.readable) this.#root(path, "read");
    // Work that is only read may lie in a place that is closed otherwise.
    for (const path of this.#policy.workspace) this.#root(path, "read");
    for (const path of this.#writable) this.#root(path, "write");
    return {
      grants: [...this.#grants.values()],
      crowded: [...this.#crowded],
    };
  }

  #root(path: string, use: "read" | "write"): void {
    const kind = this.#disk.kind(path);
    if (kind === undefined || this.#hidden.has(path)) return;
    if (use === "read") {
      if (!this.#isOpen(path)) this.#read(path, kind);
    } else this.#write(path, kind);
  }

  /** True where a grant above `path` covers it already. */
  #isOpen(path: string): boolean {
    for (let at = path; at !== "/"; at = dirname(at)) {
      const access = this.#grants.get(at)?.access;
      if (access !== undefined && access !== "see") return true;
    }
    return false;
  }

  #read(path: string, kind: EntryKind): void {
    if (kind === "file") return this.#add(path, "file-run");
    if (kind !== "directory") return;
    if (!this.#splitForRead.has(path)) return this.#add(path, "tree-run");
    this.#split(path, this.#splitForRead, (child, childKind) => {
      if (!isHiddenName(child)) this.#read(child, childKind);
    });
  }

  #write(path: string, kind: EntryKind): void {
    if (kind === "file" || kind === "other") return this.#add(path, "file-work");
    if (kind !== "directory") return;
    if (!this.#splitForWrite.has(path)) return this.#add(path, "tree-work");
    this.#split(path, this.#splitForWrite, (child, childKind) => {
      if (this.#readOnly.has(child)) this.#read(child, childKind);
      else if (childKind !== "other") this.#write(child, childKind);
    });
  }

  /** Entries one by one. A link leads somewhere that has a grant of its own, or none. */
  #split(
    path: string,
    splits: ReadonlySet<string>,
    grant: (child: string, kind: EntryKind) => void,
  ): void {
    this.#add(path, "see");
    const names = this.#disk.list(path) ?? this.#known(path, splits);
    const few = names.size <= MAX_ENTRIES;
    if (!few) this.#crowded.add(path);
    for (const [name, kind] of names) {
      const child = path === "/" ? `/${name}` : `${path}/${name}`;
      if (kind === "link" || this.#hidden.has(child)) continue;
      // Of a crowded directory: what is on the way to a place of its own, and what tools load.
      if (few || splits.has(child) || name.startsWith(".")) grant(child, kind);
    }
  }

  /** Of a directory that is too large to be listed: what is on the way to a place of its own. */
  #known(path: string, splits: ReadonlySet<string>): ReadonlyMap<string, EntryKind> {
    this.#crowded.add(path);
    const names = new Map<string, EntryKind>();
    for (const split of splits) {
      if (dirname(split) !== path) continue;
      const kind = this.#disk.kind(split);
      if (kind !== undefined) names.set(basename(split), kind);
    }
    return names;
  }

  #kernelPlaces(): void {
    for (const path of KERNEL_TREES) {
      if (this.#disk.kind(path) === "directory") this.#add(path, "tree");
    }
    this.#add("/dev", "see");
    for (const path of OPEN_DEVICES) {
      if (this.#disk.kind(path) !== undefined) this.#add(path, "file-work");
    }
    for (const path of OPEN_DEVICE_TREES) {
      if (this.#disk.kind(path) === "directory") this.#add(path, "tree-work");
    }
  }

  #isInside(path: string): boolean {
    return this.#writable.some((root) => path !== root && isWithin(path, root));
  }

  /** The wider of two accesses to one path; `see` beside another is both. */
  #add(path: string, access: CommandGrant["access"]): void {
    const before = this.#grants.get(path)?.access;
    if (before === undefined || before === "see" || access.endsWith("-work")) {
      this.#grants.set(path, { path, access });
    }
  }
}

/** Every directory above one of the paths, `/` left out. */
function above(paths: Iterable<string>): Set<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const directory = path.slice(0, end);
      if (found.has(directory)) break;
      found.add(directory);
    }
  }
  return found;
}
