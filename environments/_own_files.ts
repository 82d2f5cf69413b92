/**
 * Files of the private directory that shells source later: what they hold is remembered, and
 * put back when something else was written there meanwhile. A command was judged for what it
 * says; text that another tool left in such a file was judged by nobody.
 */

interface Remembered {
  text: string;
  /** Who and when: a change of the file changes it. */
  mark: string;
}

export class OwnFiles {
  readonly #files = new Map<string, Remembered>();

  /** Reads a file that a shell of hermes has just written; undefined when there is none. */
  take(path: string): string | undefined {
    try {
      // The mark first: what is written in between makes it stale, and the text is put back.
      const mark = markOf(path);
      const text = Deno.readTextFileSync(path);
      this.#files.set(path, { text, mark });
      return text;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  /** Makes sure that the file holds what it held when it was taken. */
  restore(path: string | undefined): void {
    const known = path === undefined ? undefined : this.#files.get(path);
    if (path === undefined || known === undefined || isMarked(path, known.mark)) return;
    // Removed first: a link put in its place would be written through.
    this.#remove(path);
    Deno.writeTextFileSync(path, known.text, { createNew: true, mode: 0o600 });
    known.mark = markOf(path);
  }

  forget(path: string): void {
    this.#files.delete(path);
    this.#remove(path);
  }

  #remove(path: string): void {
    try {
      Deno.removeSync(path, { recursive: true });
    } catch {
      // Never written, or somebody cleaned the directory: it is gone, which was the point.
    }
  }
}

function markOf(path: string): string {
  const { isFile, ino, size, mtime, ctime } = Deno.lstatSync(path);
  return `${isFile} ${ino} ${size} ${mtime?.getTime()} ${ctime?.getTime()}`;
}

function isMarked(path: string, mark: string): boolean {
  try {
    return markOf(path) === mark;
  } catch {
    // Gone: it is written again.
    return false;
  }
}
