/** Plugins as commands use them: questions about those that open, and the enabled ones without a session. */
import { settingsRedactor } from "../../config/known_secrets.ts";
import type { Settings } from "../../config/load.ts";
import type { PluginHost } from "../../plugins/plugin_host.ts";
import { openPlugins, type OpenPluginsOptions } from "../../plugins/open.ts";
import { permissionsOf } from "../../plugins/powers.ts";
import { readEntry } from "../../plugins/plugin_settings.ts";
import type { ProtectedPlaces } from "../../util/protected_paths.ts";
import { COMMANDS } from "../commands_data.ts";
import { err } from "../io.ts";
import { ownEnvironment } from "../own_environment.ts";
import { describeDemands, describePlugin } from "./plugins/view.ts";

export type Confirm = (question: string) => Promise<boolean>;

type Questions = Required<
  { [K in "confirm" | "confirmChange"]: NonNullable<OpenPluginsOptions[K]> }
>;

/** Shows a plugin and asks about it. */
export function pluginQuestions(settings: Settings, confirm: Confirm): Questions {
  return {
    async confirm(candidate, snapshot) {
      err(describePlugin(candidate, { snapshot, entry: readEntry({}) }));
      return await confirm("Use it in this run?");
    },
    async confirmChange({ candidate, snapshot, why }) {
      const entry = readEntry(settings.config.plugins.entries[candidate.id]);
      err(`hermes: ${candidate.id}: ${why.message}\n`);
      err(describePlugin(candidate, { snapshot, entry }));
      if (why.pin) err(describeDemands(why.pin.permissions, permissionsOf(snapshot.manifest)));
      return await confirm(`Agree to ${candidate.id} as it is now, and use it?`);
    },
  };
}

/** The enabled plugins for a command that opens no session. */
export async function openEnabledPlugins(
  settings: Settings,
  log: (line: string) => void = () => {},
): Promise<PluginHost> {
  // A plugin may say what it was told: some variables are keys.
  const clean = settingsRedactor(settings);
  return await openPlugins({
    settings,
    cwd: Deno.cwd(),
    userHome: ownEnvironment().HOME ?? "/",
    trusted: () => trustedPlaces(settings),
    report: (line) => err(`hermes: ${clean(line)}\n`),
    log: (line) => log(clean(line)),
    ownCommands,
  });
}

/** Names that a plugin's command cannot have. */
export async function ownCommands(): Promise<string[]> {
  const { SLASH_COMMANDS } = await import("../slash/slash.ts");
  return [...COMMANDS, ...SLASH_COMMANDS].map(({ name }) => name);
}

/** What belongs to hermes, which no plugin is granted. */
export async function trustedPlaces({ home }: Pick<Settings, "home">): Promise<ProtectedPlaces> {
  const { protectedPlaces } = await import("../../session/protected_places.ts");
  const env = ownEnvironment();
  return protectedPlaces({ home, userHome: env.HOME ?? "/", env });
}
