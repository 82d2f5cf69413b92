/**
 * The pure decision on one shell command. No clock, no state, no disk but the one the policy
 * brings: the same text and policy give the same verdict.
 */
import type { CommandVerdict, Decision } from "../protocol/approval.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { allowsCommand, allowsRule } from "./allowlist.ts";
import { type Disk, KnownDisk } from "./shell/disk.ts";
import { foldText, reordersText } from "./shell/fold.ts";
import { globMatch } from "./shell/shell_glob.ts";
import { asksInside, type InsideWalls } from "./rules/inside_walls.ts";
import { type HermesUse, hermesUses } from "./rules/hermes_self.ts";
import type { JudgedBefore, Versions } from "./judged_before.ts";
import { takesCommands } from "./shell/interactive.ts";
import { commandLine, type Invocation } from "./shell/invocation.ts";
import { LIMITS, ShellLimitError } from "./shell/shell_ast.ts";
import { findingsIn, KNOWN_PROGRAMS } from "./rules/rules.ts";
import { SUDO_STDIN_KEY } from "./rules/hardline_data.ts";
import type { EarlierVariables } from "./shell/shell_state.ts";
import { walkShell } from "./shell/walk.ts";
import type { Walked } from "./shell/walk_flow.ts";
import type { EarlierFiles, WrittenFiles } from "./shell/written_files.ts";

export interface CommandPolicy {
  /** Where the command starts; relative paths are judged from there. */
  cwd?: string;
  /** The same directory behind its links; the stricter judgement of both counts. */
  realCwd?: string | undefined;
  /** Values that earlier commands of the session may have left in variables. */
  variables?: EarlierVariables | undefined;
  /** Files that earlier commands of the session wrote, copied or linked. */
  files?: EarlierFiles | undefined;
  /** True when input can be sent to the command while it runs. */
  takesInput?: boolean | undefined;
  /** Tells where links lead and what files hold; only where commands run on this machine. */
  disk?: Disk | undefined;
  /** The user's home: `rm -rf /home/me` is then known for what it is. */
  home?: string;
  /** What hermes trusts and what holds secrets; its `homes` are further names of `home`. */
  places?: ProtectedPlaces | undefined;
  /** Absolute paths of files that are hermes itself, whatever they are called. */
  hermesPrograms?: readonly string[];
  /** `approvals.deny`: globs that are never run. */
  denyGlobs?: readonly string[];
  /** Rule keys, literal commands and globs that need no further yes. */
  allowlist?: Iterable<string>;
  /** True when the operator configured a sudo password, which makes `sudo -S` legitimate. */
  sudoPassword?: boolean;
  /** Walls that stand around the command: what they bound needs no yes. */
  walls?: InsideWalls | undefined;
  /** Earlier inspections, and how often the state left by earlier commands has changed. */
  judged?: { before: JudgedBefore<Inspection>; versions(): Versions } | undefined;
}

/** One reason not to run a command without a yes. */
export interface Finding {
  key: string;
  aliases?: readonly string[];
  description: string;
  kind: "hardline" | "dangerous";
  /** True where a yes may not be stored for good. */
  once?: boolean;
  /** True where a yes holds for this one command: no list and no session covers the next. */
  everyTime?: boolean;
  /** False where a yes to the whole rule would be a yes to every command. */
  wholeRule?: boolean;
}

export interface Inspection {
  /** Everything the rules say, whether already allowed or not. */
  findings: Finding[];
  /** The command as the rules saw it. */
  normalized: string;
  /** Variables that it gives values. */
  variables: ReadonlyMap<string, readonly string[]>;
  /** Files that it writes, copies or links, once for each way to read the command. */
  files: readonly WrittenFiles[];
}

export interface Evaluation {
  decision: Decision;
  /** The deciding findings: hardline ones alone when there are any, none when allowed. */
  findings: Finding[];
  normalized: string;
  /** Variables that it gives values, for `CommandPolicy.variables` of later commands. */
  variables: ReadonlyMap<string, readonly string[]>;
  /** Files that it writes, copies or links, for `CommandPolicy.files` of later commands. */
  files: readonly WrittenFiles[];
}

const UNPARSABLE: Finding = {
  key: "unparsable command",
  description: "is no shell command that could be checked",
  kind: "dangerous",
  once: true,
};
const REORDERED: Finding = {
  key: "text direction override",
  description: "contains characters that change the order in which it is shown",
  kind: "dangerous",
  once: true,
};

const SOMEWHERE: Finding = {
  key: "delete in an unknown directory",
  description: "deletes everything in a directory that is not known beforehand",
  kind: "dangerous",
};

/** `cd "$x" && rm *`. */
function deletesSomewhere({ program, args, place }: Invocation): boolean {
  return place.cwd === undefined && /^(?:rm|unlink|shred|truncate|mv)$/.test(program) &&
    args.some((arg) => /^(?:\.\/)?(?:\.?\*+|\*\.\*|\.\[[^\]]*\]\*)$/.test(arg));
}

/** The verdict with its first reason as the rule. */
export function decide(command: string, policy: CommandPolicy = {}): CommandVerdict {
  const { decision, findings, normalized } = evaluate(command, policy);
  return {
    decision,
    rule: findings[0]?.key ?? "",
    description: findings.map(({ description }) => description).join("; "),
    normalized,
  };
}

