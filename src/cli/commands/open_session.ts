/** From flags to an open session: home, settings, surface answers. The only way commands open one. */
import { environmentOverrides } from "../../../environments/manifest.ts";
import type { Settings } from "../../config/load.ts";
import type { Approver } from "../../protocol/approval.ts";
import type { PluginHost } from "../../plugins/host.ts";
import type { Clarifier } from "../../protocol/services.ts";
import { openSession } from "../../session/open.ts";
import type { Session } from "../../session/session.ts";
import { resolvePath } from "../../util/path.ts";
import { err } from "../io.ts";
import { ownEnvironment } from "../own_environment.ts";
import { settingsOf } from "../settings.ts";
import { checkDirectory, type SessionChoices } from "./run_options.ts";

export interface Surface {
  source: "run" | "chat";
  record?: string;
  replay?: string;
  /** The embedded model may answer although nobody named it. */
  offersOffline?: boolean;
  /** When the time for the run is over, as `Date.now()` counts. */
  deadlineAt?: number;
  approver?: Approver;
  clarifier?: Clarifier;
  /** Asks a yes-or-no question; absent when nobody is there. */
  confirm?: (question: string) => Promise<boolean>;
  /** Shows a line that may come at any time; default standard error. */
  tell?: (line: string) => void;
}

export interface Opened {
  session: Session;
  settings: Settings;
  /** Absent when no plugin is wanted. */
  plugins?: PluginHost;
}

/** Opens a new or resumed session as the flags say. */
export async function openFromFlags(choices: SessionChoices, surface: Surface): Promise<Opened> {
  const { environment } = choices;
  const overrides = environment === undefined ? {} : environmentOverrides(environment);
  const settings = await settingsOf(
    { flags: { profile: choices.profile, quiet: choices.quiet } },
    overrides,
  );
  const cwd = startDirectory(choices, settings);
  const tell = surface.tell ?? ((line) => err(`${line}\n`));
  const say = (line: string) => tell(`hermes: ${line}`);
  const log = choices.verbose ? say : () => {};
  const wanted = settings.config.plugins.enabled.length > 0 || choices.pluginPlaces !== undefined;
  const plugins = wanted
    ? await (await import("./open_plugins.ts")).openFor({ settings, choices, surface, cwd, log })
    : undefined;
  const host = plugins === undefined ? {} : { plugins };
  try {
    const { session, notice } = await openSession({
      ...choices,
      ...surface,
      ...host,
      cwd,
      settings,
      processEnv: ownEnvironment(),
      log,
      progress: choices.quiet ? log : say,
    });
    for (const line of notice?.split("\n") ?? []) say(line);
    return { session, settings, ...host };
  } catch (error) {
    await plugins?.close();
    throw error;
  }
}

/** `terminal.cwd` moves a local session; elsewhere the path belongs to the other machine. */
function startDirectory(choices: SessionChoices, settings: Settings): string {
  const { backend, cwd } = settings.config.terminal;
  if (choices.cwdGiven || backend !== "local") return choices.cwd;
  const directory = resolvePath(
    choices.cwd,
    cwd.replace(/^~(?=$|\/)/, ownEnvironment().HOME ?? "~"),
  );
  checkDirectory(directory, "terminal.cwd");
  return directory;
}
