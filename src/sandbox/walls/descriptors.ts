/**
 * What a child has open before foreign code comes in: pipes, sockets and the runtime's own event
 * descriptors, never a file but the running executable, for reading. Foreign code can adopt any
 * number as a stream, so a file that the runtime or hermes' own parent left open would be the
 * script's to read and write. Linux only.
 */
import { architecture, type Libc, openPath } from "../../process/launcher/libc.ts";

const F_GETFD = 1;
const F_GETFL = 3;
/** The bits of `F_GETFL` that are zero for reading alone. */
const O_ACCMODE = 3;
const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
const LAST_DESCRIPTOR = 0xffff_ffff;
/** More than a fresh child ever has. */
const MANY_DESCRIPTORS = 256;

/** `struct timespec` of two milliseconds. */
const PAUSE = new Uint8Array(new BigUint64Array([0n, 2_000_000n]).buffer);
const MAX_LOOKS = 100;

const STAT_BYTES = 144;
/** Where `struct stat` has the mode. */
const MODE_AT = { "x86_64": 24, "aarch64": 16 } as const;
const KIND_MASK = 0o170000;
const REGULAR_FILE = 0o100000;
/** A fifo, a socket, and what is no file at all: event counters and event queues. */
const HARMLESS_KINDS: readonly number[] = [0o010000, 0o140000, 0];

/**
 * Closes what hermes was started with and makes sure that no file is left. The runtime marks its
 * own descriptors close-on-exec, so one without the mark came from outside.
 * @throws when the runtime itself holds a file other than its executable, a directory or a device.
 */
export function keepNoFiles(libc: Libc): void {
  for (const descriptor of candidates(libc)) {
    const isMarked = libc.call("fcntl", descriptor, F_GETFD) !== 0;
    if (descriptor > 2 && !isMarked) libc.call("close", descriptor);
  }
  let found = fileAmong(libc);
  // Threads of the runtime look into small files of the kernel while they start.
  for (let look = 0; found !== undefined && look < MAX_LOOKS; look++) {
    libc.call("nanosleep", PAUSE, 0);
    found = fileAmong(libc);
  }
  if (found !== undefined) throw new Error(`descriptor ${found} is neither a pipe nor a socket`);
}

/** The first descriptor of a file, a directory or a device. */
function fileAmong(libc: Libc): number | undefined {
  return candidates(libc).find((descriptor) => {
    const facts = factsOf(libc, descriptor);
    if (facts === undefined || HARMLESS_KINDS.includes(facts.kind)) return false;
    return facts.kind !== REGULAR_FILE || !isOwnProgram(libc, { descriptor, ...facts });
  });
}

interface Facts {
  /** The kind bits of its mode. */
  kind: number;
  device: bigint;
  inode: bigint;
}

/** What is open there, if anything. */
function factsOf(libc: Libc, descriptor: number): Facts | undefined {
  const stat = new Uint8Array(STAT_BYTES);
  if (libc.call("fstat", descriptor, stat) !== 0) return undefined;
  const view = new DataView(stat.buffer);
  return {
    kind: view.getUint32(MODE_AT[architecture()], true) & KIND_MASK,
    device: view.getBigUint64(0, true),
    inode: view.getBigUint64(8, true),
  };
}

/** A compiled program may keep its own executable open to read what is packed into it. */
function isOwnProgram(libc: Libc, file: Facts & { descriptor: number }): boolean {
  const flags = libc.call("fcntl", file.descriptor, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) !== 0) return false;
  const program = openPath(libc, { path: "/proc/self/exe", flags: O_PATH | O_CLOEXEC });
  if (program < 0) return false;
  const own = factsOf(libc, program);
  libc.call("close", program);
  return own?.device === file.device && own.inode === file.inode;
}

/** Numbers that may be open. */
function candidates(libc: Libc): number[] {
  const directory = openPath(libc, { path: "/proc/self/fd", flags: O_CLOEXEC });
  if (directory >= 0) return listed(libc, directory);
  // Behind Landlock the list cannot be opened. The launcher has closed everything, and the kernel
  // gives out the lowest numbers first.
  if (libc.call("close_range", MANY_DESCRIPTORS, LAST_DESCRIPTOR, 0) !== 0) {
    throw new Error("cannot list /proc/self/fd");
  }
  return Array.from({ length: MANY_DESCRIPTORS }, (_, descriptor) => descriptor);
}

/** The entries of the own `/proc/self/fd`, which `directory` holds open and which is closed then. */
function listed(libc: Libc, directory: number): number[] {
  const found: number[] = [];
  const buffer = new Uint8Array(16 * 1024);
  const view = new DataView(buffer.buffer);
  while (true) {
    const count = libc.call("getdents64", directory, buffer, buffer.length);
    if (count < 0) throw new Error("cannot list /proc/self/fd");
    if (count === 0) break;
    for (let at = 0; at < count; at += view.getUint16(at + 16, true)) {
      const name = buffer.subarray(at + 19, buffer.indexOf(0, at + 19));
      const descriptor = Number(new TextDecoder().decode(name));
      if (Number.isInteger(descriptor)) found.push(descriptor);
    }
  }
  libc.call("close", directory);
  return found.filter((descriptor) => descriptor !== directory);
}
