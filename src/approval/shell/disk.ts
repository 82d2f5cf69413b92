/**
 * What the gate may look at on the disk while it judges a command: where links lead, and the text
 * of files that the command would run. Without a disk the judgement is made by text alone.
 */
import { normalizePath } from "../../util/path.ts";
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
