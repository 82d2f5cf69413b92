/**
 * What hermes remembers of its sandboxes in a cloud, as small files of this machine: which run
 * and for whom, so that those of a killed hermes can be ended, and what the next session
 * begins with.
 */
import { writeFileAtomic } from "../src/util/atomic_write.ts";
import { isOwnerGone, thisOwner } from "./_owner.ts";

export class CloudLedger {
  readonly #dir: string;

  /** `dir` is for one cloud alone; made when first written to. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Remembers a sandbox that must not outlive this process. */
  async add(id: string): Promise<void> {
    await writeFileAtomic(this.#running(id), await thisOwner());
  }

  async remove(id: string): Promise<void> {
    await removeIfThere(this.#running(id));
  }

  /** Ends the sandboxes whose hermes has gone without doing so; a line for each. */
  async reap(end: (id: string) => Promise<void>): Promise<string[]> {
    const lines: string[] = [];
    for (const id of await namesIn(`${this.#dir}/running`)) {
      const owner = await readIfThere(this.#running(id));
      if (owner === undefined || !await isOwnerGone(owner)) continue;
      await end(id);
      await this.remove(id);
      lines.push(`ended the sandbox ${id} of a hermes that was killed`);
    }
    return lines;
  }

  async snapshot(): Promise<string | undefined> {
    return await readIfThere(`${this.#dir}/snapshot`);
  }

  async setSnapshot(id: string | undefined): Promise<void> {
    const path = `${this.#dir}/snapshot`;
    await (id === undefined ? removeIfThere(path) : writeFileAtomic(path, id));
  }

  #running(id: string): string {
    return `${this.#dir}/running/${encodeURIComponent(id)}`;
  }
}

async function namesIn(dir: string): Promise<string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of Deno.readDir(dir)) {
      if (!name.endsWith(".tmp")) names.push(decodeURIComponent(name));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  return names;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
