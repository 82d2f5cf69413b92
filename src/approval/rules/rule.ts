/** The shape of a rule, and the small questions rules ask about a command. */
import {
  hasFlag,
  type Invocation,
  type ParsedOptions,
  parseLeading,
  parseOptions,
} from "../shell/invocation.ts";
import { deleteTarget } from "../shell/paths.ts";
import { basename, normalizePath } from "../../util/path.ts";
import type { ProtectedKind } from "../../util/protected_paths_data.ts";
import { FROM_PROJECT, REMOTE } from "../shell/payload.ts";
import { subcommand } from "../shell/unwrap.ts";
import { WRAPPERS } from "../shell/wrappers_data.ts";

export interface Rule {
  /** Stable name; what allowlists store. */
  key: string;
  /** Other names under which an allowlist may hold it. */
  aliases?: readonly string[];
  /** `hardline` never runs, whatever the mode; `dangerous` needs a yes. */
  kind: "hardline" | "dangerous";
  description: string;
  /** Programs it looks at. */
  programs?: readonly string[];
  /** Looks at every command with a redirection. */
  redirections?: true;
  /** Looks at commands that name a protected path of these kinds. */
  protects?: readonly ProtectedKind[];
  /** Looks at every command with variables of its own. */
  variables?: true;
  /** Looks at commands whose words match. With none of these five: at every command. */
  mentions?: RegExp;
  /** A yes is not stored for good. */
  once?: true;
  /** A yes holds for this one command: no list and no session remembers it. */
  everyTime?: true;
  test(command: Invocation, all: readonly Invocation[]): boolean;
  /** Whole commands in which it must find something, and in which it must not. */
  match: readonly string[];
  noMatch: readonly string[];
}

/** Words after options that take no values, for programs with simple grammars. */
export function operands(command: Invocation): string[] {
  return parseOptions(command.args).operands;
}

/** Whether any of the options was given, bundled or abbreviated. */
export function given(command: Invocation, ...names: string[]): boolean {
  return hasFlag(parseOptions(command.args), ...names);
}

export function isRemote(command: Invocation): boolean {
  return command.via.includes(REMOTE);
}

/** Whether something this command deletes is one of `kinds`. */
export function deletes(command: Invocation, ...kinds: string[]): boolean {
  return operands(command).some((path) => kinds.includes(deleteTarget(path, command.place)));
}

/** Words of the arguments as one text, for rules about subcommands and options. */
export function joinedArgs({ args }: Invocation): string {
  return args.join(" ");
}

/** What a program's joined arguments must show, and must not. Every pattern is linear in its input. */
export interface ArgsPattern {
  has: readonly RegExp[];
  /** Of these one must match. */
  any?: readonly RegExp[];
  not?: RegExp;
  /** The name under which the program's global options are listed; they are left out. */
  after?: string;
}

/** A rule's test over a table: program to what its joined arguments must show. */
export function byProgram(
  table: Readonly<Record<string, RegExp | ArgsPattern>>,
): { programs: readonly string[]; test(command: Invocation): boolean } {
  const rows = new Map(
    Object.entries(table).map((
      [name, row],
    ) => [name, row instanceof RegExp ? { has: [row] } : row]),
  );
  const subcommands = new Set([...rows.values()].filter(namesSubcommand));
  return {
    programs: [...rows.keys()],
    test: (command) => {
      const row: ArgsPattern | undefined = rows.get(command.program) ??
        rows.get(command.program.replace(/(?<![\d.])[\d.]+$/, ""));
      if (row === undefined) return false;
      const text = row.after === undefined ? joinedArgs(command) : afterGlobals(command, row.after);
      if (row.not?.test(text) === true) return false;
      if (shows(row, text)) return true;
      return subcommands.has(row) && withoutLeading(command.args).some((rest) => shows(row, rest));
    },
  };
}

