/**
 * Commands and files in an instance of singularity or apptainer: the container program of
 * machines where users have no root rights. The root is kept in an overlay or in memory;
 * /workspace and temporary files are in a scratch directory.
 */
import type { Environment } from "../../src/protocol/environment.ts";
import { EnvironmentError } from "../../src/protocol/error.ts";
import { randomId } from "../../src/util/id.ts";
import { which } from "../../src/util/which.ts";
import { type ChildEnvironment, clientEnvironment } from "../../src/process/child_environment.ts";
import { runClient } from "../remote/run_client.ts";
import { createRemoteEnvironment } from "../remote/remote_environment.ts";
import { DEFAULT_IMAGE, passedVariables, readSetting, sandboxDir } from "../settings.ts";
import { SingularityHost } from "./_singularity_host.ts";
import type { EnvironmentOptions } from "../options.ts";

/** Starts the instance. @throws EnvironmentError when that is impossible. */
export async function createSingularityEnvironment(
  options: EnvironmentOptions,
): Promise<Environment> {
  return await createRemoteEnvironment({
    name: "singularity",
    sharesHost: false,
    host: await openSingularity(options),
    exports: passedVariables(options),
    settings: options.settings,
  });
}

/** The instance; starts nothing yet. @throws EnvironmentError when the program is not installed. */
export async function openSingularity(options: EnvironmentOptions): Promise<SingularityHost> {
  const { home, settings = {} } = options;
  const env = clientEnvironment(options.env, {
    pass: Object.keys(options.env).filter((name) => /^(?:APPTAINER|SINGULARITY)_/.test(name)),
    home,
  });
  const program = (await findSingularity(env)).path;
  const name = `hermes-${randomId(12)}`;
  const base = sandboxDir(options, "singularity");
  const instancesDir = `${base}/instances`;
  const persistent = readSetting(settings, "container_persistent", true);
  return new SingularityHost({
    program,
    env,
    instancesDir,
    onProgress: options.onProgress ?? (() => {}),
    plan: {
      name,
      image: readSetting(settings, "singularity_image", `docker://${DEFAULT_IMAGE}`),
      overlayDir: persistent ? `${base}/overlay` : undefined,
      scratchDir: persistent ? `${base}/scratch` : `${instancesDir}/${name}/scratch`,
      cpus: readSetting(settings, "container_cpu", 1),
      memoryMb: readSetting(settings, "container_memory", 5120),
      limits: true,
    },
  });
}

/** The program and its version. A game has the same name. */
export async function findSingularity(
  env: ChildEnvironment,
): Promise<{ path: string; version: string }> {
  for (const name of ["apptainer", "singularity"]) {
    const path = await which(name, env.PATH);
    if (path === undefined) continue;
    const { stdout } = await runClient([path, "--version"], { env, timeoutMs: 10_000 });
    if (/^(?:apptainer|singularity).* version/.test(stdout)) {
      return { path, version: stdout.trim() };
    }
  }
  throw new EnvironmentError(
    "Neither apptainer nor singularity is installed. Install one, or run commands with --env local",
  );
}
