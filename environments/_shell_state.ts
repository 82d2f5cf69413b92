/**
 * What one task carries from command to command: its directory and the file with its exports.
 * Commands may overlap; the one that ends last decides.
 */
import { readStateCwd } from "./_shell_script.ts";

export class ShellState {
  cwd: string;
  #file: string | undefined;
  #running = 0;
  #old: string[] = [];

  constructor(cwd: string) {
    this.cwd = cwd;
  }

  /** The state file to start from, which stays until every command that began has ended. */
  begin(): string | undefined {
    this.#running++;
    return this.#file;
  }

  /** Takes over what a command left in `file`; keeps the old state when it left nothing whole. */
  async end(file: string | undefined, options: { keepCwd: boolean }): Promise<void> {
    if (file !== undefined) await this.#adopt(file, options.keepCwd);
    this.#running--;
    if (this.#running === 0) {
      const old = this.#old.splice(0);
      await Promise.allSettled(old.map((path) => Deno.remove(path)));
    }
  }

  async #adopt(file: string, keepCwd: boolean): Promise<void> {
    let cwd: string | undefined;
    try {
      cwd = readStateCwd(await Deno.readTextFile(file));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    if (cwd === undefined) {
      this.#old.push(file);
      return;
    }
    if (this.#file !== undefined) this.#old.push(this.#file);
    this.#file = file;
    if (!keepCwd) this.cwd = cwd;
  }
}
