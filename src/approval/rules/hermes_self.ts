/**
 * Recognises hermes called by a command, under whatever name, and whether that only looks.
 * Changes of what hermes trusts need a yes from a session, every time.
 */
import {
  AGENT_LETTERS,
  AGENT_SWITCHES,
  AGENT_VALUES,
  AGENTS,
  GOVERNING,
  HERMES_MAIN,
  HERMES_NAME,
  LAUNCHERS,
  OTHERS,
  OWN_FORMS,
  OWN_SETTING,
  READ_ONLY,
  TAME_VARIABLE,
} from "./hermes_self_data.ts";
import type { Invocation } from "../shell/invocation.ts";
import { parseLeading } from "../shell/invocation.ts";
import { canonicalPath } from "../shell/paths.ts";
import { hasUnknown } from "../shell/unknown.ts";
import { GLOBAL_OPTIONS } from "../shell/wrappers_data.ts";
import { basename } from "../../util/path.ts";

/** Why a command that calls hermes needs a yes. */
export interface HermesUse {
  key: string;
  description: string;
}

const CHANGES: HermesUse = {
  key: "hermes changes itself",
  description: "changes what hermes trusts, or starts hermes with looser rules",
};
const COPIES: HermesUse = {
  key: "hermes under another name",
  description: "makes hermes available under another name",
};
const SETTINGS: HermesUse = {
  key: "hermes settings by environment",
  description: "sets or hides variables that hermes goes by",
};

/** Whether `hermes ARGS` does more than look. Reads the words as hermes' own parser does. */
export function changesHermes(args: readonly string[]): boolean {
  // A word that only running would tell may be the `--` after which nothing is a flag.
  const end = args.findIndex((arg) => arg === "--" || hasUnknown(arg));
  const flags = end < 0 ? args : args.slice(0, end);
  if (flags.some((arg) => arg === "-h" || arg === "--help")) return false;
  // A later `--no-version` takes the question for the version back.
  if (args.length === 1 && /^(?:-V|--version)$/.test(args[0]!)) return false;
  const words = afterGlobals(args);
  const [name = "", ...rest] = words;
  // The settings of another profile may be looser.
  const isOther = args.slice(0, args.length - words.length).some((arg) => /^--?p/.test(arg));
  if (name === "" || AGENTS.has(name)) return isOther || loosens(rest);
  // Flags before the name are those of the default command, and their values hide the name.
  if (name.startsWith("-") || hasUnknown(name)) return true;
  if (name === "update") return !onlyChecks(rest);
  if (READ_ONLY.has(`${name} *`)) return false;
  return !onlyLooks(name, rest);
}

/** Whether a command of this name, with these words after it, is one of those that only look. */
function onlyLooks(name: string, rest: readonly string[]): boolean {
  const at = rest.findIndex((word) => !/^--(?:json|all|verbose|no-color)$/.test(word));
  const next = rest[at] ?? "";
  if (!next.startsWith("-")) return !hasUnknown(next) && READ_ONLY.has(`${name} ${next}`);
  // A flag may take the next word, so that the word after it is the subcommand.
  const isBare = rest.slice(at).every((word) => /^(?:-[a-z]\d*|--[a-z-]+|\d+)$/.test(word));
  return isBare && READ_ONLY.has(`${name} `);
}

/** The words after the flags that every command takes. */
function afterGlobals(args: readonly string[]): readonly string[] {
  let at = 0;
  for (; at < args.length; at++) {
    if (/^(?:-p|--profile)$/.test(args[at]!)) at++;
    else if (!/^(?:-p[^-]|--profile=|--verbose$|--no-color$)/.test(args[at]!)) break;
  }
  return args.slice(at);
}

/** `hermes update` that says whether there is a newer version, and nothing else. */
function onlyChecks(args: readonly string[]): boolean {
  return args.includes("--check") && args.every((arg) => /^--(?:check|json)$/.test(arg));
}

/** Whether words after `run` or `chat` hold a flag that is not known to leave the rules as they are. */
function loosens(args: readonly string[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--") return false;
    if (arg.startsWith("\0")) return true;
    if (!/^-[^\d]/.test(arg)) continue;
    const used = arg.startsWith("--") ? longFlag(args, at) : shortFlags(arg);
    if (used === undefined) return true;
    at += used;
  }
  return false;
}

/** How many further words a long flag takes; undefined when it may loosen the rules. */
function longFlag(args: readonly string[], at: number): 0 | 1 | undefined {
  const [name = "", ...inline] = args[at]!.slice(2).split("=");
  const value = inline.length > 0 ? inline.join("=") : args[at + 1] ?? "";
  if (name === "approve" && !/^(?:never|ask)$/.test(value)) return undefined;
  if (name === "approve" || AGENT_VALUES.has(name)) return inline.length > 0 ? 0 : 1;
  return AGENT_SWITCHES.has(name) && inline.length === 0 ? 0 : undefined;
}

/** The same for `-q`, `-qm NAME` and `-mNAME`. */
function shortFlags(arg: string): 0 | 1 | undefined {
  const [, switches = "", flag = "", value = ""] = /^-([qc]*)(.?)(.*)$/s.exec(arg) ?? [];
  if (flag === "") return switches === "" ? undefined : 0;
  return AGENT_LETTERS.includes(flag) ? value === "" ? 1 : 0 : undefined;
}

