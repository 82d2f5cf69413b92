/**
 * The answers that a question offers, each with what it would keep and the words that say so. From
 * narrow to wide; the whole rule is last before the no, and nothing wider than its words is kept.
 */
import type { ApprovalChoice, ApprovalRequest, WantedGrant } from "../protocol/approval.ts";
import type { GrantOffer } from "../protocol/grant.ts";
import { type ActionCase, COMMAND_TOOL, type CommandCase } from "./grants.ts";
import { grantWords, ruleWords, type WordsOptions } from "./grant_words.ts";

const ONCE: ApprovalChoice = { id: "once", answer: "once", text: "Allow this once", grants: [] };
const DENY: ApprovalChoice = { id: "deny", answer: "deny", text: "Deny", grants: [] };

/** Limits on what is kept of a yes. */
export interface Keeping {
  /** Grants can be stored here: there is a store, and the project has a lasting name. */
  canStore: boolean;
  /** A secret stands in the subject: it is neither stored nor repeated. */
  isSecret: boolean;
}

/** The answers to a question about a command. */
export function commandChoices(wanted: CommandCase, keeping: Keeping): ApprovalChoice[] {
  const { findings } = wanted;
  if (findings.some(({ everyTime, kind }) => everyTime === true || kind === "hardline")) {
    return [ONCE, DENY];
  }
  const describeRule = (rule: string) => findings.find(({ key }) => key === rule)?.description;
  const words: WordsOptions = { describeRule, isShown: true, isSecret: keeping.isSecret };
  const exact = exactCommand(wanted);
  const choices = [ONCE, sessionChoice(exact, words)];
  const isLasting = findings.every(({ once }) => once !== true);
  if (isLasting && keeping.canStore && !keeping.isSecret) {
    if (isSelfContained(wanted.command)) choices.push(alwaysChoice("always", exact, words));
    if (wanted.shape !== undefined) {
      const shape = { ...exact, kind: "shape" as const, value: wanted.shape };
      choices.push(alwaysChoice("shape", shape, words));
    }
  }
  const isWhole = findings.every(({ once, wholeRule }) => once !== true && wholeRule !== false);
  if (isWhole) {
    const rules = findings.map(({ key }) => key);
    choices.push(ruleChoice(rules, { ...wanted, words, canStore: keeping.canStore }));
  }
  return [...choices, DENY];
}

function exactCommand(
  { command, tool, project, cwd, findings }: CommandCase,
): Omit<GrantOffer, "scope"> {
  return {
    kind: "command",
    value: command.trim(),
    project,
    rules: findings.map(({ key }) => key),
    ...(tool === COMMAND_TOOL ? {} : { tool }),
    // Seen from another directory, `..` is another place.
    ...(command.includes("..") && cwd !== project ? { cwd } : {}),
  };
}

/** True when the command's effect cannot depend on values that are set elsewhere. */
function isSelfContained(command: string): boolean {
  return !/[$`]/.test(command);
}

/** The answers to a question about an action of a tool. */
export function actionChoices(
  request: Pick<ApprovalRequest, "allowAlways" | "onceOnly" | "description">,
  { wanted, canStore, isSecret, wholeRule = true }: Keeping & {
    wanted: ActionCase;
    wholeRule?: boolean;
  },
): ApprovalChoice[] {
  if (request.onceOnly === true) return [ONCE, DENY];
  const { subject, tool, project, rule, digest } = wanted;
  const describeRule = () => request.description;
  const words: WordsOptions = { describeRule, isShown: true, isSecret };
  const exact: Omit<GrantOffer, "scope"> = {
    kind: "action",
    value: subject,
    project,
    tool,
    rules: [rule],
    ...(digest === undefined ? {} : { digest }),
  };
  const choices = [ONCE, sessionChoice(exact, words)];
  if (request.allowAlways && canStore && !isSecret) {
    choices.push(alwaysChoice("always", exact, words));
  }
  if (request.allowAlways && wholeRule) {
    choices.push(ruleChoice([rule], { project, words, canStore }));
  }
  return [...choices, DENY];
}

/** The answers to a question about an action that the walls stop. */
export function wallChoices(
  { kind, value }: Pick<WantedGrant, "kind" | "value">,
  { project, canStore, isSecret, onceOnly }: Keeping & { project: string; onceOnly: boolean },
): ApprovalChoice[] {
  if (onceOnly) return [ONCE, DENY];
  const offer = { kind, value: value.trim(), project };
  const words: WordsOptions = { isShown: true, isSecret };
  return [
    ONCE,
    sessionChoice(offer, words),
    ...(canStore && !isSecret ? [alwaysChoice("always", offer, words)] : []),
    DENY,
  ];
}

function sessionChoice(exact: Omit<GrantOffer, "scope">, words: WordsOptions): ApprovalChoice {
  const offer: GrantOffer = { scope: "session", ...exact };
  return {
    id: "session",
    answer: "session",
    text: `Allow ${grantWords(offer, words)}`,
    grants: [offer],
  };
}

function alwaysChoice(
  id: string,
  exact: Omit<GrantOffer, "scope">,
  words: WordsOptions,
): ApprovalChoice {
  const offer: GrantOffer = { scope: "project", ...exact };
  return {
    id,
    answer: "always",
    text: `Always allow ${grantWords(offer, words)}`,
    grants: [offer],
  };
}

/** The choice that allows whole rules, each named with what the rule is about. */
function ruleChoice(
  rules: readonly string[],
  { project, words, canStore }: { project: string; words: WordsOptions; canStore: boolean },
): ApprovalChoice {
  const scope = canStore ? "project" as const : "session" as const;
  const named = rules.map((rule) => ruleWords(rule, words)).join(" and ");
  const until = canStore ? "" : " until this session ends";
  const head = canStore ? "Always allow" : "Allow";
  const what = rules.length === 1 ? "rule" : "rules";
  return {
    id: "rule",
    answer: canStore ? "always" : "session",
    text: `${head} every command and action of the ${what} ${named} in ${project}${until}`,
    grants: rules.map((value) => ({ scope, kind: "rule", value, project })),
  };
}
