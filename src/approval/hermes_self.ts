/**
 * Recognises hermes called by a command, under whatever name, and whether that only looks.
 * Changes of what hermes trusts need a yes from a session, every time.
 */
import {
  AGENTS,
  HERMES_MAIN,
  HERMES_NAME,
  LAUNCHERS,
  LOOSENING,
  OTHERS,
  OWN_FORMS,
  OWN_SETTING,
  READ_ONLY,
} from "./hermes_self_data.ts";
import type { Invocation } from "./invocation.ts";
import { parseLeading } from "./invocation.ts";
import { canonicalPath } from "./paths.ts";
import { hasUnknown } from "./unknown.ts";
import { GLOBAL_OPTIONS } from "./wrappers_data.ts";
import { basename } from "../util/path.ts";

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

/** Whether `hermes ARGS` does more than look. */
export function changesHermes(args: readonly string[]): boolean {
  if (args.some((arg) => /^(?:-h|--help|-V|--version)$/.test(arg))) return false;
  const { operands } = parseLeading(args, GLOBAL_OPTIONS["hermes"]!);
  const [name = "", next = ""] = operands;
  if (name === "" || AGENTS.has(name)) return loosens(args);
  if (hasUnknown(name) || hasUnknown(next)) return true;
  if (READ_ONLY.has(`${name} *`)) return false;
  if (name === "update") return !operands.includes("--check");
  return !READ_ONLY.has(`${name} ${next.startsWith("-") ? "" : next}`);
}

function loosens(args: readonly string[]): boolean {
  return args.some((arg, i) =>
    LOOSENING.test(arg) || (arg === "--approve" && !/^(?:never|ask)$/.test(args[i + 1] ?? ""))
  );
}

/** What a whole script does to hermes, each reason once. */
export function hermesUses(
  invocations: readonly Invocation[],
  programs: readonly string[] = [],
): HermesUse[] {
  const found = new Set<HermesUse>();
  const names = new Set(programs);
  for (const command of invocations) {
    for (const target of copiesOf(command, names)) {
      found.add(COPIES);
      names.add(target);
    }
    const args = hermesArgs(command, names);
    if (args === undefined ? looksLikeHermes(command) : changesHermes(args)) found.add(CHANGES);
    if (changesVariables(command, args !== undefined)) found.add(SETTINGS);
  }
  return [...found];
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
