/**
 * What is protected below a directory, for commands that change files there whose names are data:
 * archives, patches, copies of whole trees, searches. Also which protected place a pattern in the
 * middle of a path may lead into.
 */
import { isWithin, normalizePath } from "../../util/path.ts";
import {
  type PathVerdict,
  type ProtectedPlaces,
  protectionOf,
} from "../../util/protected_paths.ts";
import { realPathOf } from "../shell/real_paths.ts";
import { globMatch, hasGlob } from "../shell/shell_glob.ts";
import { absolutePath, type Place, placesOf } from "../shell/paths.ts";
import { HOME_SAMPLES, TEMPORARY_DIRECTORIES } from "./protection_data.ts";

/** Homes of other people, and directories of homes. */
const OTHER_HOMES = /^\/(?:home|users|root|var\/root)?$|^\/(?:home|users)\/[^/]+$/i;
/** Longer paths hold no pattern worth comparing. */
const MAX_PATTERN = 512;

/** The most closely kept place that is `path` or lies below it; the trusted base before others. */
export function protectedBelow(path: string, place: Place): PathVerdict | undefined {
  const places = placesOf(place);
  const full = absolutePath(path, place);
  const real = realPathOf(path, place);
  let found: PathVerdict | undefined;
  for (const root of new Set([full, real ?? full])) {
    if (root[0] !== "/" || root.includes("\0") || root.length > MAX_PATTERN) continue;
    const verdict = belowRoot(root, places) ?? programsBelow(root, { places, cwd: place.cwd });
    if (verdict?.kind === "trusted base") return verdict;
    found ??= verdict;
  }
  return found;
}

function belowRoot(root: string, places: ProtectedPlaces): PathVerdict | undefined {
  for (const kept of trustedRoots(root, places)) {
    if (holds(root, kept)) return protectionOf(`${kept}/x`, places);
  }
  for (const home of places.homes) {
    for (const sample of HOME_SAMPLES) {
      const verdict = holds(root, `${home}/${sample}`)
        ? protectionOf(`${home}/${sample}`, places)
        : undefined;
      if (verdict?.kind === "credentials") return verdict;
    }
  }
  return OTHER_HOMES.test(root)
    ? protectionOf(normalizePath(`${root}/.ssh/id_rsa`), places)
    : undefined;
}

/** Directories of the PATH below a directory; what a project keeps for itself is its own matter. */
function programsBelow(
  root: string,
  { places, cwd }: { places: ProtectedPlaces; cwd: string | undefined },
): PathVerdict | undefined {
  const kept = places.programs?.find((path) =>
    holds(root, path) && !(cwd !== undefined && isWithin(path, cwd))
  );
  return kept === undefined ? undefined : protectionOf(`${kept}/x`, places);
}

/** Everybody unpacks into a temporary directory; only a home in there is a reason to ask. */
function trustedRoots(root: string, places: ProtectedPlaces): readonly string[] {
  return TEMPORARY_DIRECTORIES.includes(root)
    ? places.hermesHomes
    : [...places.hermesHomes, ...places.trustedBase];
}

/** Whether a directory, which may be a pattern, is or contains `kept`. */
function holds(root: string, kept: string): boolean {
  if (!hasGlob(root)) return isWithin(kept, root);
  return matchesStart(root.split("/"), kept.split("/"), { dots: true });
}

/**
 * The protected place that a written path leads into when its patterns are taken for any name,
 * also for one with a leading dot: `shopt -s dotglob` may have come before.
 */
export function protectedThrough(path: string, place: Place): PathVerdict | undefined {
  if (!hasGlob(path) || path.length > MAX_PATTERN) return undefined;
  const places = placesOf(place);
  for (const full of new Set([absolutePath(path, place), realPathOf(path, place) ?? "/"])) {
    const names = full.split("/");
    // A pattern for the last name alone is compared with samples.
    if (full[0] !== "/" || !names.slice(0, -1).some(hasGlob)) continue;
    for (const kept of [...places.hermesHomes, ...places.trustedBase]) {
      const rest = restBehind(names, kept.split("/"));
      if (rest !== undefined) return protectionOf(normalizePath(`${kept}/${rest}`), places);
    }
  }
  return undefined;
}

/** What is left of a pattern behind a directory that its beginning may stand for. */
function restBehind(pattern: readonly string[], kept: readonly string[]): string | undefined {
  const deep = pattern.findIndex((name) => name.includes("**"));
  if (deep >= 0 && matchesStart(pattern.slice(0, deep), kept, { dots: false })) return "x";
  if (pattern.length <= kept.length) return undefined;
  const isMeant = matchesStart(pattern.slice(0, kept.length), kept, { dots: false });
  return isMeant ? pattern.slice(kept.length).join("/") : undefined;
}

/** Whether the patterns stand for the first names; with `dots`, a leading dot must be written. */
function matchesStart(
  pattern: readonly string[],
  names: readonly string[],
  { dots }: { dots: boolean },
): boolean {
  return pattern.length <= names.length && pattern.every((glob, i) => {
    const name = names[i]!;
    if (glob === name) return true;
    return hasGlob(glob) && (!dots || name[0] !== "." || glob[0] === ".") && globMatch(glob, name);
  });
}
