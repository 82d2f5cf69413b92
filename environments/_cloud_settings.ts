/** What the clouds read from the configuration and the credentials of the user. */
import { UsageError } from "../src/protocol/error.ts";
import { isAbsolute } from "../src/util/path.ts";
import type { EnvironmentOptions } from "./manifest.ts";

export interface CloudSettings {
  image: string;
  /** 0 is the cloud's own default, here and below. */
  cpus: number;
  memoryMb: number;
  diskMb: number;
  /** Keep the files for the next session. */
  persistent: boolean;
  idleMs: number;
  /** Where commands start; undefined for the home there. */
  cwd: string | undefined;
  /** Variables that the user hands to commands by name. */
  exports: Readonly<Record<string, string>>;
  /** Where hermes remembers its sandboxes. */
  ledgerDir: string;
}

const DEFAULT_IMAGE = "nikolaik/python-nodejs:python3.11-nodejs20";
/** Directories of the user's own machine, which mean nothing there. */
const HOST_DIRECTORY = /^\/(?:Users|home)\//;

export function cloudSettings(name: string, options: EnvironmentOptions): CloudSettings {
  const { settings = {}, home, env, passEnv = [] } = options;
  const sandboxes = settings.sandbox_dir || `${options.dataDir ?? `${home}/.hermes`}/sandboxes`;
  return {
    image: typed(settings[`${name}_image`], DEFAULT_IMAGE),
    cpus: typed(settings.container_cpu, 1),
    memoryMb: typed(settings.container_memory, 5120),
    diskMb: typed(settings.container_disk, 51_200),
    persistent: typed(settings.container_persistent, true),
    idleMs: typed(settings.lifetime_seconds, 300) * 1000,
    cwd: startDirectory(settings.cwd),
    exports: Object.fromEntries(
      passEnv.flatMap((key) => env[key] === undefined ? [] : [[key, env[key]]]),
    ),
    ledgerDir: `${sandboxes}/${name}`,
  };
}

/** Credentials by their names. @throws UsageError when one is missing: which, and where to get it. */
export function cloudCredentials<Name extends string>(
  options: EnvironmentOptions,
  wanted: { names: readonly Name[]; cloud: string; from: string },
): Record<Name, string> {
  const found = wanted.names.map((name) => [name, cloudVariable(options, name)]);
  const missing = found.filter(([, value]) => !value).map(([name]) => name);
  if (missing.length > 0) {
    throw new UsageError(`${wanted.cloud} needs ${missing.join(" and ")}`, {
      hint: `Create it at ${wanted.from} and put it into .env in the home of hermes, or export it`,
    });
  }
  return Object.fromEntries(found) as Record<Name, string>;
}

export function cloudVariable(options: EnvironmentOptions, name: string): string | undefined {
  return options.credential?.(name) ?? options.env[name];
}

function startDirectory(cwd: unknown): string | undefined {
  const usable = typeof cwd === "string" && isAbsolute(cwd) && !HOST_DIRECTORY.test(cwd);
  return usable ? cwd : undefined;
}

function typed<T>(value: unknown, or: T): T {
  return typeof value === typeof or ? value as T : or;
}
