/** From the process's environment and `-p` to the home and the settings of a command. */
import { type Home, resolveHome } from "../config/home.ts";
import { loadSettings, type Settings } from "../config/load.ts";
import type { CommandInput } from "./command.ts";
import { err } from "./io.ts";
import { ownEnvironment } from "./own_environment.ts";

/** The home the command line names. */
export function homeOf(input: Pick<CommandInput, "flags">): Home {
  const { profile } = input.flags;
  return resolveHome({
    env: ownEnvironment(),
    profile: typeof profile === "string" ? profile : undefined,
    cwd: Deno.cwd(),
  });
}

/** The settings, with their warnings told on standard error. */
export async function settingsOf(
  input: Pick<CommandInput, "flags">,
  overrides: Readonly<Record<string, unknown>> = {},
): Promise<Settings> {
  const settings = await loadSettings({
    home: homeOf(input),
    env: ownEnvironment(),
    overrides,
  });
  if (input.flags.quiet !== true) {
    for (const warning of settings.warnings) err(`hermes: ${warning}\n`);
  }
  return settings;
}
