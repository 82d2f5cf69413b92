/**
 * Reading small files that somebody else chose: ignore files, instructions of a project. Only a
 * regular file of bounded size counts, because a pipe would be waited for without end and a
 * device has no end; a synchronous read of either could only be killed.
 */

/** The text of the regular file at `path`; undefined when there is none of at most `maxBytes`. */
export function readForeignText(path: string, maxBytes: number): string | undefined {
  try {
    const info = Deno.lstatSync(path);
    // Files of the kernel say that they are empty, and may block or never end.
    if (!info.isFile || info.size > maxBytes || info.size === 0) return undefined;
    return Deno.readTextFileSync(path);
  } catch {
    // Absent, or hidden by permissions.
    return undefined;
  }
}
