/**
 * The spellings in which common programs print a known secret: base64, hexadecimal, octal,
 * reversed and so on. Only letters and digits are kept, because line ends, columns and escapes
 * vary; `known_secrets_search.ts` compares with text reduced in the same way.
 */

/** Shorter needles would be found in ordinary text. */
const MIN_ENCODED = 10;
const MIN_PLAIN = 12;
/** Of a longer secret only the likely spellings are looked for. */
const MAX_CHARS = 4096;
const UTF8 = new TextEncoder();
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Letters and digits of a text. */
export function lettersAndDigits(text: string): string {
  return text.replace(/[^A-Za-z0-9]+/g, "");
}

/** Spellings that are found in a text as it stands. */
export function literalForms(secret: string): string[] {
  return [secret, encodeURIComponent(secret.toWellFormed()), JSON.stringify(secret).slice(1, -1)];
}

/** Spellings reduced to letters and digits; those too short to be told from other text are left out. */
export function denseForms(secret: string): string[] {
  if (secret.length > MAX_CHARS) {
    return [secret, ...base64Forms(UTF8.encode(secret))].map(lettersAndDigits);
  }
  const reversed = [...secret].reverse().join("");
  const bytes = UTF8.encode(secret);
  const wide = new Uint8Array(bytes.length * 2);
  bytes.forEach((byte, i) => wide[i * 2] = byte);
  const plain = [
    secret,
    reversed,
    secret.toLowerCase(),
    secret.toUpperCase(),
    rot13(secret),
    ...literalForms(secret).slice(1),
  ].map(lettersAndDigits).filter((form) => form.length >= MIN_PLAIN);
  const backwards = UTF8.encode(reversed);
  const encoded = [
    ...base64Forms(bytes),
    ...base64Forms(backwards),
    ...base64Forms(wide),
    ...base32Forms(bytes),
    ...byteForms(bytes),
    ...hexForms(backwards),
    ...hexForms(wide.subarray(0, -1)),
    [...bytes.toHex()].reverse().join(""),
    ...base64Forms(bytes).map((form) => [...form].reverse().join("")),
  ].filter((form) => form.length >= MIN_ENCODED);
  return [...new Set([...plain, ...encoded])];
}

/** A secret may begin at any of three places within a group; only whole groups are certain. */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].map((skip) => {
    const whole = bytes.length - skip - (bytes.length - skip) % 3;
    return lettersAndDigits(bytes.subarray(skip, skip + Math.max(0, whole)).toBase64());
  });
}

function base32Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2, 3, 4].map((skip) => {
    let text = "";
    let bits = 0;
    let held = 0;
    for (let at = skip; at < bytes.length - (bytes.length - skip) % 5; at++) {
      held = held << 8 & 0xfff | bytes[at]!;
      for (bits += 8; bits >= 5;) text += BASE32[held >> (bits -= 5) & 31];
    }
    return text;
  });
}

/** Numbers for each byte, as dumps and the literals of programming languages show them. */
function byteForms(bytes: Uint8Array): string[] {
  const list = [...bytes];
  const hex = list.map((byte) => byte.toString(16).padStart(2, "0"));
  return [
    ...hexForms(bytes),
    ...["x", "0x", "u00"].flatMap((head) => {
      // The head of the first byte may be spelled differently: `\\X73`.
      const text = hex.join(head);
      return [text, hex.map((digits) => digits.toUpperCase()).join(head)];
    }),
    list.map((byte) => byte.toString(8).padStart(3, "0")).join(""),
    list.join(""),
    list.map((byte) => byte.toString(2).padStart(8, "0")).join(""),
    ...[0, 1].map((skip) => swapPairs(hex.slice(skip))),
  ];
}

function hexForms(bytes: Uint8Array): string[] {
  const hex = bytes.toHex();
  return [hex, hex.toUpperCase()];
}

/** Little-endian words of two bytes, as `od -x` and `hexdump` print them. */
function swapPairs(hex: readonly string[]): string {
  let text = "";
  for (let at = 0; at + 1 < hex.length; at += 2) text += hex[at + 1]! + hex[at]!;
  return text;
}

function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const base = letter <= "Z" ? 65 : 97;
    return String.fromCharCode((letter.charCodeAt(0) - base + 13) % 26 + base);
  });
}
