/**
 * A shell started ahead of the command it will run: while the model thinks, the next shell
 * already waits for its script, which takes starting a process out of the way of a tool call.
 * Owns at most one; it holds nothing of the task, since the script restores all of that.
 */
import { type RawProcess, startPiped } from "./_raw_process.ts";
import { MARKER_VARIABLE } from "./_shell_script.ts";

export interface SpareOptions {
  shell: string;
  setsid: string | undefined;
  marker: string;
  /** Where the script will be; read at once when the shell is told to go. */
  scriptFile: string;
}

/** A line on standard input says go; the script is read whole, so that the rest of the input is the command's. */
const WAIT =
  `read -r _ || exit 0; IFS= read -r -d "" REPLY <"$1"; set --; [ "$REPLY" ] || exit 126; eval "$REPLY"`;
const GO = new Uint8Array([10]);

export class SpareShellSlot {
  #spare: { process: RawProcess } & SpareOptions | undefined;

  /** Starts a shell to wait, unless one does; called when a command has ended. Bash only. */
  prepare(options: () => SpareOptions): void {
    if (this.#spare !== undefined) return;
    const chosen = options();
    const process = startPiped({
      argv: [chosen.shell, "-c", WAIT, "bash", chosen.scriptFile],
      env: { [MARKER_VARIABLE]: chosen.marker },
      setsid: chosen.setsid,
      stdin: "piped",
    });
    const spare = { ...chosen, process };
    this.#spare = spare;
    process.exited.then(() => {
      if (this.#spare === spare) this.#spare = undefined;
    });
  }

  /** The marker the waiting shell already carries. */
  get marker(): string | undefined {
    return this.#spare?.marker;
  }

  /**
   * Hands the waiting shell its script. Undefined when there is none or it died: nothing ran then.
   */
  async use(script: string, stdin: "null" | "piped"): Promise<RawProcess | undefined> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined) return undefined;
    const { process } = spare;
    try {
      writeScript(spare.scriptFile, stdin === "null" ? `exec </dev/null; ${script}` : script);
      // Not before its end: only then it has surely been read.
      process.exited.then(() => removeScript(spare.scriptFile));
      await process.write(GO);
      if (stdin === "null") await process.closeStdin();
      return process;
    } catch {
      // It was killed while it waited; the caller starts another in the ordinary way.
      await process.dispose();
      return undefined;
    }
  }

  /** Lets the waiting shell go: the end of its input ends it. */
  async drop(): Promise<void> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare === undefined) return;
    await spare.process.dispose();
    await spare.process.exited;
  }
}

/** Synchronous: the whole point is to lose no turn of the event loop. */
function writeScript(path: string, script: string): void {
  Deno.writeTextFileSync(path, script, { mode: 0o600 });
}

function removeScript(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // The whole private directory may be gone already.
  }
}
