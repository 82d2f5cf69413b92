/**
 * Expressions in ripgrep's dialect as JavaScript's, with ripgrep's rule that a match stays on one
 * line unless lines may be spanned. Look-around and back-references, which ripgrep refuses, pass
 * through. Which engine runs them is `search_matcher.ts`'s to say.
 */
import { escapeRegex } from "./glob.ts";
import * as program from "./regex_program.ts";

/** An expression and what is known of it. */
export interface TranslatedRegex {
  /** For JavaScript with the flag `v`. */
  source: string;
  /** Text that every match contains, as far as it is known. */
  literal: string;
  /** Repetitions of any kind. */
  quantifiers: number;
  /** Repetitions that can be of more than one length greater than zero. */
  repeats: number;
  /** Places with several ways to go on: choices within groups, and what may be absent. */
  branches: number;
  /** A repetition holds another, or a choice. */
  nested: boolean;
}

const WORD = String.raw`\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d`;
/** JavaScript's own `^` and `$` also stop at a lone `\r`, so that every CRLF would hold an empty line. */
const LINE_START = "(?<![^\\n])";
const LINE_END = "(?=\\r?(?:\\n|(?![^])))";
const TEXT_START = "(?<![^])";
const TEXT_END = "(?![^])";
const POSIX: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  ascii: "\\x00-\\x7f",
  blank: "\\t ",
  cntrl: "\\x00-\\x1f\\x7f",
  digit: "0-9",
  graph: "!-~",
  lower: "a-z",
  print: " -~",
  punct: "!-\\/:-@\\[-`\\{-~",
  space: "\\t\\n\\v\\f\\r ",
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;
const GROUP = /^\((?:\?(?::|=|!|<=|<!|P?<([A-Za-z_]\w*)>|([a-zA-Z-]*)([:)])))?/;

/** Boundaries as they are written here, for an engine that has its own. */
export const BOUNDARIES: readonly (readonly [source: string, kind: number])[] = [
  [boundary("b"), program.WORD_EDGE],
  [boundary("B"), program.NO_WORD_EDGE],
  [LINE_START, program.LINE_START],
  [LINE_END, program.LINE_END],
  [TEXT_START, program.TEXT_START],
  [TEXT_END, program.TEXT_END],
];

/** @throws SyntaxError when it cannot be read. */
export function translateRegex(pattern: string, multiline: boolean): TranslatedRegex {
  const translator = new Translator(pattern, multiline);
  const source = translator.translate();
  const { literal, quantifiers, repeats, branches, nested } = translator;
  return { source, literal, quantifiers, repeats, branches, nested };
}

class Translator {
  /** The longest run of plain characters that no alternative can leave out. */
  literal = "";
  quantifiers = 0;
  repeats = 0;
  branches = 0;
  nested = false;
  #run = "";
  #depth = 0;
  #groups = 0;
  #text: string;
  #multiline: boolean;
  #at = 0;
  #out: string[] = [];
  /** Index in the output where the last atom begins; undefined when there is nothing to repeat. */
  #atom: number | undefined;
  #quantified = false;
  /** The innermost open group, or the last atom, can match one text in several ways. */
  #choice = false;
  #atomChoice = false;

  constructor(text: string, multiline: boolean) {
    this.#text = text;
    this.#multiline = multiline;
  }

