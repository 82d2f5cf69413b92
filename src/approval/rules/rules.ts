/**
 * Every rule, indexed by program. Rules are verified on their own examples by the tests, by each
 * build of the program and by `hermes approvals rules --verify`, not before a command is judged:
 * that would take longer than all the rest of the first command.
 */
import { foldText } from "../shell/fold.ts";
import type { Invocation } from "../shell/invocation.ts";
import type { ProtectedKind } from "../../util/protected_paths_data.ts";
import { protectedTouches } from "./protected_touches.ts";
import type { Rule } from "./rule.ts";
import { FILE_RULES } from "./file_data.ts";
import { PATH_RULES } from "./path_data.ts";
import { TREE_RULES } from "./tree_data.ts";
import { LISTED_RULES } from "./listed_data.ts";
import { MACHINE_RULES } from "./machine_data.ts";
import { REACH_RULES } from "./reach_data.ts";
import { SEND_RULES } from "./send_data.ts";
import { GIT_SETTINGS_RULES } from "./git_settings_data.ts";
import { LATER_RULES } from "./later_data.ts";
import { PRIVILEGE_RULES } from "./privilege_data.ts";
import { WATCH_RULES } from "./watch_data.ts";
import { PACKAGE_RULES } from "./package_data.ts";
import { HOSTED_RULES } from "./hosted_data.ts";
import { LOAD_RULES } from "./load_data.ts";
import { GIT_RULES } from "./git_data.ts";
import { HARDLINE_RULES } from "./hardline_data.ts";
import { NETWORK_RULES } from "./network_data.ts";
import { PROCESS_RULES } from "./process_data.ts";
import { SCRIPT_RULES } from "./script_data.ts";
import { SERVICE_RULES } from "./service_data.ts";
import { SYSTEM_RULES } from "./system_data.ts";
import { WINDOWS_RULES } from "./windows_data.ts";
import { walkShell } from "../shell/walk.ts";

/** In the order in which findings are reported. */
export const RULES: readonly Rule[] = [
  ...HARDLINE_RULES,
  ...FILE_RULES,
  ...PATH_RULES,
  ...TREE_RULES,
  ...LISTED_RULES,
  ...PROCESS_RULES,
  ...SCRIPT_RULES,
  ...GIT_RULES,
  ...NETWORK_RULES,
  ...REACH_RULES,
  ...SEND_RULES,
  ...GIT_SETTINGS_RULES,
  ...SERVICE_RULES,
  ...SYSTEM_RULES,
  ...LATER_RULES,
  ...PRIVILEGE_RULES,
  ...MACHINE_RULES,
  ...WATCH_RULES,
  ...PACKAGE_RULES,
  ...HOSTED_RULES,
  ...LOAD_RULES,
  ...WINDOWS_RULES,
];

const BY_PROGRAM = new Map<string, Rule[]>();
for (const rule of RULES) {
  for (const program of new Set(rule.programs)) {
    const list = BY_PROGRAM.get(program);
    if (list === undefined) BY_PROGRAM.set(program, [rule]);
    else list.push(rule);
  }
}
const FOR_REDIRECTIONS = RULES.filter((rule) => rule.redirections === true);
const FOR_VARIABLES = RULES.filter((rule) => rule.variables === true);
const FOR_WORDS = RULES.filter((rule) => rule.mentions !== undefined);
const BY_KIND = new Map<ProtectedKind, Rule[]>();
for (const rule of RULES) {
  for (const kind of rule.protects ?? []) BY_KIND.set(kind, [...BY_KIND.get(kind) ?? [], rule]);
}
const FOR_ALL = RULES.filter(looksAtAll);

function looksAtAll(rule: Rule): boolean {
  return rule.programs === undefined && !rule.redirections && !rule.variables &&
    rule.protects === undefined && rule.mentions === undefined;
}

/** Names that some rule looks at. */
export const KNOWN_PROGRAMS: readonly string[] = [...BY_PROGRAM.keys()];

/** `mkfs.ext4` and `python3.12` also go by the name of their family. */
function familyOf(program: string): string {
  return /^(mkfs|newfs)\.\w+$/.exec(program)?.[1] ??
    /^(python|pypy|perl|ruby|node|php|lua|pip)[\d.]+$/.exec(program)?.[1] ?? program;
}

/** Rules that may say something about a command. */
function* rulesFor(command: Invocation): Generator<Rule> {
  const { program, redirects, env } = command;
  yield* FOR_ALL;
  if (redirects.length > 0) yield* FOR_REDIRECTIONS;
  if (env.size > 0) yield* FOR_VARIABLES;
  const words = command.args.length > 0 ? wordsOf(command) : command.path;
  for (const rule of FOR_WORDS) if (rule.mentions!.test(words)) yield rule;
  for (const { verdict } of protectedTouches(command)) yield* BY_KIND.get(verdict.kind) ?? [];
  yield* BY_PROGRAM.get(program) ?? [];
  const family = familyOf(program);
  if (family !== program) yield* BY_PROGRAM.get(family) ?? [];
}

/** Every word of a command, its redirections included, as one text. */
function wordsOf({ path, args, redirects }: Invocation): string {
  const words = `${path} ${args.join(" ")}`;
  return redirects.length === 0
    ? words
    : `${words} ${redirects.map(({ target }) => target).join(" ")}`;
}

/** The first of its examples that a rule gets wrong; undefined when it is right. */
export function failedExample(rule: Rule): string | undefined {
  return rule.match.find((example) => !judges(rule, example)) ??
    rule.noMatch.find((example) => judges(rule, example));
}

function judges(rule: Rule, example: string): boolean {
  const { invocations } = walkShell(foldText(example), { programs: KNOWN_PROGRAMS });
  return invocations.some((command) => appliesTo(rule, command) && rule.test(command, invocations));
}

function appliesTo(rule: Rule, command: Invocation): boolean {
  const { program, redirects, env } = command;
  if (looksAtAll(rule)) return true;
  if (rule.redirections === true && redirects.length > 0) return true;
  if (rule.variables === true && env.size > 0) return true;
  if (rule.mentions?.test(wordsOf(command)) === true) return true;
  if (protectedTouches(command).some(({ verdict }) => rule.protects?.includes(verdict.kind))) {
    return true;
  }
  const names = [program, familyOf(program)];
  return rule.programs?.some((name) => names.includes(name)) === true;
}

/** Rules that find something in the commands, in the order of `RULES`, each once. */
export function findingsIn(invocations: readonly Invocation[]): Rule[] {
  const found = new Set<Rule>();
  for (const invocation of invocations) {
    for (const rule of rulesFor(invocation)) {
      if (!found.has(rule) && rule.test(invocation, invocations)) found.add(rule);
    }
  }
  return found.size < 2 ? [...found] : RULES.filter((rule) => found.has(rule));
}
