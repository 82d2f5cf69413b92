/** Which session watches which file, kept in a file: a process that is started again goes on. */

export interface Watch {
  sessionId: string;
  path: string;
  /** The look of the file when the session was last told. */
  seen: string;
}

export class Watches {
  #file: string;
  #all: Watch[] = [];

  constructor(file: string) {
    this.#file = file;
  }

  get all(): readonly Watch[] {
    return this.#all;
  }

  async load(): Promise<void> {
    try {
      this.#all = JSON.parse(await Deno.readTextFile(this.#file));
    } catch {
      // The file of watches does not exist before the first one.
    }
  }

  async add(watch: Watch): Promise<void> {
    await this.remove(watch);
    this.#all.push(watch);
    await this.save();
  }

  async remove({ sessionId, path }: Watch): Promise<void> {
    this.#all = this.#all.filter((one) => one.sessionId !== sessionId || one.path !== path);
    await this.save();
  }

  async save(): Promise<void> {
    await Deno.writeTextFile(this.#file, JSON.stringify(this.#all));
  }
}

/** Changes when the file does. */
export async function look(path: string): Promise<string> {
  try {
    const { mtime, size } = await Deno.stat(path);
    return `${mtime?.getTime()} ${size}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "not there";
    throw error;
  }
}