  translate(): string {
    /** For each open group: where its atom begins, and the state to go back to behind it. */
    const open: { start: number; flagGroup: boolean; choice: boolean }[] = [];
    let flagGroup = false;
    while (this.#at < this.#text.length) {
      const rest = this.#text.slice(this.#at);
      const character = rest[0]!;
      if (character === "(") {
        const [head, name, inline, end] = GROUP.exec(rest)!;
        this.#at += head.length;
        if (inline !== undefined && end === ")") {
          if (!this.#atGroupStart()) throw new SyntaxError("inline flags must open their group");
          this.#out.push(`(?${flagsOf(inline)}:`);
          flagGroup = true;
          // Flags may fold the case of what follows, and do so up to the end of the group.
          this.#depth++;
          continue;
        }
        this.#endRun();
        this.#depth++;
        this.#groups++;
        open.push({ start: this.#out.length, flagGroup, choice: this.#choice });
        flagGroup = false;
        this.#choice = false;
        const named = name === undefined ? head : `(?<${name}>`;
        this.#out.push(inline === undefined ? named : `(?${flagsOf(inline)}:`);
        this.#atom = undefined;
      } else if (character === ")") {
        const group = open.pop();
        this.#groups--;
        if (group === undefined) throw new SyntaxError("unopened group");
        this.#out.push(flagGroup ? "))" : ")");
        this.#depth -= flagGroup ? 2 : 1;
        flagGroup = group.flagGroup;
        this.#at++;
        this.#setAtom(group.start);
        this.#atomChoice = this.#choice;
        this.#choice ||= group.choice;
      } else this.#single(rest, character);
    }
    if (open.length > 0) throw new SyntaxError("unclosed group");
    this.#endRun();
    return this.#out.join("") + (flagGroup ? ")" : "");
  }

  /** Anything but a parenthesis. */
  #single(rest: string, character: string): void {
    const quantifier = QUANTIFIER.exec(rest)?.[0];
    if (quantifier !== undefined) this.#repeat(quantifier);
    else if (character === "{") throw new SyntaxError("a literal { is written \\{");
    else if (character === "|") {
      this.#out.push("|");
      if (this.#groups > 0) this.branches++;
      // Nothing is certain any more; the depth says so for the rest of the expression.
      if (this.#depth === 0) {
        this.literal = this.#run = "";
        this.#depth = Infinity;
      }
      this.#choice = true;
      this.#atom = undefined;
      this.#at++;
    } else if (character === "^") this.#emit(LINE_START, 1);
    else if (character === "$") this.#emit(LINE_END, 1);
    else if (character === "[") this.#emit(this.#class(), 0);
    else if (character === "\\") {
      const [source, length] = this.#escape(rest, false);
      this.#emit(source, length);
    } else if (character === ".") this.#emit(".", 1);
    else {
      const point = String.fromCodePoint(rest.codePointAt(0)!);
      const run = this.#run + point;
      this.#emit(escapeRegex(point), point.length);
      if (this.#depth === 0) this.#run = run;
    }
  }

  #endRun(): void {
    if (this.#run.length > this.literal.length) this.literal = this.#run;
    this.#run = "";
  }

  #emit(source: string, consumed: number): void {
    this.#endRun();
    this.#setAtom(this.#out.length);
    this.#out.push(source);
    this.#at += consumed;
  }

  #setAtom(start: number): void {
    this.#atom = start;
    this.#quantified = false;
    this.#atomChoice = false;
  }

  #repeat(quantifier: string): void {
    if (this.#atom === undefined) throw new SyntaxError("nothing to repeat");
    this.#at += quantifier.length;
    // What may be absent is no part of the text that must be there.
    if (/^(?:[*?]|\{0)/.test(quantifier)) this.#run = this.#run.slice(0, -1);
    this.#endRun();
    this.quantifiers++;
    if (this.#quantified) this.#wrapAtom();
    if (this.#atomChoice && !/^\?/.test(quantifier)) this.nested = true;
    if (/^\?/.test(quantifier)) this.branches++;
    else if (!/^\{\d+\}/.test(quantifier)) {
      this.repeats++;
      this.#choice = true;
    }
    this.#out.push(quantifier);
    this.#quantified = true;
  }

  /** `c++` repeats a repetition, which has to be a group for that. */
  #wrapAtom(): void {
    this.#out[this.#atom!] = `(?:${this.#out[this.#atom!]}`;
    this.#out.push(")");
    this.nested = true;
  }

  #atGroupStart(): boolean {
    return this.#atom === undefined && /(^|\((\?[a-z:<>=!-]*)?)$/i.test(this.#out.at(-1) ?? "");
  }

  /** The JavaScript for an escape and the characters it took. */
  #escape(rest: string, inClass: boolean): [source: string, length: number] {
    const letter = rest[1];
    if (letter === undefined) throw new SyntaxError("a backslash at the end");
    const hex =
      /^\\(?:x([0-9A-Fa-f]{2})|[xuU]\{([0-9A-Fa-f]{1,6})\}|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))/
        .exec(rest);
    if (hex) {
      const code = Number.parseInt(hex.slice(1).find((part) => part !== undefined)!, 16);
      return [code < 0x80 ? asciiEscape(code) : `\\u{${code.toString(16)}}`, hex[0].length];
    }
    const property = /^\\([pP])(?:\{(\^?)([^}]+)\}|([A-Z]))/.exec(rest);
    if (property) {
      const [all, kind, not, name, short] = property;
      const negated = (kind === "P") !== (not === "^");
      return [`\\${negated ? "P" : "p"}{${unicodeProperty(name ?? short!)}}`, all.length];
    }
    return [this.#letterEscape(letter, inClass), 2];
  }

  #letterEscape(letter: string, inClass: boolean): string {
    const noNewline = this.#multiline ? "" : "\\n";
    switch (letter) {
      case "t":
      case "r":
      case "f":
      case "v":
      case "S":
        return `\\${letter}`;
      case "a":
        return "\\x07";
      case "n":
        return "\\n";
      case "d":
        return "\\p{Nd}";
      case "w":
        return inClass ? WORD : `[${WORD}]`;
      case "W":
        return `[^${WORD}${noNewline}]`;
      case "D":
        return `[^\\p{Nd}${noNewline}]`;
      case "s":
        return this.#multiline ? "\\s" : "[^\\S\\n]";
      case "A":
        return TEXT_START;
      case "z":
        return TEXT_END;
      case "b":
      case "B":
        if (!inClass) return boundary(letter);
        break;
    }
    if (/[1-9]/.test(letter) && !inClass) return `\\${letter}`;
    if (/[A-Za-z0-9]/.test(letter)) throw new SyntaxError(`unknown escape \\${letter}`);
    return escapeRegex(letter);
  }

