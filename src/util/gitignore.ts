/** One ignore file (`.gitignore`, `.ignore`, `.rgignore`) compiled to a fast decision. */
import { globSource, globTest, isWildGlob } from "./glob.ts";
import { trimEndOf } from "./trim_end.ts";

/** What a file says of a path; undefined when it says nothing. */
export type IgnoreVerdict = "ignore" | "keep" | undefined;

interface Rule {
  /** Of the expression; undefined when it may not be joined with others. */
  source: string | undefined;
  matches(path: string): boolean;
  keep: boolean;
  directoryOnly: boolean;
}

export class IgnoreRules {
  #rules: Rule[];
  /** Every rule at once: most paths match none, and one test says so. */
  #any: RegExp;
  #wild: Rule[];

  constructor(text: string) {
    const parsed = text.replace(/^\ufeff/, "").split(/\r?\n/).map(parseRule)
      .filter((rule) => rule !== undefined);
    this.#rules = parsed.reverse();
    this.#wild = parsed.filter(({ source }) => source === undefined);
    const sources = parsed.map(({ source }) => source).filter((source) => source !== undefined);
    this.#any = new RegExp(sources.join("|") || "(?!)", "u");
  }

  /** `path` is relative to the directory of the file; the last rule that fits decides. */
  verdict(path: string, isDirectory: boolean): IgnoreVerdict {
    if (!this.#any.test(path) && !this.#wild.some((rule) => rule.matches(path))) return undefined;
    for (const { matches, keep, directoryOnly } of this.#rules) {
      if (directoryOnly && !isDirectory) continue;
      if (matches(path)) return keep ? "keep" : "ignore";
    }
    return undefined;
  }
}

/** A blank that a backslash stands before belongs to the name. */
function withoutTrailingBlanks(line: string): string {
  const bare = trimEndOf(line, " \t");
  return bare.endsWith("\\") ? line.slice(0, bare.length + 1) : bare;
}

function parseRule(line: string): Rule | undefined {
  let glob = withoutTrailingBlanks(line);
  if (glob === "" || glob.startsWith("#")) return undefined;
  const keep = glob.startsWith("!");
  if (keep) glob = glob.slice(1);
  const directoryOnly = glob.endsWith("/");
  if (directoryOnly) glob = glob.slice(0, -1);
  const anchored = glob.includes("/");
  if (glob.startsWith("/")) glob = glob.slice(1);
  if (glob === "") return undefined;
  try {
    const source = `${anchored ? "^" : "(?:^|/)"}${globSource(glob)}$`;
    const matches = globTest(source, glob);
    return { source: isWildGlob(glob) ? undefined : source, matches, keep, directoryOnly };
  } catch {
    // A character range the wrong way round: such a rule matches nothing.
    return undefined;
  }
}
