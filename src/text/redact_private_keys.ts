/**
 * Private keys in text, also where every line has something before it: line numbers, `path:12:`,
 * signs of a diff, quotes. A block may lack its first or last line, because a page or a limit cut
 * it off. Walks lines by hand: patterns over many unclosed blocks would take quadratic time.
 */
import type { Range } from "./known_secrets_search.ts";

const MARKER = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** A whole block on lines of its own or on one line with escaped line ends. */
const BODY = /(?:[A-Za-z0-9+/=\s\\:,]|-(?!----)){0,16384}(?=-----END [A-Z0-9 ]{0,40}PRIVATE KEY)/y;
/** As much of a block as follows its first line without decoration. */
const OPEN_BODY = /(?:\s{0,4}[A-Za-z0-9+/=\\]{16,})*/y;
const ARMOUR = /(?:Proc-Type|DEK-Info|Comment|Version|Hash): /;
/** What may follow the last base64 character of a line of source text. */
const ENDING = new Set(["\r", " ", "\t", '"', "'", "`", ",", ";", ")", "]", "\\", "|", "$"]);
/** Fewer characters are only part of a key right before its last line. */
const LINE_CHARS = 16;
const MAX_LINE_CHARS = 1024;
/** Lines of keys have these lengths: PEM and OpenSSH. */
const KEY_WIDTHS = [64, 70];
const MIN_BARE_LINES = 3;

/** Where private keys stand in `text`, markers included, in order. */
export function findPrivateKeys(text: string): Range[] {
  if (!text.includes("PRIVATE KEY")) return [];
  const found: Range[] = [];
  let from = 0;
  for (const { index, 0: marker, 1: kind } of text.matchAll(MARKER)) {
    if (index < from) continue;
    const after = index + marker.length;
    const range = kind === "BEGIN"
      ? { start: index, end: endOfKey(text, after) }
      : { start: startOfKey(text, { marker: index, from }), end: after };
    found.push(range);
    from = range.end;
  }
  return found;
}

function endOfKey(text: string, after: number): number {
  BODY.lastIndex = after;
  if (BODY.test(text)) return endOfMarker(text, BODY.lastIndex);
  OPEN_BODY.lastIndex = after;
  OPEN_BODY.test(text);
  return endOfLines(text, { after, at: OPEN_BODY.lastIndex });
}

/** The end of the last decorated line of a key that begins before `after` and goes on at `at`. */
function endOfLines(text: string, { after, at }: { after: number; at: number }): number {
  let end = at;
  let lineEnd = nearLineEnd(text, at);
  // Something else follows on the same line: source text that names the marker.
  if (lineEnd < 0 || !isDecoration(text.slice(at, lineEnd))) return end;
  for (let lines = 0; lineEnd >= 0 && lineEnd < text.length; lines++) {
    const start = lineEnd + 1;
    lineEnd = nearLineEnd(text, start);
    if (lineEnd < 0) break;
    const line = text.slice(start, lineEnd);
    const marker = line.indexOf("-----END ");
    if (marker >= 0) return end > after ? endOfMarker(text, start + marker) : end;
    const run = trailingRun(text, start, lineEnd);
    if (run.end - run.start >= LINE_CHARS || closesNext(text, lineEnd)) end = run.end;
    else if (end > after && isLastLine(text.slice(run.start, run.end))) return run.end;
    else if (lines > 3 || !(ARMOUR.test(line) || /^[^A-Za-z]{0,40}$/.test(line))) break;
  }
  return end;
}

/** The last line of a block is shorter than the others. */
function isLastLine(run: string): boolean {
  return run.length >= 2 && (run.endsWith("=") || isMixed(run));
}

/** True when the line after `lineEnd` is the last one of a key. */
function closesNext(text: string, lineEnd: number): boolean {
  return text.slice(lineEnd + 1, lineEnd + 400).split("\n", 1)[0]!.includes("-----END ");
}

