/** One ignore file (`.gitignore`, `.ignore`, `.rgignore`) compiled to a fast decision. */
import { globSource, globTest, isWildGlob } from "./glob.ts";
import { trimEndOf } from "../util/trim_end.ts";

/** What a file says of a path; undefined when it says nothing. */
export type IgnoreVerdict = "ignore" | "keep" | undefined;

interface Rule {
  /** Of the expression; undefined when it may not be joined with others. */
  source: string | undefined;
  matches(path: string): boolean;
  keep: boolean;
  directoryOnly: boolean;
}

/** A rule beyond these limits is left out: no project has as many, and each path is held against all. */
const MAX_RULES = 5000;
const MAX_RULE_CHARS = 400;
/** Rules with many stars: the square of their lengths is what a path takes time for. */
const MAX_WILD_RULES = 500;
const MAX_WILD_WORK = 500_000;

export class IgnoreRules {
  #rules: Rule[];
  /** Every rule at once: most paths match none, and one test says so. */
  #any: RegExp;
  #wild: Rule[];

  constructor(text: string) {
    const parsed = affordable(text.replace(/^\ufeff/, "").split(/\r?\n/)).map(parseRule)
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

/** The lines whose rules are kept, in their order. */
function affordable(lines: readonly string[]): string[] {
  let wild = 0;
  let work = 0;
  const kept = lines.filter((line) => {
    if (line.trim() === "" || line.startsWith("#") || line.length > MAX_RULE_CHARS) return false;
    if (!isWildGlob(line)) return true;
    const more = line.length ** 2;
    if (wild >= MAX_WILD_RULES || work + more > MAX_WILD_WORK) return false;
    wild++;
    work += more;
    return true;
  });
  return kept.slice(0, MAX_RULES);
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
