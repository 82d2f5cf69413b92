/**
 * Every place commands can run, by the name `--env` and `terminal.backend` use, imported when
 * it is chosen. A new backend is one folder and one line here.
 */
import type { Environment } from "../src/protocol/environment.ts";
import { UsageError } from "../src/protocol/error.ts";
import { didYouMean } from "../src/util/nearest.ts";
import type { LocalOptions } from "./local/local_environment.ts";
import type { EnvironmentOptions } from "./options.ts";

export type EnvironmentFactory = (options: EnvironmentOptions) => Promise<Environment>;

export const ENVIRONMENTS: Readonly<Record<string, EnvironmentFactory>> = {
  async local(options) {
    const { createLocalEnvironment } = await import("./local/local_environment.ts");
    return createLocalEnvironment({ ...localSettings(options), ...options });
  },
  docker: async (options) =>
    (await import("./docker/docker_environment.ts")).createDockerEnvironment(options),
  ssh: async (options) => (await import("./ssh/ssh_environment.ts")).createSshEnvironment(options),
  singularity: async (options) =>
    (await import("./singularity/singularity_environment.ts")).createSingularityEnvironment(
      options,
    ),
  modal: async (options) =>
    (await import("./cloud/modal_environment.ts")).createModalEnvironment(options),
  daytona: async (options) =>
    (await import("./cloud/daytona_environment.ts")).createDaytonaEnvironment(options),
};

/** The keys of `terminal` that this machine understands. */
function localSettings({ settings = {}, env, home }: EnvironmentOptions): Partial<LocalOptions> {
  const {
    shell_init_files: files,
    persistent_shell: persistent,
    daemon_term_grace_seconds: grace,
  } = settings;
  return {
    ...(Array.isArray(files)
      ? { initFiles: files.map((file) => String(file).replace(/^~(?=\/)/, home)) }
      : {}),
    ...(persistent === false ? { persistent } : {}),
    ...(typeof grace === "number" ? { killGraceMs: grace * 1000 } : {}),
    ...(env.SUDO_PASSWORD === undefined ? {} : { sudoPassword: env.SUDO_PASSWORD }),
  };
}

/** Names other versions had; `vercel` and `vercel_sandbox` are no longer offered. */
const RETIRED = /^vercel/;

/** Cheap: nothing is loaded. @throws UsageError for a name that is none. */
export function environmentFactory(name: string): EnvironmentFactory {
  const factory = Object.hasOwn(ENVIRONMENTS, name) ? ENVIRONMENTS[name] : undefined;
  if (factory) return factory;
  const names = Object.keys(ENVIRONMENTS);
  const hint = `Set terminal.backend (or --env) to one of: ${names.join(", ")}`;
  if (RETIRED.test(name)) {
    throw new UsageError(`The environment "${name}" is not part of hermes`, { hint });
  }
  throw new UsageError(`Unknown environment "${name}".${didYouMean(name, names)}`, { hint });
}

/** @throws UsageError for a name that is none. */
export async function createEnvironment(
  name: string,
  options: EnvironmentOptions,
): Promise<Environment> {
  return await environmentFactory(name)(options);
}

const SSH_ADDRESS = /^(?:([^@]+)@)?([^:]+)(?::(\d{1,5}))?$/;

/**
 * Settings that `--env` overrides, by dotted path. A name, and for this one task
 * also which: `docker:IMAGE`, `ssh:[USER@]HOST[:PORT]`.
 * @throws UsageError for a name that is none, and for what cannot follow it.
 */
export function environmentOverrides(text: string): Record<string, unknown> {
  const [, name = text, place] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  environmentFactory(name);
  const backend = { "terminal.backend": name };
  if (place === undefined) return backend;
  if (name !== "local" && name !== "ssh" && place !== "") {
    return { ...backend, [`terminal.${name}_image`]: place };
  }
  const [, user = "", host, port = "22"] = SSH_ADDRESS.exec(place) ?? [];
  if (name !== "ssh" || host === undefined) {
    throw new UsageError(`"${place}" cannot follow "${name}:"`, {
      hint: "Write docker:IMAGE, ssh:[USER@]HOST[:PORT], or the name alone",
    });
  }
  return {
    ...backend,
    "terminal.ssh_host": host,
    "terminal.ssh_user": user,
    "terminal.ssh_port": Number(port),
  };
}
