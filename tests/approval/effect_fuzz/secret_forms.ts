/** Finds a secret in text that may show it encoded: reversed, spaced, as base64, hex, rot13 … Pure. */

const forms = new Map<string, readonly string[]>();

/** True when `text` holds `secret`, plain or in one of the usual encodings. */
export function showsSecret(text: string, secret: string): boolean {
  if (text.length < secret.length) return false;
  let wanted = forms.get(secret);
  if (wanted === undefined) forms.set(secret, wanted = formsOf(secret));
  // Columns of od, hexdump and xxd, labels of DNS names, line breaks of base64.
  const dense = text.replace(/[^A-Za-z0-9+/=]/g, "");
  const folded = dense.toLowerCase();
  return wanted.some((form) => (form === form.toLowerCase() ? folded : dense).includes(form));
}

function formsOf(secret: string): string[] {
  const plain = secret.toLowerCase();
  const reversed = [...plain].reverse().join("");
  return [
    plain,
    reversed,
    rot13(plain),
    hex(secret),
    ...swappedHex(secret),
    ...base64(secret),
    ...base64([...secret].reverse().join("")),
    octal(secret),
  ];
}

function rot13(text: string): string {
  return text.replace(/[a-z]/g, (char) => String.fromCharCode((char.charCodeAt(0) - 84) % 26 + 97));
}

function hex(text: string): string {
  return [...text].map((char) => char.charCodeAt(0).toString(16).padStart(2, "0")).join("");
}

function octal(text: string): string {
  return [...text].map((char) => char.charCodeAt(0).toString(8).padStart(3, "0")).join("");
}

/** `hexdump` and `od -x` swap the bytes of each pair; a pair may start at either of two bytes. */
function swappedHex(text: string): string[] {
  return [text.slice(0, -2), text.slice(1, -1)].map((part) =>
    [...part.matchAll(/../g)].map(([pair]) => hex(pair[1]! + pair[0]!)).join("")
  );
}

/** The characters of base64 that depend on the secret alone, at each of three alignments. */
function base64(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = btoa("x".repeat(shift) + text);
    const start = Math.ceil(shift * 8 / 6);
    const end = Math.floor((shift + text.length) * 8 / 6);
    return encoded.slice(start, end);
  });
}
