/** Where commands start in each environment but the local one. Pure: asks no environment. */

/** The directory of a container that is meant for work. */
export const WORKSPACE = "/workspace";

const CONTAINERS = new Set(["docker", "singularity"]);
const CLOUDS = new Set(["modal", "daytona"]);
/** Directories of the user's own machine, which mean nothing in a cloud. */
const HOST_DIRECTORY = /^\/(?:Users|home)\//;

/** Absolute, or below the home there: `~`. `settings` is the `terminal` section. */
export function startDirectory(
  name: string,
  settings: Readonly<Record<string, unknown>> = {},
): string {
  const { cwd } = settings;
  const isThere = typeof cwd === "string" && /^[/~]/.test(cwd) &&
    !(CLOUDS.has(name) && HOST_DIRECTORY.test(cwd));
  if (isThere) return cwd;
  return CONTAINERS.has(name) ? WORKSPACE : "~";
}
