/**
 * A program that makes a list of system calls, one after the other, and nothing else: an ELF
 * executable of one read-only segment. The last call executes what is launched: a program that
 * was fixed with the list, or the one that the arguments name. Needs no libraries, no compiler
 * and no millisecond; the same list serves both architectures.
 */
import { type Arch, type SyscallName, SYSCALLS } from "./syscalls_data.ts";

/**
 * A buffer is passed by its address, a list of buffers as an array of addresses that ends with 0,
 * a filter as the structure that the kernel wants around it.
 */
export type StepArgument =
  | number
  | bigint
  | Uint8Array
  | readonly Uint8Array[]
  | { readonly instructions: Uint8Array };

export interface Step {
  call: SyscallName;
  args: readonly StepArgument[];
  /** What happens when it fails: later steps to leave out, or the last line on standard error. */
  orElse: { skip: number } | { fail: string };
  /** Executes the launcher's own first argument, with the others and its own environment. */
  given?: true;
}

/** The last step of a launcher that serves any program: `launcher PROGRAM ARGUMENT…`. */
export const EXECUTE_GIVEN: Step = {
  call: "execve",
  args: [],
  orElse: { fail: "hermes: the program cannot be executed" },
  given: true,
};

/** A step without which nothing is launched. */
export function must(call: SyscallName, ...args: StepArgument[]): Step {
  return { call, args, orElse: { fail: `sandbox: ${call} failed` } };
}

const BASE = 0x40_0000;
const ELF_HEADER_BYTES = 64;
const SEGMENT_HEADER_BYTES = 56;
const CODE_AT = ELF_HEADER_BYTES + SEGMENT_HEADER_BYTES;
const CODE_BYTES = 128;
const TABLE_AT = CODE_AT + CODE_BYTES;
/** Number, five arguments, and the address of the entry to go on with when the call fails. */
const ENTRY_BYTES = 7 * 8;
const MAX_ARGUMENTS = 5;
/** The number of the step that executes what was given. */
const GIVEN = -1n;
const STDERR = 2;
/** The size of an instruction of a filter. */
const INSTRUCTION_BYTES = 8;

/**
 * Walks the table: `entry` is kept in a register that no system call changes, and so is the
 * stack of the start, where the arguments and the environment are.
 */
const CODE: Readonly<Record<Arch, string>> = {
  "x86_64": [
    "bb f8 00 40 00", // mov ebx, table
    "49 89 e4", //       mov r12, rsp
    "48 8b 03", //       next: mov rax, [rbx]
    "48 85 c0", //       test rax, rax
    "78 27", //          js given
    "48 8b 7b 08", //    mov rdi, [rbx+8]
    "48 8b 73 10", //    mov rsi, [rbx+16]
    "48 8b 53 18", //    mov rdx, [rbx+24]
    "4c 8b 53 20", //    mov r10, [rbx+32]
    "4c 8b 43 28", //    mov r8, [rbx+40]
    "0f 05", //          syscall
    "48 85 c0", //       test rax, rax
    "78 06", //          js failed
    "48 83 c3 38", //    add rbx, 56
    "eb d7", //          jmp next
    "48 8b 5b 30", //    failed: mov rbx, [rbx+48]
    "eb d1", //          jmp next
    "49 8b 7c 24 10", // given: mov rdi, [r12+16]
    "49 8d 74 24 10", // lea rsi, [r12+16]
    "49 8b 04 24", //    mov rax, [r12]
    "49 8d 54 c4 10", // lea rdx, [r12+rax*8+16]
    "b8 3b 00 00 00", // mov eax, execve
    "0f 05", //          syscall
    "eb de", //          jmp failed
  ].join(""),
  "aarch64": [
    "13 1f 80 d2", // mov x19, #0xf8
    "13 08 a0 f2", // movk x19, #0x40, lsl #16
    "f4 03 00 91", // mov x20, sp
    "68 02 40 a9", // next: ldp x8, x0, [x19]
    "28 01 f8 b7", // tbnz x8, #63, given
    "61 0a 41 a9", // ldp x1, x2, [x19, #16]
    "63 12 42 a9", // ldp x3, x4, [x19, #32]
    "01 00 00 d4", // svc #0
    "60 00 f8 b7", // tbnz x0, #63, failed
    "73 e2 00 91", // add x19, x19, #56
    "f9 ff ff 17", // b next
    "73 1a 40 f9", // failed: ldr x19, [x19, #48]
    "f7 ff ff 17", // b next
    "89 02 40 f9", // given: ldr x9, [x20]
    "80 0a 40 f9", // ldr x0, [x20, #16]
    "81 42 00 91", // add x1, x20, #16
    "22 0c 09 8b", // add x2, x1, x9, lsl #3
    "a8 1b 80 d2", // mov x8, execve
    "01 00 00 d4", // svc #0
    "f8 ff ff 17", // b failed
  ].join(""),
};

