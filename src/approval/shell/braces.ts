/** Brace expansion (`{a,b}`, `{1..5}`) over the parts of a word. */
import { type Part, ShellLimitError } from "./shell_ast.ts";

/** Words one word may become; what would be more is left unexpanded. */
const MAX_WORDS = 256;
/** Characters of a word with braces in it: looking for pairs costs their square. */
const MAX_CHARS = 2_048;

/**
 * The words `parts` stands for; itself when it has no brace list.
 *
 * @throws {ShellLimitError} when the word is too long to be expanded.
 */
export function expandBraces(parts: Part[]): Part[][] {
  const length = parts.reduce(
    (sum, part) => sum + (part.kind === "text" && !part.quoted ? part.text.length : 1),
    0,
  );
  if (length > MAX_CHARS) throw new ShellLimitError("too long a word with braces");
  const done: Part[][] = [];
  const todo = [parts];
  while (todo.length > 0) {
    const word = todo.pop()!;
    const variants = done.length + todo.length < MAX_WORDS ? expandFirst(word) : undefined;
    if (variants === undefined) done.push(word);
    else todo.push(...variants.reverse());
  }
  return done;
}

interface Place {
  part: number;
  char: number;
}

/** Replaces the first expandable list by each of its items. */
function expandFirst(parts: Part[]): Part[][] | undefined {
  for (const open of openBraces(parts)) {
    const list = closeBrace(parts, open);
    if (list === undefined) continue;
    const before = slice(parts, { part: 0, char: 0 }, open);
    const after = slice(parts, { ...list.close, char: list.close.char + 1 }, end(parts));
    const items = list.commas.length > 0
      ? split(parts, [open, ...list.commas, list.close])
      : sequence(slice(parts, { ...open, char: open.char + 1 }, list.close));
    if (items !== undefined) return items.map((item) => [...before, ...item, ...after]);
  }
  return undefined;
}

function* openBraces(parts: Part[]): Generator<Place> {
  for (const [part, piece] of parts.entries()) {
    if (piece.kind !== "text" || piece.quoted) continue;
    for (let char = piece.text.indexOf("{"); char >= 0; char = piece.text.indexOf("{", char + 1)) {
      yield { part, char };
    }
  }
}

/** The brace that closes `open` and the commas of its own level. */
function closeBrace(parts: Part[], open: Place): { close: Place; commas: Place[] } | undefined {
  const commas: Place[] = [];
  let depth = 0;
  for (let part = open.part; part < parts.length; part++) {
    const piece = parts[part]!;
    if (piece.kind !== "text" || piece.quoted) continue;
    for (let char = part === open.part ? open.char : 0; char < piece.text.length; char++) {
      const at = piece.text[char];
      if (at === "{") depth++;
      else if (at === "," && depth === 1) commas.push({ part, char });
      else if (at === "}" && --depth === 0) return { close: { part, char }, commas };
    }
  }
  return undefined;
}

function split(parts: Part[], marks: Place[]): Part[][] {
  const items: Part[][] = [];
  for (let i = 0; i + 1 < marks.length; i++) {
    items.push(slice(parts, { ...marks[i]!, char: marks[i]!.char + 1 }, marks[i + 1]!));
  }
  return items;
}

function end(parts: Part[]): Place {
  return { part: parts.length, char: 0 };
}

function slice(parts: Part[], from: Place, to: Place): Part[] {
  const out: Part[] = [];
  for (let i = from.part; i <= to.part && i < parts.length; i++) {
    const piece = parts[i]!;
    const cut = i === from.part || i === to.part;
    if (piece.kind !== "text" || piece.quoted || !cut) {
      if (i < to.part) out.push(piece);
      continue;
    }
    const text = piece.text.slice(
      i === from.part ? from.char : 0,
      i === to.part ? to.char : undefined,
    );
    if (text !== "") out.push({ kind: "text", text, quoted: false });
  }
  return out;
}

/** `1..5`, `a..e`, with an optional step; undefined when it is no short sequence. */
function sequence(inside: Part[]): Part[][] | undefined {
  const [only] = inside;
  if (inside.length !== 1 || only?.kind !== "text") return undefined;
  const found = /^(-?\d{1,6}|[A-Za-z])\.\.(-?\d{1,6}|[A-Za-z])(?:\.\.(-?\d{1,6}))?$/.exec(
    only.text,
  );
  if (found === null) return undefined;
  const letters = /[A-Za-z]/.test(found[1]!);
  if (letters !== /[A-Za-z]/.test(found[2]!)) return undefined;
  const from = letters ? found[1]!.charCodeAt(0) : Number(found[1]);
  const to = letters ? found[2]!.charCodeAt(0) : Number(found[2]);
  const step = Math.max(1, Math.abs(Number(found[3] ?? 1)));
  if (Math.abs(to - from) / step >= MAX_WORDS) return undefined;
  const items: Part[][] = [];
  for (let i = 0; i <= Math.abs(to - from); i += step) {
    const value = from <= to ? from + i : from - i;
    const text = letters ? String.fromCharCode(value) : String(value);
    items.push([{ kind: "text", text, quoted: false }]);
  }
  return items;
}
