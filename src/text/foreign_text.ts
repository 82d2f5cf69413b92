/**
 * Reading small files that a project chose: ignore files, instructions of a project. Only a
 * regular file of bounded size counts, because a pipe would be waited for without end and a
 * device has no end; a synchronous read of either could only be killed.
 */

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of the regular file at `path`; undefined when there is none of at most `maxBytes`. */
export function readForeignText(path: string, maxBytes: number): string | undefined {
  try {
    const info = Deno.lstatSync(path);
    // Files of the kernel say that they are empty, and may block or never end.
    if (!info.isFile || info.size > maxBytes || info.size === 0) return undefined;
    using file = Deno.openSync(path);
    // Another process may have put a link in its place since.
    const { ino, dev, size } = file.statSync();
    return ino === info.ino && dev === info.dev ? readUpTo(file, size, maxBytes) : undefined;
  } catch {
    // Absent, or hidden by permissions.
    return undefined;
  }
}

/** The text of a file that was `size` bytes long; undefined when it has grown beyond the limit. */
function readUpTo(file: Deno.FsFile, size: number, maxBytes: number): string | undefined {
  const bytes = new Uint8Array(Math.min(size, maxBytes) + 1);
  let length = 0;
  while (length < bytes.length) {
    const count = file.readSync(bytes.subarray(length));
    if (count === null) break;
    length += count;
  }
  return length > maxBytes ? undefined : decoder.decode(bytes.subarray(0, length));
}
