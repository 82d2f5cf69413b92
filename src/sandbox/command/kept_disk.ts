/**
 * Looking at and changing files where other processes change them at the same time: never blocked
 * by a pipe, never led elsewhere by a link. On Linux a directory is opened part by part and
 * reached through its descriptor; elsewhere its parts are looked at first, which leaves a gap.
 */
import { randomId } from "../../util/id.ts";
import { relativePath } from "../../util/path.ts";
import {
  architecture,
  AT_FDCWD,
  cString,
  type Libc,
  openLibc,
} from "../../process/launcher/libc.ts";

const O_PATH = 0x200000;
const O_CLOEXEC = 0x80000;
/** These two differ between the architectures. */
const O_DIRECTORY = { "x86_64": 0x10000, aarch64: 0x4000 };
const O_NOFOLLOW = { "x86_64": 0x20000, aarch64: 0x8000 };

/** How much later a change certainly has other times: the times of files advance in ticks. */
const TICK_MS = 50;

/** What tells a changed file from an unchanged one without reading it. */
export interface Stamp {
  dev: number;
  ino: number | null;
  mode: number | null;
  size: number;
  mtime: number;
  ctime: number;
  /** When it was made, to the millisecond; undefined where the file system does not say. */
  bornAt: number | undefined;
  /** False when a change right after could have left the same times: content decides. */
  isSettled: boolean;
}

/** Taken of a file or directory before its content is read. */
export function stampOf(info: Deno.FileInfo): Stamp {
  const ctime = info.ctime?.getTime() ?? Infinity;
  // Deno gives the time of the last change in whole seconds.
  const lastPossible = (Math.floor(ctime / 1000) + 1) * 1000 + TICK_MS;
  return {
    dev: info.dev,
    ino: info.ino,
    mode: info.mode,
    size: info.size,
    mtime: info.mtime?.getTime() ?? 0,
    ctime,
    bornAt: info.birthtime?.getTime(),
    isSettled: Date.now() >= lastPossible,
  };
}

/** True when nothing can have changed since the stamp was taken. */
export function isUnchanged(stamp: Stamp | undefined, info: Deno.FileInfo): boolean {
  return stamp !== undefined && stamp.isSettled && isSameStamp(stamp, info);
}

/** True when the stamp shows no change; a change right after it may have left none. */
export function isSameStamp(stamp: Stamp, info: Deno.FileInfo): boolean {
  return stamp.ctime === info.ctime?.getTime() && stamp.mtime === (info.mtime?.getTime() ?? 0) &&
    stamp.ino === info.ino && stamp.size === info.size && stamp.mode === info.mode &&
    stamp.dev === info.dev;
}

/** What lies at a path, links not followed; undefined when nothing does or it cannot be seen. */
export function lookAt(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.lstatSync(path);
  } catch {
    return undefined; // Gone, or behind a directory that may not be entered: both are judged alike.
  }
}

/** Names below a directory that was opened: `at("a")` is a path that only leads there. */
export type At = (name: string) => string;

export class KeptDisk {
  #libc: Libc | null | undefined;

  /** Frees the C library. */
  close(): void {
    this.#libc?.close();
    this.#libc = null;
  }

  /** Content of a regular file, or undefined when it is none, is gone or has more bytes. */
  read(path: string, maxBytes: number): Uint8Array | undefined {
    try {
      return this.#through(path, (real) => readBounded(real, maxBytes));
    } catch {
      return undefined; // Gone, swapped or unreadable meanwhile: no content to compare.
    }
  }

