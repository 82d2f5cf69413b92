/**
 * Running one hook command: no shell, no credentials in its environment, bounded output,
 * and nothing left of what it started in its process group afterwards.
 */
import { helperEnvironment, withVariables } from "../../process/child_environment.ts";

export interface HookRun {
  argv: readonly string[];
  stdin: string;
  env: Readonly<Record<string, string>>;
  /** Names of variables that the operator hands to commands. */
  pass?: readonly string[];
  cwd: string;
  signal: AbortSignal;
}

export interface HookExit {
  code: number;
  stdout: string;
  stderr: string;
}

/** Starts a program and waits for it. Rejects when it cannot start or the signal aborts. */
export type HookSpawn = (run: HookRun) => Promise<HookExit>;

/**
 * Python believes a compiled file beside a module when its header names the module's size and
 * time; a consent covers the module. Nothing is found, and nothing kept, where no folder can be.
 */
const FIXED_VARIABLES = { PYTHONPYCACHEPREFIX: "/dev/null" };

const MAX_OUTPUT_BYTES = 256 * 1024;

/** `HookSpawn` on this machine. */
export async function spawnHook(run: HookRun): Promise<HookExit> {
  const { runProgram } = await import("../../process/run_program.ts");
  return await runProgram(run.argv, {
    env: withVariables(helperEnvironment(run.env, run.pass), FIXED_VARIABLES),
    cwd: run.cwd,
    stdin: run.stdin,
    signal: run.signal,
    maxBytes: MAX_OUTPUT_BYTES,
    owned: true,
  });
}
