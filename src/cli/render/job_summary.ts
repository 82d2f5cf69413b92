/** The job summary of GitHub Actions: what ran, how it ended, the answer. */
import type { AgentEvent } from "../../protocol/event.ts";
import { usageText } from "./progress.ts";

/** Largest part of the answer shown; the service refuses summaries over 1 MiB. */
const MAX_ANSWER_CHARS = 100_000;

export interface JobSummary {
  event: AgentEvent;
  text: string;
  model: string;
}

/** The summary as Markdown. */
export function jobSummary(summary: JobSummary): string {
  const { event } = summary;
  if (event.type !== "session_end") return "";
  const answer = summary.text.slice(0, MAX_ANSWER_CHARS);
  return [
    `### hermes run: ${event.reason} (exit code ${event.exitCode})`,
    "",
    `| model | usage | session |`,
    `|---|---|---|`,
    `| ${summary.model} | ${usageText(event.usage)} | ${event.sessionId} |`,
    "",
    ...(event.detail === undefined ? [] : [`> ${event.detail.replaceAll("\n", "\n> ")}`, ""]),
    answer,
    "",
  ].join("\n");
}

/** Appends the summary to the file the runner named. A failure must not fail the job. */
export function appendJobSummary(path: string, summary: JobSummary): void {
  try {
    Deno.writeTextFileSync(path, jobSummary(summary), { append: true });
  } catch {
    // The summary is a courtesy of the surface; the answer and the exit code are the contract.
  }
}
