/**
 * Reads a sed script command by command: whether it runs programs, and which files it reads and
 * writes. Judges nothing. Every character is looked at once.
 */

export interface SedUse {
  /** An `e` command, or the flag `e` of `s`. */
  runs: boolean;
  reads: string[];
  writes: string[];
}

const BETWEEN = /[\s;{}]*/y;
const AROUND_ADDRESS = /[\s,!]*/y;
const ADDRESS = /\d+(?:~\d+)?|\$|[+~]\d+/y;
const ADDRESS_FLAGS = /[IM]*/y;
const TO_LINE_END = /[^\n]*/y;
/** Text of `a`, `i` and `c`: lines that end in a backslash go on. */
const TEXT = /(?:[^\n\\]|\\[^])*/y;
const LABEL = /[^\n;]*/y;
const FLAGS = /[gpiImMe\d]*/y;
const FLAG_FILE = /w[^\n]*/y;

export function sedUse(script: string): SedUse {
  const reader = new Reader(script);
  const use: SedUse = { runs: false, reads: [], writes: [] };
  while (!reader.isDone) {
    reader.take(BETWEEN);
    reader.skipAddresses();
    readCommand(reader, use);
  }
  return use;
}

function readCommand(reader: Reader, use: SedUse): void {
  const command = reader.next();
  switch (command) {
    case "e":
      use.runs = true;
      reader.take(TO_LINE_END);
      break;
    case "r":
    case "R":
      use.reads.push(reader.take(TO_LINE_END).trim());
      break;
    case "w":
    case "W":
      use.writes.push(reader.take(TO_LINE_END).trim());
      break;
    case "s":
    case "y": {
      const delimiter = reader.next();
      reader.skipTo(delimiter);
      reader.skipTo(delimiter);
      if (command === "y") break;
      if (reader.take(FLAGS).includes("e")) use.runs = true;
      const file = reader.take(FLAG_FILE);
      if (file !== "") use.writes.push(file.slice(1).trim());
      break;
    }
    case "a":
    case "i":
    case "c":
      reader.take(TEXT);
      break;
    case "b":
    case "t":
    case "T":
    case ":":
      reader.take(LABEL);
      break;
    case "#":
      reader.take(TO_LINE_END);
      break;
    default:
      // Commands without arguments, and numbers behind `q` and `l`, which look like addresses.
      break;
  }
}

class Reader {
  readonly #script: string;
  #at = 0;

  constructor(script: string) {
    this.#script = script;
  }

  get isDone(): boolean {
    return this.#at >= this.#script.length;
  }

  next(): string {
    return this.#script[this.#at++] ?? "";
  }

  /** What the sticky pattern matches here. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#script)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  /** Moves behind the next `delimiter` that no backslash quotes. */
  skipTo(delimiter: string): void {
    while (!this.isDone && this.#script[this.#at] !== delimiter) {
      this.#at += this.#script[this.#at] === "\\" ? 2 : 1;
    }
    this.#at++;
  }

  skipAddresses(): void {
    for (;;) {
      const before = this.#at;
      this.take(AROUND_ADDRESS);
      const char = this.#script[this.#at];
      if (char === "/" || char === "\\") {
        this.#at++;
        this.skipTo(char === "/" ? "/" : this.next());
        this.take(ADDRESS_FLAGS);
      } else this.take(ADDRESS);
      if (this.#at === before) return;
    }
  }
}
