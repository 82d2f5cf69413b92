/**
 * System calls through the C library's `syscall`, by name and for both architectures. Knows
 * numbers and memory layout; decides nothing. One symbol, because each costs a third of a
 * millisecond to bind. Linux only.
 */
import { type Arch, type SyscallName, SYSCALLS } from "./syscalls_data.ts";

const SYMBOLS = {
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64", "i64"], result: "i64" },
} as const;

export const AT_FDCWD = -100;

export type SyscallArgument = number | bigint | Uint8Array<ArrayBuffer>;

export interface Libc {
  /** What the call returns, -1 for any error. A buffer is passed by its address. */
  call(name: SyscallName, ...args: SyscallArgument[]): number;
  close(): void;
}

/** Opens the C library. @throws where it cannot be loaded or FFI is not permitted. */
export function openLibc(): Libc {
  const library = Deno.dlopen("libc.so.6", SYMBOLS);
  const column = architecture() === "x86_64" ? 0 : 1;
  return {
    call(name, ...args) {
      const [a, b, c, d, e] = args.map((arg) =>
        arg instanceof Uint8Array ? addressOf(arg) : BigInt(arg)
      );
      const number = BigInt(SYSCALLS[name][column]);
      return Number(library.symbols.syscall(number, a ?? 0n, b ?? 0n, c ?? 0n, d ?? 0n, e ?? 0n));
    },
    close: () => library.close(),
  };
}

/** The architecture as the filters name it. */
export function architecture(): Arch {
  return Deno.build.arch as Arch;
}

/** Opens a path; -1 when it cannot. */
export function openPath(libc: Libc, file: { path: string; flags: number }): number {
  return libc.call("openat", AT_FDCWD, cString(file.path), file.flags);
}

/** A small file by way of the C library, where Deno may not read: the process's own `/proc` files. */
export function readThroughLibc(libc: Libc, path: string): string {
  const descriptor = openPath(libc, { path, flags: 0 });
  if (descriptor < 0) throw new Error(`cannot read ${path}`);
  return readDescriptor(libc, descriptor);
}

/** What is left to read from a descriptor, which is closed then. */
export function readDescriptor(libc: Libc, descriptor: number): string {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  while (true) {
    const count = libc.call("read", descriptor, buffer, buffer.length);
    if (count <= 0) break;
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  libc.call("close", descriptor);
  return text;
}

/** A NUL-terminated string. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${text}\0`) as Uint8Array<ArrayBuffer>;
}

/** The address of a buffer that the caller keeps alive. */
export function addressOf(buffer: Uint8Array<ArrayBuffer>): bigint {
  return BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer)));
}

/** A NULL-terminated `char*[]` of buffers that the caller keeps alive. */
export function pointerArray(strings: readonly Uint8Array<ArrayBuffer>[]): Uint8Array<ArrayBuffer> {
  const pointers = new BigUint64Array(strings.length + 1);
  strings.forEach((string, i) => pointers[i] = addressOf(string));
  return new Uint8Array(pointers.buffer);
}

/** `struct sockaddr_un` for a path. @throws when the path is too long for one. */
export function unixAddress(path: string): Uint8Array<ArrayBuffer> {
  const bytes = cString(path);
  if (bytes.length > 108) throw new Error(`socket path is longer than 107 bytes: ${path}`);
  const address = new Uint8Array(2 + bytes.length);
  address[0] = 1; // AF_UNIX, little endian
  address.set(bytes, 2);
  return address;
}
