/**
 * The engine for an expression that a model wrote: JavaScript's own where going back costs
 * nothing, the linear one for repetitions, and JavaScript's on single short lines for
 * repetitions beside look-around, which the linear one cannot do.
 */
import { TextFinder } from "./find_text.ts";
import { escapeRegex } from "./glob.ts";
import { type Clock, LinearRegex } from "./linear_regex.ts";
import { NeedsBacktracking } from "./regex_program.ts";
import { BOUNDARIES, type TranslatedRegex, translateRegex } from "./search_regex.ts";

export interface SearchOptions {
  literal?: boolean;
  ignoreCase?: boolean;
  multiline?: boolean;
}

export interface FoundMatch {
  index: number;
  end: number;
}

export interface SearchMatcher {
  /** Text that every match contains, as far as it is known. */
  literal?: string;
  /**
   * The first match at `from` or behind. One that stays on its line may be told by any position
   * of that line; one that spans lines is exact.
   */
  find(text: string, from: number, clock?: Clock): FoundMatch | undefined;
  /** The first match, exactly. */
  match(text: string, from: number, clock?: Clock): FoundMatch | undefined;
}

/** Longest line, by repetitions without an upper bound, that going back is let loose on. */
const MAX_LINE_CHARS = [2000, 1000, 250];
/** Going back tries every combination of them. */
const MAX_BRANCHES = 5;
/** Longer ones can make even a plain search compare everything with everything. */
const MAX_PLAIN_CHARS = 200;
const MAX_LITERAL_CHARS = 40;
const MAX_PATTERN_CHARS = 4000;

/** @throws SyntaxError when it cannot be read or run in bounded time. */
export function compileSearch(pattern: string, options: SearchOptions = {}): SearchMatcher {
  const flags = `g${options.ignoreCase ? "i" : ""}v`;
  const isPlain = options.literal || !/[\\^$.|?*+()[\]{}]/.test(pattern);
  if (isPlain && !options.ignoreCase) return literalMatcher(pattern);
  if (pattern.length > MAX_PATTERN_CHARS) throw new SyntaxError("the expression is too long");
  if (options.literal) return plainMatcher(escapeRegex(pattern), { ...options, flags });
  const translated = translateRegex(pattern, options.multiline === true);
  const regex = new RegExp(translated.source, flags);
  const { literal } = translated;
  return {
    ...chooseEngine(translated, regex, options),
    ...(literal === "" || options.ignoreCase
      ? {}
      : { literal: literal.slice(0, MAX_LITERAL_CHARS) }),
  };
}

function chooseEngine(
  translated: TranslatedRegex,
  regex: RegExp,
  options: SearchOptions,
): SearchMatcher {
  const { quantifiers, branches, repeats, nested } = translated;
  if (quantifiers + branches === 0 && translated.source.length <= MAX_PLAIN_CHARS) {
    return nativeMatcher(regex);
  }
  const spansLines = options.multiline === true;
  try {
    const linear = new LinearRegex(translated.source, {
      ignoreCase: options.ignoreCase === true,
      boundaries: BOUNDARIES,
      classes: "v",
      spansLines,
    });
    const match: SearchMatcher["match"] = (...place) => linear.match(...place);
    if (spansLines) return { match, find: spanningFind(linear) };
    return { match, find: lineFind(linear) };
  } catch (error) {
    if (!(error instanceof NeedsBacktracking)) throw error;
    const maxChars = MAX_LINE_CHARS[repeats];
    if (spansLines || nested || maxChars === undefined || branches > MAX_BRANCHES) {
      throw new SyntaxError(`${error.message} beside repetitions could take forever`);
    }
    return shortLineMatcher(regex, maxChars);
  }
}

/** Text in any case. */
function plainMatcher(source: string, options: SearchOptions & { flags: string }): SearchMatcher {
  const translated = {
    source,
    literal: "",
    quantifiers: 0,
    repeats: 0,
    branches: 0,
    nested: false,
  };
  return chooseEngine(translated, new RegExp(source, options.flags), options);
}

function literalMatcher(pattern: string): SearchMatcher {
  const finder = new TextFinder(pattern);
  function find(text: string, from: number): FoundMatch | undefined {
    const index = finder.indexIn(text, from);
    return index < 0 ? undefined : { index, end: index + pattern.length };
  }
  return { literal: pattern.slice(0, MAX_LITERAL_CHARS), find, match: find };
}

function nativeMatcher(regex: RegExp): SearchMatcher {
  function find(text: string, from: number): FoundMatch | undefined {
    regex.lastIndex = from;
    const found = regex.exec(text);
    return found === null ? undefined : { index: found.index, end: found.index + found[0].length };
  }
  return { find, match: find };
}

/** Where a match ends says which line it is on. */
function lineFind(linear: LinearRegex): SearchMatcher["find"] {
  return (text, from, clock) => {
    const end = linear.firstEnd(text, from, clock);
    return end < 0 ? undefined : { index: end, end };
  };
}

/** Most texts hold no match at all, which the fast way says. */
function spanningFind(linear: LinearRegex): SearchMatcher["find"] {
  return (text, from, clock) =>
    linear.firstEnd(text, from, clock) < 0 ? undefined : linear.match(text, from, clock);
}

/** One line after the other, each only as far as going back is bearable. */
function shortLineMatcher(regex: RegExp, maxChars: number): SearchMatcher {
  function find(text: string, from: number, clock?: Clock): FoundMatch | undefined {
    for (let at = from; at <= text.length;) {
      const newline = text.indexOf("\n", at);
      const end = newline < 0 ? text.length : newline;
      regex.lastIndex = 0;
      const found = regex.exec(text.slice(at, Math.min(end, at + maxChars)));
      if (found !== null) {
        return { index: at + found.index, end: at + found.index + found[0].length };
      }
      clock?.();
      at = end + 1;
    }
    return undefined;
  }
  return { find, match: find };
}
