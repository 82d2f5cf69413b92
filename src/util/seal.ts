/**
 * A keyed seal for files that hermes writes for itself and believes later: caches, pins,
 * consents. The key is a file that only hermes reads; whoever can write a sealed file but not
 * read the key cannot make one that is believed.
 */
import { dirname } from "./path.ts";

const KEY_BYTES = 32;
const encoder = new TextEncoder();

export const SEAL_KEY_FILE = "seal.key";

/** Seals with the key at `keyFile`, which is made when something is sealed for the first time. */
export class Seal {
  readonly #keyFile: string;
  #key: Promise<CryptoKey> | undefined;

  constructor(keyFile: string) {
    this.#keyFile = keyFile;
  }

  /** The seal of `text` for one purpose: a seal made for another purpose does not fit. */
  async sign(purpose: string, text: string): Promise<string> {
    this.#key ??= this.#load().then((key) => key ?? this.#create());
    return new Uint8Array(
      await crypto.subtle.sign("HMAC", await this.#key, message(purpose, text)),
    ).toHex();
  }

  /** True when `seal` was made by `sign` with the same key, purpose and text. */
  async verify(purpose: string, text: string, seal: string): Promise<boolean> {
    if (!/^[0-9a-f]{64}$/.test(seal)) return false;
    const key = await (this.#key ?? this.#load());
    if (key === undefined) return false;
    return await crypto.subtle.verify(
      "HMAC",
      key,
      Uint8Array.fromHex(seal),
      message(purpose, text),
    );
  }

  /** The key on the disk, or undefined when there is none that could be used. */
  async #load(): Promise<CryptoKey | undefined> {
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      if (!isPrivate(Deno.lstatSync(this.#keyFile))) return undefined;
      bytes = Deno.readFileSync(this.#keyFile);
    } catch {
      // Without a readable key nothing can be verified: what was sealed is made again.
      return undefined;
    }
    return bytes.length === KEY_BYTES ? await importKey(bytes) : undefined;
  }

  /** Of several processes that make a key at once, one wins and the others use its key. */
  async #create(): Promise<CryptoKey> {
    const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
    await Deno.mkdir(dirname(this.#keyFile), { recursive: true });
    const temporary = `${this.#keyFile}.${crypto.randomUUID()}`;
    try {
      await Deno.writeFile(temporary, bytes, { createNew: true, mode: 0o600 });
      await Deno.link(temporary, this.#keyFile);
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
      const other = await this.#load();
      if (other !== undefined) return other;
      await Deno.rename(temporary, this.#keyFile);
    } finally {
      await Deno.remove(temporary).catch(() => {
        // It was renamed, or never made.
      });
    }
    return await importKey(bytes);
  }
}

/** A key that others can read or have put there proves nothing. */
function isPrivate({ isFile, mode, uid }: Deno.FileInfo): boolean {
  return isFile && ((mode ?? 0) & 0o077) === 0 && uid === Deno.uid();
}

function message(purpose: string, text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${purpose.length}:${purpose}${text}`);
}

async function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);
}
