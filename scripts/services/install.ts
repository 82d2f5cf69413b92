/** The programs of all services, installed ahead of tests: those have no network to install from. */
import { needProgram, ServiceUnavailable } from "./_service.ts";

/** Programs and the Debian packages that have them. */
const PROGRAMS: readonly [name: string, debianPackage: string][] = [
  ["busybox", "busybox-static"],
  ["docker", "docker.io"],
  ["dockerd", "docker.io"],
  ["podman", "podman"],
  ["runc", "runc"],
  ["ssh", "openssh-client"],
  ["sshd", "openssh-server"],
];

/** Installs what is missing and can be installed; the tests say what they miss. */
export async function installServices(): Promise<void> {
  for (const [name, debianPackage] of PROGRAMS) {
    try {
      await needProgram(name, debianPackage);
    } catch (error) {
      if (!(error instanceof ServiceUnavailable)) throw error;
    }
  }
}
