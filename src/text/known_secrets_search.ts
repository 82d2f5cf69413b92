/**
 * Finds known secrets in a text, in every spelling of `secret_forms.ts`, in time that grows with
 * the text and not with the number of secrets: one walk compares a few characters at a time with
 * a table, and only what the table knows is looked at closely.
 */
import { denseForms, literalForms } from "./secret_forms.ts";

/** A part of a text: from `start` up to, not including, `end`. */
export interface Range {
  start: number;
  end: number;
}

/** Shorter secrets would blank out ordinary words; also the part of a needle that is looked up. */
export const MIN_SECRET_CHARS = 8;
/** A longer secret is looked for in pieces, so that a part of a page is found too. */
const PIECE_CHARS = 64;
const FRAGMENT_CHARS = 12;
const TABLE_SIZE = 1 << 18;
/** Characters that are compared with the table at once: as many as fit with three bits each. */
const WINDOW = 6;

/** A set of needles of at least `MIN_SECRET_CHARS` characters each. */
class Needles {
  readonly #marks = new Uint8Array(TABLE_SIZE);
  readonly #byHead = new Map<string, string[]>();

  constructor(needles: Iterable<string>) {
    for (const needle of needles) {
      const head = needle.slice(0, MIN_SECRET_CHARS);
      this.#marks[hash(head, 0, WINDOW)] = 1;
      const others = this.#byHead.get(head);
      if (others === undefined) this.#byHead.set(head, [needle]);
      else others.push(needle);
    }
    for (const list of this.#byHead.values()) list.sort((a, b) => b.length - a.length);
  }

  /** Every place of a needle in `text`, in order and without overlaps. */
  find(text: string): Range[] {
    const found: Range[] = [];
    const marks = this.#marks;
    const last = text.length - MIN_SECRET_CHARS;
    let window = hash(text, 0, WINDOW - 1);
    for (let at = 0; at <= last; at++) {
      window = roll(window, text.charCodeAt(at + WINDOW - 1));
      if (marks[window] === 0) continue;
      const needle = this.#at(text, at);
      if (needle === undefined) continue;
      found.push({ start: at, end: at + needle.length });
      at += needle.length - 1;
      window = hash(text, at + 1, WINDOW - 1);
    }
    return found;
  }

  #at(text: string, at: number): string | undefined {
    const candidates = this.#byHead.get(text.slice(at, at + MIN_SECRET_CHARS));
    return candidates?.find((needle) => text.startsWith(needle, at));
  }
}

/** Of the last `WINDOW` characters: the one before them is shifted out. */
function roll(window: number, code: number): number {
  return (window << 3 ^ code) & TABLE_SIZE - 1;
}

function hash(text: string, start: number, length: number): number {
  let window = 0;
  for (let at = start; at < start + length; at++) window = roll(window, text.charCodeAt(at));
  return window;
}

/** Parts of at most `PIECE_CHARS` characters that cover a needle. */
function pieces(needle: string): string[] {
  if (needle.length <= PIECE_CHARS) return [needle];
  const parts: string[] = [];
  for (let at = 0; at + PIECE_CHARS <= needle.length; at += PIECE_CHARS) {
    parts.push(needle.slice(at, at + PIECE_CHARS));
  }
  return [...parts, needle.slice(-PIECE_CHARS)];
}

/** Parts of a long random token: what a limit or `head -c` leaves of it is secret too. */
function fragments(secret: string): string[] {
  const isToken = /^[\w+/=.~-]{24,4096}$/.test(secret) && /\d/.test(secret) &&
    /[A-Za-z]/.test(secret);
  if (!isToken) return [];
  const parts: string[] = [];
  for (let at = 0; at + FRAGMENT_CHARS <= secret.length; at += FRAGMENT_CHARS / 2) {
    parts.push(secret.slice(at, at + FRAGMENT_CHARS));
  }
  // A word of a language, or the host of an address, stands in many texts.
  return parts.filter((part) => /\d/.test(part) && /[A-Za-z]/.test(part) && !part.includes("/"));
}

/** Letters and digits of a text, and where in the text each of them stands. */
interface Reduced {
  text: string;
  places: Uint32Array;
}

