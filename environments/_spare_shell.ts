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

/** A waiting shell that one command has for itself. */
export interface ClaimedShell {
  /** Already carried by the shell. */
  readonly marker: string;
  /** Hands over the script. Undefined when the shell died meanwhile: nothing ran then. */
  run(script: string, stdin: "null" | "piped"): Promise<RawProcess | undefined>;
  /** Lets it go unused: the end of its input ends it. */
  drop(): Promise<void>;
}

export class SpareShellSlot {
  #spare: ClaimedShell | undefined;

  /** Starts a shell to wait, unless one does; called while another command runs. Bash only. */
  prepare(options: () => SpareOptions): void {
    if (this.#spare !== undefined) return;
    const { shell, setsid, marker, scriptFile } = options();
    const process = startPiped({
      argv: [shell, "-c", WAIT, "bash", scriptFile],
      env: { [MARKER_VARIABLE]: marker },
      setsid,
      stdin: "piped",
    });
    const spare: ClaimedShell = {
      marker,
      run: (script, stdin) =>
        handOver(process, stdin === "null" ? `exec </dev/null; ${script}` : script, {
          scriptFile,
          closeStdin: stdin === "null",
        }),
      drop: () => letGo(process),
    };
    this.#spare = spare;
    process.exited.then(() => {
      if (this.#spare === spare) this.#spare = undefined;
    });
  }

  /** Takes the waiting shell at once, so that no other command can; it must be run or dropped. */
  claim(): ClaimedShell | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare;
  }
}

async function handOver(
  process: RawProcess,
  script: string,
  options: { scriptFile: string; closeStdin: boolean },
): Promise<RawProcess | undefined> {
  const { scriptFile } = options;
  try {
    writeScript(scriptFile, script);
    // Not before its end: only then it has surely been read.
    process.exited.then(() => removeScript(scriptFile));
    await process.write(GO);
    // The shell lets go of the pipe itself; nobody has to wait for this end.
    if (options.closeStdin) process.closeStdin().catch(() => {});
    return process;
  } catch {
    // It was killed while it waited; the caller starts another in the ordinary way.
    await letGo(process);
    return undefined;
  }
}

async function letGo(process: RawProcess): Promise<void> {
  await process.dispose();
  await process.exited;
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
