/** `hermes sandbox run`: any command behind the walls that a session's commands get. */
import type { Settings } from "../../../config/load.ts";
import { commandEnvironment, withVariables } from "../../../process/child_environment.ts";
import { spawnChild } from "../../../process/spawn.ts";
import { EnvironmentError, UsageError } from "../../../protocol/error.ts";
import type { RaisedWalls } from "../../../protocol/sandbox.ts";
import { SessionWalls } from "../../../session/session_walls.ts";
import type { CommandInput } from "../../command.ts";
import { err } from "../../io.ts";
import { ownEnvironment } from "../../own_environment.ts";
import { settingsOf } from "../../settings.ts";
import { wallFlags } from "./flags.ts";

/** The shell's own code for what cannot be executed. */
const NOT_STARTED = 126;
/** Enters the directory behind the walls, where its name leads to what commands see. */
const ENTER = 'cd -- "$0" && exec "$@"';

/** The exit code of the command; 126 when the walls are required and do not stand. */
export async function main(input: CommandInput): Promise<number> {
  if (input.args.length === 0) {
    throw new UsageError("There is no command to run", {
      hint: "hermes sandbox run -- make test",
    });
  }
  const settings = await settingsOf(input, wallFlags(input));
  const env = ownEnvironment();
  const directory = await Deno.makeTempDir({ prefix: `hermes-env-${Deno.pid}-` });
  const walls = new SessionWalls({
    policy: (facts) =>
      Promise.resolve({
        settings,
        cwd: Deno.cwd(),
        userHome: env.HOME ?? "/",
        env,
        ...facts,
      }),
    required: settings.config.terminal.sandbox_required,
    keptDir: settings.home.path("cache", "kept"),
    cwd: () => Deno.cwd(),
    isBusy: () => false,
    notice: (line) => err(`hermes: ${line}\n`),
    ownSession: false,
  });
  try {
    const raised = await walls.raise(directory);
    raised?.begin();
    const code = await attach(input.args, { settings, env, raised });
    for (const note of raised?.end({ exitCode: code, output: "" }) ?? []) {
      err(`hermes: ${note.replace(/^hermes: /, "")}\n`);
    }
    return code;
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    err(`hermes: ${error.message}\n`);
    return NOT_STARTED;
  } finally {
    await walls.close();
    await Deno.remove(directory, { recursive: true });
  }
}

interface Attached {
  settings: Settings;
  env: Readonly<Record<string, string>>;
  raised: RaisedWalls | undefined;
}

async function attach(
  argv: readonly string[],
  { settings, env, raised }: Attached,
): Promise<number> {
  const { env_passthrough: pass } = settings.config.terminal;
  const child = spawnChild({
    argv: [
      ...raised === undefined ? [] : [raised.launcher],
      "/bin/sh",
      "-c",
      ENTER,
      Deno.cwd(),
      ...argv,
    ],
    env: withVariables(commandEnvironment(env, { pass, home: env.HOME ?? "/" }), raised?.env ?? {}),
    cwd: Deno.cwd(),
    group: "terminal",
    stdin: "inherit",
    stdout: "inherit",
    stderr: "inherit",
  });
  // Ctrl-C belongs to the command.
  const ignore = () => {};
  Deno.addSignalListener("SIGINT", ignore);
  const { code } = await child.status;
  Deno.removeSignalListener("SIGINT", ignore);
  return code;
}
