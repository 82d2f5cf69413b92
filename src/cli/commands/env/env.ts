/** `hermes env`: shows where commands can run and why not, opens a shell there, tidies up. */
import { ADMINS } from "../../../../environments/admin.ts";
import {
  createEnvironment,
  environmentOverrides,
  ENVIRONMENTS,
} from "../../../../environments/manifest.ts";
import type { EnvironmentOptions } from "../../../../environments/options.ts";
import type { Settings } from "../../../config/load.ts";
import { EXIT, HermesError } from "../../../protocol/error.ts";
import type { CommandInput } from "../../command.ts";
import { err, out } from "../../io.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { settingsOf } from "../../settings.ts";
import { openShell } from "./shell.ts";

type Action = (input: CommandInput, options: EnvironmentOptions) => Promise<number>;

const ACTIONS: Readonly<Record<string, Action>> = { list, check, shell, clean };

export async function main(input: CommandInput): Promise<number> {
  const [chosen] = input.args;
  const settings = await settingsOf(input, chosen ? environmentOverrides(chosen) : {});
  const action = ACTIONS[input.path[1] ?? "list"]!;
  const code = await action(input, environmentOptions(settings));
  if (action === check) await showWalls(settings);
  return code;
}

/** What an environment outside a session gets. */
export function environmentOptions(settings: Settings): EnvironmentOptions {
  const env = ownEnvironment();
  return {
    cwd: Deno.cwd(),
    env,
    home: env.HOME ?? "/",
    passEnv: settings.config.terminal.env_passthrough,
    settings: settings.config.terminal,
    dataDir: settings.home.dir,
    credential: settings.env,
    onProgress: (line) => err(`hermes: ${line}\n`),
  };
}

/** What the argument names, else the configuration. */
function chosenName({ settings }: EnvironmentOptions): string {
  return String(settings?.backend);
}

export interface EnvironmentReport {
  name: string;
  available: boolean;
  /** What was found, or why it cannot be used. */
  detail: string;
  fix?: string;
}

/** Looks without starting anything. */
export async function lookAt(
  name: string,
  options: EnvironmentOptions,
): Promise<EnvironmentReport> {
  try {
    const admin = await ADMINS[name]!();
    return { name, available: true, detail: await admin.look(options) };
  } catch (error) {
    const hint = error instanceof HermesError ? error.hint : undefined;
    const fix = hint === undefined ? {} : { fix: hint };
    return { name, available: false, detail: (error as Error).message, ...fix };
  }
}

async function list(input: CommandInput, options: EnvironmentOptions): Promise<number> {
  const names = Object.keys(ENVIRONMENTS);
  const reports = await Promise.all(names.map((name) => lookAt(name, options)));
  if (input.flags.json === true) {
    out(`${JSON.stringify(reports, null, 2)}\n`);
    return EXIT.done;
  }
  const chosen = chosenName(options);
  const width = Math.max(...names.map((name) => name.length));
  for (const { name, available, detail } of reports) {
    const mark = name === chosen ? "*" : " ";
    out(`${mark} ${name.padEnd(width)}  ${available ? "" : "not available: "}${detail}\n`);
  }
  return EXIT.done;
}

/** Opens it, runs a command, tells what it is like in there. */
async function check(_input: CommandInput, options: EnvironmentOptions): Promise<number> {
  const name = chosenName(options);
  const startedAt = performance.now();
  const env = await createEnvironment(name, options);
  try {
    const readyMs = performance.now() - startedAt;
    await env.exec("true");
    const { output, durationMs } = await env.exec(
      "uname -sm; id -un 2>/dev/null || id -u; echo ${BASH_VERSION:+bash }${BASH_VERSION:-sh}",
    );
    const [system, user, shellName] = output.trim().split("\n");
    out(`${name} works: ${system}, user ${user}, ${shellName}\n`);
    out(`commands start in ${env.cwd()}; ready after ${readyMs.toFixed(0)} ms, `);
    out(`a command takes ${durationMs.toFixed(0)} ms\n`);
    out(
      env.sharesHost
        ? "it reaches files of somebody's machine: approval rules apply in full\n"
        : "it is isolated: only what is forbidden outright is refused there\n",
    );
  } finally {
    await env.close();
  }
  return EXIT.done;
}

/** Shows the walls around commands, a line each; elsewhere the place itself is the wall. */
async function showWalls(settings: Settings): Promise<void> {
  const { policyIn } = await import("../sandbox/policy_here.ts");
  const { modeLine, standingHere, standingLines } = await import("../sandbox/standing_here.ts");
  const here = await policyIn(Deno.cwd(), settings);
  out([`sandbox ${modeLine(here)}`, ...standingLines(await standingHere(here)), ""].join("\n"));
}

async function shell(_input: CommandInput, options: EnvironmentOptions): Promise<number> {
  return await openShell(chosenName(options), options);
}

async function clean(input: CommandInput, options: EnvironmentOptions): Promise<number> {
  const names = input.args.length > 0 ? [chosenName(options)] : Object.keys(ADMINS);
  let count = 0;
  for (const name of names) {
    // What cannot be used has nothing that could be removed, unless it was asked for by name.
    if (input.args.length === 0 && !(await lookAt(name, options)).available) continue;
    const admin = await ADMINS[name]!();
    for (const line of await admin.clean(options)) {
      out(`${name}: ${line}\n`);
      count++;
    }
  }
  if (count === 0) out("nothing was left behind\n");
  return EXIT.done;
}
