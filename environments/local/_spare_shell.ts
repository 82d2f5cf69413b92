/**
 * A shell started ahead of the command it will run: it starts while another command runs,
 * brings back the exports of the task while the model thinks, and then waits, which takes all
 * of that out of the way of the next tool call. Owns at most one.
 */
import { onlyVariables } from "../../src/process/child_environment.ts";
import type { RaisedWalls } from "../../src/protocol/sandbox.ts";
import { MARKER_VARIABLE } from "../../src/process/marker.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import { type RawProcess, startPiped } from "../../src/process/raw_process.ts";

export interface SpareOptions {
  shell: string;
  marker: string;
  /** Walls that the shell stands behind. */
  walls?: RaisedWalls | undefined;
}

/** Where the second part of `WAIT` reads. */
export const SPARE_INPUT = "/dev/fd/0";
/**
 * A line with the opening, then the command as one assignment and the end of the input;
 * anything less runs nothing.
 */
const WAIT = `IFS= read -r REPLY || exit 0; eval "$REPLY"; REPLY=; . ${SPARE_INPUT}; ` +
  `[ "$REPLY" ] || exit 126; exec </dev/null; eval "$REPLY"`;

/** Both parts of a script; the opening depends on the state alone. */
export interface SplitScript {
  opening: string;
  closing: string;
}

/** The state that the last command left, and the walls it ran behind. */
export interface BriefState {
  path: string;
  walls?: RaisedWalls | undefined;
}

/** A waiting shell that one command has for itself. */
export interface ClaimedShell {
  /** Already carried by the shell. */
  readonly marker: string;
  /** The state that the shell has brought back; undefined while the opening is still to come. */
  readonly state: string | undefined;
  /** Hands over what is missing of the script. Undefined when the shell died meanwhile: nothing ran then. */
  run(script: SplitScript): Promise<RawProcess | undefined>;
  /** Lets it go unused: the end of its input ends it. */
  drop(): Promise<void>;
}

export class SpareShellSlot {
  #spare: Spare | undefined;
  #dropped: Promise<void> | undefined;
  #briefing: ReturnType<typeof setImmediate> | undefined;

  /** Starts a shell to wait behind `walls`, unless one does. Bash only. */
  prepare(options: () => Omit<SpareOptions, "walls">, walls?: RaisedWalls): void {
    if (this.#spare !== undefined && this.#spare.walls !== walls) this.#drop(this.#spare);
    if (this.#spare !== undefined) return;
    const spare = this.#spare = new Spare({ ...options(), walls });
    // A shell that ends by itself, because its walls went before it started, is let go too.
    spare.exited.then(() => {
      if (this.#spare === spare) this.#drop(spare);
    });
  }

  /**
   * Most commands start from what the last one left: has the waiting shell bring it back already.
   * Not at once: what the last command said is on its way to the model, and must not wait for this.
   */
  brief(state: BriefState, opening: (marker: string) => string): void {
    const spare = this.#spare;
    if (spare === undefined) return;
    // This shell stands where the task no longer is, or may not read what walled commands left.
    if (spare.state !== undefined || spare.walls !== state.walls) return this.#drop(spare);
    clearImmediate(this.#briefing);
    // A turn of the event loop sends what was written before. `setTimeout` would take milliseconds.
    this.#briefing = setImmediate(() => {
      this.#briefing = setImmediate(() => {
        if (this.#spare === spare) this.#briefNow(spare, { state: state.path, opening });
      });
    });
  }

  /**
   * Takes the waiting shell for a command from `state` behind `walls`, so that no other can; it
   * must be run or dropped.
   */
  claim(state: string, walls?: RaisedWalls): ClaimedShell | undefined {
    const spare = this.#spare;
    if (spare === undefined || (spare.state ?? state) !== state) return undefined;
    if (spare.walls !== walls) {
      this.#drop(spare);
      return undefined;
    }
    this.#spare = undefined;
    return spare;
  }

  /** Lets the waiting shell go. */
  async close(): Promise<void> {
    clearImmediate(this.#briefing);
    if (this.#spare) this.#drop(this.#spare);
    await this.#dropped;
  }

  #briefNow(
    spare: Spare,
    { state, opening }: { state: string; opening: (marker: string) => string },
  ): void {
    try {
      spare.brief(state, opening(spare.marker));
    } catch {
      // The disk is full, for instance: the next command says so itself if that lasts.
      this.#drop(spare);
    }
  }

  #drop(spare: Spare): void {
    this.#spare = undefined;
    this.#dropped = Promise.all([this.#dropped, spare.drop()]).then(() => {});
  }
}

class Spare implements ClaimedShell {
  readonly marker: string;
  readonly walls: RaisedWalls | undefined;
  readonly #process: RawProcess;
  /** The state that the shell has brought back, once it was told to. */
  state: string | undefined;

  constructor({ shell, marker, walls }: SpareOptions) {
    this.marker = marker;
    this.walls = walls;
    this.#process = startPiped({
      argv: [shell, "-c", WAIT, "bash"],
      env: onlyVariables({ [MARKER_VARIABLE]: marker }),
      launcher: walls?.launcher,
      stdin: "piped",
    });
  }

  get exited(): Promise<number> {
    return this.#process.exited;
  }

  brief(state: string, opening: string): void {
    this.state = state;
    // The shell may have been killed; `run()` finds out.
    this.#write(`${opening}\n`).catch(() => {});
  }

  async run({ opening, closing }: SplitScript): Promise<RawProcess | undefined> {
    const first = this.state === undefined ? `${opening}\n` : "";
    try {
      await this.#write(`${first}REPLY=${shellQuote(closing)}`);
    } catch {
      // The shell was killed while it waited; the caller starts another in the ordinary way.
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

  #write(text: string): Promise<void> {
    return this.#process.write(new TextEncoder().encode(text));
  }
}
