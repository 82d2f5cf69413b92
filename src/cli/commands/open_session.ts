/** The host of a command: settings of its home, variables of its process, words of its terminal. */
import { Host, type Opener } from "../../host/host.ts";
import { err } from "../io.ts";
import { ownEnvironment } from "../own_environment.ts";
import { settingsOf } from "../settings.ts";
import type { SessionChoices } from "./run/options.ts";

/** The host of this process. */
export async function openHost({ profile, quiet }: SessionChoices): Promise<Host> {
  return new Host({
    settings: await settingsOf({ flags: { profile, quiet } }),
    cwd: Deno.cwd(),
    processEnv: ownEnvironment(),
    ownCommands: async () => await (await import("./open_plugins.ts")).ownCommands(),
  });
}

export interface Terminal {
  /** Asks a yes-or-no question; absent when no person is present. */
  confirm?: (question: string) => Promise<boolean>;
  /** Shows a line that may come at any time; default standard error. */
  tell?: (line: string) => void;
}

/** How the person at this terminal is reached while a session opens. */
export function openerOf(
  { settings }: Pick<Host, "settings">,
  { verbose, quiet, confirm, tell = (line) => err(`${line}\n`) }: OpenerChoices,
): Opener {
  const say = (line: string) => tell(`hermes: ${line}`);
  const opener: Opener = { tell: say, quiet, ...(verbose ? { log: say } : {}) };
  if (confirm === undefined) return opener;
  const questions = async () =>
    (await import("./open_plugins.ts")).pluginQuestions(settings, confirm);
  return {
    ...opener,
    confirmPlugin: async (...about) => await (await questions()).confirm(...about),
    confirmPluginChange: async (change) => await (await questions()).confirmChange(change),
  };
}

type OpenerChoices = Pick<SessionChoices, "verbose" | "quiet"> & Terminal;
