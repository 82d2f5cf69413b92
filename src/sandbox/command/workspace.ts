/**
 * Which directories are the work of a session: the git work tree around its directory, and the
 * repository behind it where `.git` is a file. What a repository says about others is not believed.
 */
import { basename, dirname, isWithin, joinPath, resolvePath } from "../../util/path.ts";
import type { PolicyDisk } from "./disk.ts";
import { TOO_WIDE } from "./policy_data.ts";

/** The directories, the work tree first; none where the session's directory is wider than any work. */
export function workspaceOf(cwd: string, home: string, disk: PolicyDisk): string[] {
  const start = disk.real(cwd);
  const ownHome = home === "" ? "" : disk.real(home);
  for (let at = start; isWork(at, ownHome); at = dirname(at)) {
    const kind = disk.list(at)?.get(".git");
    if (kind === undefined) continue;
    const behind = kind === "file" ? repositoryOf(at, disk) : undefined;
    return behind === undefined || isWithin(behind, at) ? [at] : [at, behind];
  }
  return TOO_WIDE.includes(start) || (start !== ownHome && isWithin(ownHome, start)) ? [] : [start];
}

/** A work tree is never the home, nor anything that holds it. */
function isWork(path: string, home: string): boolean {
  return !TOO_WIDE.includes(path) && !(home !== "" && isWithin(home, path));
}

/**
 * The common directory of the repository that the `.git` file of a work tree names. Only when the
 * repository names this work tree too: a `.git` file can come with what was fetched, and would
 * open any directory.
 */
function repositoryOf(tree: string, disk: PolicyDisk): string | undefined {
  const file = joinPath(tree, ".git");
  const named = /^gitdir: ([^\n]+)/.exec(disk.text(file) ?? "")?.[1]?.trim();
  if (named === undefined) return undefined;
  const own = disk.real(resolvePath(tree, named));
  // A work tree of `git worktree add`: `COMMON/worktrees/NAME/gitdir` leads back.
  const back = disk.text(joinPath(own, "gitdir"))?.trim();
  if (back !== undefined) {
    if (basename(dirname(own)) !== "worktrees" || disk.real(resolvePath(own, back)) !== file) {
      return undefined;
    }
    return dirname(dirname(own));
  }
  // A submodule: `worktree` in its settings leads back.
  const worktree = /^[ \t]*worktree = ([^\n]+)$/m.exec(disk.text(joinPath(own, "config")) ?? "");
  if (worktree?.[1] === undefined) return undefined;
  return disk.real(resolvePath(own, worktree[1].trim())) === tree ? own : undefined;
}

/** A name for a project's own directories, by where it is. FNV-1a, 64 bits. */
export function projectId(workspace: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(workspace)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  const name = basename(workspace).replace(/[^\w.-]/g, "_").slice(0, 40);
  return `${name || "root"}-${hash.toString(16).padStart(16, "0")}`;
}
