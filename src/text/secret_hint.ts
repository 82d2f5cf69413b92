/**
 * A first look for secrets at text that is nearly always free of them, an instruction file: it says
 * whether the redactor has anything to look for. Loading the redactor takes longer than all else
 * that is done with such a text before the first request. When in doubt, the answer is yes.
 */

/** Shorter values are no secrets to the redactor either. */
const MIN_CHARS = 8;
/** Reduced to fewer letters and digits, a value would be found in every text. */
const MIN_REDUCED = 6;

/** Words of letters and digits that stand this close together may be pieces of one token. */
const CLOSE_CHARS = 64;
const CLOSE_WORDS = 3;

const SHAPES: readonly RegExp[] = [
  // Passwords in addresses, parameters, headers and private keys.
  /:\/\/[^\s/]{1,512}@/,
  /[?&][\w-]{2,32}=/,
  /(?:authorization|key|token|secret|passw\w{1,8}|cookie|bearer|sig(?:nature)?)["'`]?\s{0,4}[:=]\s{0,4}["'`]?\S{6}/i,
  /bearer\s{1,4}\S{6}/i,
  /-{4,5}BEGIN|PRIVATE KEY/i,
  // Telephone numbers, numbers of bots, and lists of numbers.
  /\d{8}/,
  /(?:\b[0-9a-fA-F]{2,8}\b\W{1,4}){6}/,
  /(?:\b\w\b\W{1,4}){8}/,
  // Escaped, invisible and control characters may stand between the letters of a token.
  // deno-lint-ignore no-control-regex -- these are the characters
  /\\[xu][0-9a-fA-F]{2}|%[0-9a-fA-F]{2}|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u200b-\u200f\u2060\ufeff]/,
];

/** A run of characters that keys are made of. */
const TOKEN = /[A-Za-z0-9_+=~.-]{12,}/g;
/** Rules of tables, words and short numbers with dashes or dots between them, and names of constants. */
const LINE = /^[_+=~.-]{12,}$/;
const NAME =
  /^[.=+~-]{0,3}(?:(?:[a-z]{1,24}|\d{1,2})[-_.=+~]{1,3}){0,16}(?:[a-z]{1,24}|\d{1,2})[.=+~-]{0,3}$/;
const CONSTANT = /^(?!AKIA|ASIA|AGE-)[A-Z]{1,13}(?:[_.][A-Z]{1,13}){0,12}(?:\.[a-z]{1,8})?[.=]?$/;
const MIXED_WORD = /\b(?=[A-Za-z]{0,64}\d)(?=\d{0,64}[A-Za-z])[A-Za-z0-9]{2,64}\b/g;
/** A key of letters alone has capitals side by side. */
const CAMEL_CASE = /^[.-]?[A-Za-z][a-z]{0,24}(?:[A-Z][a-z]{1,24}){0,8}\.?$/;

const PLAIN: readonly RegExp[] = [LINE, NAME, CONSTANT, CAMEL_CASE];

/** False when neither a value of `known` nor anything that looks like a secret stands in the text. */
export function mayHoldSecret(text: string, known: Iterable<string>): boolean {
  return SHAPES.some((shape) => shape.test(text)) || hasToken(text) || hasPieces(text) ||
    holdsAny(text, known);
}

function hasToken(text: string): boolean {
  const tokens = text.match(TOKEN) ?? [];
  const isPlain = (token: string) => PLAIN.some((plain) => plain.test(token));
  return !tokens.every(isPlain);
}

/** A token that was broken into lines or columns. */
function hasPieces(text: string): boolean {
  const places = [...text.matchAll(MIXED_WORD)].map(({ index }) => index);
  return places.some((place, i) => {
    const other = places[i + CLOSE_WORDS - 1];
    return other !== undefined && other - place <= CLOSE_CHARS;
  });
}

/** Looks for the values themselves: in any case, backwards, in rot13, with anything in between. */
function holdsAny(text: string, known: Iterable<string>): boolean {
  const reduced = reduce(text);
  for (const value of known) {
    if (value.length < MIN_CHARS) continue;
    const letters = reduce(value);
    if (letters.length < MIN_REDUCED ? text.includes(value) : holds(reduced, letters)) return true;
  }
  return false;
}

function holds(text: string, letters: string): boolean {
  if (letters.length > text.length) return false;
  return text.includes(letters) || text.includes([...letters].reverse().join("")) ||
    text.includes(rot13(letters));
}

function reduce(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "");
}

function rot13(letters: string): string {
  return letters.replace(
    /[a-z]/g,
    (letter) => String.fromCharCode((letter.charCodeAt(0) - 97 + 13) % 26 + 97),
  );
}
