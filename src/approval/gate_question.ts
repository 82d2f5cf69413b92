/**
 * A question on its way through the gate: what is asked, what each answer would keep, and how it
 * is shown to others. Owns no answer.
 */
import type {
  ApprovalChoice,
  ApprovalContext,
  ApprovalOutcome,
  ApprovalRequest,
} from "../protocol/approval.ts";
import { sha256Hex } from "../util/hash.ts";

export interface GateQuestion {
  request: ApprovalRequest;
  /** Every offered answer, with its grants in full. */
  choices: readonly ApprovalChoice[];
  context: ApprovalContext;
  isCommand: boolean;
  /** Only a person may answer: no policy, no reviewer, no rule for sub-agents. */
  personOnly?: boolean;
  /** True when a yes given while the question waits already covers it. */
  isCovered(): Promise<boolean>;
}

/** So many characters that two actions of one id cannot be found. */
const ACTION_ID_CHARS = 24;

/** The id of an action and its place: the same command elsewhere is another action. */
export async function actionId({ request, context }: GateQuestion): Promise<string> {
  const { tool, rule, subject } = request;
  const { environment, cwd, exact = null } = context;
  const text = JSON.stringify([tool, rule, subject, exact, environment, cwd]);
  return (await sha256Hex(text)).slice(0, ACTION_ID_CHARS);
}

/** The request as surfaces see it, with the id of its action and the offered answers. */
export async function shownRequest(
  question: GateQuestion,
  clean: (text: string) => string,
): Promise<ApprovalRequest> {
  const { request, choices } = question;
  return {
    ...request,
    subject: clean(request.subject),
    description: clean(request.description),
    choices: choices.map((choice) => ({
      ...choice,
      text: clean(choice.text),
      grants: choice.grants.map((grant) => ({ ...grant, value: clean(grant.value) })),
    })),
    id: await actionId(question),
  };
}

/** The choices of a request in brief, for surfaces that do not read choices. */
export function summaryOf(
  choices: readonly ApprovalChoice[],
): Pick<ApprovalRequest, "allowAlways" | "onceOnly"> {
  const has = (id: string) => choices.some((choice) => choice.id === id);
  return { allowAlways: has("always"), ...(has("session") ? {} : { onceOnly: true }) };
}

/**
 * The choice that an answer means; undefined for a no, and for a choice that was not offered. An
 * answer that names no choice means the narrowest offered choice, never a shape or a rule.
 */
export function chosen(
  choices: readonly ApprovalChoice[],
  { answer, choice: id }: Pick<ApprovalOutcome, "answer" | "choice">,
): ApprovalChoice | undefined {
  const find = (wanted: string) => choices.find((choice) => choice.id === wanted);
  if (id !== undefined) {
    const named = find(id);
    return named?.answer === answer && named.answer !== "deny" ? named : undefined;
  }
  switch (answer) {
    case "always":
      return find("always") ?? find("session") ?? find("once");
    case "session":
      return find("session") ?? find("once");
    case "once":
      return find("once");
    default:
      return undefined;
  }
}

/** The same question, whose only yes holds once. */
export function onlyOnce(question: GateQuestion): GateQuestion {
  const choices = question.choices.filter(({ grants }) => grants.length === 0);
  return { ...question, choices, request: { ...question.request, ...summaryOf(choices) } };
}
