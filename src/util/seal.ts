/**
 * A keyed seal for files that hermes writes for itself and believes later: caches, pins,
 * consents. The key is a file that only hermes reads; whoever can write a sealed file but not
 * read the key cannot make one that is believed. SHA-384 over key and text: one operation, where
 * HMAC takes three before the first request; cut short as it is, it cannot be continued either.
 */
import { dirname } from "./path.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const KEY_BYTES = 32;
const encoder = new TextEncoder();

export const SEAL_KEY_FILE = "seal.key";

/** Seals with the key at `keyFile`, which is made when something is sealed for the first time. */
export class Seal {
  readonly #keyFile: string;
  #key: Promise<Bytes> | undefined;

  constructor(keyFile: string) {
    this.#keyFile = keyFile;
  }

  /** The seal of `text` for one purpose: a seal made for another purpose does not fit. */
  async sign(purpose: string, text: string): Promise<string> {
    this.#key ??= Promise.resolve(this.#load() ?? this.#create());
    return await digest(await this.#key, `${purpose.length}:${purpose}${text}`);
  }

  /** True when `seal` was made by `sign` with the same key, purpose and text. */
  async verify(purpose: string, text: string, seal: string): Promise<boolean> {
    const key = await this.#key ?? this.#load();
    if (key === undefined) return false;
    return seal === await digest(key, `${purpose.length}:${purpose}${text}`);
  }

  /** The key on the disk, or undefined when there is none that could be used. */
  #load(): Bytes | undefined {
    try {
      if (!isPrivate(Deno.lstatSync(this.#keyFile))) return undefined;
      const bytes = Deno.readFileSync(this.#keyFile);
      return bytes.length === KEY_BYTES ? bytes : undefined;
    } catch {
      // Without a readable key nothing can be verified: what was sealed is made again.
      return undefined;
    }
  }

  /** Of several processes that make a key at once, one wins and the others use its key. */
  async #create(): Promise<Bytes> {
    const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    await Deno.mkdir(dirname(this.#keyFile), { recursive: true });
    const temporary = `${this.#keyFile}.${crypto.randomUUID()}`;
    try {
      await Deno.writeFile(temporary, bytes, { createNew: true, mode: 0o600 });
      await Deno.link(temporary, this.#keyFile);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      const other = this.#load();
      if (other !== undefined) return other;
      await Deno.rename(temporary, this.#keyFile);
    } finally {
      await Deno.remove(temporary).catch(() => {
        // The temporary file was renamed, or never made.
      });
    }
    return bytes;
  }
}

/** A key that others can read or have put there proves nothing. */
function isPrivate({ isFile, mode, uid }: Deno.FileInfo): boolean {
  return isFile && ((mode ?? 0) & 0o077) === 0 && uid === Deno.uid();
}

async function digest(key: Bytes, text: string): Promise<string> {
  const body = encoder.encode(text);
  const message = new Uint8Array(key.length + body.length);
  message.set(key);
  message.set(body, key.length);
  return new Uint8Array(await crypto.subtle.digest("SHA-384", message)).toHex();
}
