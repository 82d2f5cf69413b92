/**
 * Launchers that this process's children begin as, each a list of system calls that ends in the
 * program to start. They live in memory, where no command can change them and no mount option is
 * in the way. Linux only.
 */
import { EXECUTE_GIVEN, launcherImage, must, type Step } from "./launcher_image.ts";
import { architecture, cString, type Libc, openLibc } from "./libc.ts";

const MFD_CLOEXEC = 1;
const MFD_ALLOW_SEALING = 2;
/** A flag that Linux has since 6.3, and wants for executable content. */
const MFD_EXEC = 0x10;
const F_ADD_SEALS = 1033;
/** No further seal, no other size, no other content. */
const ALL_SEALS = 0xf;

/** A program in memory, which children of this process execute by its path. */
export interface Launcher {
  readonly path: string;
  close(): void;
}

/** Undefined where nothing can be executed from memory. */
export function makeLauncher(steps: readonly Step[]): Launcher | undefined {
  try {
    const libc = openLibc();
    try {
      return inMemory(libc, launcherImage([...steps, EXECUTE_GIVEN], architecture()));
    } finally {
      libc.close();
    }
  } catch {
    return undefined; // No C library by this name, or no right to call it.
  }
}

function inMemory(libc: Libc, image: Uint8Array<ArrayBuffer>): Launcher | undefined {
  const descriptor = memoryFile(libc, image);
  if (descriptor < 0) return undefined;
  return { path: `/proc/self/fd/${descriptor}`, close: () => closeDescriptor(descriptor) };
}

function closeDescriptor(descriptor: number): void {
  const libc = openLibc();
  libc.call("close", descriptor);
  libc.close();
}

/** A sealed file without a name; -1 where the kernel makes none. */
export function memoryFile(libc: Libc, content: Uint8Array<ArrayBuffer>): number {
  const name = cString("hermes");
  const flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  let descriptor = libc.call("memfd_create", name, flags | MFD_EXEC);
  if (descriptor < 0) descriptor = libc.call("memfd_create", name, flags);
  const written = libc.call("write", descriptor, content, content.length);
  if (written === content.length) {
    libc.call("fcntl", descriptor, F_ADD_SEALS, ALL_SEALS);
    return descriptor;
  }
  libc.call("close", descriptor);
  return -1;
}

/**
 * A session of its own and nothing open but the standard streams: descriptors that hermes was
 * started with, or keeps for the launchers of walls, are closed. Linux before 5.9 cannot do that.
 */
const SESSION_STEPS: readonly Step[] = [
  must("setsid"),
  { ...must("close_range", 3, 0xffff_ffff, 0), orElse: { skip: 0 } },
];

/** Undefined until the launcher was made; `none` where that is not possible. */
let session: Launcher | "none" | undefined;

/** The launcher that gives a program a session of its own; shared by the whole process. */
export function sessionLauncher(): string | undefined {
  session ??= Deno.build.os === "linux" ? makeLauncher(SESSION_STEPS) ?? "none" : "none";
  return session === "none" ? undefined : session.path;
}

/** For a kernel that does not execute the launcher after all. */
export function dropSessionLauncher(): void {
  if (session !== undefined && session !== "none") session.close();
  session = "none";
}
