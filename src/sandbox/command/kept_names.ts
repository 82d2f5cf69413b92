/** Which entries of a directory are kept files or hold some: pure, by name and type. */
import type { ProtectedKind } from "../../util/protected_paths_data.ts";
import { GIT_STORES, KEPT_NAMES, type KeptRole, PROJECT_FILES } from "./kept_files_data.ts";

export type NamedEntry =
  | { type: "file"; kind: ProtectedKind }
  | { type: "directory"; role: KeptRole };

/**
 * What an entry of a directory with this role is; undefined for an ordinary one. Whatever is not
 * a directory at a name that should be one, such as a link, is a kept file.
 */
export function namedEntry(
  role: KeptRole,
  entry: { name: string; isDirectory: boolean; isSymlink: boolean },
): NamedEntry | undefined {
  const name = entry.name.toLowerCase();
  const names = KEPT_NAMES[role];
  const below = directoryRole(role, name);
  if (entry.isDirectory) {
    return below === undefined ? undefined : { type: "directory", role: below };
  }
  const isKept =
    below !== undefined && (entry.isSymlink || Object.hasOwn(names.directories, name)) ||
    isKeptName(role, name);
  return isKept ? { type: "file", kind: kindOf(role, name) } : undefined;
}

/** What a directory called `name` below one with this role holds. */
function directoryRole(role: KeptRole, name: string): KeptRole | undefined {
  const { directories, others } = KEPT_NAMES[role];
  if (Object.hasOwn(directories, name)) return directories[name];
  if (role === "project") return name.endsWith(".git") ? "git" : undefined;
  return role === "git module" && GIT_STORES.has(name) ? undefined : others;
}

function isKeptName(role: KeptRole, name: string): boolean {
  const { files } = KEPT_NAMES[role];
  // Git never runs a hook of that name.
  if (role === "hooks") return !name.endsWith(".sample");
  return files === "all" || files.has(name);
}

/** The kind of a kept file called `name` (lower-case) in a directory with this role. */
function kindOf(role: KeptRole, name: string): ProtectedKind {
  if (role === "project" && Object.hasOwn(PROJECT_FILES, name)) return PROJECT_FILES[name]!;
  // Whatever lies at the name of a directory counts as what the directory would hold.
  return KEPT_NAMES[directoryRole(role, name) ?? role].kind;
}

/** True for a repository by what lies in it, whatever it is called. */
export function looksLikeRepository(names: ReadonlySet<string>): boolean {
  return names.has("HEAD") && names.has("objects") && names.has("refs");
}