const IS_KEPT = Uint8Array.from({ length: 128 }, (_, code) => {
  return /[A-Za-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0;
});

/**
 * `line.pattern` is tried at the start of every line: what it matches is left out, or, with
 * `only`, its group 1 is all that is kept.
 */
function reduce(text: string, line?: { pattern: RegExp; only: boolean }): Reduced {
  const codes = new Uint8Array(text.length);
  const places = new Uint32Array(text.length);
  let count = 0;
  const keep = (start: number, end: number) => {
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code > 127 || IS_KEPT[code] === 0) continue;
      codes[count] = code;
      places[count++] = at;
    }
  };
  if (line === undefined) keep(0, text.length);
  else {
    for (let at = 0; at < text.length;) {
      const newline = text.indexOf("\n", at);
      const end = newline < 0 ? text.length : newline;
      line.pattern.lastIndex = at;
      const found = line.pattern.exec(text);
      const from = found === null ? at : found.index + found[0].length;
      if (!line.only) keep(from, end);
      else if (found !== null) keep(from - found[1]!.length, from);
      at = end + 1;
    }
  }
  return { text: new TextDecoder().decode(codes.subarray(0, count)), places };
}

/** `12|`, `12:`, `12-`, `   12<tab>`, `> `, `+` before the text of a line. */
const NUMBERED = /[ \t]{0,16}(?:\d{1,9}(?:[:|)-]|[ \t]{1,4})|[>|+#*-][ \t])/y;
const HAS_NUMBERS = /(?:^|\n)[ \t]{0,16}\d{1,9}[:|)\t -]/;
/** A line of a dump: address, columns of digits, and characters that repeat what the digits say. */
const DUMP =
  /[ \t]{0,16}(?:\d{1,9}[:|\t][ \t]{0,16})??[0-9a-fA-F]{4,16}:?[ \t]{1,4}((?:[0-9a-fA-F]{2,8}(?:[ \t]{1,3}|$)){1,64})/my;
const HAS_DUMP = /(?:^|\n)[^\n]{0,24}[0-9a-fA-F]{4}:?[ \t]{1,4}[0-9a-fA-F]{2}/;

/** Finds secrets; made once for a set of them. */
export class SecretSearch {
  readonly #literal: Needles;
  readonly #dense: Needles;
  readonly #isEmpty: boolean;

  constructor(secrets: Iterable<string>) {
    const all = [...new Set(secrets)].filter(({ length }) => length >= MIN_SECRET_CHARS);
    this.#isEmpty = all.length === 0;
    const literal = [...all.flatMap(literalForms).flatMap(pieces), ...all.flatMap(fragments)];
    this.#literal = new Needles(new Set(literal));
    this.#dense = new Needles(new Set(all.flatMap(denseForms).flatMap(pieces)));
  }

  /** Where secrets stand in `text`, in order; ranges do not touch. */
  find(text: string): Range[] {
    if (this.#isEmpty || text.length < MIN_SECRET_CHARS) return [];
    const found = this.#literal.find(text);
    found.push(...this.#findReduced(reduce(text)));
    if (!text.includes("\n")) return merge(found);
    if (HAS_NUMBERS.test(text)) {
      found.push(...this.#findReduced(reduce(text, { pattern: NUMBERED, only: false })));
    }
    if (HAS_DUMP.test(text)) {
      const dumped = this.#findReduced(reduce(text, { pattern: DUMP, only: true }));
      for (const { start, end } of dumped) found.push({ start, end: endOfLine(text, end) });
    }
    return merge(found);
  }

  #findReduced({ text, places }: Reduced): Range[] {
    return this.#dense.find(text).map(({ start, end }) => ({
      start: places[start]!,
      end: places[end - 1]! + 1,
    }));
  }
}

function endOfLine(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline;
}

function merge(ranges: Range[]): Range[] {
  ranges.sort((a, b) => a.start - b.start);
  const merged: Range[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last === undefined || range.start > last.end) merged.push({ ...range });
    else last.end = Math.max(last.end, range.end);
  }
  return merged;
}
