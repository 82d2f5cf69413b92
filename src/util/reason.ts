/** Why something failed, as the end of a sentence for people. */

/** The error's message; of the runtime's file errors only what happened, not the call and the path again. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const [line = ""] = error.message.split("\n");
  const said = line.replace(/ \(os error \d+\)(?:: \w+ [^]*)?$/, "");
  return said.endsWith("'") ? said.replace(/: \w+ '[^]*'$/, "") : said;
}
