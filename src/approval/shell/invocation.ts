/** One program run as the rules see it: expanded, unwrapped, with what flows into it. */
import { eraseUnknown, hasUnknown, showUnknown } from "./unknown.ts";
import { absolutePath, type Place } from "./paths.ts";

export interface RedirectUse {
  fd: string;
  op: string;
  target: string;
  /** Text of a here-document or here-string. */
  text?: string;
}

export interface Invocation {
  /** Base name in lower case without `.exe`; empty for a redirection without a command. */
  program: string;
  /** The command word after expansion. */
  path: string;
  args: string[];
  /** The arguments as written, for Windows paths; of the outermost command only. */
  raw: readonly string[];
  /** `NAME=value` words before the command. */
  env: ReadonlyMap<string, string>;
  redirects: readonly RedirectUse[];
  /** Every program whose output reaches this one through a pipe. */
  upstream: readonly Invocation[];
  /** Standard input when its text is certain. */
  stdin: string | undefined;
  background: boolean;
  /** Wrappers looked through, outermost first: `sudo`, `xargs`, `ssh`. */
  via: readonly string[];
  /** Programs inside this command's own substitutions. */
  inner: readonly Invocation[];
  place: Place;
  /** Files that standard input comes from because something around the command says so. */
  input?: readonly string[];
  /** Standard input is written by commands that come later. */
  later?: boolean;
  /** Set for a function that calls itself through a pipe or in the background. */
  forks?: true;
}

/** The base name rules are indexed by. */
export function programName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  return eraseUnknown(name).toLowerCase().replace(/\.(?:exe|cmd|bat|com)$/, "");
}

/** The command on one line, as globs of the user and people see it. */
export function commandLine(invocation: Invocation): string {
  const words = [invocation.path, ...invocation.args].map(showUnknown);
  return words.filter((word) => word !== "").join(" ");
}

export interface OptionGrammar {
  /** Letters that take a value: `"un"` for `-u bob -n5`. */
  values?: string;
  /** Long names that take a separate value. */
  longValues?: readonly string[];
}

export interface ParsedOptions {
  /** Options that were given: letters bare, long ones with their dashes. */
  flags: Set<string>;
  /** Values by bare name. */
  values: Map<string, string[]>;
  operands: string[];
}

/** Splits arguments the GNU way: options anywhere before `--`, short ones bundled. */
export function parseOptions(args: readonly string[], grammar: OptionGrammar = {}): ParsedOptions {
  const parsed: ParsedOptions = { flags: new Set(), values: new Map(), operands: [] };
  for (let i = 0; i < args.length; i++) {
    if (args[i] === "--") {
      parsed.operands.push(...args.slice(i + 1));
      break;
    }
    const used = readOption(args, { at: i, grammar, parsed });
    if (used === 0) parsed.operands.push(args[i]!);
    else i += used - 1;
  }
  return parsed;
}

/** Options before the first operand, and what follows them. */
export function parseLeading(
  args: readonly string[],
  grammar: OptionGrammar,
): ParsedOptions {
  const parsed: ParsedOptions = { flags: new Set(), values: new Map(), operands: [] };
  let i = 0;
  while (i < args.length) {
    const used = args[i] === "--" ? 0 : readOption(args, { at: i, grammar, parsed });
    if (used === 0) break;
    i += used;
  }
  parsed.operands = args.slice(args[i] === "--" ? i + 1 : i);
  return parsed;
}

/** Reads the option at `at`; returns the words it used, 0 when it is an operand. */
function readOption(
  args: readonly string[],
  { at, grammar, parsed }: { at: number; grammar: OptionGrammar; parsed: ParsedOptions },
): number {
  const arg = args[at]!;
  if (arg.length < 2 || arg[0] !== "-") return 0;
  if (arg.startsWith("--")) {
    const cut = arg.indexOf("=");
    const given = arg.slice(2, cut < 0 ? undefined : cut);
    parsed.flags.add(`--${given}`);
    const name = fullName(given, grammar.longValues ?? []);
    const isCertain = name === given || !/^-./.test(args[at + 1] ?? "");
    const takesNext = cut < 0 && isCertain && grammar.longValues?.includes(name) === true;
    if (cut >= 0) addValue(parsed, name, arg.slice(cut + 1));
    else if (takesNext) addValue(parsed, name, args[at + 1] ?? "");
    return takesNext ? 2 : 1;
  }
  for (let i = 1; i < arg.length; i++) {
    const letter = arg[i]!;
    parsed.flags.add(letter);
    if (grammar.values?.includes(letter)) {
      const attached = arg.slice(i + 1);
      addValue(parsed, letter, attached || (args[at + 1] ?? ""));
      return attached === "" ? 2 : 1;
    }
  }
  return 1;
}

