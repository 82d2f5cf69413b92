/**
 * Runs a program through `hermes sandbox run`, as this user or as one without any rights. The
 * variable `HERMES_WALLS_STANDIN` is for work on these tests: `none` raises no walls, and `walled`
 * uses `_walled_run.ts` instead of the command line.
 */
import type { SandboxMode } from "../../src/protocol/sandbox.ts";
import { hermesCommand, type RunOutcome, testEnv } from "../support/hermes.ts";

const STANDIN = "HERMES_WALLS_STANDIN";

/** True when something else than the command line of hermes is used. */
export function isStandIn(): boolean {
  return Boolean(Deno.env.get(STANDIN));
}

/** `nobody`: no rights of root, no other groups; only root can become that user. */
export type WallsUser = "self" | "nobody";

/** The kernel's number for a user who owns nothing. */
export const NOBODY = 65534;

export interface WallsRun {
  mode: SandboxMode;
  /** As on the command line; the mode's default when absent. */
  network?: string;
  home: string;
  cwd: string;
  argv: readonly string[];
  env?: Record<string, string>;
  user?: WallsUser;
  /** As on a system that allows no namespaces, where fewer walls stand. */
  withoutNamespaces?: boolean;
  timeoutMs: number;
}

/** The command line, without changing the user. */
function wallsCommand({ mode, network, argv, withoutNamespaces }: WallsRun): string[] {
  const words = ["--sandbox", mode, ...network === undefined ? [] : ["--network", network]];
  const standIn = Deno.env.get(STANDIN);
  if (standIn === "none") return [...argv];
  if (standIn === "walled" || withoutNamespaces) {
    const own = withoutNamespaces ? ["--without-namespaces"] : [];
    const script = new URL("./_walled_run.ts", import.meta.url).pathname;
    const deno = [Deno.execPath(), "run", "-A", "-q", "--no-prompt", "--no-check"];
    return [...deno, script, ...own, ...words, "--", ...argv];
  }
  const { command, args } = hermesCommand(["sandbox", "run", ...words, "--", ...argv]);
  return [command, ...args];
}

/** In front of a command line to run it as `user`. */
export function asUser(user: WallsUser = "self"): string[] {
  if (user === "self") return [];
  return ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"];
}

/** Runs to the end, or kills at the time limit, which is an error of the test. */
export async function sandboxRun(run: WallsRun): Promise<RunOutcome> {
  const [command = "", ...args] = [...asUser(run.user), ...wallsCommand(run)];
  const child = new Deno.Command(command, {
    args,
    cwd: run.cwd,
    env: { ...testEnv(run.home), ...run.env },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill("SIGKILL");
  }, run.timeoutMs);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  const decoder = new TextDecoder();
  const outcome = { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  if (late) {
    throw new Error(`not done after ${run.timeoutMs} ms: ${outcome.stdout}${outcome.stderr}`);
  }
  return outcome;
}

/** Runs a program without hermes, as the tests prepare and look; fails loudly. */
export async function plainRun(
  argv: readonly string[],
  options: { cwd?: string; env: Record<string, string>; user?: WallsUser },
): Promise<string> {
  const [command = "", ...args] = [...asUser(options.user), ...argv];
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args,
    ...options.cwd === undefined ? {} : { cwd: options.cwd },
    env: options.env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  if (code !== 0) {
    throw new Error(`${argv.join(" ").slice(0, 300)}: ${code}: ${decoder.decode(stderr)}`);
  }
  return decoder.decode(stdout);
}
