/** What an awk program starts and writes: `print | "cmd"`, `"cmd" | getline`, `print > "file"`. */
import { unknown } from "./unknown.ts";
import { decodeEscapes } from "./shell_words.ts";

interface Token {
  kind: "string" | "name" | "number" | "regex" | "end" | "sign";
  text: string;
}

/** A command or a file; undefined where it is computed while the program runs. */
export interface AwkEffects {
  commands: (string | undefined)[];
  files: string[];
}

/** @param given values that the command line gives to variables. */
export function awkEffects(program: string, given: ReadonlyMap<string, string>): AwkEffects {
  const tokens = tokenize(program);
  const effects: AwkEffects = { commands: [], files: [] };
  const values = new Map(given);
  let depth = 0;
  /** How deep the parentheses were at `print`, while its statement lasts. */
  let printing: number | undefined;
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind === "end") printing = undefined;
    else if (kind === "name" && /^printf?$/.test(text)) printing = depth;
    else if (kind !== "sign") continue;
    else if (text === "(") depth++;
    else if (text === ")") depth--;
    else if (text === "=") keep(values, tokens, i);
    else if (text === "|" || text === "|&") {
      const reads = tokens[i + 1]?.text === "getline" && tokens[i + 1]?.kind === "name";
      effects.commands.push(
        reads ? before(tokens, { i, values }) : after(tokens, { i, values })?.whole,
      );
    } else if ((text === ">" || text === ">>") && printing === depth) {
      const target = after(tokens, { i, values });
      if (target !== undefined) effects.files.push(target.whole ?? target.start + unknown("awk"));
    }
  }
  return effects;
}

/** `f = "text"`. */
function keep(values: Map<string, string>, tokens: readonly Token[], i: number): void {
  const [name, value, end] = [tokens[i - 1], tokens[i + 1], tokens[i + 2]];
  if (name?.kind !== "name" || value === undefined) return;
  if (value.kind === "string" && isEnd(end)) values.set(name.text, value.text);
}

function isEnd(token: Token | undefined): boolean {
  return token === undefined || token.kind === "end" || token.text === ")";
}

function valueOf(
  token: Token | undefined,
  values: ReadonlyMap<string, string>,
): string | undefined {
  if (token?.kind === "string") return token.text;
  return token?.kind === "name" ? values.get(token.text) : undefined;
}

interface At {
  i: number;
  values: ReadonlyMap<string, string>;
}

/** The text after a sign: all of it, or what it begins with. */
function after(
  tokens: readonly Token[],
  { i, values }: At,
): { whole?: string; start: string } | undefined {
  const at = tokens[i + 1]?.text === "(" && tokens[i + 1]?.kind === "sign" ? i + 2 : i + 1;
  const start = valueOf(tokens[at], values);
  if (start === undefined) return undefined;
  return isEnd(tokens[at + 1]) ? { whole: start, start } : { start };
}

/** The text before a sign, when it is one string and nothing is joined to it. */
function before(tokens: readonly Token[], { i, values }: At): string | undefined {
  const joined = tokens[i - 2];
  const isAlone = joined === undefined || joined.kind === "end" || joined.kind === "sign" ||
    /^(?:while|if|return|in|else|do)$/.test(joined.text);
  return isAlone ? valueOf(tokens[i - 1], values) : undefined;
}

const TOKEN =
  /[ \t\r]+|\\\n|#[^\n]*|"((?:[^"\\]|\\[^])*)"?|([A-Za-z_]\w*)|(\d[\w.]*)|([;{}\n])|(\|\||&&|\|&|>>|[=!<>]=|[^])/y;

function tokenize(program: string): Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < program.length) {
    const start = TOKEN.lastIndex;
    const [all = "", string, name, number, end, sign] = TOKEN.exec(program)!;
    if (string !== undefined) tokens.push({ kind: "string", text: decodeEscapes(string) });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (end !== undefined) tokens.push({ kind: "end", text: end });
    else if (sign === "/" && !isOperand(tokens.at(-1))) {
      TOKEN.lastIndex = endOfRegex(program, start + 1);
      tokens.push({ kind: "regex", text: "" });
    } else if (sign !== undefined) tokens.push({ kind: "sign", text: all });
  }
  return tokens;
}

/** After these a slash divides. */
function isOperand(token: Token | undefined): boolean {
  if (token === undefined || token.kind === "end") return false;
  if (token.kind === "sign") return /^[)\]$]$/.test(token.text);
  return token.kind !== "name" || !/^(?:printf?|return|in|if|while|else|do)$/.test(token.text);
}

function endOfRegex(program: string, start: number): number {
  let inClass = false;
  for (let i = start; i < program.length; i++) {
    const char = program[i];
    if (char === "\\") i++;
    else if (char === "[") inClass = true;
    else if (char === "]") inClass = false;
    else if (char === "/" && !inClass) return i + 1;
    else if (char === "\n") return i;
  }
  return program.length;
}
