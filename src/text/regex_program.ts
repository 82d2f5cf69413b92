/**
 * Regular expressions as programs for an engine that never goes back: the JavaScript (flag `v`)
 * that `search_regex.ts` writes is read here, with its own line and word boundaries. Look-around
 * and back-references, which such an engine cannot do, are refused.
 */

/** Operations; `SPLIT` prefers its first way. */
export const CHAR = 0;
export const SPLIT = 1;
export const JUMP = 2;
export const ASSERT = 3;
export const MATCH = 4;

/** What an `ASSERT` asks of the place between two characters. */
export const LINE_START = 0;
export const LINE_END = 1;
export const TEXT_START = 2;
export const TEXT_END = 3;
export const WORD_EDGE = 4;
export const NO_WORD_EDGE = 5;

export interface Instruction {
  op: number;
  /** Leaf of a `CHAR`, kind of an `ASSERT`, target of a `JUMP` or first of a `SPLIT`. */
  x: number;
  y: number;
}

export interface RegexProgram {
  code: Instruction[];
  /** Expressions that each match a text of one character. */
  leaves: RegExp[];
}

export interface ProgramOptions {
  /** How character classes are read: JavaScript's flag. */
  classes: "u" | "v";
  ignoreCase: boolean;
  /** Source text of boundaries, longest first, with the kind of assertion each is. */
  boundaries: readonly (readonly [source: string, kind: number])[];
}

/** The expression needs an engine that goes back. */
export class NeedsBacktracking extends SyntaxError {
  override name = "NeedsBacktracking";
}

const MAX_INSTRUCTIONS = 5000;
const MAX_DEPTH = 250;
const REPEAT = /(?:([*+?])|\{(\d+)(,(\d*))?\})(\??)/y;
const GROUP = /\((?:\?(?:(:)|([a-z]*)(?:-([a-z]+))?:|<[A-Za-z_]\w*>))?/y;
const ESCAPE = /\\(?:u\{[0-9a-f]+\}|[pP]\{[^}]*\}|x[0-9a-f]{2}|[^])/y;

type Tree =
  | { type: "leaf"; leaf: number }
  | { type: "assert"; kind: number }
  | { type: "all"; items: Tree[] }
  | { type: "any"; options: Tree[] }
  | { type: "repeat"; body: Tree; min: number; max: number; lazy: boolean };

/** @throws {NeedsBacktracking} for look-around; SyntaxError when it would be too large. */
export function compileProgram(source: string, options: ProgramOptions): RegexProgram {
  const reader = new Reader(source, options);
  const tree = reader.read();
  const code: Instruction[] = [];
  emit(tree, code);
  code.push({ op: MATCH, x: 0, y: 0 });
  return { code, leaves: reader.leaves };
}

class Reader {
  readonly leaves: RegExp[] = [];
  #source: string;
  #boundaries: ProgramOptions["boundaries"];
  #at = 0;
  #depth = 0;
  /** Flags that hold here; groups may change them for what they hold. */
  #fold: boolean;
  #classes: string;
  #dotAll = false;
  #known = new Map<string, number>();

  constructor(source: string, options: ProgramOptions) {
    this.#source = source;
    this.#boundaries = options.boundaries;
    this.#fold = options.ignoreCase;
    this.#classes = options.classes;
  }

  read(): Tree {
    return this.#choice();
  }

  #choice(): Tree {
    if (++this.#depth > MAX_DEPTH) throw new SyntaxError("groups are nested too deeply");
    const options = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at++;
      options.push(this.#sequence());
    }
    this.#depth--;
    return options.length === 1 ? options[0]! : { type: "any", options };
  }

