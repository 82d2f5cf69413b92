/** Which files to move when two directories are kept equal. Pure: it only compares. */

/** What is known of a file that both sides had at the last exchange. */
export interface KnownFile {
  size: number;
  mtimeMs: number;
  /** SHA-256 of its content. */
  hash: string;
}

export type LocalFile = Pick<KnownFile, "size" | "mtimeMs">;

export interface PushPlan {
  /** New or changed here. */
  send: string[];
  /** Gone here. */
  remove: string[];
}

export function planPush(
  local: ReadonlyMap<string, LocalFile>,
  known: ReadonlyMap<string, KnownFile>,
): PushPlan {
  return {
    send: [...local.keys()].filter((path) => !isUnchanged(local.get(path), known.get(path))).sort(),
    remove: [...known.keys()].filter((path) => !local.has(path)).sort(),
  };
}

export interface PullPlan {
  /** New or changed there, and not touched here since. */
  fetch: string[];
  /** Changed on both sides: what is there comes beside what is here. */
  conflicts: string[];
  /** Gone there, and not touched here since. */
  remove: string[];
}

export function planPull(
  /** Hashes by path. */
  remote: ReadonlyMap<string, string>,
  sides: { local: ReadonlyMap<string, LocalFile>; known: ReadonlyMap<string, KnownFile> },
): PullPlan {
  const { local, known } = sides;
  const touched = (path: string) =>
    known.has(path) ? !isUnchanged(local.get(path), known.get(path)) : local.has(path);
  const changed = [...remote].filter(([path, hash]) => known.get(path)?.hash !== hash)
    .map(([path]) => path).sort();
  return {
    fetch: changed.filter((path) => !touched(path)),
    conflicts: changed.filter(touched),
    remove: [...known.keys()].filter((path) => !remote.has(path) && !touched(path)).sort(),
  };
}

function isUnchanged(local: LocalFile | undefined, known: KnownFile | undefined): boolean {
  return local !== undefined && known !== undefined && local.size === known.size &&
    local.mtimeMs === known.mtimeMs;
}

/** True for a relative path that stays below its directory. */
export function isSafePath(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !path.includes("\n") &&
    !path.split("/").some((part) => part === "" || part === "." || part === "..");
}
