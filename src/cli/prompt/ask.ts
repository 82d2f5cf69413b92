/** Approval and clarifying questions put to the person at the terminal. */
import type { ApprovalAnswer, ApprovalRequest, Approver } from "../../protocol/approval.ts";
import type { Clarifier, ClarifyQuestion } from "../../protocol/services.ts";
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

/** Shows a choice and waits; undefined when cancelled. */
async function choose(
  terminal: TerminalInput,
  options: SelectOptions & { question: string; signal: AbortSignal },
): Promise<number[] | undefined> {
  await show(terminal, options.question);
  const select = new Select(options);
  let shown = 0;
  let chosen: number[] | undefined;
  const repaint = () => {
    shown = draw(terminal, { lines: select.render(), over: shown });
  };
  await terminal.readKeys((key) => {
    const step = select.onKey(key);
    if (step.kind === "open") {
      repaint();
      return false;
    }
    if (step.kind === "chosen") chosen = step.indexes;
    return true;
  }, { signal: options.signal, onReady: repaint });
  return chosen;
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

/** An approver that asks the person; cancelling or leaving denies. */
export function createTerminalApprover(terminal: TerminalInput): Approver {
  return {
    async ask(request, signal) {
      const offered = ANSWERS.filter(({ answer }) => isOffered(answer, request));
      const subject = plainText(request.subject).replaceAll("\n", "\n  ");
      const chosen = await choose(terminal, {
        question: `${oneLine(request.description)}\n  ${subject}\nAllow it?`,
        choices: offered.map(({ label }) => label),
        // Enter at the end of a line typed meanwhile must not be a yes.
        start: offered.length - 1,
        signal,
      });
      return { answer: chosen === undefined ? "deny" : offered[chosen[0]!]!.answer, by: "you" };
    },
  };
}

function isOffered(answer: ApprovalAnswer, request: ApprovalRequest): boolean {
  if (answer === "session") return request.onceOnly !== true;
  return answer !== "always" || request.allowAlways;
}

/** A clarifier that asks the person, with a free-text way out of every choice. */
export function createTerminalClarifier(terminal: TerminalInput): Clarifier {
  async function askOne(question: ClarifyQuestion, signal: AbortSignal): Promise<string[]> {
    const text = plainText(question.question);
    if (question.choices.length === 0) {
      await show(terminal, text);
      return [await terminal.readLine("> ", signal) ?? ""];
    }
    const chosen = await choose(terminal, {
      question: text,
      choices: [...question.choices.map(oneLine), OTHER],
      multi: question.multiSelect,
      signal,
    });
    if (chosen === undefined) return [];
    const answers: string[] = [];
    for (const index of chosen) {
      answers.push(question.choices[index] ?? await terminal.readLine("> ", signal) ?? "");
    }
    return answers;
  }
  return {
    async ask(questions, signal) {
      const answers: string[][] = [];
      for (const question of questions) answers.push(await askOne(question, signal));
      return answers;
    },
  };
}
