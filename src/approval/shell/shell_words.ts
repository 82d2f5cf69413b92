/**
 * Scans one shell word: quotes, escapes, parameters, substitutions, arithmetic. Knows
 * nothing of commands; nested scripts are parsed by the cursor's owner.
 */
import {
  LIMITS,
  type ParamPart,
  type Part,
  type Script,
  ShellLimitError,
  ShellSyntaxError,
  type Word,
} from "./shell_ast.ts";

/** A position in a source, and the parser for scripts met on the way. */
export interface Cursor {
  readonly src: string;
  pos: number;
  depth: number;
  /** Parses from `pos` up to and including an unquoted `)`. */
  nested(): Script;
  /** Parses a text of its own: the inside of backticks. */
  inner(text: string): Script;
}

/** Runs `body` one level deeper. */
export function deeper<T>(cursor: { depth: number }, body: () => T): T {
  if (++cursor.depth > LIMITS.depth) throw new ShellLimitError("too deeply nested");
  const result = body();
  cursor.depth--;
  return result;
}

const PLAIN = /[^ \t\n;&|<>()'"\\$`]+/y;
const PLAIN_IN_BRACES = /(?:[^'"\\$`}/<>]|[<>](?!\())+/y;
const PLAIN_IN_QUOTES = /[^"\\$`]+/y;
const PLAIN_IN_HEREDOC = /[^\\$`]+/y;
const PLAIN_IN_PARENS = /[^()'"\\$`]+/y;
/** Single quotes protect nothing in a number: `$(('$(cmd)'))` runs it. */
const PLAIN_IN_ARITHMETIC = /[^()"\\$`]+/y;
const PLAIN_IN_BRACKETS = /[^[\]"\\$`]+/y;
const PLAIN_IN_INDEX = /[^\]'"\\$`]+/y;
const NAME = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;
const BRACED_NAME = /[A-Za-z_]\w*|[0-9]+|[@*#?$!-]/y;
const ANSI_C_BODY = /(?:[^'\\]|\\[^])*/y;
const BACKTICK_BODY = /(?:[^`\\]|\\[^])*/y;
const LENGTH = /#(?=[A-Za-z_0-9@*])/y;
const INDIRECT = /!(?=[A-Za-z_0-9@*])/y;
const OPERATOR = /:[-=+?]|[-=+?]|##?|%%?|\/\/?|\^\^?|,,?|@|:/y;

function take(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.pos;
  const found = pattern.exec(cursor.src)?.[0] ?? "";
  cursor.pos += found.length;
  return found;
}

/** The word at the cursor, or undefined at an operator, blank or end. */
export function scanWord(cursor: Cursor): Word | undefined {
  const start = cursor.pos;
  const parts: Part[] = [];
  for (;;) {
    const plain = take(cursor, PLAIN);
    if (plain !== "") parts.push({ kind: "text", text: plain, quoted: false });
    const char = cursor.src[cursor.pos];
    if (char === "<" || char === ">") {
      if (cursor.src[cursor.pos + 1] !== "(") break;
      parts.push(scanProcess(cursor, char));
    } else if (char === "(" && /[?*+@!]$/.test(plain)) {
      cursor.pos++;
      parts.push({ kind: "text", text: "(", quoted: false });
      scanParens(cursor, parts, PLAIN_IN_PARENS);
    } else if (!scanSpecial(cursor, parts)) break;
  }
  if (cursor.pos === start) return undefined;
  return { parts, raw: cursor.src.slice(start, cursor.pos) };
}

/** `<(…)` or `>(…)` at the cursor. */
function scanProcess(cursor: Cursor, direction: "<" | ">"): Part {
  cursor.pos += 2;
  return { kind: "process", script: deeper(cursor, () => cursor.nested()), direction };
}

/** Quote, escape, `$` or backtick at the cursor; false when there is none of them. */
function scanSpecial(cursor: Cursor, parts: Part[]): boolean {
  const next = cursor.src[cursor.pos + 1];
  switch (cursor.src[cursor.pos]) {
    case "'":
      parts.push(scanSingle(cursor));
      return true;
    case '"':
      cursor.pos++;
      scanDouble(cursor, parts);
      return true;
    case "\\":
      // At the very end it continues a line that is empty, where a line break is added.
      cursor.pos += next === undefined ? 1 : 2;
      if (next !== "\n") parts.push({ kind: "text", text: next ?? "", quoted: true });
      return true;
    case "$":
      if (next === "'") parts.push(scanAnsiC(cursor));
      else if (next === '"') {
        cursor.pos += 2;
        scanDouble(cursor, parts);
      } else parts.push(scanDollar(cursor, false));
      return true;
    case "`":
      parts.push(scanBackticks(cursor, false));
      return true;
    default:
      return false;
  }
}

function scanSingle(cursor: Cursor): Part {
  const end = cursor.src.indexOf("'", cursor.pos + 1);
  if (end < 0) throw new ShellSyntaxError("unterminated single quote");
  const text = cursor.src.slice(cursor.pos + 1, end);
  cursor.pos = end + 1;
  return { kind: "text", text, quoted: true };
}

/** After the opening quote. An empty pair still makes a (quoted, empty) part. */
function scanDouble(cursor: Cursor, parts: Part[]): void {
  parts.push({ kind: "text", text: "", quoted: true });
  scanQuotedRun(cursor, parts, PLAIN_IN_QUOTES);
  if (cursor.src[cursor.pos] !== '"') throw new ShellSyntaxError("unterminated double quote");
  cursor.pos++;
}

/** Text in which only `\`, `$` and backtick are special, up to what `plain` does not take. */
function scanQuotedRun(cursor: Cursor, parts: Part[], plain: RegExp): void {
  for (;;) {
    const text = take(cursor, plain);
    if (text !== "") parts.push({ kind: "text", text, quoted: true });
    const char = cursor.src[cursor.pos];
    if (char === "\\") {
      const next = cursor.src[cursor.pos + 1] ?? "";
      cursor.pos += 2;
      if (next === "\n") continue;
      const escapes = next !== "" && '$`"\\'.includes(next);
      parts.push({ kind: "text", text: escapes ? next : `\\${next}`, quoted: true });
    } else if (char === "$") parts.push(scanDollar(cursor, true));
    else if (char === "`") parts.push(scanBackticks(cursor, true));
    else return;
  }
}

/** The body of a here-document whose delimiter was not quoted. */
export function scanHeredoc(cursor: Cursor): Word {
  const parts: Part[] = [];
  scanQuotedRun(cursor, parts, PLAIN_IN_HEREDOC);
  return { parts, raw: cursor.src };
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  v: "\v",
};

/** Backslash escapes of `$'…'`, `echo -e` and `printf`. */
export function decodeEscapes(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|0?([0-7]{1,3})|c(.)|([^]))/g,
    (_, hex, short, long, octal, control, plain) => {
      const code = hex ?? short ?? long;
      if (code !== undefined) return codePoint(parseInt(code, 16));
      if (octal !== undefined) return codePoint(parseInt(octal, 8) & 0xff);
      if (control !== undefined) return codePoint(control.charCodeAt(0) & 0x1f);
      return ESCAPES[plain] ?? plain;
    },
  );
}

/** Zero would end the string in a shell; it must not become our own marker. */
function codePoint(code: number): string {
  return code === 0 || code > 0x10ffff ? "" : String.fromCodePoint(code);
}

function scanAnsiC(cursor: Cursor): Part {
  cursor.pos += 2;
  const text = take(cursor, ANSI_C_BODY);
  if (cursor.src[cursor.pos] !== "'") throw new ShellSyntaxError("unterminated $' quote");
  cursor.pos++;
  return { kind: "text", text: decodeEscapes(text), quoted: true };
}

function scanBackticks(cursor: Cursor, quoted: boolean): Part {
  cursor.pos++;
  const text = take(cursor, BACKTICK_BODY);
  if (cursor.src[cursor.pos] !== "`") throw new ShellSyntaxError("unterminated backtick");
  cursor.pos++;
  const source = text.replace(quoted ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1");
  return { kind: "script", script: deeper(cursor, () => cursor.inner(source)), quoted };
}

function scanDollar(cursor: Cursor, quoted: boolean): Part {
  const { src, pos } = cursor;
  const next = src[pos + 1];
  if (next === "(") {
    if (src[pos + 2] === "(" && isArithmetic(src, pos + 3)) {
      cursor.pos += 3;
      return scanArithmetic(cursor);
    }
    cursor.pos += 2;
    return { kind: "script", script: deeper(cursor, () => cursor.nested()), quoted };
  }
  if (next === "{") {
    cursor.pos += 2;
    return deeper(cursor, () => scanParameter(cursor, quoted));
  }
  if (next === "[") {
    cursor.pos += 2;
    return deeper(cursor, () => scanBrackets(cursor));
  }
  cursor.pos++;
  const name = take(cursor, NAME);
  if (name === "") return { kind: "text", text: "$", quoted };
  return { kind: "param", name, op: "", indirect: false, quoted };
}

/** After `${`. */
function scanParameter(cursor: Cursor, quoted: boolean): ParamPart {
  const length = take(cursor, LENGTH) !== "";
  const indirect = take(cursor, INDIRECT) !== "";
  const part: ParamPart = {
    kind: "param",
    name: take(cursor, BRACED_NAME),
    op: "",
    indirect,
    quoted,
  };
  if (cursor.src[cursor.pos] === "[") scanIndex(cursor, part);
  part.op = length ? "length" : take(cursor, OPERATOR);
  const replaces = part.op.startsWith("/");
  part.arg = scanBraceArgument(cursor, { stop: replaces ? "/" : "", quoted });
  if (replaces && cursor.src[cursor.pos] === "/") {
    cursor.pos++;
    part.replacement = scanBraceArgument(cursor, { stop: "", quoted });
  }
  if (cursor.src[cursor.pos] !== "}") throw new ShellSyntaxError("unterminated ${");
  cursor.pos++;
  return part;
}

/** `[i]` after an array's name; `[@]` and `[*]` become part of the name. */
function scanIndex(cursor: Cursor, part: ParamPart): void {
  const start = ++cursor.pos;
  const parts: Part[] = [];
  do {
    const text = take(cursor, PLAIN_IN_INDEX);
    if (text !== "") parts.push({ kind: "text", text, quoted: false });
  } while (scanSpecial(cursor, parts));
  if (cursor.src[cursor.pos] !== "]") throw new ShellSyntaxError("unterminated [");
  const raw = cursor.src.slice(start, cursor.pos++);
  if (raw === "@" || raw === "*") part.name += "[@]";
  else part.index = { parts, raw };
}

/** Up to an unquoted `}` or `stop`. Inside double quotes a single quote is a plain character. */
function scanBraceArgument(cursor: Cursor, options: { stop: string; quoted: boolean }): Word {
  const start = cursor.pos;
  const parts: Part[] = [];
  for (;;) {
    const text = take(cursor, PLAIN_IN_BRACES);
    if (text !== "") parts.push({ kind: "text", text, quoted: false });
    const char = cursor.src[cursor.pos];
    const isAngle = char === "<" || char === ">";
    if (isAngle && !options.quoted) parts.push(scanProcess(cursor, char));
    else if (
      isAngle || (char === "/" && options.stop !== "/") || (char === "'" && options.quoted)
    ) {
      parts.push({ kind: "text", text: char, quoted: false });
      cursor.pos++;
    } else if (!scanSpecial(cursor, parts)) break;
  }
  return { parts, raw: cursor.src.slice(start, cursor.pos) };
}

/** Whether the text after `((` closes with `))` rather than being a subshell in a subshell. */
export function isArithmetic(src: string, start: number): boolean {
  let depth = 0;
  for (let i = start; i < src.length; i++) {
    const char = src[i];
    if (char === "(") depth++;
    else if (char === ")" && depth-- === 0) return src[i + 1] === ")";
    else if (char === "\\") i++;
    else if (char === "'" || char === '"') {
      i = src.indexOf(char, i + 1);
      if (i < 0) return false;
    }
  }
  return false;
}

/** After `((`, through `))`. */
export function scanArithmetic(cursor: Cursor): Part {
  const parts: Part[] = [];
  scanParens(cursor, parts, PLAIN_IN_ARITHMETIC);
  if (cursor.src[cursor.pos++] !== ")") throw new ShellSyntaxError("unterminated ((");
  return { kind: "arithmetic", parts };
}

/** After `$[`, through the `]` that closes it. */
function scanBrackets(cursor: Cursor): Part {
  const parts: Part[] = [];
  for (let depth = 1; depth > 0;) {
    const text = take(cursor, PLAIN_IN_BRACKETS);
    if (text !== "") parts.push({ kind: "text", text, quoted: false });
    const char = cursor.src[cursor.pos];
    if (char === undefined) throw new ShellSyntaxError("unterminated $[");
    if (char === "[" || char === "]") {
      depth += char === "[" ? 1 : -1;
      if (depth > 0) parts.push({ kind: "text", text: char, quoted: false });
      cursor.pos++;
    } else scanSpecial(cursor, parts);
  }
  return { kind: "arithmetic", parts };
}

/** After `(`, through the `)` that closes it. */
function scanParens(cursor: Cursor, parts: Part[], plain: RegExp): void {
  for (let depth = 1; depth > 0;) {
    const text = take(cursor, plain);
    if (text !== "") parts.push({ kind: "text", text, quoted: false });
    const char = cursor.src[cursor.pos];
    if (char === undefined) throw new ShellSyntaxError("unterminated (");
    if (char === "(" || char === ")") {
      depth += char === "(" ? 1 : -1;
      parts.push({ kind: "text", text: char, quoted: false });
      cursor.pos++;
    } else scanSpecial(cursor, parts);
  }
}
