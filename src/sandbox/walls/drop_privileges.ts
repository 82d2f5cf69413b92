/**
 * Gives up what a process could do beyond its user's rights, for good: capabilities, and gaining
 * any by executing something. By the process itself or by the launcher before it.
 */
import { must, type Step } from "../../process/launcher/launcher_image.ts";
import type { Libc } from "../../process/launcher/libc.ts";

const PR_SET_PDEATHSIG = 1;
const PR_SET_DUMPABLE = 4;
const PR_SET_NO_NEW_PRIVS = 38;
const SIGKILL = 9;
const CAPABILITY_VERSION_3 = 0x20080522;
/** Effective, permitted, inheritable: none. */
const NO_CAPABILITIES = new Uint8Array(24);

function capabilityHeader(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new Uint32Array([CAPABILITY_VERSION_3, 0]).buffer);
}

/** Also ties the life of this process to its parent's and hides it from others of the user. */
export function dropPrivileges(libc: Libc, parentPid: number): void {
  libc.call("prctl", PR_SET_PDEATHSIG, SIGKILL);
  if (libc.call("getppid") !== parentPid) throw new Error("the parent is gone");
  libc.call("prctl", PR_SET_DUMPABLE, 0);
  libc.call("capset", capabilityHeader(), NO_CAPABILITIES);
  if (libc.call("prctl", PR_SET_NO_NEW_PRIVS, 1) !== 0) {
    throw new Error("no-new-privs was refused");
  }
}

/**
 * For all threads of what is executed afterwards: capabilities belong to one. The process itself
 * still has to drop them, because executing undoes the rest.
 */
export function privilegeSteps(): Step[] {
  return [
    { call: "capset", args: [capabilityHeader(), NO_CAPABILITIES], orElse: { skip: 0 } },
    must("prctl", PR_SET_NO_NEW_PRIVS, 1),
  ];
}
