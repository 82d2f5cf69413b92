/** Approval and clarifying questions put to the person at the terminal. */
import type { ApprovalAnswer, Approver } from "../../protocol/approval.ts";
import type { Clarifier, ClarifyQuestion } from "../../protocol/services.ts";
import { oneLine } from "../render/tool_line.ts";
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
export async function choose(
  terminal: TerminalInput,
  options: SelectOptions & { signal?: AbortSignal },
): Promise<number[] | undefined> {
  // What happened before the question is still on its way to the screen; let it arrive first.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const select = new Select(options);
  let shown = draw(terminal, { lines: select.render(), over: 0 });
  let chosen: number[] | undefined;
  await terminal.readKeys((key) => {
    const step = select.onKey(key);
    if (step.kind === "open") {
      shown = draw(terminal, { lines: select.render(), over: shown });
      return false;
    }
    if (step.kind === "chosen") chosen = step.indexes;
    return true;
  }, options.signal);
  return chosen;
}

/** Repaints `lines` over the `over` lines drawn before. */
function draw(terminal: TerminalInput, frame: { lines: string[]; over: number }): number {
  const up = frame.over > 0 ? `\x1b[${frame.over}A` : "";
  terminal.write(up + frame.lines.map((line) => `\r\x1b[2K${line}\r\n`).join(""));
  return frame.lines.length;
}

/** An approver that asks the person; cancelling or leaving denies. */
export function createTerminalApprover(terminal: TerminalInput): Approver {
  return {
    async ask(request, signal) {
      const offered = ANSWERS.filter(({ answer }) => answer !== "always" || request.allowAlways);
      const chosen = await choose(terminal, {
        question: `\n${request.description}\n  ${oneLine(request.subject)}\nAllow it?`,
        choices: offered.map(({ label }) => label),
        signal,
      });
      const answer = chosen === undefined ? "deny" : offered[chosen[0]!]!.answer;
      return { answer, by: "you", ...(answer === "deny" ? { reason: "the user said no" } : {}) };
    },
  };
}

/** A clarifier that asks the person, with a free-text way out of every choice. */
export function createTerminalClarifier(terminal: TerminalInput): Clarifier {
  async function askOne(question: ClarifyQuestion, signal: AbortSignal): Promise<string[]> {
    if (question.choices.length === 0) {
      return [await terminal.readLine(`\n${question.question}\n> `, signal) ?? ""];
    }
    const chosen = await choose(terminal, {
      question: `\n${question.question}`,
      choices: [...question.choices, OTHER],
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
