/** What the kernel would answer to a system call: the classic BPF machine on `struct seccomp_data`. */
import { type Arch, type SyscallName, SYSCALLS } from "../../src/process/launcher/syscalls_data.ts";

export const ARCHES: readonly Arch[] = ["x86_64", "aarch64"];

const AUDIT = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;
/** More instructions than the kernel takes are no filter. */
const MAX_INSTRUCTIONS = 4096;

export interface Call {
  number: number;
  args?: readonly (number | bigint)[];
  /** Of another architecture than the filter's. */
  audit?: number;
}

/** The answer of a filter to a call. @throws for what the kernel would not take. */
export function judge(filter: Uint8Array<ArrayBuffer>, arch: Arch, call: Call): number {
  if (filter.length / 8 > MAX_INSTRUCTIONS) throw new Error("the filter is too long");
  const data = new DataView(new ArrayBuffer(64));
  data.setUint32(0, call.number >>> 0, true);
  data.setUint32(4, call.audit ?? AUDIT[arch], true);
  (call.args ?? []).forEach((arg, i) => data.setBigUint64(16 + i * 8, BigInt(arg), true));
  const program = new DataView(filter.buffer);
  let accumulator = 0;
  for (let at = 0; at * 8 < filter.length; at++) {
    const code = program.getUint16(at * 8, true);
    const [ifTrue, ifFalse] = [program.getUint8(at * 8 + 2), program.getUint8(at * 8 + 3)];
    const value = program.getUint32(at * 8 + 4, true);
    if (code === 0x20) accumulator = data.getUint32(value, true);
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0;
    else if (code === 0x05) at += value;
    else if (code === 0x15) at += accumulator === value ? ifTrue : ifFalse;
    else if (code === 0x35) at += accumulator >= value ? ifTrue : ifFalse;
    else if (code === 0x06) return value;
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error("the filter ends without an answer");
}

/** The answers on both architectures to a call by its name; none where one lacks it. */
export function answers(
  filterOf: (arch: Arch) => Uint8Array<ArrayBuffer>,
  name: SyscallName,
  args: readonly (number | bigint)[] = [],
): Record<string, number> {
  const found = ARCHES.map((arch, i) => {
    const number = SYSCALLS[name][i]!;
    return [arch, number < 0 ? undefined : judge(filterOf(arch), arch, { number, args })] as const;
  });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined)) as Record<
    string,
    number
  >;
}

export function both(value: number): Record<string, number> {
  return { x86_64: value, aarch64: value };
}
