/** The hooks of a session: those of plugins, then shell commands a person has consented to. */
import { settingsRedactor } from "../config/known_secrets.ts";
import type { Settings } from "../config/load.ts";
import { UsageError } from "../protocol/error.ts";
import type { HookRunner } from "../protocol/hook.ts";
import type { SessionPlugins } from "../protocol/plugin.ts";
import { HOOK_CONSENT_FILE, HookConsents } from "../registry/hooks/hook_consent.ts";
import { spawnHook } from "../registry/hooks/hook_process.ts";
import { Hooks } from "../registry/hooks/hooks.ts";
import { attachShellHooks, parseShellHooks, unrunnable } from "../registry/hooks/shell_hooks.ts";
import { joinPath } from "../util/path.ts";
import { Seal, SEAL_KEY_FILE } from "../util/seal.ts";

export interface HookSetup {
  settings: Settings;
  processEnv: Readonly<Record<string, string>>;
  cwd: string;
  acceptHooks: boolean;
  plugins?: SessionPlugins;
  log: (line: string) => void;
  /** What the person should know before anything runs. */
  notice: (line: string) => void;
}

/**
 * Reads, checks and attaches the configured hooks. Those that do not run are named in a notice.
 * @throws {UsageError} when one that fails closed cannot be understood.
 */
export async function openHooks(setup: HookSetup): Promise<HookRunner> {
  const { settings } = setup;
  const redact = settingsRedactor(settings);
  const log = (line: string) => setup.log(redact(line));
  const runner = new Hooks({ log, redact: (text) => redact(text, "code") });
  setup.plugins?.attachHooks(runner);
  const { hooks, problems, missingGuards } = parseShellHooks(settings.config.hooks);
  if (missingGuards.length > 0) {
    throw new UsageError(missingGuards[0]!, { hint: "Correct it: hermes config edit" });
  }
  const lost = await unrunnable(hooks, { env: setup.processEnv, cwd: setup.cwd });
  for (const problem of [...problems, ...lost]) setup.notice(problem);
  const { home } = settings;
  const seal = new Seal(joinPath(home.root, SEAL_KEY_FILE));
  await attachShellHooks(runner, hooks, {
    spawn: (run) => spawnHook({ ...run, pass: settings.config.terminal.env_passthrough }),
    env: setup.processEnv,
    cwd: setup.cwd,
    log,
    notice: setup.notice,
    consents: await HookConsents.read(home.path(HOOK_CONSENT_FILE), seal),
    copies: home.path("cache", "hooks"),
    accept: setup.acceptHooks || settings.config.hooks_auto_accept,
  });
  return runner;
}