/** Flags of well-known programs that begin like an option with a value. */
const FLAGS = ["login", "detach", "head", "checkpoint", "exec", "no", "in"];

/** The option that an abbreviation stands for: GNU programs take every beginning that is unique. */
function fullName(given: string, names: readonly string[]): string {
  if (given.length < 2 || names.includes(given)) return given;
  if (FLAGS.some((flag) => flag.startsWith(given))) return given;
  const [found, ...more] = names.filter((name) => name.startsWith(given));
  return found === undefined || more.length > 0 ? given : found;
}

function addValue(parsed: ParsedOptions, name: string, value: string): void {
  const list = parsed.values.get(name);
  if (list === undefined) parsed.values.set(name, [value]);
  else list.push(value);
}

/** Whether an option was given: letters exactly, long names also abbreviated as getopt allows. */
export function hasFlag(parsed: ParsedOptions, ...names: string[]): boolean {
  return names.some((name) => {
    if (name.length === 1) return parsed.flags.has(name);
    for (const flag of parsed.flags) {
      if (flag.length > 1 && name.startsWith(flag.slice(2))) return true;
    }
    return false;
  });
}

const SHELLS = new Set([
  "sh",
  "bash",
  "zsh",
  "dash",
  "ksh",
  "ash",
  "fish",
  "mksh",
  "rbash",
  "csh",
  "tcsh",
]);

export function isShell(invocation: Invocation): boolean {
  return SHELLS.has(invocation.program);
}

/** Names under which a program finds its standard input. */
const STDIN_FILE = /^\/(?:dev\/stdin|dev\/fd\/0|proc\/(?:self|thread-self|\0[^\0]*\0)\/fd\/0)$/;

/** Whether a path is standard input, however it is written. */
export function isStdinFile(path: string, place: Place): boolean {
  return STDIN_FILE.test(path) ||
    (path.includes("/") && STDIN_FILE.test(absolutePath(path, place)));
}

export interface ShellUse {
  /** Where the script comes from. */
  mode: "command" | "file" | "stdin";
  /** The text of `-c`, or the file's path. */
  script: string;
  /** `$0` and the arguments after it, as far as given. */
  positional: string[];
  /** Files that are run first. */
  startFiles: string[];
}

/** How a shell program was asked to run. */
export function shellUse(invocation: Invocation): ShellUse {
  const options = parseLeading(
    invocation.args.map((arg) => arg.startsWith("+") && arg.length > 1 ? `-${arg.slice(1)}` : arg),
    { values: "oO", longValues: ["rcfile", "init-file", "init-command"] },
  );
  const [script = "", ...positional] = options.operands;
  const startFiles = ["rcfile", "init-file", "init-command"].flatMap((name) =>
    options.values.get(name) ?? []
  );
  if (hasFlag(options, "c", "command")) {
    const text = options.values.get("command")?.[0] ?? script;
    return { mode: "command", script: text, positional, startFiles };
  }
  const fromInput = script === "" || script === "-" || isStdinFile(script, invocation.place);
  if (fromInput || options.flags.has("s")) {
    return { mode: "stdin", script: "", positional: [], startFiles };
  }
  return { mode: "file", script, positional: options.operands, startFiles };
}

/** Text a program reads from standard input: a here-document, a here-string or a known pipe. */
export function inputText(
  invocation: Pick<Invocation, "redirects" | "stdin">,
): string | undefined {
  return invocation.redirects.findLast((redirect) => redirect.text !== undefined)?.text ??
    invocation.stdin;
}

/** The unknown part of a command word, for rules on names computed at run time. */
export function hasComputedName(invocation: Invocation): boolean {
  return hasUnknown(invocation.path.slice(invocation.path.lastIndexOf("/") + 1));
}
