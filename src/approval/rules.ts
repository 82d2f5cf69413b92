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
import { LISTED_RULES } from "./rules/listed_data.ts";
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

/** Of each kind, how many examples of a program are asked before its first command is judged. */
const QUICK_EXAMPLES = 3;

const proofs = new Map<Rule, Map<string, string | undefined>>();

/**
 * The first of its examples that a rule gets wrong; undefined when it is right. With a program,
 * only some examples with that program are asked, so that a first command is judged quickly.
 */
export function failedExample(rule: Rule, program = ""): string | undefined {
  const proof = proofs.get(rule) ?? new Map<string, string | undefined>();
  proofs.set(rule, proof);
  const isAbout = (example: string) => example.toLowerCase().includes(program);
  // A program that no example shows is judged as well as the rule is proved as a whole.
  const key = proof.has(program) || rule.match.some(isAbout) ? program : "";
  if (!proof.has(key)) {
    const some = (examples: readonly string[]) =>
      key === "" ? examples : examples.filter(isAbout).slice(0, QUICK_EXAMPLES);
    const wrong = some(rule.match).find((example) => !judges(rule, example)) ??
      some(rule.noMatch).find((example) => judges(rule, example));
    proof.set(key, wrong);
  }
  return proof.get(key);
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

/** What a rule has to say about one command: itself, that it is broken, or nothing. */
export function applyRule(
  rule: Rule,
  invocation: Invocation,
  all: readonly Invocation[],
): Rule | undefined {
  const example = failedExample(rule, invocation.program);
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
