/**
 * Files of this machine behind the environment contract. Turns the runtime's exceptions into
 * `FileError`s that name the path and the reason; decides nothing about who may touch what.
 */
import type {
  DirEntry,
  FileIdentity,
  FileInfo,
  ReadOptions,
  RemoveOptions,
  WriteOptions,
} from "../../src/protocol/environment.ts";
import { FileError, ToolError } from "../../src/protocol/error.ts";
import { randomId } from "../../src/util/id.ts";
import { basename, dirname, joinPath, resolvePath } from "../../src/util/path.ts";
import { fileFailure, isFileErrorCode } from "../file_error.ts";
import { identityOf, openedFile } from "./_opened_file.ts";
import type { Files } from "../shell.ts";

const MAX_LINKS = 40;

export const LOCAL_FILES: Files = { realPath, readFile, writeFile, stat, list, remove, rename };

/** Runs a file operation; what it throws comes out as a `FileError` about `path`. */
async function withPath<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError || isAbort(error)) throw error;
    throw fileError(path, error);
  }
}

function isAbort(error: unknown): boolean {
  return ["AbortError", "TimeoutError"].includes((error as Error)?.name);
}

function fileError(path: string, error: unknown): FileError {
  const { code, message } = error as { code?: string; message?: string };
  if (code === "EPERM") return fileFailure(path, "EACCES");
  if (code !== undefined && isFileErrorCode(code)) {
    return fileFailure(path, code);
  }
  return new FileError(`${path}: ${message ?? "input or output failed"}`, { code: "EIO", path });
}

function readFile(
  path: string,
  options: ReadOptions = {},
): Promise<Uint8Array<ArrayBuffer>> {
  return withPath(path, async () => {
    options.signal?.throwIfAborted();
    using file = await openFile(path, options.signal);
    const info = await file.stat();
    if (info.isDirectory) throw fileFailure(path, "EISDIR");
    options.check?.(openedFile(file, path));
    const start = options.start ?? 0;
    if (start > 0) await file.seek(start, Deno.SeekMode.Start);
    // Devices and /proc say size 0 and still have content.
    const known = info.isFile && info.size > 0 ? Math.max(0, info.size - start) : undefined;
    const wanted = Math.min(options.length ?? Infinity, known ?? Infinity);
    return await readUpTo(file, wanted, options.signal);
  });
}

/** Opening a pipe waits for its writer, perhaps for ever: an abort ends the wait. */
async function openFile(path: string, signal?: AbortSignal): Promise<Deno.FsFile> {
  const opening = Deno.open(path);
  try {
    return await orAborted(opening, signal);
  } catch (error) {
    // When it does open later, its content is not read.
    if (signal?.aborted) opening.then((file) => file.close(), () => {});
    throw error;
  }
}

