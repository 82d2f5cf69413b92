/**
 * What one task carries from command to command: its directory and the file with its exports.
 * Commands may overlap; the one that ends last decides. Files are used again once nobody
 * reads them, so a long session does not leave thousands.
 */
import { readStateCwd } from "./_shell_script.ts";

/** One command's part in the state of its task. */
export interface StateLease {
  /** State to start from; undefined for the first command. */
  input: string | undefined;
  /** Where the command leaves its state. */
  output: string;
}

export class ShellState {
  cwd: string;
  readonly #newFile: () => string;
  #current: string | undefined;
  #running = 0;
  #free: string[] = [];
  /** Replaced while commands were running that may not have read it yet. */
  #retired: string[] = [];

  constructor(cwd: string, newFile: () => string) {
    this.cwd = cwd;
    this.#newFile = newFile;
  }

  begin(): StateLease {
    this.#running++;
    return { input: this.#current, output: this.#free.pop() ?? this.#newFile() };
  }

  /** Takes over what the command left; keeps the old state when it left nothing whole. */
  async end(lease: StateLease, options: { marker: string; keepCwd: boolean }): Promise<void> {
    const cwd = readStateCwd(await readIfThere(lease.output), options.marker);
    if (cwd === undefined) {
      this.#free.push(lease.output);
    } else {
      if (this.#current !== undefined) this.#retired.push(this.#current);
      this.#current = lease.output;
      if (!options.keepCwd) this.cwd = cwd;
    }
    this.#running--;
    if (this.#running === 0) this.#free.push(...this.#retired.splice(0));
  }

  /** The files are gone: starts over, in the same directory. */
  forget(): void {
    this.#current = undefined;
    this.#free = [];
    this.#retired = [];
  }

  /** Copies the state for a process that nobody waits for; undefined when there is none yet. */
  async copy(): Promise<string | undefined> {
    if (this.#current === undefined) return undefined;
    const copy = this.#newFile();
    this.#running++;
    try {
      await Deno.copyFile(this.#current, copy);
    } finally {
      this.#running--;
    }
    return copy;
  }
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}
