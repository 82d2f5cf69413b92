/**
 * The second barrier against hermes being changed by what it runs: commands of a session carry a
 * marker variable, and with it the command line only looks. A command can drop the variable, so
 * the approval gate remains the first barrier.
 */
import { changesHermes } from "../approval/rules/hermes_self.ts";
import { HermesError } from "../protocol/error.ts";

/**
 * Asked when the marker (`HERMES_EXEC`) is there.
 * @throws {HermesError} for a change that a command of a session asks for.
 */
export function refuseInsideSession(argv: readonly string[]): void {
  if (!changesHermes(argv)) return;
  throw new HermesError("a command of a hermes session may not change hermes", {
    hint: "Run it yourself, in a terminal of your own.",
  });
}
