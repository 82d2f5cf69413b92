/**
 * The paths inside one argument: bare, after `=`, `@` or `:`, behind a short option, in a
 * `file://` address, or in a line of code. Finds candidates; whether one matters is not decided here.
 */

/** Addresses on other machines are no paths here. */
const ADDRESS = /\b(?!file:)[a-z][a-z0-9+.-]{0,30}:\/\/[^\s'"]{0,2000}/gi;
const SEPARATORS = /[\s'"`=,;:@()<>|&{}[\]\\]+/;
/** What may be a path worth asking about: every protected path has a dot or a slash, or is a key's name. */
const CANDIDATE = /[./~]|^id_/;
/** Longer arguments are programs or data; their first part is looked at. */
const MAX_CHARS = 20_000;

export function* pathsIn(
  word: string,
  { readsText }: { readsText: boolean },
): Generator<string> {
  if (!CANDIDATE.test(word) && !word.includes("id_")) return;
  const text = word.slice(0, MAX_CHARS);
  if (/^[\w~./\0*?+%-]+$/.test(text) && text[0] !== "-") {
    yield text;
    return;
  }
  const bare = text.includes("://") ? text.replace(ADDRESS, " ") : text;
  const isProse = /\s/.test(bare);
  if (!isProse && bare[0] !== "-") yield bare;
  // `-I/usr/include`, `-f.env`
  const attached = /^-[A-Za-z]([~./\0].*)$/s.exec(bare)?.[1];
  if (attached !== undefined) yield attached;
  for (const piece of bare.split(SEPARATORS)) {
    if (piece === "" || piece === bare || !CANDIDATE.test(piece)) continue;
    // In prose a bare name is only a word; in code it may be a file.
    if (isProse && !readsText && !piece.includes("/")) continue;
    // `file://~/x` is `~/x`
    yield piece.replace(/^\/+(?=~)/, "");
  }
}
