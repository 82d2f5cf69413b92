/**
 * A regular expression as a tree, as far as finding texts that it is slow on needs it: which
 * single characters, which sequences, which repetitions. Not a validator.
 */

export type RegexTree =
  /** One character; `chars` are some that fit. */
  | { type: "char"; chars: string[] }
  | { type: "sequence"; items: RegexTree[] }
  | { type: "choice"; options: RegexTree[] }
  | { type: "repeat"; body: RegexTree; min: number; max: number }
  /** Look-around: takes no text but has to read some. */
  | { type: "look"; body: RegexTree }
  | { type: "nothing" };

/** Characters that are tried on a class: those that expressions tell apart most. */
export const PROBES: readonly string[] = [
  ..." \taA0z9-=:\"'`\\/<>()[]{}\r\n\x1b_.,;#@!$%&*+?|~^\x07\x00\x08",
  ..."\x7f\x9b\u00e9\u2028\u202e\u3042",
  "\u{1f600}",
];
const MAX_CHARS = 4;

/** @throws SyntaxError when a class or escape cannot be compiled on its own. */
export function parseRegex(source: string, flags: string): RegexTree {
  return new Parser(source, flags).parse();
}

class Parser {
  #source: string;
  #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags.replace(/[gyd]/g, "");
  }

  parse(): RegexTree {
    const tree = this.#choice();
    if (this.#at < this.#source.length) throw new SyntaxError(`unread at ${this.#at}`);
    return tree;
  }

  #choice(): RegexTree {
    const options = [this.#sequence()];
    while (this.#source[this.#at] === "|") {
      this.#at++;
      options.push(this.#sequence());
    }
    return options.length === 1 ? options[0]! : { type: "choice", options };
  }

  #sequence(): RegexTree {
    const items: RegexTree[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)) {
      items.push(this.#quantified(this.#atom()));
    }
    return items.length === 1 ? items[0]! : { type: "sequence", items };
  }

  #quantified(body: RegexTree): RegexTree {
    const found = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(
      this.#source.slice(this.#at, this.#at + 30),
    );
    if (found === null) return body;
    this.#at += found[0].length;
    const [, sign, min, comma, max] = found;
    if (sign !== undefined) {
      return { type: "repeat", body, min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Infinity };
    }
    const least = Number(min);
    const most = comma === undefined ? least : max === "" ? Infinity : Number(max);
    return { type: "repeat", body, min: least, max: most };
  }

  #atom(): RegexTree {
    const source = this.#source;
    const start = this.#at++;
    const character = source[start]!;
    if (character === "(") return this.#group();
    if (character === "^" || character === "$") return { type: "nothing" };
    if (character === "[") {
      this.#skipClass();
    } else if (character === "\\") {
      const escape = /^\\(?:[bB](?!\{)|[1-9]\d*|k<[^>]*>)/.exec(source.slice(start, start + 40));
      if (escape !== null) {
        this.#at = start + escape[0].length;
        return { type: "nothing" };
      }
      const long = /^\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[^])/u
        .exec(source.slice(start, start + 60))!;
      this.#at = start + long[0].length;
    } else {
      const code = source.codePointAt(start)!;
      if (code > 0xffff) this.#at++;
    }
    return { type: "char", chars: this.#charsOf(source.slice(start, this.#at)) };
  }

  #group(): RegexTree {
    const head = /^\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]*:)/.exec(
      this.#source.slice(this.#at, this.#at + 60),
    );
    this.#at += head?.[0].length ?? 0;
    const body = this.#choice();
    this.#at++;
    return /^\?<?[=!]/.test(head?.[0] ?? "") ? { type: "look", body } : body;
  }

  #skipClass(): void {
    let depth = 1;
    for (; depth > 0; this.#at++) {
      const character = this.#source[this.#at];
      if (character === undefined) throw new SyntaxError("unclosed class");
      if (character === "\\") this.#at++;
      else if (character === "[" && this.#flags.includes("v")) depth++;
      else if (character === "]") depth--;
    }
  }

  #charsOf(atom: string): string[] {
    const regex = new RegExp(`^(?:${atom})$`, this.#flags.replace("m", ""));
    const chars = PROBES.filter((probe) => regex.test(probe)).slice(0, MAX_CHARS);
    if (chars.length > 0) return chars;
    for (let code = 0x21; code < 0x3000; code++) {
      const character = String.fromCharCode(code);
      if (regex.test(character)) return [character];
    }
    return ["a"];
  }
}

/** A short text that the tree matches; `variant` picks among what fits. */
export function sampleOf(tree: RegexTree, variant = 0): string {
  switch (tree.type) {
    case "char":
      return tree.chars[variant % tree.chars.length]!;
    case "sequence":
      return tree.items.map((item) => sampleOf(item, variant)).join("");
    case "choice":
      return sampleOf(tree.options[variant % tree.options.length]!, variant);
    case "repeat":
      return sampleOf(tree.body, variant).repeat(Math.min(tree.min, 20));
    default:
      return "";
  }
}
