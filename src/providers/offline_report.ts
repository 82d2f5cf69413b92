/** What the offline model says: fixed words, and an account of tool results that adds nothing to them. */
import type { Step } from "./offline_plan.ts";

const MAX_LINES = 20;
const MAX_LINE_CHARS = 200;

/** The first thing every answer says. */
export const OFFLINE_INTRODUCTION =
  "I am the offline model built into hermes: no network and no intelligence, only fixed patterns.";

/** The answer to a request without a known shape. */
export const OFFLINE_HELP = [
  OFFLINE_INTRODUCTION,
  'I can run a `backticked command`, read FILE, list DIR, search for "text" in PATH, count lines ' +
  'in FILE, count files in DIR, or write "text" to FILE; join several with "then".',
  "For a real model set OPENROUTER_API_KEY (or OPENAI_API_KEY, ANTHROPIC_API_KEY, …), start " +
  "Ollama, or name one with --provider, --model and --base-url.",
].join("\n");

/** One line said before a step's tool is called. */
export function announce(step: Step): string {
  switch (step.kind) {
    case "run":
      return `Running \`${step.subject}\`.`;
    case "read":
      return `Reading ${step.subject}.`;
    case "list":
      return `Listing ${step.subject}.`;
    case "search":
      return `Searching for "${step.subject}".`;
    case "count_lines":
      return `Counting the lines of ${step.subject}.`;
    case "count_files":
      return `Counting the files in ${step.subject}.`;
    case "write":
      return `Writing ${step.subject}.`;
  }
}

/** What a step's tool answered: counts and first lines, or its error. */
export function report(step: Step, content: string): string {
  const result = parse(content);
  if (result === undefined) return block(`${title(step)}:`, content);
  const code = result["exit_code"];
  const output = String(result["output"] ?? "");
  const failed = typeof result["error"] === "string" && result["error"] !== "";
  if (failed && !(step.tool === "terminal" && output !== "")) {
    return `${title(step)} failed: ${clip(String(result["error"]))}`;
  }
  if (step.tool === "terminal" && (step.kind === "run" || code !== 0)) {
    const count = lines(output).length;
    const counted = `${count} line${count === 1 ? "" : "s"}`;
    return block(`${title(step)}: exit code ${code}, ${counted} of output`, output);
  }
  switch (step.kind) {
    case "list":
      return block(`${title(step)}:`, output || listed(result));
    case "count_lines":
      return `${step.subject} has ${firstNumber(output, result["total_lines"])} lines.`;
    case "count_files":
      return `${step.subject} holds ${firstNumber(output, result["total_count"])} files.`;
    case "search":
      return block(`${title(step)}: ${result["total_count"] ?? 0} matches`, listed(result));
    case "write":
      return `Wrote ${result["bytes_written"] ?? "the text"} bytes to ${step.subject}.`;
    default: {
      const total = result["total_lines"];
      const count = total === undefined ? "" : ` (${total} lines)`;
      return block(`${step.subject}${count}:`, String(result["content"] ?? content));
    }
  }
}

function title(step: Step): string {
  return announce(step).replace(/\.$/, "");
}

function parse(content: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null
      ? value as Record<string, unknown>
      : undefined;
  } catch {
    // A tool may answer in plain text; it is shown as it is.
    return undefined;
  }
}

/** Matches in either of the forms that `search_files` uses. */
function listed(result: Record<string, unknown>): string {
  if (typeof result["matches_text"] === "string") return result["matches_text"];
  const entries = (result["matches"] ?? result["files"] ?? []) as unknown[];
  return entries.map((entry) => {
    if (typeof entry === "string") return entry;
    const { path, line, content } = entry as Record<string, unknown>;
    return `${path}:${line}: ${content}`;
  }).join("\n");
}

function firstNumber(output: string, otherwise: unknown): string {
  return /\d+/.exec(output)?.[0] ?? String(otherwise ?? "an unknown number of");
}

function lines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function block(head: string, text: string): string {
  const all = lines(text);
  const shown = all.slice(0, MAX_LINES).map((line) => `  ${clip(line)}`);
  const more = all.length > MAX_LINES ? [`  … ${all.length - MAX_LINES} more lines`] : [];
  return [head, ...shown, ...more].join("\n");
}

function clip(line: string): string {
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)}…` : line;
}
