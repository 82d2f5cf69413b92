/**
 * Which protected file a word of a command names: the shared list of protected paths, asked for
 * paths as a shell writes them, with patterns and values that are not known yet.
 */
import {
  type PathVerdict,
  type ProtectedPlaces,
  protectionOf,
} from "../../util/protected_paths.ts";
import { basename, dirname } from "../../util/path.ts";
import type { ProtectedKind } from "../../util/protected_paths_data.ts";
import { globMatch, hasGlob } from "../shell/shell_glob.ts";
import { realPathOf } from "../shell/real_paths.ts";
import { absolutePath, type Place, placesOf } from "../shell/paths.ts";
import {
  ANYWHERE_SAMPLES,
  HERMES_SAMPLES,
  HOME_SAMPLES,
  SYSTEM_DIRECTORIES,
  SYSTEM_SAMPLES,
} from "./protection_data.ts";

/** Longer patterns than any path are not compared. */
const MAX_PATTERN = 512;

/**
 * What the file at `path` is, or undefined for an ordinary one. Judged under its name and, where
 * the disk may be looked at, under the path behind its links.
 */
export function protectionAt(
  path: string,
  place: Place,
  { keepsLink = false }: { keepsLink?: boolean } = {},
): PathVerdict | undefined {
  const named = protectionOfName(path, place);
  const real = realPathOf(path, place, { keepsLink });
  if (real === undefined || real === absolutePath(path, place)) return named;
  const behind = protectionOfName(real, place);
  return named === undefined || (behind !== undefined && CLOSELY_KEPT.has(behind.kind))
    ? behind
    : named;
}

const CLOSELY_KEPT = new Set<ProtectedKind>(["trusted base", "credentials"]);

function protectionOfName(path: string, place: Place): PathVerdict | undefined {
  const places = placesOf(place);
  const full = absolutePath(path, place);
  // Without a known directory a relative path is still below some directory.
  const below = full.startsWith("/") ? full : `/\0cwd\0/${full}`;
  const verdict = protectionOf(below, places);
  if (!hasGlob(path) || path.length > MAX_PATTERN || verdict?.read === "refuse") return verdict;
  // A pattern in a place that everybody reads may still stand for the one file that must not be read.
  const meant = protectionOfPattern(below, places);
  return meant?.read === "refuse" ? meant : verdict ?? meant;
}

/** The most closely kept file that a pattern may stand for. */
function protectionOfPattern(pattern: string, places: ProtectedPlaces): PathVerdict | undefined {
  const segments = pattern.split("/");
  const plain = withoutPattern(pattern);
  const verdict = plain === pattern ? undefined : protectionOf(plain, places);
  if (verdict !== undefined) return verdict;
  let meant: PathVerdict | undefined;
  for (const sample of samplesFor(pattern, places)) {
    if (!matchesSegments(segments, sample.split("/"))) continue;
    const found = protectionOf(sample, places);
    if (found?.read === "refuse") return found;
    meant ??= found;
  }
  return meant;
}

/** The path with the directory of the system that its first names stand for: `/?tc/x` is `/etc/x`. */
export function withoutPattern(path: string): string {
  if (!hasGlob(path) || path[0] !== "/" || path.length > MAX_PATTERN) return path;
  const segments = path.split("/");
  for (const directory of SYSTEM_DIRECTORIES) {
    const names = directory.split("/");
    const head = segments.slice(0, names.length);
    if (segments.length > names.length && head.some(hasGlob) && matchesSegments(head, names)) {
      return [directory, ...segments.slice(names.length)].join("/");
    }
  }
  return path;
}

/** Well-known protected files; those that may lie anywhere are looked for where the pattern points. */
function* samplesFor(pattern: string, places: ProtectedPlaces): Generator<string> {
  yield* SYSTEM_SAMPLES;
  for (const home of places.homes) {
    for (const sample of HOME_SAMPLES) yield `${home}/${sample}`;
  }
  for (const home of places.hermesHomes) {
    for (const sample of HERMES_SAMPLES) yield `${home}/${sample}`;
  }
  const names = pattern.split("/");
  for (const [i, name] of names.entries()) {
    if (name[0] !== "." || !(name === ".git" || globMatch(name, ".git"))) continue;
    const above = [...names.slice(0, i), ".git"];
    yield [...above, "hooks", ...names.slice(i + 2)].join("/");
    yield [...above, "config"].join("/");
  }
  // Elsewhere `*` is everything and no file in particular; a first letter must be meant.
  const directory = dirname(pattern);
  const first = basename(pattern)[0];
  for (const sample of ANYWHERE_SAMPLES) if (sample[0] === first) yield `${directory}/${sample}`;
}

/** Name by name, as a shell matches: a pattern does not match a leading dot by accident. */
function matchesSegments(pattern: readonly string[], path: readonly string[]): boolean {
  return pattern.length === path.length && pattern.every((glob, i) => {
    const name = path[i]!;
    if (glob === name) return true;
    return hasGlob(glob) && (name[0] !== "." || glob[0] === ".") && globMatch(glob, name);
  });
}

/** Whether a whole tree at `path` would contain credentials: a home, the root, all settings. */
export function holdsSecretTree(path: string, place: Place): boolean {
  const real = realPathOf(path, place);
  return isSecretTree(absolutePath(path, place), place) ||
    (real !== undefined && isSecretTree(real, place));
}

function isSecretTree(path: string, place: Place): boolean {
  const full = path.replace(/\/\.?\*+$/, "") || "/";
  if (/^\/(?:home|users|root|var\/root|proc|etc)?$/i.test(full)) return true;
  if (/^\/(?:home|users)\/[^/]+$/i.test(full)) return true;
  const { homes, hermesHomes } = placesOf(place);
  const trees = [
    ...hermesHomes,
    ...homes.flatMap((home) => [home, `${home}/.config`, `${home}/Library`]),
  ];
  return trees.some((tree) => tree === full || (hasGlob(full) && meansTree(full, tree)));
}

/** Whether a pattern may stand for the directory, or for one that it lies in. */
function meansTree(pattern: string, tree: string): boolean {
  if (pattern.length > MAX_PATTERN) return true;
  const depth = pattern.split("/").length;
  const names = tree.split("/");
  return names.length >= depth && globMatch(pattern, names.slice(0, depth).join("/"));
}
