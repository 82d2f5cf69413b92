/** Argument lists for singularity and apptainer. Pure: the same plan gives the same words. */
import type { RemoteCommandLine } from "../remote/remote_host.ts";
import { WORKSPACE } from "../start_directory.ts";

export interface InstancePlan {
  name: string;
  /** `docker://…`, or the path of an image. */
  image: string;
  /** Directory behind the root of a kept instance; undefined for memory. */
  overlayDir: string | undefined;
  /** Directory behind /workspace and temporary files. */
  scratchDir: string;
  cpus: number;
  memoryMb: number;
  /** False where the machine lets no ordinary user limit anything. */
  limits: boolean;
}

/** Nothing of the host is shared: no home, no environment, no processes. */
export function startArgs(plan: InstancePlan): string[] {
  return [
    "instance",
    "start",
    "--containall",
    "--no-home",
    "--no-privs",
    ...(plan.overlayDir === undefined ? ["--writable-tmpfs"] : ["--overlay", plan.overlayDir]),
    "--workdir",
    plan.scratchDir,
    "--scratch",
    WORKSPACE,
    ...(hasLimits(plan) && plan.memoryMb > 0 ? ["--memory", `${plan.memoryMb}M`] : []),
    ...(hasLimits(plan) && plan.cpus > 0 ? ["--cpus", String(plan.cpus)] : []),
    plan.image,
    plan.name,
  ];
}

export function hasLimits({ limits, memoryMb, cpus }: InstancePlan): boolean {
  return limits && (memoryMb > 0 || cpus > 0);
}

/** A shell in the instance; a terminal comes with the client's own. No option may set its home. */
export function execInstanceArgs(name: string, { shell, script }: RemoteCommandLine): string[] {
  return [
    "exec",
    "--containall",
    "--no-home",
    "--no-privs",
    "--pwd",
    WORKSPACE,
    `instance://${name}`,
    shell,
    "-c",
    `HOME=${WORKSPACE}; export HOME; ${script}`,
  ];
}

export function listArgs(name: string): string[] {
  return ["instance", "list", "--json", name];
}

export function stopArgs(name: string): string[] {
  return ["instance", "stop", "--timeout", "10", name];
}
