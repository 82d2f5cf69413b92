/** From flags to an open session: home, settings, surface answers. The only way commands open one. */
import type { Settings } from "../../config/load.ts";
import type { Approver } from "../../protocol/approval.ts";
import type { Clarifier } from "../../protocol/services.ts";
import { openSession } from "../../session/open.ts";
import type { Session } from "../../session/session.ts";
import { resolvePath } from "../../util/path.ts";
import { err } from "../io.ts";
import { settingsOf } from "../settings.ts";
import type { SessionChoices } from "./run_options.ts";

export interface Surface {
  source: "run" | "chat";
  record?: string;
  replay?: string;
  approver?: Approver;
  clarifier?: Clarifier;
}

/** Opens a new or resumed session as the flags say. */
export async function openFromFlags(
  choices: SessionChoices,
  surface: Surface,
): Promise<{ session: Session; settings: Settings }> {
  const settings = await settingsOf({ flags: { profile: choices.profile } });
  const { session, notice } = await openSession({
    ...choices,
    ...surface,
    cwd: startDirectory(choices, settings),
    settings,
    processEnv: Deno.env.toObject(),
    log: choices.verbose ? (line) => err(`hermes: ${line}\n`) : () => {},
  });
  if (notice !== undefined) err(`hermes: ${notice}\n`);
  return { session, settings };
}

/** `terminal.cwd` moves a local session; elsewhere the path belongs to the other machine. */
function startDirectory(choices: SessionChoices, settings: Settings): string {
  const { backend, cwd } = settings.config.terminal;
  if (choices.cwdGiven || (choices.environment ?? backend) !== "local") return choices.cwd;
  return resolvePath(choices.cwd, cwd.replace(/^~(?=$|\/)/, Deno.env.get("HOME") ?? "~"));
}