  /** A regular file for reading, or undefined when it is none. Whoever gets it closes it. */
  open(path: string): Deno.FsFile | undefined {
    try {
      return this.#through(path, (real) => {
        return Deno.statSync(real).isFile ? Deno.openSync(real) : undefined;
      });
    } catch {
      return undefined; // Gone or unreadable.
    }
  }

  /** Sets the mode of the very file or directory at `path`; a link's target is never touched. */
  chmod(path: string, mode: number): void {
    this.#through(path, (real) => {
      if (!Deno.statSync(real).isSymlink) Deno.chmodSync(real, mode & 0o7777);
    });
  }

  /**
   * Runs `use` with the directory `path` held open, all parts of the way from `root` to it being
   * real directories. @throws when one is not.
   */
  within<T>(place: { root: string; path: string }, use: (at: At) => T): T {
    const libc = this.#open();
    const below = relativePath(place.root, place.path);
    const parts = below === "." ? [] : below.split("/");
    if (parts.includes("..")) throw new Error(`${place.path} is not below ${place.root}`);
    if (libc === undefined) {
      return use(checkedAt(place.root, parts));
    }
    const flags = O_PATH | O_CLOEXEC | O_DIRECTORY[architecture()] | O_NOFOLLOW[architecture()];
    let descriptor = libc.call("openat", AT_FDCWD, cString(place.root), flags);
    try {
      for (const part of parts) {
        if (descriptor < 0) break;
        const next = libc.call("openat", descriptor, cString(part), flags);
        libc.call("close", descriptor);
        descriptor = next;
      }
      if (descriptor < 0) throw new Error(`${place.path} is no directory`);
      return use((name) => `/proc/self/fd/${descriptor}/${name}`);
    } finally {
      if (descriptor >= 0) libc.call("close", descriptor);
    }
  }

  /** Puts a file or link at `at(name)`, in one step and whatever lies there, unless a directory. */
  replace(at: At, file: { name: string; mode: number; content: Uint8Array | { target: string } }) {
    const temporary = at(`.hermes-${randomId(12)}`);
    try {
      if (file.content instanceof Uint8Array) {
        this.#create(temporary, { bytes: file.content, mode: file.mode });
      } else {
        Deno.symlinkSync(file.content.target, temporary);
      }
      Deno.renameSync(temporary, at(file.name));
    } catch (error) {
      try {
        Deno.removeSync(temporary);
      } catch {
        // It was never made.
      }
      throw error;
    }
  }

  #create(path: string, file: { bytes: Uint8Array; mode: number }): void {
    using out = Deno.openSync(path, { write: true, createNew: true, mode: file.mode & 0o777 });
    writeAll(out, file.bytes);
    const own = out.statSync();
    if (own.mode !== null && (own.mode & 0o7777) === (file.mode & 0o7777)) return;
    this.#through(path, (real) => {
      if (Deno.statSync(real).ino === own.ino) Deno.chmodSync(real, file.mode & 0o7777);
    });
  }

  /** Runs `use` with a path that leads to what is at `path` now, and to nothing else later. */
  #through<T>(path: string, use: (real: string) => T): T {
    const libc = this.#open();
    if (libc === undefined) {
      if (Deno.lstatSync(path).isSymlink) throw new Error(`${path} is a link`);
      return use(path);
    }
    const flags = O_PATH | O_CLOEXEC | O_NOFOLLOW[architecture()];
    const descriptor = libc.call("openat", AT_FDCWD, cString(path), flags);
    if (descriptor < 0) throw new Error(`${path} cannot be opened`);
    try {
      return use(`/proc/self/fd/${descriptor}`);
    } finally {
      libc.call("close", descriptor);
    }
  }

  #open(): Libc | undefined {
    if (this.#libc === undefined) {
      try {
        this.#libc = Deno.build.os === "linux" ? openLibc() : null;
      } catch {
        this.#libc = null; // Another C library: the parts of a path are looked at instead.
      }
    }
    return this.#libc ?? undefined;
  }
}

function checkedAt(root: string, parts: readonly string[]): At {
  let path = root;
  for (const part of ["", ...parts]) {
    if (part !== "") path += `/${part}`;
    if (!Deno.lstatSync(path).isDirectory) throw new Error(`${path} is no directory`);
  }
  return (name) => `${path}/${name}`;
}

/** A pipe or device is never opened, and a file that grows is read no further than the bound. */
function readBounded(path: string, maxBytes: number): Uint8Array | undefined {
  const info = Deno.statSync(path);
  if (!info.isFile || info.size > maxBytes) return undefined;
  using file = Deno.openSync(path);
  const buffer = new Uint8Array(info.size + 1);
  let length = 0;
  while (length < buffer.length) {
    const count = file.readSync(buffer.subarray(length));
    if (count === null) return buffer.slice(0, length);
    length += count;
  }
  // It grew while it was read; it will be looked at again.
  return length > maxBytes ? undefined : buffer;
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) written += file.writeSync(bytes.subarray(written));
}
