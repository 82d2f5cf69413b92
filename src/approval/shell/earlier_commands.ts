/**
 * What the commands of a session left behind for later ones: files that they wrote, copied or
 * linked, and values of variables. Bounded: the oldest are forgotten first.
 */
import type { EarlierFiles, WrittenFiles } from "./written_files.ts";

const MAX_FILES = 512;
const MAX_TEXT_CHARS = 16_384;

/** A later command that runs one of these files runs what earlier commands put there. */
export class SeenFiles implements EarlierFiles {
  readonly texts = new Map<string, string>();
  readonly unread = new Set<string>();
  readonly links = new Map<string, readonly string[]>();
  readonly programs = new Map<string, readonly string[]>();
  #version = 0;

  /** Another number whenever a later command may be judged differently. */
  get version(): number {
    return this.#version;
  }

  /** Adds what a command that runs leaves behind. */
  keep(files: WrittenFiles): void {
    if (!this.#holds(files)) this.#version++;
    for (const [path, text] of files.texts) {
      // The output of `<(…)` ends with its command; a long text is not judged again and again.
      if (path.includes("\0<(")) continue;
      this.unread.delete(path);
      this.texts.delete(path);
      if (text.length <= MAX_TEXT_CHARS) this.texts.set(path, text);
      else this.unread.add(path);
    }
    for (const path of files.unread) {
      if (files.edited.has(path)) continue;
      this.texts.delete(path);
      this.unread.delete(path);
      this.unread.add(path);
    }
    for (const [path, targets] of files.links) this.links.set(path, targets);
    for (const [path, targets] of files.programs) this.programs.set(path, targets);
    for (const kept of [this.texts, this.unread, this.links, this.programs]) {
      for (const path of kept.keys()) {
        if (kept.size <= MAX_FILES) break;
        kept.delete(path);
      }
    }
  }

  /** True when a command leaves nothing that is not known already. */
  #holds(files: WrittenFiles): boolean {
    for (const [path, text] of files.texts) if (this.texts.get(path) !== text) return false;
    for (const path of files.unread) if (!this.unread.has(path)) return false;
    return hasEqual(this.links, files.links) && hasEqual(this.programs, files.programs);
  }
}

type Targets = ReadonlyMap<string, readonly string[]>;

function hasEqual(known: Targets, fresh: Targets): boolean {
  for (const [path, targets] of fresh) {
    const before = known.get(path);
    if (before?.length !== targets.length) return false;
    if (targets.some((target, i) => target !== before[i])) return false;
  }
  return true;
}

const MAX_NAMES = 256;
const MAX_VALUES = 8;
const MAX_VALUE_CHARS = 4_096;

/**
 * Exports reach later commands, so that `export x="-rf ~"` and then `rm $x` are judged as what
 * they do together.
 */
export class SeenVariables {
  readonly #values = new Map<string, string[]>();
  #version = 0;

  /** Another number whenever a later command may be judged differently. */
  get version(): number {
    return this.#version;
  }

  get seen(): ReadonlyMap<string, readonly string[]> {
    return this.#values;
  }

  /** Adds what a command that runs leaves behind. What does not fit is unknown later, not harmless. */
  keep(variables: ReadonlyMap<string, readonly string[]>): void {
    for (const [name, values] of variables) {
      const known = this.#values.get(name) ?? [];
      const fresh = values.filter((value) =>
        value.length <= MAX_VALUE_CHARS && !known.includes(value)
      );
      if (fresh.length > 0 || !this.#values.has(name)) this.#version++;
      this.#values.delete(name);
      this.#values.set(name, [...known, ...fresh].slice(-MAX_VALUES));
      if (this.#values.size > MAX_NAMES) this.#values.delete(this.#values.keys().next().value!);
    }
  }
}
