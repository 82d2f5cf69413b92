/** `hermes help [COMMAND...]`, and what `--help` shows. */
import { UsageError } from "../../protocol/error.ts";
import { didYouMean } from "../../util/nearest.ts";
import { commandPathOf } from "../args.ts";
import type { CommandInput } from "../command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "../commands_data.ts";
import { renderCommand, renderOverview } from "../help_text.ts";
import { out } from "../io.ts";

export function main(input: CommandInput): Promise<number> {
  const { path, spec } = commandPathOf(input.args, COMMANDS);
  const unknown = input.args[path.length];
  if (unknown !== undefined) {
    const names = (spec === undefined ? COMMANDS : spec.subcommands ?? []).map((c) => c.name);
    throw new UsageError(`no command "${input.args.join(" ")}".${didYouMean(unknown, names)}`, {
      hint: `See "hermes help".`,
    });
  }
  const layout = { globals: GLOBAL_FLAGS, columns: terminalColumns() };
  out(
    spec === undefined
      ? renderOverview(COMMANDS, layout)
      : renderCommand(spec, { path, ...layout }),
  );
  return Promise.resolve(0);
}

/** Only a terminal has an edge to keep away from. */
function terminalColumns(): number {
  if (!Deno.stdout.isTerminal()) return Infinity;
  try {
    return Math.max(20, Deno.consoleSize().columns);
  } catch {
    // A terminal that does not tell its size breaks the lines itself.
    return Infinity;
  }
}
