/** Runs a client program of an engine (`docker`, `ssh`, `apptainer`) to its end, within a minute unless told otherwise. */
import type { ChildEnvironment } from "../../src/process/child_environment.ts";
import { type ProgramEnd, runProgram } from "../../src/process/run_program.ts";

export interface ClientOptions {
  env: ChildEnvironment;
  timeoutMs?: number;
  /** Lines of either stream as they come. */
  onLine?: (line: string) => void;
}

const TIMEOUT_MS = 60_000;

/** Never throws for what the client does; one that hangs ends with code 124. */
export async function runClient(
  argv: readonly string[],
  options: ClientOptions,
): Promise<ProgramEnd> {
  const end = await runProgram(argv, { timeoutMs: TIMEOUT_MS, ...options });
  return end.timedOut ? { ...end, stderr: `${argv[0]} did not answer in time` } : end;
}
