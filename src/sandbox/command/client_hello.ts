/**
 * The server name in the first bytes of a TLS connection (RFC 8446, RFC 6066). It reads no more
 * than that: the tunnel's content stays the business of its two ends.
 */

export type HelloVerdict =
  /** Nothing that begins as TLS does. */
  | { readonly kind: "not tls" }
  /** At least so many bytes are needed to say more. */
  | { readonly kind: "more"; readonly need: number }
  /** Begins as TLS and goes on as nothing that a server would accept. */
  | { readonly kind: "malformed" }
  | { readonly kind: "hello"; readonly serverName: string | undefined };

/** A hello with keys of large post-quantum groups and tickets still fits many times. */
export const MAX_HELLO = 64 * 1024;

/** Clients split a hello into a handful of records at most. */
const MAX_RECORDS = 64;
const MAX_RECORD = 16 * 1024 + 256;
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;

/** What the first bytes of a client say. */
export function readClientHello(bytes: Uint8Array): HelloVerdict {
  if (bytes.length > 0 && bytes[0] !== HANDSHAKE) return { kind: "not tls" };
  if (bytes.length > 1 && bytes[1] !== 3) return { kind: "not tls" };
  // Other protocols may wait for an answer to their first byte.
  if (bytes.length < 2) return { kind: "more", need: bytes.length + 1 };
  const message = new Uint8Array(bytes.length);
  let length = 0;
  let at = 0;
  for (let records = 0; records < MAX_RECORDS; records++) {
    if (bytes.length < at + 5) return { kind: "more", need: at + 5 };
    const size = bytes[at + 3]! << 8 | bytes[at + 4]!;
    if (bytes[at] !== HANDSHAKE || bytes[at + 1] !== 3 || size === 0 || size > MAX_RECORD) break;
    const end = at + 5 + size;
    if (bytes.length < end) return { kind: "more", need: end };
    message.set(bytes.subarray(at + 5, end), length);
    length += size;
    if (message[0] !== CLIENT_HELLO) break;
    const whole = 4 + (message[1]! << 16 | message[2]! << 8 | message[3]!);
    if (length >= 4 && whole > MAX_HELLO) break;
    if (length >= 4 && length >= whole) return helloOf(message.subarray(4, whole));
    at = end;
  }
  return { kind: "malformed" };
}

function helloOf(hello: Uint8Array): HelloVerdict {
  try {
    return { kind: "hello", serverName: serverName(hello) };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "malformed" };
    throw error;
  }
}

/** Walks over fields of known length; throws `RangeError` when one does not fit. */
class Cursor {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(count: number): Uint8Array {
    if (count > this.left) throw new RangeError("a field is longer than what holds it");
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  /** A number of `size` bytes. */
  number(size: number): number {
    return this.take(size).reduce((sum, byte) => sum << 8 | byte, 0);
  }

  /** A field that begins with its length of `size` bytes. */
  field(size: number): Cursor {
    return new Cursor(this.take(this.number(size)));
  }
}

function serverName(hello: Uint8Array): string | undefined {
  const cursor = new Cursor(hello);
  cursor.take(2 + 32);
  cursor.field(1);
  cursor.field(2);
  cursor.field(1);
  if (cursor.left === 0) return undefined;
  const extensions = cursor.field(2);
  let name: string | undefined;
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const content = extensions.field(2);
    if (type !== SERVER_NAME) continue;
    if (name !== undefined) throw new RangeError("two server names");
    const names = content.field(2);
    if (names.number(1) !== 0) throw new RangeError("not a host name");
    const host = names.field(2);
    if (host.left === 0 || host.left > 255 || names.left > 0) throw new RangeError("no host name");
    name = String.fromCharCode(...host.take(host.left));
  }
  return name;
}