/** What a whole script does to hermes, each reason once. */
export function hermesUses(
  invocations: readonly Invocation[],
  { programs = [], variables = [] }: {
    programs?: readonly string[] | undefined;
    /** Names that the script, or one before it in the same shell, has set. */
    variables?: Iterable<string>;
  } = {},
): HermesUse[] {
  const found = new Set<HermesUse>();
  const names = new Set(programs);
  const isGoverned = [...variables].some((name) => GOVERNING.test(name));
  for (const command of invocations) {
    for (const target of copiesOf(command, names)) {
      found.add(COPIES);
      names.add(target);
    }
    const args = hermesArgs(command, names);
    if (args === undefined ? looksLikeHermes(command) : changesHermes(args)) found.add(CHANGES);
    const isAgent = args !== undefined && startsAgent(args);
    if (changesVariables(command, args !== undefined) || (isAgent && isGoverned)) {
      found.add(SETTINGS);
    }
    if (isAgent && ![...command.env.keys()].every((name) => TAME_VARIABLE.test(name))) {
      found.add(SETTINGS);
    }
  }
  return [...found];
}

/** Whether the words after hermes start an agent, which goes by a home, an address and keys. */
function startsAgent(args: readonly string[]): boolean {
  const [name = ""] = afterGlobals(args);
  return name === "" || name.startsWith("-") || hasUnknown(name) || AGENTS.has(name);
}

/** The words after hermes, when the command runs it. */
function hermesArgs(command: Invocation, names: ReadonlySet<string>): string[] | undefined {
  const { program, path, args } = command;
  if (HERMES_NAME.test(program) || isHermes(path, { command, names })) return args;
  if (!LAUNCHERS.test(program)) return undefined;
  // Launchers name it in their arguments: `deno task hermes`, `npx hermes`, `deno run -A main.ts`.
  const at = args.findIndex((arg, i) =>
    HERMES_NAME.test(basename(arg)) || isHermes(arg, { command, names }) ||
    (HERMES_MAIN.test(arg) && isOwnForm(args.slice(i + 1)))
  );
  return at < 0 ? undefined : args.slice(args[at + 1] === "--" ? at + 2 : at + 1);
}

/** Whether the words are a change that only hermes knows. */
function isOwnForm(args: readonly string[]): boolean {
  const { operands } = parseLeading(args, GLOBAL_OPTIONS["hermes"]!);
  const [name = "", next = "", key = ""] = operands;
  if (OWN_FORMS.has(`${name} ${next}`)) return true;
  if (AGENTS.has(name)) return args.some((arg) => STRICTLY_OWN.test(arg));
  return name === "config" && /^(?:set|unset)$/.test(next) &&
    (OWN_SETTING.test(key) || hasUnknown(key));
}

const STRICTLY_OWN = /^--(?:yolo|accept-hooks|accept-plugins|approve(?:=always)?)$/;

/** Any program followed by words that only hermes takes: a copy under another name. */
function looksLikeHermes({ program, args }: Invocation): boolean {
  if (program === "" || OTHERS.has(program)) return false;
  if (!LAUNCHERS.test(program)) return isOwnForm(args);
  return args.slice(0, 16).some((_, i) => isOwnForm(args.slice(i + 1)));
}

interface Seen {
  command: Invocation;
  names: ReadonlySet<string>;
}

function isHermes(path: string, { command: { place }, names }: Seen): boolean {
  if (path === "" || names.size === 0) return false;
  if (names.has(path)) return true;
  const full = canonicalPath(path, place);
  for (const name of names) if (canonicalPath(name, place) === full) return true;
  return false;
}

/** Names under which the command makes hermes available. */
function copiesOf(command: Invocation, names: ReadonlySet<string>): string[] {
  if (!/^(?:cp|mv|ln|install|rsync|scp|dd)$/.test(command.program)) return [];
  const operands = command.args.filter((arg) => !arg.startsWith("-"))
    .map((arg) => arg.replace(/^(?:if|of)=/, ""));
  const isSource = (path: string) =>
    isHermes(path, { command, names }) || HERMES_NAME.test(basename(path));
  const target = operands.at(-1);
  return target !== undefined && operands.slice(0, -1).some(isSource) ? [target] : [];
}

const MARKERS = /^(?:HERMES_EXEC|HERMES_AGENT|AI_AGENT)$/;

/** Variables that hermes goes by, set for it or for what comes later, or hidden from it. */
function changesVariables({ program, args, env }: Invocation, callsHermes: boolean): boolean {
  const isOwn = (name: string) => /^_?HERMES_/.test(name);
  if (callsHermes && [...env.keys()].some(isOwn)) return true;
  switch (program) {
    case "export":
    case "declare":
    case "typeset":
      return args.some((arg) => isOwn(arg) || (args[0] === "-n" && MARKERS.test(arg)));
    case "unset":
      return args.some((arg) => MARKERS.test(arg));
    case "env":
      return args.some((arg) => HERMES_NAME.test(basename(arg))) &&
        args.some((arg) => isOwn(arg) || MARKERS.test(arg.replace(/^(?:-u|--unset=)/, "")));
    default:
      return false;
  }
}
