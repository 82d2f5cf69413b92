/**
 * Files of the private directory that shells source later: what they hold is remembered, and
 * put back when something else was written there meanwhile. A command was judged for what it
 * says; text that another tool left in such a file was not judged.
 */

/** No shell exports more: the kernel would not start a program with it. */
const MAX_BYTES = 16 * 1024 * 1024;

export class OwnFiles {
  readonly #files = new Map<string, string>();

  /** Reads a file that a shell of hermes has just written; undefined when there is none. */
  take(path: string): string | undefined {
    try {
      const text = readFile(path);
      if (text !== undefined) this.#files.set(path, text);
      return text;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  /** The content of the file when it was taken. */
  text(path: string): string | undefined {
    return this.#files.get(path);
  }

  /** Makes sure that the file holds what it held when it was taken. */
  restore(path: string | undefined): void {
    const known = path === undefined ? undefined : this.#files.get(path);
    // By content: within one tick of the clock a file can be changed and look the same.
    if (path === undefined || known === undefined || holds(path, known)) return;
    // Removed first: a link put in its place would be written through.
    this.#remove(path);
    Deno.writeTextFileSync(path, known, { createNew: true, mode: 0o600 });
  }

  forget(path: string): void {
    this.#files.delete(path);
    this.#remove(path);
  }

  #remove(path: string): void {
    try {
      Deno.removeSync(path);
    } catch (error) {
      // Never written, or the directory was cleaned: it is gone, which was the point.
      if (error instanceof Deno.errors.NotFound) return;
      removeTree(path);
    }
  }
}

/**
 * Undefined when it is no file, or too large. A pipe would never end, and a link leads where
 * commands may not look; whatever still runs can put one there between a look and the opening.
 */
function readFile(path: string): string | undefined {
  const before = Deno.lstatSync(path);
  if (!before.isFile || before.size > MAX_BYTES) return undefined;
  // A pipe that is opened for both does not wait for its other end.
  using file = Deno.openSync(path, { read: true, write: true });
  const { isFile, size, dev, ino } = file.statSync();
  if (!isFile || size > MAX_BYTES || dev !== before.dev || ino !== before.ino) return undefined;
  const buffer = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const count = file.readSync(buffer.subarray(filled));
    if (count === null) break;
    filled += count;
  }
  return new TextDecoder().decode(buffer.subarray(0, filled));
}

function holds(path: string, text: string): boolean {
  try {
    return readFile(path) === text;
  } catch {
    // Gone, or a directory: it is written again.
    return false;
  }
}

/** Something else was put in the file's place. */
function removeTree(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch {
    // The next write fails where a tree cannot be removed.
  }
}
