/**
 * What hermes remembers of its sandboxes in a cloud, as small files of this machine: which run
 * and for whom, so that those of a killed hermes can be ended; who shares one; and what the
 * next session begins with.
 */
import { writeFileAtomic } from "../../src/util/atomic_write.ts";
import { randomId } from "../../src/util/id.ts";
import { namesIn, readIfThere, removeIfThere } from "../remote/host_files.ts";
import { isOwnerGone, thisOwner } from "../../src/process/owner.ts";

export class CloudLedger {
  readonly #dir: string;
  /** Names this session among those that share a sandbox. */
  readonly #session = randomId(12);

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
    for (const name of await recordsIn(`${this.#dir}/running`)) {
      const id = decodeURIComponent(name);
      const owner = await readIfThere(this.#running(id));
      if (owner === undefined || !await isOwnerGone(owner)) continue;
      await end(id);
      await this.remove(id);
      lines.push(`ended the sandbox ${id} of a hermes that was killed`);
    }
    return lines;
  }

  /** This session begins to use a sandbox that others may use too. */
  async enter(id: string): Promise<void> {
    await writeFileAtomic(`${this.#users(id)}/${this.#session}`, await thisOwner());
  }

  /** Removes this session from the sandbox's users; true when it was the last one. */
  async leave(id: string): Promise<boolean> {
    const dir = this.#users(id);
    await removeIfThere(`${dir}/${this.#session}`);
    for (const name of await recordsIn(dir)) {
      const owner = await readIfThere(`${dir}/${name}`);
      if (owner !== undefined && !await isOwnerGone(owner)) return false;
      await removeIfThere(`${dir}/${name}`);
    }
    return true;
  }

  async snapshot(): Promise<string | undefined> {
    return await readIfThere(`${this.#dir}/snapshot`);
  }

  async setSnapshot(id: string | undefined): Promise<void> {
    const path = `${this.#dir}/snapshot`;
    await (id === undefined ? removeIfThere(path) : writeFileAtomic(path, id));
  }

  #users(id: string): string {
    return `${this.#dir}/users/${encodeURIComponent(id)}`;
  }

  #running(id: string): string {
    return `${this.#dir}/running/${encodeURIComponent(id)}`;
  }
}

/** Names of files that are written to the end. */
async function recordsIn(dir: string): Promise<string[]> {
  return (await namesIn(dir)).filter((name) => !name.endsWith(".tmp"));
}