/** Whether a pattern wants a word at the start, which options may stand before. */
function namesSubcommand({ has, any = [] }: ArgsPattern): boolean {
  return [...has, ...any].some(({ source }) => /(?:^|\|)\^(?:\(\?:)?[a-z]/.test(source));
}

function shows({ has, any, not }: ArgsPattern, text: string): boolean {
  return has.every((pattern) => pattern.test(text)) && not?.test(text) !== true &&
    (any === undefined || any.some((pattern) => pattern.test(text)));
}

/** The arguments without the options before them: `pip -q config set` is `config set`. */
function withoutLeading(args: readonly string[]): string[] {
  if (args[0]?.[0] !== "-") return [];
  const at = args.findIndex((arg) => arg[0] !== "-");
  if (at < 0) return [];
  // The first word may be the value of the last option.
  return [args.slice(at).join(" "), args.slice(at + 1).join(" ")].filter((text) => text !== "");
}

function afterGlobals({ args }: Invocation, program: string): string {
  const { name, args: rest } = subcommand(args, program);
  return [name, ...rest].join(" ");
}

const MAX_DIRECTORY = 300;

/** Where `cp`, `mv`, `install`, `ln`, `rsync`, `curl -o` and `wget -O` put things. */
export function destinations(command: Invocation): string[] {
  if (command.program === "curl" || command.program === "wget") {
    const [letter, word] = command.program === "curl" ? ["o", "output"] : ["O", "output-document"];
    const { values } = parseOptions(command.args, { values: letter, longValues: [word] });
    return [letter, word].flatMap((name) => values.get(name) ?? []);
  }
  const options = parseOptions(command.args, {
    values: command.program === "rsync" ? "ef" : command.program === "install" ? "gmotS" : "tS",
    longValues: [
      "target-directory",
      "suffix",
      "mode",
      "owner",
      "group",
      "exclude",
      "include",
      "rsh",
    ],
  });
  const into = options.values.get("t") ?? options.values.get("target-directory");
  const sources = into === undefined ? options.operands.slice(0, -1) : options.operands;
  const target = into?.[0] ?? options.operands.at(-1);
  if (target === undefined || sources.length === 0) return [];
  // No directory that matters has a long name; with one, the list would grow with its square.
  const base = normalizePath(target);
  if (base.length > MAX_DIRECTORY) return [target];
  const inside = sources.map((source) => `${base}/${basename(source)}`);
  const isDirectory = /^(?:root|home|system)$/.test(deleteTarget(target, command.place));
  return target.endsWith("/") || /^\.{1,2}$/.test(target) || sources.length > 1 ||
      isDirectory || into !== undefined
    ? [target, ...inside]
    : [target];
}

/** Whether rsync deletes at its target what the source lacks. */
export function mirrors({ args }: Invocation): boolean {
  return args.some((arg) => /^--del(?:ete(?:-\w+)*)?$/.test(arg)) &&
    !hasFlag(parseOptions(args, { values: "efBMT" }), "n", "dry-run");
}

/** Files edited in place by sed, perl or ruby; empty when printing instead. */
export function editedInPlace(command: Invocation): string[] {
  if (command.program === "sed" || command.program === "gsed") {
    const options = parseOptions(command.args, {
      values: "efl",
      longValues: ["expression", "file", "line-length"],
    });
    const scripted = hasFlag(options, "e", "f", "expression", "file");
    if (!hasFlag(options, "i", "in-place")) return [];
    return scripted ? options.operands : options.operands.slice(1);
  }
  const options = parseOptions(command.args, { values: "eEIMm" });
  return options.flags.has("i") ? options.operands : [];
}

/** Recipes and package scripts clean up what they have made: certain names below the project. */
export function isBuildStep(command: Invocation): boolean {
  return command.via.includes(FROM_PROJECT) && operands(command).every(isBuildOutput);
}

function isBuildOutput(path: string): boolean {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  return path[0] !== "/" && names.length > 0 && /^(?:[\w@]|\*\.\w)/.test(names[0]!) &&
    names.every((name) => /^[\w@.*-]+$/.test(name) && name !== "..");
}

/** Whether a signal option of kill, pkill or killall is SIGKILL. */
export function killsHard(command: Invocation, options: ParsedOptions): boolean {
  const named = [...options.values.get("s") ?? [], ...options.values.get("signal") ?? []];
  return command.args.some((arg) => /^-(?:9|(?:SIG)?KILL)$/i.test(arg)) ||
    named.some((name) => /^(?:9|(?:SIG)?KILL)$/i.test(name));
}

/** The options of sudo itself, not those of the command it runs. */
export function sudoOptions(command: Invocation): ParsedOptions {
  return parseLeading(command.args, WRAPPERS["sudo"]!);
}
