/**
 * Globs as ripgrep and git read them: `*` and `?` stay within one name, `**` crosses
 * directories, `[a-z]`, `{a,b}`, backslash escapes. Text only; walking is the caller's.
 */
import { LinearRegex } from "./linear_regex.ts";
import { TEXT_END, TEXT_START } from "./regex_program.ts";

const LITERAL = /[.+^$()|\\{}\[\]/*?]/g;

/** Escapes text for use in a regular expression. */
export function escapeRegex(text: string): string {
  return text.replace(LITERAL, "\\$&");
}

/** The regular expression (unanchored source) for a glob over `/`-separated paths. */
export function globSource(glob: string): string {
  let source = "";
  let depth = 0;
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i]!;
    if (character === "*") {
      const stars = starsAt(glob, i);
      source += stars.source;
      i = stars.end;
    } else if (character === "?") source += "[^/]";
    else if (character === "[") {
      const end = classEnd(glob, i);
      if (end < 0) source += "\\[";
      else {
        source += classSource(glob.slice(i + 1, end));
        i = end;
      }
    } else if (character === "{" && glob.includes("}", i)) {
      source += "(?:";
      depth++;
    } else if (character === "}" && depth > 0) {
      source += ")";
      depth--;
    } else if (character === "," && depth > 0) source += "|";
    else if (character === "\\" && i + 1 < glob.length) source += escapeRegex(glob[++i]!);
    else source += escapeRegex(character);
  }
  return source + ")".repeat(depth);
}

/**
 * Matches paths relative to the search root: a glob without `/` looks at the last name, one
 * with `/` at the whole path; a leading `!` turns it round.
 */
export function compileGlob(glob: string): (path: string) => boolean {
  const negated = glob.startsWith("!");
  const body = negated ? glob.slice(1) : glob;
  const clean = body.replace(/^\.?\//, "");
  const byName = !body.includes("/");
  const matches = globTest(`${byName ? "(?:^|/)" : "^"}${globSource(clean)}$`, clean);
  return (path) => matches(path) !== negated;
}

/** Stars and choices that an engine which goes back may meet: time grows as the length to their power. */
const MAX_WILD = 2;
const ANCHORS = [["^", TEXT_START], ["$", TEXT_END]] as const;

/** True when matching the glob must not be left to JavaScript's own engine. */
export function isWildGlob(glob: string): boolean {
  let wild = 0;
  for (const _ of glob.matchAll(/\*+|\{/g)) wild++;
  return wild > MAX_WILD;
}

/** Tests paths with the expression of a glob. @throws SyntaxError when a range is the wrong way round. */
export function globTest(source: string, glob: string): (path: string) => boolean {
  if (!isWildGlob(glob)) {
    const regex = new RegExp(source, "u");
    return (path) => regex.test(path);
  }
  const linear = new LinearRegex(source, {
    ignoreCase: false,
    boundaries: ANCHORS,
    classes: "u",
    spansLines: true,
  });
  return (path) => linear.firstEnd(path, 0) >= 0;
}

/** Orders paths as a walk with sorted directories meets them. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === length) return a.length - b.length;
  if (a[i] === "/") return -1;
  if (b[i] === "/") return 1;
  return a.charCodeAt(i) - b.charCodeAt(i);
}

/** `**` is special only as a whole path component; elsewhere stars count as one. */
function starsAt(glob: string, start: number): { source: string; end: number } {
  let end = start;
  while (glob[end + 1] === "*") end++;
  const opens = start === 0 || glob[start - 1] === "/";
  if (end === start || !opens) return { source: "[^/]*", end };
  if (glob[end + 1] === "/") return { source: "(?:[^/]+/)*", end: end + 1 };
  if (end + 1 === glob.length) return { source: start === 0 ? "[^]*" : "[^]+", end };
  return { source: "[^/]*", end };
}

function classEnd(glob: string, start: number): number {
  let i = start + 1;
  if (glob[i] === "!" || glob[i] === "^") i++;
  if (glob[i] === "]") i++;
  return glob.indexOf("]", i);
}

function classSource(body: string): string {
  const negated = /^[!^]/.test(body);
  const items = (negated ? body.slice(1) : body).replace(/[\\\]\[^]/g, "\\$&");
  return negated ? `[^${items}/]` : `[${items}]`;
}
