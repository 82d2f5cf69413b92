/**
 * The state that a task carries from command to command: its directory and the file with its exports.
 * Commands may overlap; the one that ends last decides. Files go, or are used again, once
 * their readers are gone, so a long session does not leave thousands.
 */
import type { Shell } from "./shell.ts";

/** The part of a command in the state of its task. */
export interface StateLease {
  /** State to start from; undefined for the first command. */
  input: string | undefined;
  /** Where the command leaves its state. */
  output: string;
}

export class ShellState {
  cwd: string;
  readonly #files: Pick<Shell, "newFile" | "freeFile">;
  #current: string | undefined;
  #running = 0;
  #unused: string[] = [];
  /** Replaced while commands were running that may not have read it yet. */
  #retired: string[] = [];

  constructor(cwd: string, files: Pick<Shell, "newFile" | "freeFile">) {
    this.cwd = cwd;
    this.#files = files;
  }

  begin(): StateLease {
    this.#running++;
    return { input: this.#current, output: this.#unused.pop() ?? this.#files.newFile() };
  }

  /** Takes over what the command left; keeps the old state when it left nothing whole: no `cwd`. */
  end(lease: StateLease, options: { cwd: string | undefined; keepCwd: boolean }): void {
    const { cwd } = options;
    if (cwd === undefined) {
      this.#free(lease.output);
    } else {
      if (this.#current !== undefined) this.#retired.push(this.#current);
      this.#current = lease.output;
      if (!options.keepCwd) this.cwd = cwd;
    }
    this.#settle();
  }

  /** The files are gone: starts over, in the same directory. */
  forget(): void {
    this.#current = undefined;
    this.#unused = [];
    this.#retired = [];
  }

  /** Gives the state to a background process; it must be read when `start` settles. */
  async lend<T>(start: (state: string | undefined) => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await start(this.#current);
    } finally {
      this.#settle();
    }
  }

  #settle(): void {
    this.#running--;
    if (this.#running > 0) return;
    for (const file of this.#retired.splice(0)) this.#free(file);
  }

  #free(file: string): void {
    if (this.#files.freeFile) this.#files.freeFile(file);
    else this.#unused.push(file);
  }
}
