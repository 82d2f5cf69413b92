/** From flags to an open session: home, settings, surface answers. The only way commands open one. */
import { resolveHome } from "../../config/home.ts";
import { loadSettings, type Settings } from "../../config/load.ts";
import type { Approver } from "../../protocol/approval.ts";
import type { Clarifier } from "../../protocol/services.ts";
import { openSession } from "../../session/open.ts";
import type { Session } from "../../session/session.ts";
import { err } from "../io.ts";
import { defined, type SessionChoices } from "./run_options.ts";

export interface Surface {
  source: "run" | "chat";
  /** First words of the session, for its title. */
  title?: string;
  record?: string;
  replay?: string;
  approver?: Approver;
  clarifier?: Clarifier;
}

/** Loads the settings for a profile, warning about what they do not understand. */
export async function settingsFromFlags(choices: SessionChoices): Promise<Settings> {
  const env = Deno.env.toObject();
  const home = resolveHome(defined({ env, profile: choices.profile, cwd: Deno.cwd() }));
  const settings = await loadSettings({ home, env });
  for (const warning of settings.warnings) err(`hermes: ${warning}\n`);
  return settings;
}

/** Opens a new or resumed session as the flags say. */
export async function openFromFlags(choices: SessionChoices, surface: Surface): Promise<Session> {
  const settings = await settingsFromFlags(choices);
  const { session, notice } = await openSession({
    ...choices,
    ...surface,
    settings,
    processEnv: Deno.env.toObject(),
    log: choices.verbose ? (line) => err(`hermes: ${line}\n`) : () => {},
  });
  if (notice !== undefined) err(`hermes: ${notice}\n`);
  return session;
}
