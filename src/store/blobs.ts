/**
 * Images and other bytes that messages refer to, one file per content, named by its SHA-256. A
 * file is whole or absent, and no other user may read it.
 */
import { writeFileAtomic } from "../util/atomic_write.ts";
import { sha256Hex } from "../util/hash.ts";

const REFERENCE = /^sha256:([0-9a-f]{64})$/;
/** A blob may exist shortly before the message that refers to it does. */
const GRACE_MS = 3_600_000;

export class BlobStore {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Keeps the bytes and returns their reference. */
  async put(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    const name = await sha256Hex(bytes);
    const path = `${this.#directory}/${name}`;
    await Deno.mkdir(this.#directory, { recursive: true, mode: 0o700 });
    if (await fileSize(path) !== bytes.length) await writeFileAtomic(path, bytes, { mode: 0o600 });
    return `sha256:${name}`;
  }

  /** The bytes behind a reference; undefined when they are missing or no longer what they were. */
  async get(reference: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const name = REFERENCE.exec(reference)?.[1];
    if (name === undefined) return undefined;
    try {
      const bytes = await Deno.readFile(`${this.#directory}/${name}`);
      return await sha256Hex(bytes) === name ? bytes : undefined;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  }

  /** Deletes what no reference in `used` names; returns how many files went. */
  async collect(used: ReadonlySet<string>, nowMs: number = Date.now()): Promise<number> {
    let removed = 0;
    for (const name of await fileNames(this.#directory)) {
      const path = `${this.#directory}/${name}`;
      const { mtime } = await Deno.stat(path);
      if (used.has(`sha256:${name}`) || nowMs - (mtime?.getTime() ?? nowMs) < GRACE_MS) continue;
      await Deno.remove(path);
      removed++;
    }
    return removed;
  }
}

async function fileSize(path: string): Promise<number | undefined> {
  try {
    return (await Deno.stat(path)).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function fileNames(directory: string): Promise<string[]> {
  try {
    return (await Array.fromAsync(Deno.readDir(directory))).map((entry) => entry.name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
