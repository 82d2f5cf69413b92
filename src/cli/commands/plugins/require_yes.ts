/** The yes that plugin commands need: a flag, or the person at the terminal. */
import { HermesError, UsageError } from "../../../protocol/error.ts";
import type { CommandInput } from "../../command.ts";

/** @throws {HermesError} for a no, {UsageError} when no person can be asked. */
export function requireYes(input: CommandInput, question: string): void {
  if (input.flags.yes === true) return;
  if (!Deno.stdin.isTerminal()) {
    throw new UsageError(`nobody is here to say yes: ${question}`, {
      hint: "If your answer is yes, repeat the command with --yes.",
    });
  }
  if (!confirm(question)) throw new HermesError("nothing was changed");
}
