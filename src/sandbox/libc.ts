/**
 * The few C library calls the walls are made of, through Deno's FFI. Knows signatures and
 * memory layout; decides nothing. Only Linux has the kernel walls; other systems get limits.
 */

const SYMBOLS = {
  // The kernel calls without a wrapper; a pointer goes where a buffer stands.
  syscall: { parameters: ["i64", "i64", "i64", "i64", "i64"], result: "i64" },
  syscallBuffer: {
    name: "syscall",
    parameters: ["i64", "buffer", "i64", "i64", "i64"],
    result: "i64",
  },
  syscallBuffers: { name: "syscall", parameters: ["i64", "buffer", "buffer"], result: "i64" },
  syscallThird: {
    name: "syscall",
    parameters: ["i64", "i64", "i64", "buffer", "i64"],
    result: "i64",
  },
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  setrlimit: { parameters: ["i32", "buffer"], result: "i32" },
  open: { parameters: ["buffer", "i32"], result: "i32" },
  close: { parameters: ["i32"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  socket: { parameters: ["i32", "i32", "i32"], result: "i32" },
  connect: { parameters: ["i32", "buffer", "u32"], result: "i32" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  getppid: { parameters: [], result: "i32" },
  getpagesize: { parameters: [], result: "i32" },
  pipe: { parameters: ["buffer"], result: "i32" },
  dup2: { parameters: ["i32", "i32"], result: "i32" },
  execve: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
} as const;

type Symbols = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

export interface Libc {
  call: Symbols;
  close(): void;
}

/** Opens the C library. @throws where it cannot be loaded or FFI is not permitted. */
export function openLibc(): Libc {
  const library = Deno.dlopen("libc.so.6", SYMBOLS);
  return { call: library.symbols, close: () => library.close() };
}

/** A small file by way of the C library, where Deno may not read: the process's own `/proc` files. */
export function readThroughLibc(libc: Libc, path: string): string {
  const descriptor = libc.call.open(cString(path), 0);
  if (descriptor < 0) throw new Error(`cannot read ${path}`);
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  while (true) {
    const count = Number(libc.call.read(descriptor, buffer, BigInt(buffer.length)));
    if (count <= 0) break;
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  libc.call.close(descriptor);
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
