/** Splitting a command line into words without a shell: quotes and backslashes, nothing expands. */

/** The words of `line`; undefined when a quote is left open. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!;
    if (quote !== "'" && char === "\\" && i + 1 < line.length) {
      const next = line[++i]!;
      // Inside double quotes a backslash only protects what is special there.
      word = (word ?? "") + (quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next);
    } else if (quote !== "") {
      if (char === quote) quote = "";
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== "") return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
