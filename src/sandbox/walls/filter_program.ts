/**
 * The instructions that seccomp filters are made of: tests of a system call's arguments, and the
 * bytes the kernel takes. Says nothing about which calls are allowed.
 */

export const LOAD = 0x20;
export const AND = 0x54;
/** Jumps always, by as many instructions as the value says. */
export const JUMP = 0x05;
export const JUMP_EQUAL = 0x15;
export const JUMP_GREATER_EQUAL = 0x35;
export const RETURN = 0x06;
export const RET_ALLOW = 0x7fff0000;
export const DATA_NUMBER = 0;
export const DATA_ARCH = 4;
export const AUDIT_ARCH = { x86_64: 0xc000003e, aarch64: 0xc00000b7 } as const;

export type Instruction = readonly [
  code: number,
  ifTrue: number,
  ifFalse: number,
  value: number,
];

/** `(argument & mask)` must be one of `values`; `null` wants a null pointer. */
export type ArgTest = { arg: number; values: readonly number[]; mask?: number } | {
  arg: number;
  null: true;
};

/** The answer that makes a call fail with this error number. */
export function refusal(errno: number): number {
  return 0x00050000 | errno;
}

function argOffset(index: number, half: 0 | 4 = 0): number {
  return 16 + index * 8 + half;
}

/** Falls through when the test holds, else jumps `onFailure` instructions past its end. */
export function compileTest(test: ArgTest, onFailure: number): Instruction[] {
  if ("null" in test) {
    return [
      [LOAD, 0, 0, argOffset(test.arg)],
      [JUMP_EQUAL, 0, onFailure + 2, 0],
      [LOAD, 0, 0, argOffset(test.arg, 4)],
      [JUMP_EQUAL, 0, onFailure, 0],
    ];
  }
  const head: Instruction[] = [[LOAD, 0, 0, argOffset(test.arg)]];
  if (test.mask !== undefined) head.push([AND, 0, 0, test.mask]);
  const count = test.values.length;
  const compares = test.values.map((value, i): Instruction => {
    const last = i === count - 1;
    return [JUMP_EQUAL, count - 1 - i, last ? onFailure : 0, value];
  });
  return [...head, ...compares];
}

/** The program as the bytes of `struct sock_filter[]`. */
export function assemble(program: readonly Instruction[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(program.length * 8);
  const view = new DataView(bytes.buffer);
  program.forEach(([code, ifTrue, ifFalse, value], i) => {
    view.setUint16(i * 8, code, true);
    view.setUint8(i * 8 + 2, ifTrue);
    view.setUint8(i * 8 + 3, ifFalse);
    view.setUint32(i * 8 + 4, value >>> 0, true);
  });
  return bytes;
}
