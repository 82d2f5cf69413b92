/** Approval and clarifying questions put to the person at the terminal. */
import type { ApprovalAnswer, ApprovalRequest } from "../../protocol/approval.ts";
import type { QuestionAnswer } from "../../protocol/question.ts";
import type { ClarifyQuestion } from "../../protocol/services.ts";
import { oneLine, plainText, visibleText } from "../render/tool_line.ts";
import { Select, type SelectOptions } from "./select.ts";
import type { TerminalInput } from "./terminal_input.ts";

/** An answer as it is shown; `choice` is the id of a choice of the request. */
interface Offered {
  answer: ApprovalAnswer;
  text: string;
  choice?: string;
}

/** The answers to a request that brings no choices of its own. */
const ANSWERS: readonly Offered[] = [
  { answer: "once", text: "Allow this once" },
  { answer: "session", text: "Allow this for the session" },
  { answer: "always", text: "Always allow this" },
  { answer: "deny", text: "Deny" },
];
const APPROVAL_KEYS = "y yes, once · n no · ↑↓ or a number moves, enter confirms, esc is no";
const OTHER = "Something else (type it)";

/** Where a question is asked, and until when. */
export interface Place {
  terminal: TerminalInput;
  signal: AbortSignal;
}

/** Shows a choice and waits; an empty list when it was cancelled, undefined after Ctrl-C. */
async function choose(
  { terminal, signal }: Place,
  options: SelectOptions & { question: string },
): Promise<number[] | undefined> {
  await show(terminal, options.question);
  const select = new Select(options);
  let shown = 0;
  let chosen: number[] = [];
  const repaint = () => {
    shown = draw(terminal, { lines: select.render(), over: shown });
  };
  const end = await terminal.readKeys((key) => {
    const step = select.onKey(key);
    // The mark stays on the screen: it must be at the answer that was given.
    if (step.kind !== "cancelled") repaint();
    if (step.kind === "open") return false;
    if (step.kind === "chosen") chosen = step.indexes;
    return true;
  }, { signal, onReady: repaint });
  return end === "interrupted" ? undefined : chosen;
}

/** Writes the question once: only the answers below it are painted again. */
async function show(terminal: TerminalInput, question: string): Promise<void> {
  // What happened before the question is still on its way to the screen; let it arrive first.
  await new Promise((resolve) => setTimeout(resolve, 0));
  terminal.write(`\n${question.replaceAll("\n", "\r\n")}\r\n`);
}

/** Repaints `lines` over the `over` rows drawn before; a long line takes several. */
function draw(terminal: TerminalInput, frame: { lines: string[]; over: number }): number {
  const up = frame.over > 0 ? `\x1b[${frame.over}A` : "";
  const width = Math.max(20, terminal.columns - 1);
  const rows = frame.lines.flatMap((line) => wrapped(line, width));
  terminal.write(up + rows.map((row) => `\r\x1b[2K${row}\r\n`).join(""));
  return rows.length;
}

/** Where the text of an answer begins: `❯ 1. `. */
const INDENT = "     ";

/** A line as rows that fit, cut at blanks where there are some; no text is lost. */
function wrapped(line: string, width: number): string[] {
  const rows: string[] = [];
  let rest = [...line];
  while (rest.length > width) {
    const blank = rest.lastIndexOf(" ", width);
    const cut = blank > INDENT.length ? blank : width;
    rows.push(rest.slice(0, cut).join(""));
    rest = [...INDENT, ...rest.slice(blank > INDENT.length ? cut + 1 : cut)];
  }
  return [...rows, rest.join("")];
}

/** Asks about an action; cancelling is a no, undefined is Ctrl-C. */
export async function askApproval(
  request: ApprovalRequest,
  place: Place,
): Promise<QuestionAnswer & { kind: "approval" } | undefined> {
  const offered = offeredBy(request);
  const subject = plainText(request.subject).replaceAll("\n", "\n  ");
  const [yes, no] = ["once", "deny"].map((wanted) =>
    offered.findIndex(({ answer }) => answer === wanted)
  );
  const chosen = await choose(place, {
    question: `${oneLine(request.description)}\n  ${subject}\nAllow it?`,
    choices: offered.map(({ text }) => visibleText(text.replaceAll(/\s+/g, " "))),
    // Enter at the end of a line typed meanwhile must not be a yes.
    start: no!,
    shortcuts: { y: yes!, n: no! },
    help: APPROVAL_KEYS,
  });
  if (chosen === undefined) return undefined;
  const { answer, choice } = offered[chosen[0] ?? no!]!;
  return { kind: "approval", answer, ...(choice === undefined ? {} : { choice }) };
}

/** The answers of a request, in its order; a yes for this once and a no are always there. */
function offeredBy(request: ApprovalRequest): Offered[] {
  const own = request.choices?.map(({ id, answer, text }) => ({ answer, text, choice: id })) ?? [];
  const isWhole = ["once", "deny"].every((wanted) => own.some(({ answer }) => answer === wanted));
  return isWhole ? own : ANSWERS.filter(({ answer }) => isOffered(answer, request));
}

function isOffered(answer: ApprovalAnswer, request: ApprovalRequest): boolean {
  if (answer === "session") return request.onceOnly !== true;
  return answer !== "always" || request.allowAlways;
}

/** Asks each question, with a free-text way out of every choice; undefined is Ctrl-C. */
export async function askClarify(
  questions: readonly ClarifyQuestion[],
  place: Place,
): Promise<string[][] | undefined> {
  const answers: string[][] = [];
  for (const question of questions) {
    const answer = await askOne(question, place);
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  return answers;
}

async function askOne(question: ClarifyQuestion, place: Place): Promise<string[] | undefined> {
  const { terminal, signal } = place;
  const text = plainText(question.question);
  if (question.choices.length === 0) {
    await show(terminal, text);
    return [await terminal.readLine("> ", signal) ?? ""];
  }
  const chosen = await choose(place, {
    question: text,
    choices: [...question.choices.map(oneLine), OTHER],
    multi: question.multiSelect,
  });
  if (chosen === undefined) return undefined;
  const answers: string[] = [];
  for (const index of chosen) {
    answers.push(question.choices[index] ?? await terminal.readLine("> ", signal) ?? "");
  }
  return answers;
}

/** Yes or no; whatever is not yes is no. */
export async function askConfirm(text: string, place: Place): Promise<boolean | undefined> {
  const { terminal, signal } = place;
  const line = await terminal.readLine(`${plainText(text)} [y/N] `, signal);
  return line === undefined ? undefined : /^y(es)?$/i.test(line.trim());
}
