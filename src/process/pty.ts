/**
 * Pseudo-terminals on Linux through libc, with nothing to install. Each one holds a waiting
 * thread of the runtime's pool while it is open; a pipe wakes that thread when it is closed.
 */
import { openLibc, openPath } from "./launcher/libc.ts";

const SYMBOLS = {
  posix_openpt: { parameters: ["i32"], result: "i32" },
  grantpt: { parameters: ["i32"], result: "i32" },
  unlockpt: { parameters: ["i32"], result: "i32" },
  ptsname_r: { parameters: ["i32", "buffer", "usize"], result: "i32" },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  fcntl: { parameters: ["i32", "i32", "i32"], result: "i32" },
  pipe2: { parameters: ["buffer", "i32"], result: "i32" },
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32", nonblocking: true },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
} as const satisfies Deno.ForeignLibraryInterface;

const O_RDWR = 2;
const O_NOCTTY = 0o400;
const O_NONBLOCK = 0o4000;
const O_CLOEXEC = 0o2000000;
const F_SETFL = 4;
const TIOCSWINSZ = 0x5414n;
const TIOCGPTN = 0x80045430n;
const POLLIN = 1;
const POLLOUT = 4;
const POLLHUP = 16;
const CHUNK = 65_536;

/** Ctrl-D: what ends the input on a terminal. */
export const END_OF_INPUT: Uint8Array<ArrayBuffer> = new Uint8Array([4]);

export interface TerminalSize {
  columns: number;
  rows: number;
}

export interface PtyOptions {
  /** The `/dev/ptmx` of another view of the disk; the slave has its name there. */
  from?: string | undefined;
}

/** The master side. The slave is opened by its path in the child. */
export class Pty {
  readonly path: string;
  readonly #libc: Deno.DynamicLibrary<typeof SYMBOLS>;
  readonly #master: number;
  readonly #wake: { read: number; write: number };
  readonly #waits = new Set<Promise<number>>();
  readonly #buffer = new Uint8Array(CHUNK);
  #closed = false;

  /** @throws when the system has no pseudo-terminal to give. */
  constructor(size: TerminalSize, { from }: PtyOptions = {}) {
    const libc = Deno.dlopen("libc.so.6", SYMBOLS);
    this.#libc = libc;
    const { posix_openpt, grantpt, unlockpt, fcntl, pipe2 } = libc.symbols;
    const flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
    this.#master = from === undefined ? posix_openpt(flags) : openDescriptor(from, flags);
    const ends = new Int32Array(2);
    const path = this.#master < 0 ? undefined : this.#pathOf(from);
    // With `from` the owner is right from the start, and `grantpt()` would look its name up here.
    const failed = path === undefined || (from === undefined && grantpt(this.#master) < 0) ||
      unlockpt(this.#master) < 0 || fcntl(this.#master, F_SETFL, O_NONBLOCK) < 0 ||
      pipe2(new Uint8Array(ends.buffer), O_CLOEXEC | O_NONBLOCK) < 0;
    if (failed) {
      if (this.#master >= 0) libc.symbols.close(this.#master);
      libc.close();
      throw new Error("The system has no free pseudo-terminal");
    }
    this.#wake = { read: ends[0]!, write: ends[1]! };
    this.path = path;
    this.resize(size);
  }

  #pathOf(from: string | undefined): string | undefined {
    const { ioctl, ptsname_r } = this.#libc.symbols;
    const name = new Uint8Array(64);
    if (from === undefined) {
      if (ptsname_r(this.#master, name, 64n) !== 0) return undefined;
      return new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
    }
    // The name belongs to a place that this process does not see.
    if (ioctl(this.#master, TIOCGPTN, name) < 0) return undefined;
    return `/dev/pts/${new DataView(name.buffer).getUint32(0, true)}`;
  }

  resize(size: TerminalSize): void {
    if (this.#closed) return;
    const cells = new Uint16Array([size.rows, size.columns, 0, 0]);
    this.#libc.symbols.ioctl(this.#master, TIOCSWINSZ, new Uint8Array(cells.buffer));
  }

  /** The next output, valid until the next call; undefined when every process has closed the terminal, or after `close()`. */
  async read(): Promise<Uint8Array | undefined> {
    if (await this.#ready(POLLIN) === 0) return undefined;
    const count = Number(this.#libc.symbols.read(this.#master, this.#buffer, BigInt(CHUNK)));
    return count > 0 ? this.#buffer.subarray(0, count) : undefined;
  }

  /** Types `data`. @throws when no process reads it. */
  async write(data: Uint8Array): Promise<void> {
    for (let sent = 0; sent < data.length;) {
      const events = await this.#ready(POLLOUT);
      if (events === 0 || events & POLLHUP) throw new Error("The terminal is closed");
      const part = data.slice(sent, sent + 4096);
      const count = Number(this.#libc.symbols.write(this.#master, part, BigInt(part.length)));
      if (count <= 0) throw new Error("The terminal does not take input");
      sent += count;
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const { write, close } = this.#libc.symbols;
    write(this.#wake.write, new Uint8Array([1]), 1n);
    // The library must stay while a thread is inside it.
    await Promise.all(this.#waits);
    for (const descriptor of [this.#master, this.#wake.read, this.#wake.write]) close(descriptor);
    this.#libc.close();
  }

  /** Waits for events on the master; 0 once closed. */
  async #ready(events: number): Promise<number> {
    if (this.#closed) return 0;
    // struct pollfd { int fd; short events; short revents; }
    const entries = new Int16Array(8);
    const descriptors = new Int32Array(entries.buffer);
    descriptors[0] = this.#master;
    entries[2] = events;
    descriptors[2] = this.#wake.read;
    entries[6] = POLLIN;
    // A signal that happens to reach the waiting thread ends the wait with nothing found.
    for (let found = -1; found < 0 && !this.#closed;) {
      const wait = this.#libc.symbols.poll(new Uint8Array(entries.buffer), 2n, -1);
      this.#waits.add(wait);
      found = await wait;
      this.#waits.delete(wait);
    }
    return this.#closed ? 0 : entries[3]!;
  }
}

function openDescriptor(path: string, flags: number): number {
  const libc = openLibc();
  try {
    return openPath(libc, { path, flags });
  } finally {
    libc.close();
  }
}

/** Undefined where libc cannot be reached: `script` then makes the terminal. */
export function openPty(size: TerminalSize, options?: PtyOptions): Pty | undefined {
  try {
    return Deno.build.os === "linux" ? new Pty(size, options) : undefined;
  } catch {
    return undefined; // No permission for FFI, or no terminal left.
  }
}
