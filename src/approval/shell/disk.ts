/**
 * What the gate may look at on the disk while it judges a command: where links lead, and the text
 * of files that the command would run. Without a disk the judgement is made by text alone.
 */
import { normalizePath } from "../../util/path.ts";
import { hasGlob } from "./glob.ts";
import { namedPath, type Place } from "./paths.ts";
import { ShellLimitError } from "./shell_ast.ts";

/** Synchronous, bounded, and only about regular files: a pipe or a device has no text. */
export interface Disk {
  /** The path behind every link; of a link to nothing, where a write would make a file. */
  realPath(path: string): string | undefined;
  /** The text of a regular file of bounded size; undefined for anything else. */
  readText(path: string): string | undefined;
}

/** Questions that one decision may ask about paths. */
const MAX_QUESTIONS = 20_000;
/** Longer paths do not exist. */
const MAX_PATH = 4_096;

/** Asks the disk each question once in a decision. */
export class KnownDisk implements Disk {
  readonly #disk: Disk;
  readonly #paths = new Map<string, string>();
  readonly #exists = new Map<string, string | undefined>();
  readonly #texts = new Map<string, string | undefined>();

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  realPath(path: string): string | undefined {
    if (!this.#exists.has(path)) {
      if (this.#exists.size >= MAX_QUESTIONS) throw new ShellLimitError("too many paths");
      this.#exists.set(path, this.#disk.realPath(path));
    }
    return this.#exists.get(path);
  }

  readText(path: string): string | undefined {
    if (!this.#texts.has(path)) this.#texts.set(path, this.#disk.readText(path));
    return this.#texts.get(path);
  }

  /** The longest beginning that exists, behind its links, and the rest as it is written. */
  resolve(path: string): string {
    let known = this.#paths.get(path);
    if (known === undefined) {
      const cut = path.lastIndexOf("/");
      const parent = cut <= 0 ? "/" : path.slice(0, cut);
      known = this.realPath(path) ??
        (path === "/" ? path : normalizePath(`${this.resolve(parent)}/${path.slice(cut + 1)}`));
      this.#paths.set(path, known);
    }
    return known;
  }
}

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
