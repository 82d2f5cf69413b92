/**
 * The V4A patch format: several files in one text, hunks found by content instead of line
 * numbers. Parses, and applies hunks to a text; touches no file.
 */
import { TextFinder } from "./find_text.ts";
import { fuzzyFind, lineNumberAt, type Region } from "./fuzzy_match.ts";
import { nearestPassages } from "./nearest_passage.ts";
import { replacePassage } from "./fuzzy_replace.ts";

export type PatchOperation =
  | { kind: "update"; path: string; hunks: PatchHunk[]; moveTo?: string }
  | { kind: "add"; path: string; content: string }
  | { kind: "delete"; path: string }
  | { kind: "move"; path: string; moveTo: string };

export interface PatchHunk {
  /** Text of a line near the hunk, from `@@ … @@`. */
  hint: string;
  lines: HunkLine[];
}

export interface HunkLine {
  mark: " " | "+" | "-";
  text: string;
  /** An empty line without even a space: it may be context, or nothing at all. */
  blank?: boolean;
}

const HEADER = /^\*\*\*\s*(Update|Add|Delete|Move)\s+File:\s*(\S.*)$/;
const MOVE_TO = /^\*\*\*\s*Move\s+to:\s*(\S.*)$/;
const FRAME = /^\*\*\*\s*(Begin|End)\s+(Patch|of\s+File)\s*$/;
/** How far around its hint a hunk may lie when it fits several places or none. */
const HINT_BEFORE = 500;
const HINT_AFTER = 2000;

/** Every path a patch names, without checking the rest of it. */
export function patchPaths(patch: string): string[] {
  const paths: string[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const header = HEADER.exec(line.trimEnd());
    if (header) paths.push(...(header[1] === "Move" ? movePaths(header[2]!) : [header[2]!]));
    const move = MOVE_TO.exec(line.trimEnd());
    if (move) paths.push(move[1]!);
  }
  return paths;
}

/** The operations in order. @throws SyntaxError that says which line is wrong. */
export function parsePatch(patch: string): PatchOperation[] {
  const operations: PatchOperation[] = [];
  for (const section of sections(patch)) operations.push(parseSection(section));
  return operations;
}

interface Section {
  action: string;
  path: string;
  body: string[];
}

function sections(patch: string): Section[] {
  const found: Section[] = [];
  for (const line of patch.split(/\r?\n/)) {
    const header = HEADER.exec(line.trimEnd());
    if (header) found.push({ action: header[1]!, path: header[2]!, body: [] });
    else if (!FRAME.test(line)) found.at(-1)?.body.push(line);
  }
  return found;
}

/** `old -> new` as its two paths. */
function movePaths(text: string): string[] {
  return text.split("->").map((part) => part.trim());
}

/** What stands between the `@@` of a line, the second of which is optional. */
function hunkHint(line: string): string {
  const text = line.slice(2).trim();
  return text.endsWith("@@") ? text.slice(0, -2).trim() : text;
}

function parseSection({ action, path, body }: Section): PatchOperation {
  if (action === "Delete") return { kind: "delete", path: checked(path) };
  if (action === "Move") {
    const [from, to, ...rest] = movePaths(path);
    if (!from || !to || rest.length > 0) {
      throw new SyntaxError(`write "*** Move File: old -> new", not "${path}"`);
    }
    return { kind: "move", path: checked(from), moveTo: checked(to) };
  }
  if (action === "Add") return { kind: "add", path: checked(path), content: addedText(body) };
  const moveTo = body.map((line) => MOVE_TO.exec(line.trimEnd())?.[1]).find((to) =>
    to !== undefined
  );
  const hunks = parseHunks(body.filter((line) => !MOVE_TO.test(line)));
  if (hunks.length === 0 && moveTo === undefined) {
    throw new SyntaxError(`"*** Update File: ${path}" has no hunks`);
  }
  if (hunks.length === 0) return { kind: "move", path: checked(path), moveTo: checked(moveTo!) };
  return {
    kind: "update",
    path: checked(path),
    hunks,
    ...(moveTo === undefined ? {} : { moveTo: checked(moveTo) }),
  };
}

function checked(path: string): string {
  if (path.split("/").includes("..")) throw new SyntaxError(`".." in the path ${path}`);
  return path;
}

/** Content of a new file: lines with `+`; lines without are taken as they are. */
function addedText(body: readonly string[]): string {
  const lines = withoutBlankEnd(body).map((line) => line.startsWith("+") ? line.slice(1) : line);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}

function parseHunks(body: readonly string[]): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  let current: PatchHunk | undefined;
  for (const line of body) {
    if (line.startsWith("@@")) {
      current = { hint: hunkHint(line), lines: [] };
      hunks.push(current);
      continue;
    }
    if (line.startsWith("\\ No newline")) continue;
    if (current === undefined) {
      if (line === "") continue;
      current = { hint: "", lines: [] };
      hunks.push(current);
    }
    current.lines.push(hunkLine(line));
  }
  for (const hunk of hunks) while (hunk.lines.at(-1)?.blank) hunk.lines.pop();
  return hunks.filter((hunk) => hunk.lines.length > 0);
}

function hunkLine(line: string): HunkLine {
  if (line === "") return { mark: " ", text: "", blank: true };
  const mark = line[0]!;
  if (mark === "+" || mark === "-" || mark === " ") return { mark, text: line.slice(1) };
  return { mark: " ", text: line };
}

