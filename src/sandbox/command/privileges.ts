/**
 * What a command may do beyond its user's rights, and how much of the machine it may take: no
 * privileges by executing something, few of root's capabilities, bounded memory and processes.
 */
import { must, type Step } from "../../process/launcher/launcher_image.ts";
import type { SandboxLimits } from "../../protocol/sandbox.ts";

const PR_SET_NO_NEW_PRIVS = 38;
const CAPABILITY_VERSION_3 = 0x20080522;
/**
 * Of root's: owners and modes of the files it reaches (0, 1, 3, 4), acting as another user (6, 7),
 * and low ports (10). Nothing that reaches past the walls.
 */
const KEPT_CAPABILITIES = [0, 1, 3, 4, 6, 7, 10];
const RLIMIT_DATA = 2;
const RLIMIT_CORE = 4;
const RLIMIT_NPROC = 6;
/** As `/proc/self/limits` calls them. */
const LIMIT_NAMES: Readonly<Record<number, string>> = {
  [RLIMIT_DATA]: "data size",
  [RLIMIT_CORE]: "core file size",
  [RLIMIT_NPROC]: "processes",
};

export function commandPrivilegeSteps(
  limits: SandboxLimits,
  { keepsRoot }: { keepsRoot: boolean },
): Step[] {
  const header = new Uint8Array(new Uint32Array([CAPABILITY_VERSION_3, 0]).buffer);
  const isRoot = keepsRoot && Deno.uid() === 0;
  return [
    must("capset", header, capabilities(isRoot ? heldCapabilities() : 0)),
    must("prctl", PR_SET_NO_NEW_PRIVS, 1),
    limit(RLIMIT_CORE, 0),
    ...limits.memoryBytes > 0 ? [limit(RLIMIT_DATA, limits.memoryBytes)] : [],
    ...limits.processes > 0 ? [limit(RLIMIT_NPROC, limits.processes)] : [],
  ];
}

/** Effective and permitted alike, nothing to be passed on; the second half of each is for high numbers. */
function capabilities(kept: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new Uint32Array([kept, kept, 0, 0, 0, 0]).buffer);
}

/** Those of the kept ones that hermes itself has: asking for more fails. */
function heldCapabilities(): number {
  const status = Deno.readTextFileSync("/proc/self/status");
  const held = BigInt(`0x${/^CapPrm:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? "0"}`);
  return KEPT_CAPABILITIES.filter((bit) => (held >> BigInt(bit)) & 1n)
    .reduce((mask, bit) => mask | (1 << bit), 0);
}

/** The soft and the hard limit; where hermes was given less, that stays. */
function limit(resource: number, value: number): Step {
  const held = heldLimits(resource);
  const values = new BigUint64Array(held.map((one) => one < value ? BigInt(one) : BigInt(value)));
  const bytes = new Uint8Array(values.buffer);
  return { ...must("prlimit64", 0, resource, bytes), orElse: { skip: 0 } };
}

/** The limits of hermes itself, as the kernel writes them down. */
function heldLimits(resource: number): number[] {
  const name = LIMIT_NAMES[resource];
  const line = Deno.readTextFileSync("/proc/self/limits").split("\n")
    .find((one) => one.startsWith(`Max ${name} `));
  const words = line?.slice(`Max ${name}`.length).trim().split(/\s+/) ?? [];
  // `unlimited` is no number.
  return [words[0], words[1]].map((word) => Number(word ?? "none")).map((held) =>
    Number.isFinite(held) ? held : Infinity
  );
}
