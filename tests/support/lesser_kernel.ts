/**
 * Programs on a kernel that has less than this one: system calls that answer as if they were not
 * there, or were forbidden as they are in many containers. Linux alone.
 */
import { makeLauncher } from "../../src/process/launcher/launcher.ts";
import { must } from "../../src/process/launcher/launcher_image.ts";
import { architecture } from "../../src/process/launcher/libc.ts";
import { type SyscallName, SYSCALLS } from "../../src/process/launcher/syscalls_data.ts";
import {
  assemble,
  DATA_NUMBER,
  type Instruction,
  JUMP_EQUAL,
  LOAD,
  refusal,
  RET_ALLOW,
  RETURN,
} from "../../src/sandbox/walls/filter_program.ts";
import { hermesCommand, type RunOutcome, testEnv } from "./hermes.ts";

const EPERM = 1;
const PR_SET_NO_NEW_PRIVS = 38;
const SECCOMP_SET_MODE_FILTER = 1;

/** What a system lacks, by the calls that it refuses. */
export const LACKS: Readonly<Record<string, readonly SyscallName[]>> = {
  namespaces: ["unshare"],
  "namespaces and Landlock": ["unshare", "landlock_create_ruleset"],
};

export interface LesserRun {
  home: string;
  args: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** Runs hermes to its end on a kernel that refuses `calls`. */
export async function runOnLesserKernel(
  calls: readonly SyscallName[],
  { home, args, env, cwd }: LesserRun,
): Promise<RunOutcome> {
  const launcher = makeLauncher([
    must("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
    must("seccomp", SECCOMP_SET_MODE_FILTER, 0, { instructions: filter(calls) }),
  ]);
  if (launcher === undefined) throw new Error("nothing can be executed from memory here");
  const hermes = hermesCommand(args);
  try {
    const { code, stdout, stderr } = await new Deno.Command(launcher.path, {
      args: [hermes.command, ...hermes.args],
      cwd: cwd ?? home,
      env: { ...testEnv(home), ...env },
      clearEnv: true,
      stdin: "null",
    }).output();
    const text = new TextDecoder();
    return { code, stdout: text.decode(stdout), stderr: text.decode(stderr) };
  } finally {
    launcher.close();
  }
}

function filter(calls: readonly SyscallName[]): Uint8Array<ArrayBuffer> {
  const column = architecture() === "x86_64" ? 0 : 1;
  const refused = calls.flatMap((name): Instruction[] => [
    [JUMP_EQUAL, 0, 1, SYSCALLS[name][column]],
    [RETURN, 0, 0, refusal(EPERM)],
  ]);
  return assemble([[LOAD, 0, 0, DATA_NUMBER], ...refused, [RETURN, 0, 0, RET_ALLOW]]);
}