function withoutBlankEnd(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  while (end > 0 && lines[end - 1] === "") end--;
  return lines.slice(0, end);
}

export type HunkOutcome =
  | { kind: "applied"; text: string }
  /** The text holds the change already. */
  | { kind: "skipped" }
  | { kind: "failed"; reason: string };

/** One hunk on a text. */
export function applyHunk(text: string, hunk: PatchHunk): HunkOutcome {
  if (hunk.lines.every((line) => line.mark === " ")) {
    return { kind: "failed", reason: "a hunk with context only changes nothing" };
  }
  if (hunk.lines.every((line) => line.mark === "+" || line.blank)) return insert(text, hunk);
  const outcome = replaceHunk(text, hunk, hunk.lines);
  if (outcome.kind !== "failed" || !hunk.lines.some((line) => line.blank)) return outcome;
  // Empty lines between hunk lines are as often a slip as they are blank context.
  const without = replaceHunk(text, hunk, hunk.lines.filter((line) => !line.blank));
  return without.kind === "failed" ? outcome : without;
}

function replaceHunk(text: string, hunk: PatchHunk, lines: readonly HunkLine[]): HunkOutcome {
  const edit = { oldText: side(lines, "-"), newText: side(lines, "+") };
  const places = wholeLines(text, edit.oldText, { most: 2 });
  // A place that is the only one needs no hint; looking for one takes long in a large file.
  const near = hunk.hint === "" || places.length === 1
    ? undefined
    : fuzzyFind(text, hunk.hint)?.regions[0]?.start;
  const place = places.length === 1
    ? places[0]
    : near === undefined
    ? undefined
    : wholeLines(text, edit.oldText, { from: near, most: 1 })[0];
  if (place !== undefined) {
    const removesAll = lines.every((line) => line.mark === "-");
    return { kind: "applied", text: splice(text, place, removesAll ? undefined : edit.newText) };
  }
  const whole = replacePassage(text, edit);
  if (whole.kind === "replaced") return { kind: "applied", text: whole.text };
  if (whole.kind === "unchanged") return { kind: "skipped" };
  if (near !== undefined) {
    const start = Math.max(0, near - HINT_BEFORE);
    const end = Math.min(text.length, near + HINT_AFTER);
    const part = replacePassage(text.slice(start, end), edit);
    if (part.kind === "replaced") {
      return { kind: "applied", text: text.slice(0, start) + part.text + text.slice(end) };
    }
  }
  if (whole.kind === "refused") {
    return { kind: "failed", reason: whole.reason.replaceAll("old_string", "the hunk") };
  }
  const nearest = nearestPassages(text, edit.oldText);
  const shown = nearest === "" ? "" : `\nNearest:\n${nearest}`;
  return { kind: "failed", reason: `could not find its lines${shown}` };
}

/** The first places where the passage stands exactly, from the beginning of a line to the end of one. */
function wholeLines(
  text: string,
  passage: string,
  { from = 0, most }: { from?: number; most: number },
): Region[] {
  const places: Region[] = [];
  // An empty line alone stands everywhere.
  if (passage === "") return places;
  const finder = new TextFinder(passage);
  for (let at = finder.indexIn(text, from); at >= 0 && places.length < most;) {
    const end = at + passage.length;
    const begins = at === 0 || text[at - 1] === "\n";
    if (begins && (end === text.length || text[end] === "\n")) places.push({ start: at, end });
    const newline = text.indexOf("\n", at);
    at = newline < 0 ? -1 : finder.indexIn(text, newline + 1);
  }
  return places;
}

/** Replaces whole lines; without new ones their line break goes too. */
function splice(text: string, { start, end }: Region, lines: string | undefined): string {
  if (lines !== undefined) return text.slice(0, start) + lines + text.slice(end);
  const rest = text.slice(end + 1);
  return rest === "" && end === text.length
    ? text.slice(0, Math.max(0, start - 1))
    : text.slice(0, start) + rest;
}

function side(lines: readonly HunkLine[], mark: "+" | "-"): string {
  return lines.filter((line) => line.mark === " " || line.mark === mark)
    .map((line) => line.text).join("\n");
}

/** Lines that only add go behind the hint's line, or to the end without one. */
function insert(text: string, hunk: PatchHunk): HunkOutcome {
  const added = hunk.lines.filter((line) => line.mark === "+").map((line) => line.text).join("\n");
  if (hunk.hint === "") {
    const gap = text === "" || text.endsWith("\n") ? "" : "\n";
    return { kind: "applied", text: `${text}${gap}${added}\n` };
  }
  const found = fuzzyFind(text, hunk.hint);
  if (found === undefined) {
    return { kind: "failed", reason: `its hint "${hunk.hint}" is not in the file` };
  }
  if (found.regions.length > 1) {
    const lines = found.regions.slice(0, 5).map(({ start }) => lineNumberAt(text, start));
    return {
      kind: "failed",
      reason: `its hint "${hunk.hint}" is on several lines (${lines.join(", ")})`,
    };
  }
  const newline = text.indexOf("\n", found.regions[0]!.end);
  if (newline < 0) return { kind: "applied", text: `${text}\n${added}` };
  return {
    kind: "applied",
    text: `${text.slice(0, newline + 1)}${added}\n${text.slice(newline + 1)}`,
  };
}
