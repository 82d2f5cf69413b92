/**
 * Is this text well-formed for its file name? JSON, YAML and TOML are decided here, before
 * anything is written; programs are parsed here or by their own tool, for advice only.
 */
import type { ToolContext } from "../src/protocol/tool.ts";
import { basename, extname } from "../src/util/path.ts";
import { OWN_COMMAND } from "./_own_command.ts";

export interface Lint {
  status: "ok" | "error" | "skipped";
  output?: string;
  message?: string;
}

const LINT_TIMEOUT_MS = 30_000;
const MAX_OUTPUT_CHARS = 2000;
/** Larger YAML and TOML is not read: parsing it would hold everything else up for seconds. */
const MAX_DATA_CHARS = 500_000;
/** JSON files whose readers accept comments and trailing commas. */
const JSONC =
  /(^|\/)(\.vscode|\.devcontainer)\/|(^|\/)(tsconfig|jsconfig|devcontainer|\.eslintrc|\.swcrc|biome|deno|api-extractor)[^/]*\.json$/;
/** Templates that only become YAML or TOML once they are rendered. */
const TEMPLATE = /\{\{|\{%/;

/** Commands that read a program on stdin and fail when it does not parse. */
const CHECKERS: Readonly<Record<string, { program: string; command: string }>> = {
  ".py": {
    program: "python3",
    command: `python3 -I -S -c 'import ast, sys
try: ast.parse(sys.stdin.buffer.read())
except SyntaxError as e: sys.exit(f"line {e.lineno}: {e.msg}")'`,
  },
  ".sh": { program: "bash", command: "bash -n" },
  ".bash": { program: "bash", command: "bash -n" },
  ".go": { program: "gofmt", command: "gofmt -e >/dev/null" },
  ".rs": { program: "rustfmt", command: "rustfmt --edition 2021 --emit stdout >/dev/null" },
};

/** What is wrong with JSON, YAML or TOML text; undefined when fine, `null` for other files. */
export async function dataSyntaxError(
  path: string,
  text: string,
): Promise<string | undefined | null> {
  switch (extname(path).toLowerCase()) {
    case ".json":
      return complaint(() => JSON.parse(JSONC.test(path) ? stripJsonComments(text) : text));
    case ".yaml":
    case ".yml": {
      if (text.length > MAX_DATA_CHARS || TEMPLATE.test(text)) return null;
      const { parseEvents } = await import("../src/deps/js_yaml.ts");
      return complaint(() => parseEvents(text, {}));
    }
    case ".toml": {
      if (text.length > MAX_DATA_CHARS || TEMPLATE.test(text)) return null;
      const { parse } = await import("../src/deps/smol_toml.ts");
      return complaint(() => parse(text));
    }
    default:
      return null;
  }
}

/** Advice on a file just written; undefined when nothing here knows the language. */
export async function lintWritten(
  ctx: ToolContext,
  file: { path: string; text: string; before: string | undefined },
): Promise<Lint | undefined> {
  const found = await lintError(ctx, file.path, file.text);
  if (found === null) return undefined;
  if (typeof found === "object") return found;
  if (found === undefined) return { status: "ok" };
  const before = file.before === undefined
    ? undefined
    : await lintError(ctx, file.path, file.before);
  if (before === found) {
    return { status: "skipped", message: "It does not parse, and did not before this change." };
  }
  return { status: "error", output: found.slice(0, MAX_OUTPUT_CHARS) };
}

/** The error, undefined when it parses, `null` when the language is unknown, or why it was skipped. */
async function lintError(
  ctx: ToolContext,
  path: string,
  text: string,
): Promise<string | undefined | null | Lint> {
  const data = await dataSyntaxError(path, text);
  if (data !== null) return data;
  if (/\.[cm]?[jt]s$/.test(path)) return await scriptError(path, text);
  const checker = CHECKERS[extname(path).toLowerCase()];
  if (checker === undefined) return null;
  const result = await ctx.env.exec(
    `command -v ${checker.program} >/dev/null 2>&1 || exit 127; ${checker.command}`,
    { ...OWN_COMMAND, stdin: text, timeoutMs: LINT_TIMEOUT_MS, signal: ctx.signal },
  );
  if (result.exitCode === 0) return undefined;
  if (result.exitCode === 127) {
    return { status: "skipped", message: `${checker.program} is not installed` };
  }
  if (result.timedOut) return { status: "skipped", message: `${checker.program} took too long` };
  return result.output.trim() || `${checker.program} failed with ${result.exitCode}`;
}

/** JavaScript and TypeScript by the parser that Deno brings along. */
async function scriptError(path: string, text: string): Promise<string | undefined | Lint> {
  const { TypeStripper } = await import("../src/sandbox/script/type_stripper.ts");
  await using stripper = new TypeStripper();
  try {
    await stripper.strip(text, basename(path));
    return undefined;
  } catch (error) {
    if (/\.js$/.test(path) && /<\/|\/>/.test(text)) {
      return { status: "skipped", message: "JSX in a .js file" };
    }
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

function complaint(parse: () => unknown): string | undefined {
  try {
    parse();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error);
  }
}

/** Comments and trailing commas as spaces, strings untouched, so that positions stay. */
function stripJsonComments(text: string): string {
  const trailing = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|,(?=\s*[}\]])/g;
  return blankComments(text).replace(trailing, (token) => token === "," ? " " : token);
}

/** By hand where a comment ends: an expression would look for the end of each that has none. */
function blankComments(text: string): string {
  const tokens = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|\/\/|\/\*/g;
  const parts: string[] = [];
  let kept = 0;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const { 0: token, index } = match;
    if (token[0] === '"') continue;
    const found = token === "//" ? text.indexOf("\n", index) : text.indexOf("*/", index + 2);
    if (found < 0 && token === "/*") break;
    const end = found < 0 ? text.length : token === "//" ? found : found + 2;
    parts.push(text.slice(kept, index), text.slice(index, end).replace(/[^\n]/g, " "));
    kept = tokens.lastIndex = end;
  }
  return parts.join("") + text.slice(kept);
}

/** One line for a refused write. */
export function syntaxRefusal(path: string, problem: string): string {
  const kind = extname(path).slice(1).toUpperCase();
  return `${basename(path)} would not be valid ${kind} and was not written: ${problem}`;
}
