/**
 * What small pure programs print, so that `$(echo rm) -rf /` and `echo … | base64 -d | sh`
 * are seen as what they run. Anything not computed here counts as unknown.
 */
import type { Invocation } from "./invocation.ts";
import { basename, dirname, normalizePath } from "../../util/path.ts";
import { decodeEscapes } from "./shell_words.ts";
import { unwrapWith } from "./unwrap.ts";
import { WRAPPERS } from "./wrappers_data.ts";

/** Output longer than this is not followed. */
const MAX_CHARS = 64_000;

/** What surrounds the program. */
export interface ProgramContext {
  stdin?: string | undefined;
  cwd?: string | undefined;
  /** Where `~` is; taken apart only by programs that work on paths. */
  home?: string;
}

type Filter = (
  args: string[],
  stdin: string | undefined,
  around: ProgramContext,
) => string | undefined;

const PROGRAMS: Readonly<Record<string, Filter>> = {
  ":": () => "",
  true: () => "",
  sort: sameLines,
  uniq: sameLines,
  tac: sameLines,
  head: sameLines,
  tail: sameLines,
  echo: (args) => echo(args),
  printf: (args) => printf(args),
  cat: (args, stdin) => args.every((arg) => arg === "-") ? stdin : undefined,
  tee: (_, stdin) => stdin,
  rev: (_, stdin) => stdin?.split("\n").map((line) => [...line].reverse().join("")).join("\n"),
  base64: (args, stdin) =>
    args.some((arg) => /^(-[a-z]*[dD]|--d[a-z]*)$/.test(arg)) ? decodeBase64(stdin) : undefined,
  xxd: (args, stdin) => args.some((arg) => /^-[a-z]*r/.test(arg)) ? decodeHex(stdin) : undefined,
  tr: (args, stdin) => stdin === undefined ? undefined : translate(args, stdin),
  which: (args) => found(args.filter((arg) => arg[0] !== "-")),
  command: (args) => args[0] === "-v" ? found(args.slice(1)) : undefined,
  type: (args) => /^-[pP]$/.test(args[0] ?? "") ? found(args.slice(1)) : undefined,
  basename: (args) =>
    args.length === 1 || (args.length === 2 && args[0]![0] !== "-")
      ? basename(args[0]!).replace(args[1] ?? /$(?!)/, "")
      : undefined,
  dirname: (args, _, { home = "~" }) =>
    lines(plain(args).map((arg) => dirname(arg.replace(/^~(?=\/*$)/, home)))),
  realpath: (args, _, around) => realPaths(args, around),
  readlink: (args, _, around) =>
    args.some((arg) => /^-[a-z]*[fem]|^--canonicalize/.test(arg))
      ? realPaths(args, around)
      : undefined,
  pwd: (_args, _stdin, { cwd }) => cwd,
};

/** The standard output of `argv` given its input, or undefined when that takes running it. */
export function literalOutput(argv: string[], around: ProgramContext): string | undefined {
  const program = basename(argv[0] ?? "");
  if (!Object.hasOwn(PROGRAMS, program)) return wrappedOutput(argv, around);
  const text = PROGRAMS[program]!(argv.slice(1), around.stdin, around) ??
    (program === "command" ? wrappedOutput(argv, around) : undefined);
  return text === undefined || text.length > MAX_CHARS ? undefined : text.replaceAll("\0", "");
}

/** What the command behind `command`, `env` or `nice` prints. */
function wrappedOutput(argv: string[], around: ProgramContext): string | undefined {
  const name = basename(argv[0] ?? "");
  if (!Object.hasOwn(WRAPPERS, name) || WRAPPERS[name]!.remote === true) return undefined;
  const [payload, ...more] = unwrapWith(argv.slice(1), { spec: WRAPPERS[name]!, name });
  if (payload === undefined || more.length > 0 || !("argv" in payload)) return undefined;
  return payload.argv.length < argv.length ? literalOutput(payload.argv, around) : undefined;
}

/** The lines of the input in another order, or some of them: whatever is judged, all are. */
function sameLines(args: readonly string[], stdin: string | undefined): string | undefined {
  return args.every((arg) => /^-(?:[a-z]+|n?\d+)?$/.test(arg) && !/[co]/.test(arg))
    ? stdin
    : undefined;
}

function plain(args: readonly string[]): string[] {
  return args.filter((arg) => arg[0] !== "-");
}

function lines(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : texts.join("\n");
}

/** Where a program usually is. Of several names only those that exist are printed. */
function found([name, ...more]: readonly string[]): string | undefined {
  if (name === undefined || more.length > 0) return undefined;
  return name.includes("/") ? name : `/usr/bin/${name}`;
}

/** Paths written out; symbolic links are not followed. */
function realPaths(args: readonly string[], { cwd }: ProgramContext): string | undefined {
  const paths = plain(args);
  if (cwd === undefined && paths.some((path) => !/^[/~]/.test(path))) return undefined;
  return lines(paths.map((path) => normalizePath(/^[/~]/.test(path) ? path : `${cwd}/${path}`)));
}

function echo(args: string[]): string {
  let first = 0;
  let escapes = false;
  let newline = "\n";
  while (/^-[neE]+$/.test(args[first] ?? "")) {
    if (args[first]!.includes("e")) escapes = true;
    if (args[first]!.includes("n")) newline = "";
    first++;
  }
  const text = args.slice(first).join(" ");
  return (escapes ? decodeEscapes(text) : text) + newline;
}

/** `printf FORMAT ARG…` with the format used again while arguments remain. */
function printf(args: string[]): string | undefined {
  const [format = "", ...values] = args[0] === "--" ? args.slice(1) : args;
  if (format.startsWith("-v")) return "";
  let out = "";
  do {
    const before = values.length;
    out += format.replace(
      /%%|%[-0-9.]*([a-zA-Z])|\\(?:x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[^])/g,
      (found, kind) => {
        if (found === "%%") return "%";
        if (kind === undefined) return decodeEscapes(found);
        const value = values.shift() ?? "";
        return kind === "b" ? decodeEscapes(value) : kind === "c" ? value.slice(0, 1) : value;
      },
    );
    if (values.length === before) break;
  } while (values.length > 0 && out.length < MAX_CHARS);
  return out;
}

function decodeBase64(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return new TextDecoder().decode(
      Uint8Array.fromBase64(text, { lastChunkHandling: "loose" }),
    );
  } catch {
    // Not base64 at all: the program would print an error, we print nothing known.
    return undefined;
  }
}

function decodeHex(text: string | undefined): string | undefined {
  const digits = text?.replace(/\s+/g, "");
  if (digits === undefined || digits.length % 2 !== 0 || /[^0-9a-f]/i.test(digits)) {
    return undefined;
  }
  return new TextDecoder().decode(Uint8Array.fromHex(digits));
}

/** `tr SET1 SET2` and `tr -d SET` with ranges. */
function translate(args: string[], text: string): string | undefined {
  const remove = args[0] === "-d";
  const from = characters(args[remove ? 1 : 0] ?? "");
  const to = characters(remove ? "" : args[1] ?? "");
  if (from.length === 0 || args.length !== 2 || (!remove && to.length === 0)) return undefined;
  let out = "";
  for (const char of text) {
    const at = from.lastIndexOf(char);
    if (at < 0) out += char;
    else if (!remove) out += to[Math.min(at, to.length - 1)]!;
  }
  return out;
}

function characters(set: string): string[] {
  const chars = [...decodeEscapes(set)];
  const out: string[] = [];
  for (let i = 0; i < chars.length; i++) {
    const last = chars[i + 1] === "-" ? chars[i + 2] : undefined;
    if (last === undefined) {
      out.push(chars[i]!);
      continue;
    }
    const stop = Math.min(last.codePointAt(0)!, chars[i]!.codePointAt(0)! + 255);
    for (let code = chars[i]!.codePointAt(0)!; code <= stop; code++) {
      out.push(String.fromCodePoint(code));
    }
    i += 2;
  }
  return out;
}

/** Words of a pipeline or a substitution that may be printed, beyond which they are not listed. */
const MAX_WORDS = 64;

/** The words that commands whose output could not be computed are known to print some of. */
export function printedWords(commands: readonly Invocation[]): string[] {
  const words: string[] = [];
  for (const { program, args, redirects } of commands) {
    if (words.length >= MAX_WORDS) break;
    const isPrinter = /^(?:echo|printf|basename|realpath|readlink)$/.test(program);
    const texts = [
      ...isPrinter ? args.filter((arg) => arg[0] !== "-" && !arg.includes("%")) : [],
      ...program === "dirname"
        ? args.flatMap((arg) => /^(.+)\/[^/\0]+$/s.exec(arg)?.[1] ?? [])
        : [],
      ...redirects.flatMap(({ text }) => text ?? []),
    ];
    for (const text of texts) {
      if (text.length <= MAX_CHARS) {
        words.push(...text.split(/\s+/).filter((word) => word !== ""));
      }
    }
  }
  return words.slice(0, MAX_WORDS);
}