const MACHINE: Readonly<Record<Arch, number>> = { "x86_64": 62, "aarch64": 183 };

/** The executable that makes these calls. Its last step must not return. */
export function launcherImage(steps: readonly Step[], arch: Arch): Uint8Array<ArrayBuffer> {
  const entries = withFailures(steps);
  const data = new Data(TABLE_AT + entries.length * ENTRY_BYTES);
  const column = arch === "x86_64" ? 0 : 1;
  const table = new BigUint64Array(entries.length * 7);
  entries.forEach(({ call, args, failsTo, given }, i) => {
    if (args.length > MAX_ARGUMENTS) throw new Error(`${call} has too many arguments`);
    const number = given ? GIVEN : BigInt(SYSCALLS[call][column]);
    const words = [number, ...args.map((arg) => data.word(arg))];
    table.set(words.map((word) => BigInt.asUintN(64, word)), i * 7);
    table[i * 7 + 6] = BigInt(BASE + TABLE_AT + failsTo * ENTRY_BYTES);
  });
  const code = Uint8Array.fromHex(CODE[arch].replaceAll(" ", ""));
  const image = new Uint8Array(data.end);
  image.set(header(arch, image.length));
  image.set(code, CODE_AT);
  image.set(new Uint8Array(table.buffer), TABLE_AT);
  data.copyTo(image);
  return image;
}

interface Entry extends Pick<Step, "call" | "args" | "given"> {
  /** Index of the entry that follows a failure. */
  failsTo: number;
}

/** The steps, and behind them two entries for each that may end the program: a line, and the end. */
function withFailures(steps: readonly Step[]): Entry[] {
  const failures: Entry[] = [];
  const entries = steps.map(({ orElse, ...step }, i): Entry => {
    if ("skip" in orElse) return { ...step, failsTo: i + 1 + orElse.skip };
    const failsTo = steps.length + failures.length;
    const line = new TextEncoder().encode(`${orElse.fail}\n`);
    failures.push({ call: "write", args: [STDERR, line, line.length], failsTo: failsTo + 1 });
    failures.push({ call: "exit_group", args: [1], failsTo: failsTo + 1 });
    return { ...step, failsTo };
  });
  return [...entries, ...failures];
}

/** What arguments point to, laid out behind the table. */
class Data {
  readonly #pieces: { at: number; bytes: Uint8Array }[] = [];
  end: number;

  constructor(start: number) {
    this.end = start;
  }

  /** The argument as the register takes it. */
  word(argument: StepArgument): bigint {
    if (typeof argument === "number" || typeof argument === "bigint") return BigInt(argument);
    if (argument instanceof Uint8Array) return this.#place(argument);
    if ("instructions" in argument) return this.#filter(argument.instructions);
    const pointers = new BigUint64Array(argument.length + 1);
    argument.forEach((bytes, i) => pointers[i] = this.#place(bytes));
    return this.#place(new Uint8Array(pointers.buffer));
  }

  /** `struct sock_fprog`: how many instructions, and where. */
  #filter(instructions: Uint8Array): bigint {
    const words = new BigUint64Array(2);
    words[0] = BigInt(instructions.length / INSTRUCTION_BYTES);
    words[1] = this.#place(instructions);
    return this.#place(new Uint8Array(words.buffer));
  }

  copyTo(image: Uint8Array): void {
    for (const { at, bytes } of this.#pieces) image.set(bytes, at);
  }

  #place(bytes: Uint8Array): bigint {
    const at = Math.ceil(this.end / 8) * 8;
    this.#pieces.push({ at, bytes });
    this.end = at + bytes.length;
    return BigInt(BASE + at);
  }
}

function header(arch: Arch, size: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(CODE_AT));
  view.setUint32(0, 0x7f454c46); // magic
  view.setUint32(4, 0x02010100); // 64 bits, little endian, version 1
  view.setUint16(16, 2, true); // an executable at a fixed address
  view.setUint16(18, MACHINE[arch], true);
  view.setUint32(20, 1, true);
  view.setBigUint64(24, BigInt(BASE + CODE_AT), true); // entry
  view.setBigUint64(32, BigInt(ELF_HEADER_BYTES), true); // the segment's header
  view.setUint16(52, ELF_HEADER_BYTES, true);
  view.setUint16(54, SEGMENT_HEADER_BYTES, true);
  view.setUint16(56, 1, true); // segments
  view.setUint16(58, 64, true); // size of a section header, of which there is none
  view.setUint32(64, 1, true); // loaded
  view.setUint32(68, 5, true); // readable, executable
  view.setBigUint64(80, BigInt(BASE), true); // virtual address
  view.setBigUint64(88, BigInt(BASE), true);
  view.setBigUint64(96, BigInt(size), true);
  view.setBigUint64(104, BigInt(size), true);
  view.setBigUint64(112, 0x1_0000n, true); // the largest page there is
  return new Uint8Array(view.buffer);
}
