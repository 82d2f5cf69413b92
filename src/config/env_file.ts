/**
 * The `.env` file: secrets by name. Reads and edits it as text, so comments and order stay;
 * nothing is ever expanded or executed.
 */

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*/;

interface Entry {
  name: string;
  value: string;
  /** Offsets of the whole assignment in the text, its line break left out. */
  start: number;
  end: number;
}

/** Names and values; the last assignment of a name wins. Lines that assign nothing are skipped. */
export function parseEnvFile(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const entry of entries(text)) values.set(entry.name, entry.value);
  return values;
}

/** Lines that assign nothing and are no comment either, by number. What they say may be a secret. */
export function brokenEnvLines(text: string): number[] {
  const broken: number[] = [];
  let [at, line] = [text.startsWith("\ufeff") ? 1 : 0, 1];
  const passUntil = (end: number) => {
    while (at < end) {
      const next = skipLineBreak(text, at);
      if (!/^[ \t]*(#|\r?$)/.test(text.slice(at, endOfLine(text, at)))) broken.push(line);
      [at, line] = [next, line + 1];
    }
  };
  for (const { start, end } of entries(text)) {
    passUntil(start);
    line += text.slice(start, end).split("\n").length;
    at = skipLineBreak(text, end);
  }
  passUntil(text.length);
  return broken;
}

/** The text with `name` set (or removed when `value` is undefined), everything else untouched. */
export function editEnvFile(
  text: string,
  { name, value }: { name: string; value: string | undefined },
): string {
  const found = [...entries(text)].filter((entry) => entry.name === name);
  const line = value === undefined ? undefined : `${name}=${quote(value)}`;
  let edited = text;
  for (const [i, entry] of found.entries().toArray().reverse()) {
    const keep = i === 0 && line !== undefined;
    const after = keep ? entry.end : skipLineBreak(edited, entry.end);
    edited = edited.slice(0, entry.start) + (keep ? line : "") + edited.slice(after);
  }
  if (found.length > 0 || line === undefined) return edited;
  const separator = edited === "" || edited.endsWith("\n") ? "" : "\n";
  return `${edited}${separator}${line}\n`;
}

function* entries(text: string): Generator<Entry> {
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    const lineEnd = endOfLine(text, at);
    const match = ASSIGNMENT.exec(text.slice(at, lineEnd));
    if (match === null) {
      at = skipLineBreak(text, lineEnd);
      continue;
    }
    const { value, end } = readValue(text, at + match[0].length, lineEnd);
    yield { name: match[1]!, value, start: at, end };
    at = skipLineBreak(text, end);
  }
}

/** A value is quoted (and may then span lines) or runs to a ` #` or the end of its line. */
function readValue(text: string, start: number, lineEnd: number): { value: string; end: number } {
  const mark = text[start];
  if (mark === '"' || mark === "'") {
    const close = closingQuote(text, start);
    if (close >= 0) {
      const raw = text.slice(start + 1, close);
      return { value: mark === "'" ? raw : unescape(raw), end: endOfLine(text, close) };
    }
  }
  const raw = text.slice(start, lineEnd).replace(/(^|\s)#[^]*$/, "");
  return { value: raw.trim(), end: lineEnd };
}

function closingQuote(text: string, open: number): number {
  const mark = text[open];
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] === "\\" && mark === '"') i++;
    else if (text[i] === mark) return i;
  }
  return -1;
}

const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t" };

function unescape(raw: string): string {
  return raw.replaceAll(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char);
}

/** Bare when nothing in it could be read differently. */
function quote(value: string): string {
  if (/^[A-Za-z0-9_./:@%+,=-]*$/.test(value)) return value;
  if (!/['\n\r]/.test(value)) return `'${value}'`;
  const escaped = value.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n").replaceAll(
    "\r",
    "\\r",
  );
  return `"${escaped}"`;
}

function endOfLine(text: string, from: number): number {
  const newline = text.indexOf("\n", from);
  const end = newline < 0 ? text.length : newline;
  return end > from && text[end - 1] === "\r" ? end - 1 : end;
}

function skipLineBreak(text: string, at: number): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? text.length : newline + 1;
}
