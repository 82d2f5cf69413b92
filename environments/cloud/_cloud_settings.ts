/** What the clouds read from the configuration and the credentials of the user. */
import { UsageError } from "../../src/protocol/error.ts";
import { DEFAULT_IMAGE, passedVariables, readSetting, sandboxDir } from "../settings.ts";
import type { EnvironmentOptions } from "../options.ts";

export interface CloudSettings {
  image: string;
  /** 0 is the cloud's own default, here and below. */
  cpus: number;
  memoryMb: number;
  diskMb: number;
  /** Keep the files for the next session. */
  persistent: boolean;
  idleMs: number;
  /** Variables that the user hands to commands by name. */
  exports: Readonly<Record<string, string>>;
  /** Where hermes remembers its sandboxes. */
  ledgerDir: string;
}

export function cloudSettings(name: string, options: EnvironmentOptions): CloudSettings {
  const { settings = {} } = options;
  return {
    image: readSetting(settings, `${name}_image`, DEFAULT_IMAGE),
    cpus: readSetting(settings, "container_cpu", 1),
    memoryMb: readSetting(settings, "container_memory", 5120),
    diskMb: readSetting(settings, "container_disk", 51_200),
    persistent: readSetting(settings, "container_persistent", true),
    idleMs: readSetting(settings, "lifetime_seconds", 300) * 1000,
    exports: passedVariables(options),
    ledgerDir: sandboxDir(options, name),
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
