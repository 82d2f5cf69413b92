/**
 * Which files need care before they are read or written: rules over absolute paths, shared by
 * the file tools and the approval rules. Pure: callers ask once for the path as given and once
 * for the real path behind its links, and the stricter answer counts.
 */
import { isWithin, relativePath } from "./path.ts";
import {
  ANY_HOME,
  ANYWHERE_ROWS,
  HERMES_SECRETS,
  HOME_ROWS,
  PROCESS_SECRETS,
  type ProtectedKind,
  type ProtectedRow,
  PROTECTION,
  type Protection,
  type ProtectionRule,
  SYSTEM_SECRETS,
} from "./protected_paths_data.ts";

/** Where the rules look. Directories are absolute; a link and what it leads to are both listed. */
export interface ProtectedPlaces {
  /** The user's home, under each of its names. */
  homes: readonly string[];
  /** The root of the hermes home (above `profiles/`), under each of its names. */
  hermesHomes: readonly string[];
  /** The other parts of the trusted base: unpacked program, its caches, the installed file. */
  trustedBase: readonly string[];
  /** Files outside the hermes homes that hold its keys: where links in a home lead. */
  secrets?: readonly string[];
  /** Directories of the PATH, and programs elsewhere that links in them lead to. */
  programs?: readonly string[];
}

export interface PathVerdict extends ProtectionRule {
  kind: ProtectedKind;
}

/** True for the hermes home, the program and its caches: only hermes itself changes them. */
export function isTrustedBase(path: string, places: ProtectedPlaces): boolean {
  return isBelow(path, places.hermesHomes) || isBelow(path, places.trustedBase);
}

/** True when `path` is one of the roots or below one; some file systems ignore case. */
function isBelow(path: string, roots: readonly string[] = []): boolean {
  return roots.some((root) =>
    isWithin(path, root) || isWithin(path.toLowerCase(), root.toLowerCase())
  );
}

/** What the file at `path` is, or undefined for an ordinary one. */
export function protectionOf(path: string, places: ProtectedPlaces): PathVerdict | undefined {
  if (holdsOwnSecrets(path, places)) return verdict("credentials");
  if (isTrustedBase(path, places)) return verdict("trusted base");
  const full = path.toLowerCase();
  if (SYSTEM_SECRETS.test(full) || PROCESS_SECRETS.test(full)) return verdict("credentials");
  const below = belowHome(path, places);
  const row = (below === undefined ? undefined : match(HOME_ROWS, below)) ??
    match(ANYWHERE_ROWS, full);
  if (row !== undefined) return verdict(row.kind);
  return isBelow(path, places.programs) ? verdict("path program") : undefined;
}

/** How the file at `path` may be read and written; ordinary files are free. */
export function accessTo(
  path: string,
  places: ProtectedPlaces,
): { read: Protection; write: Protection } {
  return protectionOf(path, places) ?? { read: "free", write: "free" };
}

function verdict(kind: ProtectedKind): PathVerdict {
  return { kind, ...PROTECTION[kind] };
}

function match(rows: readonly ProtectedRow[], text: string): ProtectedRow | undefined {
  return rows.find(({ pattern }) => pattern.test(text));
}

/** Keys and tokens in the hermes home or in one of its profiles. */
function holdsOwnSecrets(path: string, places: ProtectedPlaces): boolean {
  if (isBelow(path, places.secrets)) return true;
  return places.hermesHomes.some((root) => {
    if (path === root || !isWithin(path, root)) return false;
    const below = relativePath(root, path).toLowerCase();
    return HERMES_SECRETS.test(below.replace(/^profiles\/[^/]+\//, ""));
  });
}

/** The lower-case path below the user's home, or below anybody's. */
function belowHome(path: string, places: ProtectedPlaces): string | undefined {
  for (const home of places.homes) {
    if (home !== "/" && path !== home && isWithin(path, home)) {
      return relativePath(home, path).toLowerCase();
    }
  }
  return ANY_HOME.exec(path.toLowerCase())?.[1];
}
