/** Quoting words for a POSIX shell. */

/** One word that the shell reads back unchanged; plain words stay bare. */
export function shellQuote(word: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Words joined into one command line. */
export function shellJoin(words: readonly string[]): string {
  return words.map(shellQuote).join(" ");
}
