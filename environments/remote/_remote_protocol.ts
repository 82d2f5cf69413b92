/**
 * How hermes talks to a shell on the other side of `docker exec`, `ssh` and the like: the shell
 * says that it is ready, reads one line that holds the whole script, says so, and runs it at the
 * next line, so that a script whose shell was lost before can be sent to another; a second shell
 * around it waits for its end and tells the code. What they say are records in the output itself, because
 * only there is it certain that everything written before has arrived. Pure text.
 */
import { shellQuote } from "../../src/util/shell_quote.ts";

/** Begins and ends every record. */
const SEPARATOR = 0x1e;
/** The descriptor that a script writes records to, whatever the command does to its output. */
const RECORD_FD = 8;

/** `ready PID INTACT`: it waits. `got 1`: it has its script. `setup …`: what was found. `started …`: the command begins. `state WHOLE DIRECTORY`. `exit CODE`: the last. */
export type RecordKind = "ready" | "got" | "setup" | "started" | "state" | "exit" | "size";

export interface BootOptions {
  /** Begins the records of this shell; no other program can know it. */
  token: string;
  /** The shell for the script. */
  shell: string;
  /** The private directory, to say whether it is still there. */
  dir: string | undefined;
  tty: boolean;
  /** How long it waits for its script; default for ever. */
  waitSeconds?: number | undefined;
}

/** The program of every shell there, for any POSIX shell. */
export function bootScript(options: BootOptions): string {
  const { token, shell } = options;
  const name = shell.slice(shell.lastIndexOf("/") + 1);
  const inner = waitScript({ ...options, bash: name === "bash" });
  return `trap : INT QUIT; ${shellQuote(shell)} -c ${shellQuote(inner)} ${shellQuote(name)}; ` +
    `c=$?; printf '${format(token, "exit", 1)}' "$c"; exit "$c"`;
}

/** Ends a script so that its shell becomes another, the one that $s names, and waits again. */
export function becomeShell(token: string, waitSeconds?: number): string {
  const inner = waitScript({ token, dir: undefined, tty: false, waitSeconds, bash: false });
  return `exec "$s" -c ${shellQuote(inner)} "\${s##*/}"`;
}

/** Says that it waits, takes one script and becomes it. */
function waitScript(options: Omit<BootOptions, "shell"> & { bash: boolean }): string {
  const { token, dir, tty, waitSeconds, bash } = options;
  const limit = waitSeconds === undefined ? "" : ` -t ${waitSeconds}`;
  const there = dir === undefined ? "1" : '"$__hermes_d"';
  const look = dir === undefined ? "" : `[ -d ${shellQuote(dir)} ]; __hermes_d=$((1-$?)); `;
  // A terminal would echo the line, limit its length and take control characters out of it.
  const quiet = tty ? "__hermes_t=$(stty -g); stty raw -echo; " : "";
  const loud = tty ? ' && { stty "$__hermes_t"; }' : "";
  // Bash can do it without another process.
  const run = bash
    ? 'printf -v __hermes_l %b "$__hermes_l" && eval "$__hermes_l"'
    : 'eval "$(printf %b "$__hermes_l")"';
  return `${look}${quiet}printf '${format(token, "ready", 2)}' "$PPID" ${there}; ` +
    `IFS= read -r${limit} __hermes_l && printf '${format(token, "got", 1)}' 1 && ` +
    `read -r __hermes_g${loud} && ${run}`;
}

/** The line that carries a script to a shell that waits. */
export function scriptLine(script: string): Uint8Array {
  const line = script.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return new TextEncoder().encode(`${line}\n`);
}

/** Shell code that keeps the way for records open; goes before everything else. */
export const OPEN_RECORDS = `exec ${RECORD_FD}>&1`;

/** Shell code that writes the whole output of `script` as the record `setup`. */
export function recordSetup(token: string, script: string): string {
  return `printf '\\036${token} setup '; ( ${script} ) </dev/null | tr -d '\\036'; printf '\\036'`;
}

/** Shell code that writes a record; each word is shell code for one field. */
export function writeRecord(token: string, kind: RecordKind, words: readonly string[]): string {
  return `printf '${format(token, kind, words.length)}' ${words.join(" ")} >&${RECORD_FD}`;
}

function format(token: string, kind: RecordKind, fields: number): string {
  return `\\036${token} ${kind}${" %s".repeat(fields)}\\036`;
}

export interface Scanned {
  /** What comes before the record, or all there is. */
  data: Uint8Array;
  /** `kind field field…`, once it is whole. */
  record?: string;
  /** What follows the record. */
  rest?: Uint8Array;
}

/** Splits a stream at records; everything else passes through. */
export class RecordScanner {
  readonly #token: Uint8Array;
  /** The end of the last chunk, when a record may have begun there. */
  #held = new Uint8Array();

  constructor(token: string) {
    this.#token = new TextEncoder().encode(`\x1e${token} `);
  }

  push(chunk: Uint8Array): Scanned {
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
