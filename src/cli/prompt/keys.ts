/** Bytes from a terminal in raw mode as key names. Pure. */

const SEQUENCES: readonly (readonly [string, string])[] = [
  ["\x1b[A", "up"],
  ["\x1bOA", "up"],
  ["\x1b[B", "down"],
  ["\x1bOB", "down"],
  ["\x1b[C", "right"],
  ["\x1b[D", "left"],
  ["\r", "enter"],
  ["\n", "enter"],
  ["\x03", "ctrl-c"],
  ["\x04", "ctrl-d"],
  ["\x7f", "backspace"],
  ["\x1b", "escape"],
];

/** The keys in a chunk of terminal input, in order; plain characters stand for themselves. */
export function decodeKeys(chunk: string): string[] {
  const keys: string[] = [];
  let rest = chunk;
  while (rest !== "") {
    const known = SEQUENCES.find(([sequence]) => rest.startsWith(sequence));
    const key = known?.[1] ?? String.fromCodePoint(rest.codePointAt(0)!);
    keys.push(key);
    rest = rest.slice((known?.[0] ?? key).length);
  }
  return keys;
}
