/** Identifiers that sort by time: milliseconds then randomness, lower-case Crockford base 32. */

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/** A 26-character sortable id (the ULID layout in lower case). */
export function createId(nowMs: number = Date.now()): string {
  let time = nowMs;
  let head = "";
  for (let i = 0; i < 10; i++) {
    head = ALPHABET[time % 32]! + head;
    time = Math.floor(time / 32);
  }
  return head + randomId(16);
}

/** `length` random base-32 characters. */
export function randomId(length: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length));
  let text = "";
  for (const byte of bytes) text += ALPHABET[byte % 32];
  return text;
}
