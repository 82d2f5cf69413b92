/** What is said when a run ended other than well: why, and the command that goes on from there. */
import type { TurnResult } from "../../agent/types.ts";
import { shellJoin } from "../../util/shell_quote.ts";
import type { SessionChoices } from "./run_options.ts";

/**
 * The command that goes on with a session: the same profile, model and environment, and no tool
 * that the session did not have. What waits for a yes was meant to run there and with those.
 */
export function resumeCommand(
  choices: SessionChoices,
  words: { command: readonly string[]; id: string; more?: readonly string[] },
): string {
  const same: [flag: string, value: string | undefined][] = [
    ["--profile", choices.profile],
    ["--base-url", choices.baseUrl],
    ["--provider", choices.provider],
    ["--model", choices.model],
    ["--env", choices.environment],
    ["--toolsets", choices.toolsets?.join(",")],
    ["--disable-toolsets", choices.disableToolsets?.join(",")],
  ];
  const flags = same.flatMap(([flag, value]) => value === undefined ? [] : [flag, value]);
  return shellJoin([...words.command, "--resume", words.id, ...flags, ...words.more ?? []]);
}

/** The lines for a result that is not `done`. `id` is absent when nothing was kept. */
export function describeEnd(
  result: TurnResult,
  { choices, id }: { choices: SessionChoices; id: string | undefined },
): string {
  const goOn = (...more: string[]) =>
    id === undefined
      ? ""
      : `  Go on with: ${resumeCommand(choices, { command: ["hermes", "run"], id, more })}\n`;
  switch (result.reason) {
    case "done":
      return "";
    case "failed":
      return `hermes: the agent gave up: ${result.detail}\n`;
    case "needs_approval":
      return `hermes: an action needs approval and nobody could give it\n${
        goOn("--approve", "always")
      }`;
    case "interrupted":
      return `hermes: interrupted\n${goOn("go on")}`;
    case "budget":
      return `hermes: ${result.detail}\n${goOn("go on")}`;
    case "provider":
    case "schema":
      return `hermes: ${result.detail}\n`;
  }
}
