/**
 * A password for `sudo` that no argument, variable or file ever holds. For the time of one
 * command a `sudo` in front of the real one asks a helper, and the helper reads the password
 * from a pipe that hermes keeps filled. Standard input stays with the command.
 */
import { onlyVariables, SYSTEM_PATH } from "../../src/process/child_environment.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";

export interface SudoSession {
  /** Goes first on PATH. */
  binDir: string;
  close(): Promise<void>;
}

/** Prompts one command can have answered; all of it fits into the pipe's buffer. */
const ANSWERS = 256;
const PIPE_BYTES = 60_000;
const MAKE_PIPE_MS = 10_000;

/** True when a command may call `sudo`. */
export function mentionsSudo(command: string): boolean {
  return /\bsudo\b/.test(command);
}

/** Prepares `dir`, which must not exist, for a command that will call the sudo at `program`. */
export async function openSudo(
  dir: string,
  options: { program: string; password: string },
): Promise<SudoSession> {
  const { program, password } = options;
  await Deno.mkdir(dir, { mode: 0o700 });
  const askpass = shellQuote(`${dir}/askpass`);
  await writeProgram(`${dir}/askpass`, [
    `IFS= read -r answer <${shellQuote(`${dir}/pipe`)} && printf '%s\\n' "$answer"`,
  ]);
  await writeProgram(`${dir}/sudo`, [
    `SUDO_ASKPASS=${askpass}; export SUDO_ASKPASS`,
    `exec ${shellQuote(program)} -A "$@"`,
  ]);
  const { lastLine, runProgram } = await import("../../src/process/run_program.ts");
  const made = await runProgram(["mkfifo", "-m", "600", `${dir}/pipe`], {
    env: onlyVariables({ PATH: SYSTEM_PATH.join(":") }),
    timeoutMs: MAKE_PIPE_MS,
  });
  if (made.code !== 0) throw new Error(`mkfifo failed: ${lastLine(made.stderr)}`);
  // Opened for both, a pipe neither blocks here nor ends for its readers; closed, it forgets.
  const pipe = await Deno.open(`${dir}/pipe`, { read: true, write: true });
  const line = new TextEncoder().encode(`${password}\n`);
  const answers = Math.max(1, Math.min(ANSWERS, Math.floor(PIPE_BYTES / line.length)));
  for (let i = 0; i < answers; i++) await pipe.write(line);
  return {
    binDir: dir,
    async close() {
      pipe.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

async function writeProgram(path: string, lines: readonly string[]): Promise<void> {
  await Deno.writeTextFile(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o700 });
}
