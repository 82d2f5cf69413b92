/**
 * A shell started ahead of the command it will run. It starts when a command has ended and the
 * event loop has nothing else to do, which mostly means while the model thinks; it brings back the
 * exports of the task and waits, which takes all of that out of the way of the next tool call.
 * Where commands follow each other at once it starts while the one before runs. Owns at most one.
 */
import { onlyVariables } from "../../src/process/child_environment.ts";
import { MARKER_VARIABLE } from "../../src/process/marker.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import { type RawProcess, startPiped } from "../../src/process/raw_process.ts";

export interface SpareOptions {
  shell: string;
  marker: string;
}

/** Both parts of a script; the opening depends on the state alone. */
export interface SplitScript {
  opening: string;
  closing: string;
}

/** Where `WAIT` reads. */
export const SPARE_INPUT = "/dev/fd/0";
/** The command comes as one assignment and the end of the input; anything less runs nothing. */
const WAIT = `REPLY=; . ${SPARE_INPUT}; [ "$REPLY" ] || exit 126; exec </dev/null; eval "$REPLY"`;

/** A waiting shell that one command has for itself. */
export interface ClaimedShell {
  /** Already carried by the shell. */
  readonly marker: string;
  /** What it has brought back; undefined when the opening is still to come. */
  readonly state: string | undefined;
  /** Hands over what is missing of the script. Undefined when the shell died meanwhile: nothing ran then. */
  run(script: SplitScript): Promise<RawProcess | undefined>;
  /** Lets it go unused: the end of its input ends it. */
  drop(): Promise<void>;
}

export interface Claim {
  /** Must be run or dropped. */
  spare: ClaimedShell | undefined;
  /** The next command can be expected to follow as fast as this one. */
  more: boolean;
}

/** Nobody thinks between two commands that are closer than this. */
const AT_ONCE_MS = 2;

export class SpareShellSlot {
  #spare: Spare | undefined;
  #pending: ReturnType<typeof setImmediate> | undefined;
  #dropped: Promise<void> | undefined;
  #preparedAt = -Infinity;

  /**
   * Most commands start from what the last one left: starts a shell that brings back `state` and
   * waits. Not at once: what the last command said is on its way to the model, and starting a
   * program would hold that up. Bash only.
   */
  prepare(state: string, options: () => SpareOptions & { opening: string }): void {
    this.#preparedAt = performance.now();
    if (this.#spare !== undefined && this.#spare.state === undefined) return;
    this.#letGo();
    // One turn of the event loop sends what was written meanwhile. Not `setTimeout`, which takes two
    // milliseconds to come to nothing.
    this.#pending = setImmediate(() => {
      this.#pending = setImmediate(() => {
        this.#pending = undefined;
        this.#start(options, state);
      });
    });
  }

  /** Takes the waiting shell for a command from `state`, so that no other can. */
  claim(state: string): Claim {
    const more = this.#pending !== undefined || performance.now() - this.#preparedAt < AT_ONCE_MS;
    this.#cancel();
    const spare = this.#spare;
    if (spare === undefined || (spare.state ?? state) !== state) return { spare: undefined, more };
    this.#spare = undefined;
    return { spare, more };
  }

  /** Starts a shell for any state to wait, unless one does. Bash only. */
  prepareNow(options: () => SpareOptions): void {
    if (this.#spare === undefined) this.#start(options);
  }

  /** Lets the waiting shell go. */
  async close(): Promise<void> {
    this.#letGo();
    await this.#dropped;
  }

  #start(options: () => SpareOptions & { opening?: string }, state?: string): void {
    try {
      const spare = this.#spare = new Spare({ ...options(), state });
      spare.exited.then(() => {
        if (this.#spare === spare) this.#spare = undefined;
      });
    } catch {
      // Out of processes, for instance: the next command says so itself if that lasts.
    }
  }

  #cancel(): void {
    clearImmediate(this.#pending);
    this.#pending = undefined;
  }

  /** A shell in a directory that the task has left is of no use. */
  #letGo(): void {
    this.#cancel();
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare) this.#dropped = Promise.all([this.#dropped, spare.drop()]).then(() => {});
  }
}

class Spare implements ClaimedShell {
  readonly marker: string;
  readonly state: string | undefined;
  readonly #process: RawProcess;

  constructor(options: SpareOptions & { opening?: string; state: string | undefined }) {
    const { shell, marker, opening, state } = options;
    this.state = state;
    this.marker = marker;
    this.#process = startPiped({
      argv: [shell, "-c", opening === undefined ? WAIT : `${opening}; ${WAIT}`, "bash"],
      env: onlyVariables({ [MARKER_VARIABLE]: marker }),
      stdin: "piped",
    });
  }

  get exited(): Promise<number> {
    return this.#process.exited;
  }

  async run({ opening, closing }: SplitScript): Promise<RawProcess | undefined> {
    const script = this.state === undefined ? `${opening}; ${closing}` : closing;
    try {
      await this.#process.write(new TextEncoder().encode(`REPLY=${shellQuote(script)}`));
    } catch {
      // It was killed while it waited; the caller starts another in the ordinary way.
      await this.drop();
      return undefined;
    }
    // From here on it may run, whatever this end says.
    this.#process.closeStdin().catch(() => {});
    return this.#process;
  }

  async drop(): Promise<void> {
    await this.#process.dispose();
    await this.#process.exited;
  }
}
