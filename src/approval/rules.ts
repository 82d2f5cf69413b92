/**
 * Every rule, indexed by program. A rule is verified on its own examples before it first
 * judges a command (all at once would cost 50 ms); one that fails is a bug, and then every
 * command it would have judged needs a yes.
 */
import { foldText } from "./fold.ts";
import type { Invocation } from "./invocation.ts";
import type { ProtectedKind } from "../util/protected_paths_data.ts";
import { protectedTouches } from "./protected_touches.ts";
import type { Rule } from "./rule.ts";
import { FILE_RULES } from "./rules/file_data.ts";
import { PATH_RULES } from "./rules/path_data.ts";
import { TREE_RULES } from "./rules/tree_data.ts";
import { MACHINE_RULES } from "./rules/machine_data.ts";
import { REACH_RULES } from "./rules/reach_data.ts";
import { SEND_RULES } from "./rules/send_data.ts";
import { GIT_SETTINGS_RULES } from "./rules/git_settings_data.ts";
import { LATER_RULES } from "./rules/later_data.ts";
import { PRIVILEGE_RULES } from "./rules/privilege_data.ts";
import { WATCH_RULES } from "./rules/watch_data.ts";
import { PACKAGE_RULES } from "./rules/package_data.ts";
import { HOSTED_RULES } from "./rules/hosted_data.ts";
import { LOAD_RULES } from "./rules/load_data.ts";
import { GIT_RULES } from "./rules/git_data.ts";
import { HARDLINE_RULES } from "./rules/hardline_data.ts";
import { NETWORK_RULES } from "./rules/network_data.ts";
import { PROCESS_RULES } from "./rules/process_data.ts";
import { SCRIPT_RULES } from "./rules/script_data.ts";
import { SERVICE_RULES } from "./rules/service_data.ts";
import { SYSTEM_RULES } from "./rules/system_data.ts";
import { WINDOWS_RULES } from "./rules/windows_data.ts";
import { walkShell } from "./walk.ts";

/** In the order in which findings are reported. */
export const RULES: readonly Rule[] = [
  ...HARDLINE_RULES,
  ...FILE_RULES,
  ...PATH_RULES,
  ...TREE_RULES,
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
const BY_KIND = new Map<ProtectedKind, Rule[]>();
for (const rule of RULES) {
  for (const kind of rule.protects ?? []) BY_KIND.set(kind, [...BY_KIND.get(kind) ?? [], rule]);
}
const FOR_ALL = RULES.filter((rule) =>
  rule.programs === undefined && !rule.redirections && rule.protects === undefined
);

/** Names that some rule looks at. */
export const KNOWN_PROGRAMS: readonly string[] = [...BY_PROGRAM.keys()];

/** `mkfs.ext4` and `python3.12` also go by the name of their family. */
function familyOf(program: string): string {
  return /^(mkfs|newfs)\.\w+$/.exec(program)?.[1] ??
    /^(python|pypy|perl|ruby|node|php|lua|pip)[\d.]+$/.exec(program)?.[1] ?? program;
}

/** Rules that may say something about a command. */
function* rulesFor(command: Invocation): Generator<Rule> {
  const { program, redirects } = command;
  yield* FOR_ALL;
  if (redirects.length > 0) yield* FOR_REDIRECTIONS;
  for (const { verdict } of protectedTouches(command)) yield* BY_KIND.get(verdict.kind) ?? [];
  yield* BY_PROGRAM.get(program) ?? [];
  const family = familyOf(program);
  if (family !== program) yield* BY_PROGRAM.get(family) ?? [];
}

const proofs = new Map<Rule, string | undefined>();

/** The first of its examples that a rule gets wrong; undefined when it is right. */
export function failedExample(rule: Rule): string | undefined {
  if (!proofs.has(rule)) {
    const wrong = rule.match.find((example) => !judges(rule, example)) ??
      rule.noMatch.find((example) => judges(rule, example));
    proofs.set(rule, wrong);
  }
  return proofs.get(rule);
}

function judges(rule: Rule, example: string): boolean {
  const { invocations } = walkShell(foldText(example), { programs: KNOWN_PROGRAMS });
  return invocations.some((command) => appliesTo(rule, command) && rule.test(command, invocations));
}

function appliesTo(rule: Rule, command: Invocation): boolean {
  const { program, redirects } = command;
  if (rule.protects !== undefined) {
    return protectedTouches(command).some(({ verdict }) => rule.protects!.includes(verdict.kind));
  }
  if (rule.programs === undefined && rule.redirections === undefined) return true;
  const names = [program, familyOf(program)];
  return (rule.redirections === true && redirects.length > 0) ||
    rule.programs?.some((name) => names.includes(name)) === true;
}

/** What a rule has to say about one command: itself, that it is broken, or nothing. */
export function applyRule(
  rule: Rule,
  invocation: Invocation,
  all: readonly Invocation[],
): Rule | undefined {
  const example = failedExample(rule);
  if (example === undefined) return rule.test(invocation, all) ? rule : undefined;
  return {
    ...rule,
    key: `broken rule: ${rule.key}`,
    kind: "dangerous",
    description: `cannot be checked: the rule "${rule.key}" is wrong about its example ${example}`,
  };
}

/** Rules that find something in the commands, in the order of `RULES`, each once. */
export function findingsIn(invocations: readonly Invocation[]): Rule[] {
  const found = new Map<Rule, Rule>();
  for (const invocation of invocations) {
    for (const rule of rulesFor(invocation)) {
      if (found.has(rule)) continue;
      const finding = applyRule(rule, invocation, invocations);
      if (finding !== undefined) found.set(rule, finding);
    }
  }
  if (found.size < 2) return [...found.values()];
  return RULES.flatMap((rule) => found.get(rule) ?? []);
}
