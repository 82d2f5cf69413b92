/**
 * Replacing a passage that was found by `fuzzy_match.ts`: refuses what is ambiguous or looks
 * like broken escaping, and fits the new text to the place (indentation, typography).
 */
import { diffSequences } from "./line_diff.ts";
import {
  foldCharacter,
  foldUnicode,
  fuzzyFind,
  type FuzzyMatch,
  lineNumberAt,
  type MatchStrategy,
  type Region,
} from "./fuzzy_match.ts";
import { hasText } from "./find_text.ts";

export interface Replacement {
  oldText: string;
  newText: string;
  replaceAll?: boolean;
}

export type ReplaceOutcome =
  | { kind: "replaced"; text: string; strategy: MatchStrategy; count: number }
  /** The new text is already there and the old one is gone. */
  | { kind: "unchanged" }
  | { kind: "not_found" }
  /** Found, but not to be replaced: why. */
  | { kind: "refused"; reason: string };

const MAX_PLACES = 5;
const SNIPPET_CHARS = 80;
/** From this length on, finding the new text in the file means that the edit was made before. */
const MIN_APPLIED_CHARS = 8;

/** The text with the passage replaced, or why not. */
export function replacePassage(text: string, edit: Replacement): ReplaceOutcome {
  const { oldText, newText } = edit;
  if (oldText.trim() === "") return refused("old_string is empty: quote the text to replace.");
  if (oldText === newText) return refused("old_string and new_string are the same.");
  const match = fuzzyFind(text, oldText);
  if (match === undefined) {
    const applied = newText.trim().length >= MIN_APPLIED_CHARS && hasText(text, newText);
    return { kind: applied ? "unchanged" : "not_found" };
  }
  const { regions, strategy } = match;
  if (regions.length > 1 && !edit.replaceAll) return refused(ambiguity(text, regions));
  if (regions.length > 1 && isLoose(match)) {
    return refused(`replace_all needs the exact text; ${regions.length} places are only similar.`);
  }
  let out = "";
  let at = 0;
  for (const region of regions) {
    const found = text.slice(region.start, region.end);
    const drift = strategy === "exact" ? undefined : escapeDrift(found, edit);
    if (drift !== undefined) return refused(drift);
    out += text.slice(at, region.start) + fitted(found, edit, strategy);
    at = region.end;
  }
  out += text.slice(at);
  // An edit that was made before leaves a passage similar to the old one: its own result.
  if (out === text) return { kind: "unchanged" };
  return { kind: "replaced", text: out, strategy, count: regions.length };
}

function refused(reason: string): ReplaceOutcome {
  return { kind: "refused", reason };
}

function isLoose({ strategy }: FuzzyMatch): boolean {
  return strategy === "block_anchor" || strategy === "context_aware";
}

function ambiguity(text: string, regions: readonly Region[]): string {
  const places = regions.slice(0, MAX_PLACES).map(({ start, end }) => {
    const snippet = text.slice(start, end).trim().split("\n")[0]!.slice(0, SNIPPET_CHARS);
    return `L${lineNumberAt(text, start)}: ${snippet}`;
  });
  const more = regions.length > MAX_PLACES ? `\n… and ${regions.length - MAX_PLACES} more` : "";
  return `old_string fits ${regions.length} places; add lines around it to make it unique, ` +
    `or set replace_all.\n${places.join("\n")}${more}`;
}

/** Backslashes that belong to the call's encoding, not to the file. */
function escapeDrift(found: string, { oldText, newText }: Replacement): string | undefined {
  for (const escape of ["\\'", '\\"']) {
    if (oldText.includes(escape) && newText.includes(escape) && !found.includes(escape)) {
      return `old_string and new_string contain ${escape} where the file has ${escape[1]}: ` +
        "send the text as it is in the file, without extra backslashes.";
    }
  }
  const [sent, there] = [oldText, found].map((text) => text.match(/\\+/g) ?? []);
  const doubled = sent!.length > 0 && sent!.length === there!.length &&
    sent!.every((run, i) => run.length === there![i]!.length * 2);
  if (!doubled) return undefined;
  return "old_string has every backslash doubled: send the text as it is in the file.";
}

/** The new text as it belongs at the place where `found` stands. */
function fitted(found: string, edit: Replacement, strategy: MatchStrategy): string {
  if (strategy === "exact") return edit.newText;
  const text = realControls(edit.newText, found);
  if (strategy === "unicode_normalized") {
    const kept = keepTypography(found, edit.oldText, text);
    if (kept !== undefined) return kept;
  }
  return reindent(text, { from: firstIndent(edit.oldText), to: firstIndent(found) });
}

/** `\t` and `\r` written out become the characters when the place has them; `\n` never does. */
function realControls(text: string, found: string): string {
  let out = text;
  if (found.includes("\t")) out = out.replaceAll("\\t", "\t");
  if (found.includes("\r")) out = out.replaceAll("\\r", "\r");
  return out;
}

function firstIndent(text: string): string {
  const line = text.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return /^[ \t]*/.exec(line)![0];
}

function reindent(text: string, indent: { from: string; to: string }): string {
  const { from, to } = indent;
  if (from === to) return text;
  return text.split("\n").map((line) => {
    if (line.trim() === "") return line;
    if (line.startsWith(from)) return to + line.slice(from.length);
    return to.startsWith(from) ? to.slice(from.length) + line : line;
  }).join("\n");
}

/** Characters that the edit leaves alone stay as the file has them; undefined when they cannot be paired. */
function keepTypography(found: string, oldText: string, newText: string): string | undefined {
  const there = plainUnits(found);
  const plain = there.map((unit) => unit.plain);
  if (plain.join("") !== foldUnicode(oldText)) return undefined;
  const wanted = [...newText];
  return diffSequences(plain, wanted.map(foldCharacter)).map((block) => {
    if (!block.equal) return wanted.slice(block.bStart, block.bEnd).join("");
    return there.slice(block.aStart, block.aEnd).map(({ plain, original, first, size }) => {
      const whole = first >= block.aStart && first + size <= block.aEnd;
      return whole ? original : plain;
    }).join("");
  }).join("");
}

interface PlainUnit {
  plain: string;
  /** The character of the file for the first of its units, nothing for the others. */
  original: string;
  /** Index of its first unit, and how many there are. */
  first: number;
  size: number;
}

/** Folded characters one by one; an ellipsis is three. */
function plainUnits(text: string): PlainUnit[] {
  const units: PlainUnit[] = [];
  for (const character of text) {
    const parts = [...foldCharacter(character)];
    const first = units.length;
    for (const [i, plain] of parts.entries()) {
      units.push({ plain, original: i === 0 ? character : "", first, size: parts.length });
    }
  }
  return units;
}