/** The start of a key of which only the end is in the text. Nothing before `from` belongs to it. */
function startOfKey(text: string, { marker, from }: { marker: number; from: number }): number {
  const before = text.slice(from, marker);
  let start = before.length;
  let lineEnd = before.lastIndexOf("\n");
  for (let lines = 0; lineEnd > 0; lines++) {
    const lineStart = before.lastIndexOf("\n", lineEnd - 1) + 1;
    const run = trailingRun(before, lineStart, lineEnd);
    // The last line of a key may be short.
    if (run.end - run.start < (lines === 0 ? 1 : LINE_CHARS)) break;
    start = run.start;
    lineEnd = lineStart - 1;
  }
  return from + start;
}

function endOfMarker(text: string, at: number): number {
  const end = text.indexOf("-----", at + 5);
  return end < 0 ? text.length : end + 5;
}

/**
 * Lines of a key without its first and last line, as `sed -n 5,20p` shows them. They cannot be
 * told from other base64 of the same width; lines of certificates and public keys are left out.
 */
export function findBareKeyLines(text: string): Range[] {
  const found: Range[] = [];
  let open: Range & { lines: number; width: number } | undefined;
  let isPublic = false;
  const hasHeaders = text.includes("-----BEGIN ");
  const close = () => {
    if (open !== undefined && open.lines >= MIN_BARE_LINES) found.push(open);
    open = undefined;
  };
  for (let at = 0; at < text.length;) {
    const end = endOfLine(text, at);
    if (end - at < KEY_WIDTHS[0]! && open === undefined && !hasHeaders) {
      at = end + 1;
      continue;
    }
    const run = trailingRun(text, at, end);
    const width = run.end - run.start;
    if (KEY_WIDTHS.includes(width) && !isPublic && isMixed(text.slice(run.start, run.end))) {
      if (open?.width !== width) close();
      open = open === undefined
        ? { ...run, lines: 1, width }
        : { ...open, end: run.end, lines: open.lines + 1 };
    } else {
      // The last line of the block is shorter than the others.
      if (open !== undefined && width >= 4 && width < open.width) open.end = run.end;
      close();
      const line = hasHeaders && end - at < 400 ? text.slice(at, end) : "";
      if (line.includes("-----")) isPublic = line.includes("-----BEGIN ");
    }
    at = end + 1;
  }
  close();
  return found;
}

/** True for a single line that may be one of a private key: nothing else is on it. */
export function isKeyLine(line: string): boolean {
  const run = trailingRun(line, 0, line.length);
  if (run.start > 16 || /[A-Za-z]/.test(line.slice(0, run.start))) return false;
  return KEY_WIDTHS.includes(run.end - run.start) && isMixed(line.slice(run.start, run.end));
}

/** Digests are hexadecimal and words have one case: a key has everything. */
function isMixed(run: string): boolean {
  return /[a-z]/.test(run) && /[A-Z]/.test(run) && /[0-9]/.test(run) && /[G-Zg-z]/.test(run);
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline;
}

/** The end of a line; -1 when the line is longer than any of a key. */
function nearLineEnd(text: string, at: number): number {
  const newline = text.slice(at, at + MAX_LINE_CHARS).indexOf("\n");
  if (newline >= 0) return at + newline;
  return at + MAX_LINE_CHARS < text.length ? -1 : text.length;
}

function isDecoration(rest: string): boolean {
  return rest.length <= 16 && [...rest.replace("\\n", "")].every((char) => ENDING.has(char));
}

/** The base64 characters at the end of a line, before quotes and the like. */
function trailingRun(text: string, start: number, lineEnd: number): Range {
  let end = lineEnd;
  while (end > start && lineEnd - end < 16) {
    if (ENDING.has(text[end - 1]!)) end--;
    else if (end - start > 2 && text.startsWith("\\n", end - 2)) end -= 2;
    // The sign that joins literals, not the character of base64.
    else if (text[end - 1] === "+" && ENDING.has(text[end - 2] ?? "")) end--;
    else break;
  }
  let first = end;
  while (first > start && end - first < 200 && isBase64(text.charCodeAt(first - 1))) first--;
  // The sign of a diff.
  if (first === start && text[first] === "+" && KEY_WIDTHS.includes(end - first - 1)) first++;
  return { start: first, end };
}

function isBase64(code: number): boolean {
  return code >= 97 && code <= 122 || code >= 65 && code <= 90 || code >= 47 && code <= 57 ||
    code === 43 || code === 61;
}
