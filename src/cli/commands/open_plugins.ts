/** The plugins of a session that a command opens. Loaded only where one is wanted. */
import { settingsRedactor } from "../../config/known_secrets.ts";
import type { Settings } from "../../config/load.ts";
import type { PluginHost } from "../../plugins/host.ts";
import { openPlugins } from "../../plugins/open.ts";
import { permissionsOf } from "../../plugins/powers.ts";
import { readEntry } from "../../plugins/settings.ts";
import type { ProtectedPlaces } from "../../util/protected_paths.ts";
import { COMMANDS } from "../commands_data.ts";
import { err } from "../io.ts";
import { ownEnvironment } from "../own_environment.ts";
import type { Surface } from "./open_session.ts";
import type { SessionChoices } from "./run_options.ts";

export interface PluginWish {
  settings: Settings;
  choices: Pick<SessionChoices, "pluginPlaces" | "acceptPlugins">;
  surface: Pick<Surface, "confirm" | "tell">;
  cwd: string;
  log: (line: string) => void;
}

/** Opens the enabled plugins and those the flags name. */
export async function openFor(wish: PluginWish): Promise<PluginHost> {
  const { settings, choices, cwd } = wish;
  const { confirm, tell = (line) => err(`${line}\n`) } = wish.surface;
  // A plugin may say what it was told: some variables are keys.
  const clean = settingsRedactor(settings);
  return await openPlugins({
    settings,
    cwd,
    userHome: ownEnvironment().HOME ?? "/",
    extra: choices.pluginPlaces ?? [],
    acceptUnpinned: choices.acceptPlugins,
    confirm: confirm && (async (candidate, snapshot) => {
      const { describePlugin } = await import("./plugins_view.ts");
      err(describePlugin(candidate, { snapshot, entry: readEntry({}) }));
      return await confirm("Use it in this run?");
    }),
    confirmChange: confirm && (async ({ candidate, snapshot, why }) => {
      const { describeDemands, describePlugin } = await import("./plugins_view.ts");
      const entry = readEntry(settings.config.plugins.entries[candidate.id]);
      err(`hermes: ${candidate.id}: ${why.message}\n`);
      err(describePlugin(candidate, { snapshot, entry }));
      if (why.pin) err(describeDemands(why.pin.permissions, permissionsOf(snapshot.manifest)));
      return await confirm(`Agree to ${candidate.id} as it is now, and use it?`);
    }),
    trusted: () => trustedPlaces(settings),
    report: (line) => tell(`hermes: ${clean(line)}`),
    log: (line) => wish.log(clean(line)),
    async ownCommands() {
      const { SLASH_COMMANDS } = await import("../slash/slash.ts");
      return [...COMMANDS, ...SLASH_COMMANDS].map(({ name }) => name);
    },
  });
}

/** What belongs to hermes, which no plugin is granted. */
export async function trustedPlaces({ home }: Pick<Settings, "home">): Promise<ProtectedPlaces> {
  const { protectedPlaces } = await import("../../session/protected_places.ts");
  const env = ownEnvironment();
  return protectedPlaces({ home, userHome: env.HOME ?? "/", env });
}
