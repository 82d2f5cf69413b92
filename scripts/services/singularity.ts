/**
 * Apptainer or singularity for tests, with the same small image as docker has. Installed from
 * Debian where that has a package; nothing keeps running.
 */
import { onlyVariables } from "../../src/process/child_environment.ts";
import { findSingularity } from "../../environments/singularity/singularity_environment.ts";
import { busyboxArchive } from "./_image.ts";
import { type HeldService, holdService, needProgram, run, ServiceUnavailable } from "./_service.ts";

export interface SingularityService {
  /** Absolute path of the program. */
  program: string;
  /** Where hermes of tests keeps its files. */
  dataDir: string;
  /** Busybox: `sh`, no bash. */
  image: string;
}

/** @throws ServiceUnavailable where the machine forbids it. */
export function holdSingularity(): Promise<HeldService<SingularityService>> {
  return holdService<SingularityService>({
    name: "singularity",
    works: async ({ program }) => (await run([program, "--version"])).code === 0,
    start: startSingularity,
    stop: () => Promise.resolve(),
  });
}

async function startSingularity(dir: string): Promise<SingularityService> {
  const program = await find() ?? await install();
  await busyboxArchive(dir);
  const image = `${dir}/box`;
  const made = await run([program, "build", "--sandbox", image, `${dir}/image`]);
  if (made.code !== 0) {
    throw new ServiceUnavailable(`${program} does not work here: ${made.output.trim()}`);
  }
  return { program, dataDir: `${dir}/hermes`, image };
}

async function find(): Promise<string | undefined> {
  try {
    return (await findSingularity(onlyVariables({ PATH: "/usr/local/bin:/usr/bin:/bin" }))).path;
  } catch {
    return undefined; // Not installed.
  }
}

async function install(): Promise<string> {
  const known = await run(["apt-cache", "show", "apptainer"]).catch(() => undefined);
  if (known?.code === 0) return await needProgram("apptainer", "apptainer");
  throw new ServiceUnavailable(
    "neither apptainer nor singularity is installed, and this system has no package of them",
  );
}
