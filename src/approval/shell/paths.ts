/**
 * What a path means to the rules: where it points after `..`, `//`, `~` and `/proc` tricks,
 * and which protected place that is. Pure text; links are followed by `real_paths.ts`.
 */
import { basename, dirname, isWithin, normalizePath } from "../../util/path.ts";
import type { KnownDisk } from "./disk.ts";
import type { ProtectedPlaces } from "../../util/protected_paths.ts";
import { eraseUnknown } from "./unknown.ts";
import { globMatch, hasGlob } from "./shell_glob.ts";

/** From where a path is seen. */
export interface Place {
  cwd?: string | undefined;
  home?: string | undefined;
  /** What hermes trusts and what holds secrets; its `homes` are further names of `home`. */
  places?: ProtectedPlaces | undefined;
  /** Tells where links lead; absent where the command does not run on this machine. */
  disk?: KnownDisk | undefined;
}

/** Stands in where the home is not known, so that `~/..` still leads out of it. */
const SOME_HOME = "/home/user";

/** Absolute where the directory is known, without `..`, `//`, `~` and the ways around through `/proc`. */
export function absolutePath(path: string, place: Place): string {
  return normalizePath(namedPath(path, place));
}

/** As `absolutePath()`, with every `..` where it was written. */
export function namedPath(path: string, place: Place): string {
  const home = place.home ?? SOME_HOME;
  let full = expandTilde(path, home);
  // Before `..` is folded: these lead to where a process is, not to a place below /proc.
  full = full.replace(OWN_DIRECTORY, ".").replace(PROCESS_ROOT, "/");
  if (!full.startsWith("/") && !full.startsWith("\0") && place.cwd !== undefined) {
    full = `${expandTilde(place.cwd, home)}/${full}`;
  }
  return full;
}

const OWN_DIRECTORY = /^\/+proc\/+(?:self|thread-self|\0[^\0]*\0)\/+cwd(?=\/|$)/;
const PROCESS_ROOT = /^\/+proc\/+(?:self|thread-self|\d+|\0[^\0]*\0)\/+(?:root|cwd)(?=\/|$)/;

/** As `absolutePath()`, with the user's home folded to `~`. */
export function canonicalPath(path: string, place: Place): string {
  const full = absolutePath(path, place);
  for (const name of homesOf(place)) {
    if (name !== "/" && isWithin(full, name)) return `~${full.slice(name.length)}`;
  }
  return full;
}

/** The user's home under each of its names. */
function homesOf(place: Place): readonly string[] {
  return [place.home ?? SOME_HOME, ...place.places?.homes ?? []];
}

const assumed = new Map<string, ProtectedPlaces>();

/** What to protect: as the session found it, or where it usually is. */
export function placesOf(place: Place): ProtectedPlaces {
  if (place.places !== undefined) return place.places;
  const home = place.home ?? SOME_HOME;
  let places = assumed.get(home);
  if (places === undefined) {
    places = { homes: [home], hermesHomes: [`${home}/.hermes`], trustedBase: [] };
    assumed.set(home, places);
  }
  return places;
}

function expandTilde(path: string, home: string): string {
  const user = /^~([A-Za-z_][\w-]*)?(?=\/|$)/.exec(path);
  if (user === null) return path;
  const base = user[1] === undefined ? home : user[1] === "root" ? "/root" : `/home/${user[1]}`;
  return base + path.slice(user[0].length);
}

const SYSTEM_DIRECTORIES =
  "home root etc usr var bin sbin boot lib lib32 lib64 dev proc sys users system library applications"
    .split(" ");

export type DeleteTarget = "root" | "system" | "home" | "temporary" | "absolute" | "other";

/** How bad deleting `path` would be. A path that may turn out empty after `/` counts as `/`. */
export function deleteTarget(path: string, place: Place): DeleteTarget {
  const literalStart = path.startsWith("/") || path.startsWith("~");
  let full = canonicalPath(literalStart ? eraseUnknown(path) : path, place).toLowerCase();
  if (/^(?:\.?\*+|\.\[[^\]]*\]\*?|\?+\**|\.\?\?\*)$/.test(basename(full))) full = dirname(full);
  if (full === "/") return "root";
  if (full === "~" || /^\/(?:home|users)\/[^/]+$/.test(full)) return "home";
  const top = /^(?:\/private)?\/([^/]+)$/.exec(full)?.[1];
  if (top !== undefined && SYSTEM_DIRECTORIES.some((name) => globMatch(top, name))) return "system";
  if (/^\/(?:private\/)?(?:var\/)?tmp\/[^/*?[]/.test(full)) return "temporary";
  return literalStart && full.startsWith("/") ? "absolute" : "other";
}

const DEVICE =
  /^\/dev\/(?:(?:sd|hd|vd|xvd)[a-z]|nvme\d|mmcblk\d|r?disk\d|dm-\d|md\d|mapper\/|disk\/)/;

/** Whether the path is a disk or a part of one. */
export function isDisk(path: string, place: Place): boolean {
  const full = canonicalPath(path, place).toLowerCase();
  return DEVICE.test(full) || (hasGlob(full) && /^\/dev\/[^/]*[*?[]/.test(full));
}
