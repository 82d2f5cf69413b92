/**
 * How hermes talks to a shell on the other side of `docker exec`, `ssh` and the like: the shell
 * says that it is ready, reads one line that holds the whole script, and ends its output with
 * a record. Records stand in the output itself, because only there is it certain that
 * everything written before them has arrived. Pure text; nothing here starts a process.
 */
import { shellQuote } from "../src/util/shell_quote.ts";

/** Begins and ends every record; does not occur in text. */
const SEPARATOR = 0x1e;
/** The descriptor that a script writes records to, whatever the command does to its output. */
const RECORD_FD = 8;

/** `READY <pid> <0 when the private directory is gone>` */
export const READY = "hermes-ready";
/** `STARTED <marker>`: the state was read, the command begins. */
export const STARTED = "hermes-started";

/** The program of every shell there. With `dir` it also says whether that still exists. */
export function bootScript(options: { dir: string | undefined; tty: boolean }): string {
  const { dir, tty } = options;
  const there = dir === undefined ? "1" : '"$__hermes_d"';
  const look = dir === undefined ? "" : `[ -d ${shellQuote(dir)} ]; __hermes_d=$((1-$?)); `;
  // A terminal would echo the line, limit its length and take control characters out of it.
  const quiet = tty ? "__hermes_t=$(stty -g); stty raw -echo; " : "";
  const loud = tty ? ' && { stty "$__hermes_t"; }' : "";
  return `${look}${quiet}printf '\\036${READY} %s %s\\036' "$$" ${there}; ` +
    `IFS= read -r __hermes_l${loud} && eval "$(printf %b "$__hermes_l")"`;
}

/** The line that carries a script to a shell that waits. */
export function scriptLine(script: string): Uint8Array {
  const line = script.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return new TextEncoder().encode(`${line}\n`);
}

/** Shell code that keeps the way for records open; goes before everything else. */
export const OPEN_RECORDS = `exec ${RECORD_FD}>&1`;
/** Redirection that keeps children from holding it. */
export const HIDE_RECORDS = `${RECORD_FD}>&-`;

/** Shell code that writes a record; each word is shell code for one field. */
export function writeRecord(name: string, ...words: string[]): string {
  const format = `\\036${name}${" %s".repeat(words.length)}\\036`;
  return `printf '${format}' ${words.join(" ")} >&${RECORD_FD}`;
}

/** Splits a stream at the record with a given name; everything else passes through. */
export class RecordScanner {
  readonly #token: Uint8Array;
  /** The end of the last chunk, when a record may have begun there. */
  #held = new Uint8Array();

  constructor(name: string) {
    this.#token = new TextEncoder().encode(`\x1e${name} `);
  }

  /** What comes before the record; with it, once it is whole, its text and what follows. */
  push(chunk: Uint8Array): { data: Uint8Array; record?: string; rest?: Uint8Array } {
    const bytes = this.#held.length === 0 ? chunk : concat(this.#held, chunk);
    const start = this.#find(bytes);
    const data = bytes.subarray(0, start);
    const body = start + this.#token.length;
    const end = start < bytes.length ? bytes.indexOf(SEPARATOR, body) : -1;
    if (end < 0) {
      this.#held = bytes.slice(start);
      return { data };
    }
    this.#held = new Uint8Array();
    const record = new TextDecoder().decode(bytes.subarray(body, end));
    return { data, record, rest: bytes.slice(end + 1) };
  }

  /** What was held back when the stream ended: no record after all. */
  flush(): Uint8Array {
    const held = this.#held;
    this.#held = new Uint8Array();
    return held;
  }

  /** Where the token begins, or may begin; the length when it does not. */
  #find(bytes: Uint8Array): number {
    for (let at = bytes.indexOf(SEPARATOR); at >= 0; at = bytes.indexOf(SEPARATOR, at + 1)) {
      const size = Math.min(this.#token.length, bytes.length - at);
      let same = 1;
      while (same < size && bytes[at + same] === this.#token[same]) same++;
      if (same === size) return at;
    }
    return bytes.length;
  }
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
