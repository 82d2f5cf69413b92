/**
 * Where the paths of a command lead behind their links, and the text of the files there. Only the
 * disk of the place is asked (`disk.ts`); what a path means without one is in `paths.ts`.
 */
import { normalizePath } from "../../util/path.ts";
import { hasGlob } from "./shell_glob.ts";
import { namedPath, type Place } from "./paths.ts";

/** Longer paths do not exist. */
const MAX_PATH = 4_096;

/**
 * Where a path of a command leads, as far as its names are literal; undefined without a disk or
 * when its directory is not known. `keepsLink`: the command acts on the last link itself.
 */
export function realPathOf(
  path: string,
  place: Place,
  { keepsLink = false }: { keepsLink?: boolean } = {},
): string | undefined {
  const { disk } = place;
  if (disk === undefined || path === "") return undefined;
  const full = namedPath(path, place);
  if (full[0] !== "/" || full.length > MAX_PATH) return undefined;
  // `..` stays: behind a link it leads to where the link's target lies.
  const names = full.split("/").filter((name) => name !== "" && name !== ".");
  const open = names.findIndex((name) => hasGlob(name) || name.includes("\0"));
  const last = names.at(-1);
  const keeps = keepsLink && open < 0 && last !== ".." && !/\/\.?$/.test(path);
  const literal = open >= 0 ? open : names.length - (keeps ? 1 : 0);
  const head = disk.resolve(`/${names.slice(0, literal).join("/")}`);
  return normalizePath(`${head}/${names.slice(literal).join("/")}`);
}

/** The text of a file that a command names, behind its links. */
export function textOnDisk(path: string, place: Place): string | undefined {
  const real = realPathOf(path, place);
  if (real === undefined || real.includes("\0") || hasGlob(real)) return undefined;
  return place.disk!.readText(real);
}

/** True when the disk may be looked at and nothing lies at `path`. */
export function isAbsent(path: string, place: Place): boolean {
  const real = realPathOf(path, place);
  return real !== undefined && place.disk!.realPath(real) === undefined;
}
