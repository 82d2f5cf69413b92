/**
 * Directories and files that are held while they are changed: a path can be made to lead elsewhere
 * between a look and its use, by whatever runs in the work meanwhile; what is held cannot. Where the
 * C library cannot be called, paths are looked at first, which leaves a gap.
 */
import { AT_FDCWD, cString, type Libc, openLibc } from "../../src/process/launcher/libc.ts";
import { basename, dirname, joinPath } from "../../src/util/path.ts";
import { fileFailure } from "../file_error.ts";
import { identityOf } from "./_opened_file.ts";

const O_PATH_CLOEXEC = 0o12000000;

/** A directory as it is, whatever its path leads to by now. */
export interface HeldDirectory extends Disposable {
  /** A path that leads to this name in the directory and nowhere else. */
  at(name: string): string;
}

/**
 * Holds the directory of this real path. `make` makes it and those above it where they are missing.
 * @throws when a link is in the path.
 */
export function holdDirectory(path: string, options: { make?: boolean } = {}): HeldDirectory {
  const libc = openCLibrary();
  if (libc === undefined) return checkedDirectory(path, options);
  try {
    const descriptor = openExactly(libc, { path, as: path, make: options.make === true });
    return {
      at: (name) => `${opened(descriptor)}/${name}`,
      [Symbol.dispose]() {
        libc.call("close", descriptor);
        libc.close();
      },
    };
  } catch (error) {
    libc.close();
    throw error;
  }
}

/** Opens `as`, which must be what `path` really is. */
function openExactly(
  libc: Libc,
  { path, as, make }: { path: string; as: string; make: boolean },
): number {
  const descriptor = libc.call("openat", AT_FDCWD, cString(as), O_PATH_CLOEXEC);
  if (descriptor < 0) {
    if (!make || isThere(as) || path === "/") throw failure(path);
    return makeExactly(libc, path);
  }
  try {
    if (Deno.readLinkSync(opened(descriptor)) !== path) throw fileFailure(path, "ELOOP");
    if (!Deno.statSync(opened(descriptor)).isDirectory) throw fileFailure(path, "ENOTDIR");
    return descriptor;
  } catch (error) {
    libc.call("close", descriptor);
    throw error;
  }
}

function makeExactly(libc: Libc, path: string): number {
  const parent = openExactly(libc, { path: dirname(path), as: dirname(path), make: true });
  try {
    const as = `${opened(parent)}/${basename(path)}`;
    try {
      Deno.mkdirSync(as);
    } catch (error) {
      // Another process made the directory meanwhile.
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
    return openExactly(libc, { path, as, make: false });
  } finally {
    libc.call("close", parent);
  }
}

/** Runs `use` with a path that leads to the open file, which was made at `path`, and nowhere else. */
export function throughFile(file: Deno.FsFile, path: string, use: (held: string) => void): void {
  const { id } = identityOf(file.statSync());
  const libc = openCLibrary();
  if (libc === undefined) {
    if (identityOf(Deno.lstatSync(path)).id !== id) throw fileFailure(path, "ELOOP");
    return use(path);
  }
  const descriptor = libc.call("openat", AT_FDCWD, cString(path), O_PATH_CLOEXEC);
  try {
    if (descriptor < 0) throw failure(path);
    // A link that was put in its place leads to another file.
    if (identityOf(Deno.statSync(opened(descriptor))).id !== id) throw fileFailure(path, "ELOOP");
    use(opened(descriptor));
  } finally {
    if (descriptor >= 0) libc.call("close", descriptor);
    libc.close();
  }
}

function checkedDirectory(path: string, { make }: { make?: boolean }): HeldDirectory {
  let there = path;
  while (make && !isThere(there) && there !== "/") there = dirname(there);
  if (Deno.realPathSync(there) !== there) throw fileFailure(path, "ELOOP");
  if (make) Deno.mkdirSync(path, { recursive: true });
  return { at: (name) => joinPath(path, name), [Symbol.dispose]() {} };
}

/** Why the path cannot be opened, as the runtime says it. */
function failure(path: string): Error {
  try {
    Deno.statSync(path);
    return fileFailure(path, "EACCES");
  } catch (error) {
    return error as Error;
  }
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    return !(error instanceof Deno.errors.NotFound);
  }
}

function opened(descriptor: number): string {
  return `/proc/self/fd/${descriptor}`;
}

function openCLibrary(): Libc | undefined {
  if (Deno.build.os !== "linux") return undefined;
  try {
    return openLibc();
  } catch {
    return undefined; // Another C library, or no right to call it.
  }
}
