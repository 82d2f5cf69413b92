/** Approval and clarifying questions put to the person at the terminal. */
import type { ApprovalAnswer, ApprovalRequest } from "../../protocol/approval.ts";
import type { ClarifyQuestion } from "../../protocol/services.ts";
import { oneLine, plainText } from "../render/tool_line.ts";
import { Select, type SelectOptions } from "./select.ts";
import type { TerminalInput } from "./terminal_input.ts";

const ANSWERS: readonly { answer: ApprovalAnswer; label: string }[] = [
  { answer: "once", label: "Allow once" },
  { answer: "session", label: "Allow for this session" },
  { answer: "always", label: "Always allow" },
  { answer: "deny", label: "Deny" },
];
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

/** Repaints `lines` over the `over` lines drawn before. A line that wrapped would be two. */
function draw(terminal: TerminalInput, frame: { lines: string[]; over: number }): number {
  const up = frame.over > 0 ? `\x1b[${frame.over}A` : "";
  const width = Math.max(20, terminal.columns - 1);
  terminal.write(
    up + frame.lines.map((line) => `\r\x1b[2K${[...line].slice(0, width).join("")}\r\n`).join(""),
  );
  return frame.lines.length;
}

/** Asks about an action; cancelling is a no, undefined is Ctrl-C. */
export async function askApproval(
  request: ApprovalRequest,
  place: Place,
): Promise<ApprovalAnswer | undefined> {
  const offered = ANSWERS.filter(({ answer }) => isOffered(answer, request));
  const subject = plainText(request.subject).replaceAll("\n", "\n  ");
  const chosen = await choose(place, {
    question: `${oneLine(request.description)}\n  ${subject}\nAllow it?`,
    choices: offered.map(({ label }) => label),
    // Enter at the end of a line typed meanwhile must not be a yes.
    start: offered.length - 1,
  });
  if (chosen === undefined) return undefined;
  const [index] = chosen;
  return index === undefined ? "deny" : offered[index]!.answer;
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