/** The verdict with every reason for it. */
export function evaluate(command: string, policy: CommandPolicy = {}): Evaluation {
  const { judged } = policy;
  const { findings, ...rest } = judged === undefined
    ? inspect(command, policy)
    : judged.before.inspect(
      command,
      { ...policy, versions: judged.versions(), among: JSON.stringify(policy.walls) },
      (disk) => inspect(command, { ...policy, disk }),
    );
  const hardline = findings.filter(({ kind }) => kind === "hardline");
  if (hardline.length > 0) return { decision: "forbidden", findings: hardline, ...rest };
  const allowlist = [...policy.allowlist ?? []];
  const open = findings.filter((finding) => !allowsRule(allowlist, finding));
  const mayBeListed = !open.some(({ everyTime }) => everyTime === true);
  if (open.length === 0 || (mayBeListed && allowsCommand(allowlist, command))) {
    return { decision: "allow", findings: [], ...rest };
  }
  return { decision: "prompt", findings: open, ...rest };
}

/** What the rules find, before any allowlist. */
export function inspect(command: string, policy: CommandPolicy = {}): Inspection {
  try {
    checkSize(command);
    return inspectViews(command, policy);
  } catch (error) {
    if (!(error instanceof ShellLimitError)) throw error;
    const description = `cannot be checked: ${error.message}`;
    const finding: Finding = { key: "parser limit", description, kind: "hardline" };
    return {
      findings: [finding],
      normalized: command.slice(0, 200),
      variables: new Map(),
      files: [],
    };
  }
}

/** Judges the text as it is and as it looks; what either shows counts. */
function inspectViews(command: string, policy: CommandPolicy): Inspection {
  const findings = new Set<Finding>();
  const unjudged = new Set<string>();
  const uses = new Set<HermesUse>();
  const variables = new Map<string, readonly string[]>();
  const files: WrittenFiles[] = [];
  let normalized = "";
  for (const walked of walks(command, policy)) {
    const { view } = walked;
    normalized ||= walked.normalized;
    for (const [name, values] of walked.variables) variables.set(name, values);
    files.push(walked.files);
    for (const glob of policy.denyGlobs ?? []) {
      if (isDenied(glob, [command, view, normalized, ...walked.invocations.map(commandLine)])) {
        findings.add({
          key: `deny: ${glob}`,
          description: `the operator denies ${glob}`,
          kind: "hardline",
        });
      }
    }
    const { walls } = policy;
    const asks = ({ key, kind }: Pick<Finding, "key" | "kind">) =>
      walls === undefined || kind === "hardline" ||
      asksInside(key, { commands: walked.invocations, walls });
    for (const rule of findingsIn(walked.invocations)) {
      if (rule.key === SUDO_STDIN_KEY && policy.sudoPassword === true) continue;
      if (asks(rule)) findings.add(rule);
    }
    for (const construct of walked.unjudged) unjudged.add(construct);
    if (policy.cwd !== undefined && walked.invocations.some(deletesSomewhere)) {
      findings.add(SOMEWHERE);
    }
    if (policy.takesInput === true && walked.invocations.some(takesCommands)) {
      unjudged.add("interactive input");
    }
    const around = {
      programs: policy.hermesPrograms,
      variables: [...walked.variables.keys(), ...policy.variables?.keys() ?? []],
    };
    for (const use of hermesUses(walked.invocations, around)) uses.add(use);
    if (walked.problem !== undefined) findings.add(UNPARSABLE);
  }
  for (const construct of policy.walls?.closed === true ? [] : unjudged) {
    findings.add({
      key: `unjudged execution: ${construct}`,
      description: `runs text that could not be read beforehand (${construct})`,
      kind: "dangerous",
      once: true,
    });
  }
  for (const use of uses) {
    findings.add({ ...use, kind: "dangerous", once: true, everyTime: true });
  }
  if (reordersText(command)) findings.add(REORDERED);
  return { findings: [...findings], normalized, variables, files };
}

/** Follows each view of the command, and once more as if no `cd` had succeeded where that matters. */
function* walks(command: string, policy: CommandPolicy): Generator<Walked & { view: string }> {
  const disk = policy.disk === undefined ? undefined : new KnownDisk(policy.disk);
  for (const { view, cwd } of viewsOf(command, policy)) {
    const options = { ...policy, cwd, disk, programs: KNOWN_PROGRAMS };
    const walked = walkShell(view, options);
    yield { ...walked, view };
    if (walked.moves) yield { ...walkShell(view, { ...options, staysPut: true }), view };
  }
}

/** The text as it is and as it looks, seen from each name of the directory. */
function viewsOf(command: string, policy: CommandPolicy) {
  const plain = command.replaceAll("\0", "");
  // A shell joins continued lines even inside `$(` and names, where the parser does not.
  const texts = [...new Set([foldText(command), plain, plain.replaceAll("\\\n", "")])];
  const directories = [...new Set([policy.cwd, policy.realCwd ?? policy.cwd])];
  return directories.flatMap((cwd) => texts.map((view) => ({ view, cwd })));
}

function isDenied(glob: string, texts: readonly string[]): boolean {
  const pattern = glob.toLowerCase().trim();
  return pattern !== "" && texts.some((text) => globMatch(pattern, text.toLowerCase().trim()));
}

function checkSize(command: string): void {
  if (command.length > LIMITS.chars) throw new ShellLimitError(`over ${LIMITS.chars} characters`);
  let separators = 0;
  for (let i = 0; i < command.length; i++) {
    const char = command[i];
    if (char === ";" || char === "&" || char === "|" || char === "\n") separators++;
  }
  if (separators >= LIMITS.separators) throw new ShellLimitError("too many separators");
  if (separators === 0 && command.length > LIMITS.unbrokenChars) {
    throw new ShellLimitError(`one command of over ${LIMITS.unbrokenChars} characters`);
  }
}