  /** A bracket expression, nested ones and set operations included; leaves the position behind it. */
  #class(): string {
    const start = this.#at++;
    const negated = this.#text[this.#at] === "^";
    if (negated) this.#at++;
    const first = this.#at;
    /** Members, and the operators between groups of them. */
    const operands = [""];
    const operators: string[] = [];
    while (true) {
      const rest = this.#text.slice(this.#at);
      if (rest === "") throw new SyntaxError(`unclosed character class at ${start + 1}`);
      if (rest[0] === "]" && this.#at > first) break;
      const operator = /^(&&|--)/.exec(rest)?.[0];
      if (operator !== undefined) {
        operators.push(operator);
        operands.push("");
        this.#at += 2;
        continue;
      }
      const [source, length] = this.#classItem(rest, this.#at === first);
      operands[operands.length - 1] += source;
      this.#at += length;
    }
    this.#at++;
    const body = operators.length === 0
      ? operands[0]!
      : operands.map((members, i) => `[${members}]${operators[i] ?? ""}`).join("");
    if (!negated) return `[${body}]`;
    if (this.#multiline) return `[^${body}]`;
    return operators.length === 0 ? `[^${body}\\n]` : `[[^${body}]--\\n]`;
  }

  #classItem(rest: string, isFirst: boolean): [source: string, length: number] {
    const posix = /^\[:(\^?)(\w+):\]/.exec(rest);
    if (posix) {
      const members = POSIX[posix[2]!];
      if (members === undefined) throw new SyntaxError(`unknown class [:${posix[2]}:]`);
      return [posix[1] === "^" ? `[^${members}]` : members, posix[0].length];
    }
    if (rest.startsWith("[")) return [this.#class(), 0];
    if (rest.startsWith("~~")) throw new SyntaxError("~~ in a class is not supported");
    if (rest.startsWith("\\")) return this.#escape(rest, true);
    if (/^-(?!\])/.test(rest) && !isFirst) return ["-", 1];
    const point = String.fromCodePoint(rest.codePointAt(0)!);
    return [point.replace(/[!-/:-@[-^`{-~]/, "\\$&"), point.length];
  }
}

/** JavaScript's own `\b` and `\B` know only ASCII words. */
function boundary(letter: "b" | "B"): string {
  const word = `[${WORD}]`;
  const [same, other] = letter === "b" ? ["=", "!"] : ["!", "="];
  return `(?:(?<=${word})(?${other}${word})|(?<!${word})(?${same}${word}))`;
}

function flagsOf(text: string): string {
  if (!/^[imsu]*(?:-[imsu]+)?$/.test(text)) throw new SyntaxError(`unsupported flags (?${text})`);
  return text.replaceAll("u", "");
}

function asciiEscape(code: number): string {
  return `\\x${code.toString(16).padStart(2, "0")}`;
}

/** Rust accepts script names on their own; JavaScript wants them named as scripts. */
function unicodeProperty(name: string): string {
  try {
    new RegExp(`\\p{${name}}`, "v");
    return name;
  } catch {
    // Not a category or binary property: the only other thing it can be is a script.
    return `Script=${name}`;
  }
}
