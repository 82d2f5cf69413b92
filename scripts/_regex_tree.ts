/**
 * A JavaScript regular expression as a tree, for counting the steps that a backtracking engine
 * takes on a text (`_regex_steps.ts`) and for finding texts that make it take many
 * (`_regex_pumps.ts`).
 */

export type RegexTree =
  /** One character. `fits` tells which; `chars` are some that do. */
  | { type: "char"; fits: RegExp; chars: string[] }
  | { type: "sequence"; items: RegexTree[] }
  | { type: "choice"; options: RegexTree[] }
  | { type: "repeat"; body: RegexTree; min: number; max: number; lazy: boolean }
  | { type: "group"; body: RegexTree; index: number }
  | { type: "reference"; index: number }
  | { type: "look"; body: RegexTree; behind: boolean; negative: boolean; source: string }
  | { type: "anchor"; kind: "^" | "$" | "b" | "B"; multiline: boolean };

/** Characters that are tried on a class: those that expressions tell apart most. */
const PROBES: readonly string[] = [
  ..." \taA0z9-=:\"'`\\/<>()[]{}\r\n\x1b_.,;#@!$%&*+?|~^\x07\x00\x08",
  ..."\x7f\x9b\u00e9\u2028\u202e\u3042",
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
  #groups = 0;
  #names: string[] = [];

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
    const found = this.#take(/(?:([*+?])|\{(\d+)(,(\d*))?\})(\??)/y);
    if (found === undefined) return body;
    const [, sign, least, comma, most, lazyMark] = found;
    const lazy = lazyMark === "?";
    if (sign !== undefined) {
      const max = sign === "?" ? 1 : Infinity;
      return { type: "repeat", body, min: sign === "+" ? 1 : 0, max, lazy };
    }
    const min = Number(least);
    const max = comma === undefined ? min : most === "" ? Infinity : Number(most);
    return { type: "repeat", body, min, max, lazy };
  }

  #atom(): RegexTree {
    const start = this.#at;
    const character = this.#source[start]!;
    const multiline = this.#flags.includes("m");
    if (character === "(") return this.#group();
    if (character === "^" || character === "$") {
      this.#at++;
      return { type: "anchor", kind: character, multiline };
    }
    if (character === "[") this.#skipClass();
    else if (character === "\\") {
      const edge = this.#take(/\\([bB])/y);
      if (edge) return { type: "anchor", kind: edge[1] as "b" | "B", multiline };
      const reference = this.#take(/\\(?:([1-9]\d*)|k<([^>]*)>)/y);
      if (reference) {
        const [, number, name] = reference;
        return { type: "reference", index: Number(number ?? this.#names.indexOf(name!)) };
      }
      this.#take(/\\(?:u\{[^}]*\}|[pP]\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[^])/y);
    } else this.#at += this.#source.codePointAt(start)! > 0xffff ? 2 : 1;
    return this.#char(this.#source.slice(start, this.#at));
  }

  #group(): RegexTree {
    const start = this.#at;
    const head = this.#take(/\((?:\?(?:(:)|(<?)([=!])|<([^>]*)>|[a-z-]*:))?/y)!;
    const [all, , behind, sign, name] = head;
    const isCapture = all === "(" || name !== undefined;
    const index = isCapture ? ++this.#groups : 0;
    if (name !== undefined) this.#names[index] = name;
    const body = this.#choice();
    this.#at++;
    if (isCapture) return { type: "group", body, index };
    if (sign === undefined) return body;
    const source = this.#source.slice(start, this.#at);
    return { type: "look", body, behind: behind === "<", negative: sign === "!", source };
  }

  #skipClass(): void {
    let depth = 0;
    do {
      const character = this.#source[this.#at++];
      if (character === undefined) throw new SyntaxError("unclosed class");
      if (character === "\\") this.#at++;
      else if (character === "[" && (depth === 0 || this.#flags.includes("v"))) depth++;
      else if (character === "]") depth--;
    } while (depth > 0);
  }

  #char(atom: string): RegexTree {
    const fits = new RegExp(`^(?:${atom})$`, this.#flags.replace("m", ""));
    const chars = PROBES.filter((probe) => fits.test(probe)).slice(0, MAX_CHARS);
    for (let code = 0x21; chars.length === 0 && code < 0x10000; code++) {
      if (fits.test(String.fromCharCode(code))) chars.push(String.fromCharCode(code));
    }
    return { type: "char", fits, chars: chars.length > 0 ? chars : ["a"] };
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found === null) return undefined;
    this.#at = pattern.lastIndex;
    return found;
  }
}