  #sequence(): Tree {
    const items: Tree[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)) {
      items.push(this.#repeated(this.#atom()));
    }
    return items.length === 1 ? items[0]! : { type: "all", items };
  }

  #repeated(body: Tree): Tree {
    const found = this.#take(REPEAT);
    if (found === undefined) return body;
    const [, sign, least, comma, most, lazy] = found;
    const min = sign === undefined ? Number(least) : sign === "+" ? 1 : 0;
    const max = sign !== undefined
      ? (sign === "?" ? 1 : Infinity)
      : comma === undefined
      ? min
      : most === ""
      ? Infinity
      : Number(most);
    return { type: "repeat", body, min, max, lazy: lazy === "?" };
  }

  #atom(): Tree {
    for (const [text, kind] of this.#boundaries) {
      if (this.#source.startsWith(text, this.#at)) {
        this.#at += text.length;
        return { type: "assert", kind };
      }
    }
    const start = this.#at;
    const character = this.#source[start]!;
    if (character === "(") return this.#group();
    if (character === "[") this.#skipClass();
    else if (character === "\\") {
      if (/[1-9k]/.test(this.#source[start + 1]!)) throw new NeedsBacktracking("a back-reference");
      this.#take(ESCAPE);
    } else this.#at += this.#source.codePointAt(start)! > 0xffff ? 2 : 1;
    const atom = this.#source.slice(start, this.#at);
    return { type: "leaf", leaf: this.#leaf(atom === "." ? this.#dot() : atom) };
  }

  #dot(): string {
    return this.#dotAll ? "[^]" : "[^\\n\\r]";
  }

  #group(): Tree {
    const head = this.#take(GROUP)!;
    if (head[0] === "(" && this.#source[this.#at] === "?") {
      throw new NeedsBacktracking("look-around");
    }
    const before = [this.#fold, this.#dotAll] as const;
    const [, , on = "", off = ""] = head;
    if (/i/.test(on + off)) this.#fold = on.includes("i");
    if (/s/.test(on + off)) this.#dotAll = on.includes("s");
    const body = this.#choice();
    this.#at++;
    [this.#fold, this.#dotAll] = before;
    return body;
  }

  #skipClass(): void {
    let depth = 0;
    do {
      const character = this.#source[this.#at++];
      if (character === undefined) throw new SyntaxError("unclosed character class");
      if (character === "\\") this.#at++;
      else if (character === "[") depth++;
      else if (character === "]") depth--;
    } while (depth > 0);
  }

  #leaf(source: string): number {
    const key = `${this.#fold ? "i" : ""}${source}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.leaves.push(new RegExp(`^${source}$`, `${this.#fold ? "i" : ""}${this.#classes}`));
    this.#known.set(key, this.leaves.length - 1);
    return this.leaves.length - 1;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}

function emit(tree: Tree, code: Instruction[]): void {
  if (code.length > MAX_INSTRUCTIONS) throw new SyntaxError("the expression is too large");
  switch (tree.type) {
    case "leaf":
      code.push({ op: CHAR, x: tree.leaf, y: 0 });
      return;
    case "assert":
      code.push({ op: ASSERT, x: tree.kind, y: 0 });
      return;
    case "all":
      for (const item of tree.items) emit(item, code);
      return;
    case "any":
      return emitChoice(tree.options, code);
    case "repeat":
      return emitRepeat(tree, code);
  }
}

function emitChoice(options: readonly Tree[], code: Instruction[]): void {
  const ends: Instruction[] = [];
  for (const [i, option] of options.entries()) {
    if (i === options.length - 1) {
      emit(option, code);
      break;
    }
    const split = { op: SPLIT, x: code.length + 1, y: 0 };
    code.push(split);
    emit(option, code);
    const jump = { op: JUMP, x: 0, y: 0 };
    code.push(jump);
    ends.push(jump);
    split.y = code.length;
  }
  for (const end of ends) end.x = code.length;
}

function emitRepeat(tree: Tree & { type: "repeat" }, code: Instruction[]): void {
  const { body, min, max, lazy } = tree;
  for (let i = 0; i < min; i++) emit(body, code);
  if (max === Infinity) {
    const start = code.length;
    const split = pushSplit(code);
    emit(body, code);
    code.push({ op: JUMP, x: start, y: 0 });
    setWays(split, { go: start + 1, leave: code.length, lazy });
    return;
  }
  const splits: { split: Instruction; go: number }[] = [];
  for (let i = min; i < max; i++) {
    const split = pushSplit(code);
    splits.push({ split, go: code.length });
    emit(body, code);
  }
  for (const { split, go } of splits) setWays(split, { go, leave: code.length, lazy });
}

function pushSplit(code: Instruction[]): Instruction {
  const split = { op: SPLIT, x: 0, y: 0 };
  code.push(split);
  return split;
}

function setWays(
  split: Instruction,
  { go, leave, lazy }: { go: number; leave: number; lazy: boolean },
): void {
  split.x = lazy ? leave : go;
  split.y = lazy ? go : leave;
}
