/** Reading the `terminal` section: a value of the wrong kind counts as absent. */
import type { EnvironmentOptions } from "./options.ts";

export type TerminalSettings = Readonly<Record<string, unknown>>;

/** What containers and sandboxes are made from unless told otherwise. */
export const DEFAULT_IMAGE = "nikolaik/python-nodejs:python3.11-nodejs20";

/** The value, when it is of the same type as the default. */
export function readSetting(settings: TerminalSettings, key: string, or: string): string;
export function readSetting(settings: TerminalSettings, key: string, or: number): number;
export function readSetting(settings: TerminalSettings, key: string, or: boolean): boolean;
export function readSetting(settings: TerminalSettings, key: string, or: unknown): unknown {
  const value = settings[key];
  return typeof value === typeof or ? value : or;
}

export function readWords(settings: TerminalSettings, key: string): string[] {
  const value = settings[key];
  return Array.isArray(value) ? value.map(String) : [];
}

/** Variables that go to the other side: only what is named, never what merely looks harmless. */
export function passedVariables(
  { env, passEnv = [] }: Pick<EnvironmentOptions, "env" | "passEnv">,
  more: readonly string[] = [],
): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of [...passEnv, ...more]) if (env[name] !== undefined) passed[name] = env[name];
  return passed;
}

/** Where a backend keeps files on this machine. */
export function sandboxDir(
  { settings = {}, dataDir, home }: Pick<EnvironmentOptions, "settings" | "dataDir" | "home">,
  backend: string,
): string {
  const chosen = readSetting(settings, "sandbox_dir", "").replace(/^~(?=\/|$)/, home);
  return `${chosen || `${dataDir ?? `${home}/.hermes`}/sandboxes`}/${backend}`;
}