/** Waits for `work`, but not longer than until the abort; what blocks in the kernel goes on there. */
async function orAborted<T>(work: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return await work;
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function readUpTo(
  file: Deno.FsFile,
  wanted: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array(Math.min(wanted, 1 << 26) === wanted ? wanted : 65_536);
  let filled = 0;
  while (filled < wanted) {
    signal?.throwIfAborted();
    if (filled === buffer.length) {
      const larger = new Uint8Array(Math.min(wanted, buffer.length * 2));
      larger.set(buffer);
      buffer = larger;
    }
    const count = await orAborted(file.read(buffer.subarray(filled)), signal);
    if (count === null) break;
    filled += count;
  }
  return filled === buffer.length ? buffer : buffer.slice(0, filled);
}

/** Writes through symlinks unless the path must be exact; keeps the mode and owner of what was there. */
function writeFile(
  path: string,
  data: Uint8Array,
  options: WriteOptions = {},
): Promise<void> {
  return withPath(path, async () => {
    options.signal?.throwIfAborted();
    if (!options.exact) return await writeAt(await followLinks(path), data, { ...options, path });
    const { holdDirectory } = await import("./_held_directory.ts");
    using directory = holdDirectory(dirname(path), { make: options.parents !== false });
    await writeAt(directory.at(basename(path)), data, { ...options, path, parents: false });
  });
}

/** `path` is the name that failures tell. */
async function writeAt(
  target: string,
  data: Uint8Array,
  options: WriteOptions & { path: string },
): Promise<void> {
  const { path } = options;
  const before = await lstat(target);
  if (before?.isDirectory) throw fileFailure(path, "EISDIR");
  if (before && !before.isFile) throw fileFailure(path, before.isSymlink ? "ELOOP" : "EINVAL");
  const directory = dirname(target);
  if (options.parents === false) {
    if (!await lstat(directory)) throw fileFailure(path, "ENOENT");
  } else {
    await Deno.mkdir(directory, { recursive: true });
  }
  await replaceFile(target, data, { ...options, before });
}

/** Writes beside the target and renames. */
async function replaceFile(
  target: string,
  data: Uint8Array,
  options: WriteOptions & { before: Deno.FileInfo | undefined },
): Promise<void> {
  const { before } = options;
  const wanted = before?.mode ?? options.mode;
  const mode = (wanted ?? 0o666) & 0o7777;
  const temporary = `${target}.${randomId(8)}.tmp`;
  try {
    using file = await Deno.open(temporary, { write: true, createNew: true, mode });
    let written = 0;
    while (written < data.length) written += await file.write(data.subarray(written));
    await file.sync();
    const now = file.statSync();
    const isOwned = !before || (now.uid === before.uid && now.gid === before.gid);
    // The umask took bits away from the mode of the new file.
    const hasMode = wanted === undefined || wanted === null || now.mode === null ||
      (now.mode & 0o7777) === mode;
    if (!isOwned || !hasMode) {
      const { throughFile } = await import("./_held_directory.ts");
      // By its name, a link that was put there would be followed.
      throughFile(file, temporary, (held) => {
        if (!isOwned) keepOwner(held, before);
        if (wanted !== undefined && wanted !== null) Deno.chmodSync(held, mode);
      });
    }
    await Deno.rename(temporary, target);
  } catch (error) {
    // The rename may have happened or the file may never have been made; either way nothing is left to remove.
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
}

function keepOwner(path: string, before: Deno.FileInfo): void {
  try {
    Deno.chownSync(path, before.uid, before.gid);
  } catch {
    // Only root may give files away; the content is what was asked for.
  }
}

/** Where a path leads, the last link included even when it dangles. */
async function followLinks(path: string): Promise<string> {
  let current = path;
  for (let i = 0; i < MAX_LINKS; i++) {
    const info = await lstat(current);
    if (!info?.isSymlink) return current;
    current = resolvePath(dirname(current), await Deno.readLink(current));
  }
  throw fileFailure(path, "ELOOP");
}

async function lstat(path: string): Promise<Deno.FileInfo | undefined> {
  try {
    return await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Resolves symlinks as far as the path exists and appends the rest as it is. */
function realPath(path: string): Promise<string> {
  return withPath(path, async () => {
    let rest = "";
    for (let current = path;;) {
      try {
        return joinPath(resolveLinks(current), rest);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound) || current === "/") throw error;
      }
      const followed = await followLinks(current);
      if (followed !== current) {
        current = followed;
      } else {
        rest = joinPath(current.slice(current.lastIndexOf("/") + 1), rest);
        current = dirname(current);
      }
    }
  });
}

/** Blocking: every command begins with both looks, and a thread's start takes longer than they do. */
function resolveLinks(path: string): string {
  return Deno.realPathSync(path);
}

function stat(path: string): Promise<FileInfo | undefined> {
  return withPath(path, () => Promise.resolve(look(path)));
}

/** Blocking, as `resolveLinks()` is. */
function look(path: string): FileInfo | undefined {
  try {
    const info = Deno.statSync(path);
    return {
      kind: info.isFile ? "file" : info.isDirectory ? "directory" : "other",
      size: info.size,
      mtimeMs: info.mtime?.getTime() ?? 0,
      ...(info.mode === null ? {} : { mode: info.mode & 0o7777 }),
    };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    if ((error as { code?: string }).code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** The files that paths name, links followed. Blocking: thirty looks take less time than one thread's start. */
export function identify(paths: readonly string[]): (FileIdentity | undefined)[] {
  return paths.map((path) => {
    try {
      return identityOf(Deno.statSync(path));
    } catch {
      // Absent, or not ours to look at: it has no identity to compare with.
      return undefined;
    }
  });
}

/** Entries in the order of their names. */
function list(path: string): Promise<DirEntry[]> {
  return withPath(path, async () => {
    const entries: DirEntry[] = [];
    for await (const entry of Deno.readDir(path)) {
      const kind = entry.isSymlink
        ? "symlink"
        : entry.isDirectory
        ? "directory"
        : entry.isFile
        ? "file"
        : "other";
      entries.push({ name: entry.name, kind });
    }
    return entries.sort((a, b) => a.name < b.name ? -1 : 1);
  });
}

function remove(path: string, options: RemoveOptions = {}): Promise<void> {
  const { recursive = false } = options;
  return withPath(path, async () => {
    if (!options.exact) return await Deno.remove(path, { recursive });
    const { holdDirectory } = await import("./_held_directory.ts");
    using directory = holdDirectory(dirname(path));
    await Deno.remove(directory.at(basename(path)), { recursive });
  });
}

function rename(from: string, to: string, options: { exact?: boolean } = {}): Promise<void> {
  return withPath(from, async () => {
    if (!options.exact) return await Deno.rename(from, to);
    const { holdDirectory } = await import("./_held_directory.ts");
    using source = holdDirectory(dirname(from));
    using target = holdDirectory(dirname(to));
    await Deno.rename(source.at(basename(from)), target.at(basename(to)));
  });
}
