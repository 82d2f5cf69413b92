/**
 * Finding a foreign text in another one in time that grows with the sum of their lengths: the
 * engine's own search takes the product where both repeat themselves (`aaa…baaa…` in `aaa…`).
 */

/** What the engine looks for quickly whatever it is. */
const PROBE_CHARS = 64;
/** Characters compared in vain, for each of the text, before the sure way is taken. */
const PATIENCE = 8;

/** Where `passage` begins in `text`, in order, places that overlap included. */
export function* placesOf(text: string, passage: string): Generator<number, void, void> {
  if (passage.length > text.length || passage === "") return;
  const probe = passage.slice(0, PROBE_CHARS);
  let patience = PATIENCE * text.length;
  for (let at = text.indexOf(probe); at >= 0; at = text.indexOf(probe, at + 1)) {
    if (passage.length === probe.length) {
      yield at;
      continue;
    }
    if (patience < 0) return yield* surePlaces(text, passage, at);
    patience -= passage.length;
    if (text.startsWith(passage, at)) yield at;
  }
}

/** True when `passage` stands somewhere in `text`. */
export function holdsText(text: string, passage: string): boolean {
  return passage === "" || placesOf(text, passage).next().done === false;
}

/** Knuth, Morris and Pratt: each character of the text is looked at once. */
function* surePlaces(text: string, passage: string, from: number): Generator<number, void, void> {
  const borders = bordersOf(passage);
  let matched = 0;
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    while (matched > 0 && passage.charCodeAt(matched) !== code) matched = borders[matched - 1]!;
    if (passage.charCodeAt(matched) === code) matched++;
    if (matched < passage.length) continue;
    yield i - passage.length + 1;
    matched = borders[matched - 1]!;
  }
}

/** For each beginning of the passage, how long the part is that it both begins and ends with. */
function bordersOf(passage: string): Uint32Array {
  const borders = new Uint32Array(passage.length);
  let length = 0;
  for (let i = 1; i < passage.length; i++) {
    const code = passage.charCodeAt(i);
    while (length > 0 && passage.charCodeAt(length) !== code) length = borders[length - 1]!;
    if (passage.charCodeAt(length) === code) length++;
    borders[i] = length;
  }
  return borders;
}
