/** argv → the command that runs, with `--help` and `--version` answered on the way. */
import { UsageError } from "../protocol/error.ts";
import { VERSION } from "../util/version.ts";
import { commandPathOf, findCommand, type Grammar, ownWords, parseCommandLine } from "./args.ts";
import type { CommandSpec } from "./command.ts";
import { COMMANDS, DEFAULT_COMMAND, GLOBAL_FLAGS } from "./commands_data.ts";
import { disableColor, out } from "./io.ts";
import { ownEnvironment } from "./own_environment.ts";
import { endOnUnhandled } from "./unhandled.ts";

/** Runs the command line and returns the exit code. Throws `HermesError` for expected failures. */
export async function dispatch(
  argv: readonly string[],
  terminal: { isTerminal: boolean },
): Promise<number> {
  endOnUnhandled(argv);
  if (ownEnvironment().HERMES_EXEC !== undefined) {
    (await import("./inside_session.ts")).refuseInsideSession(argv);
  }
  const [name = ""] = argv;
  if (/^[a-z]/i.test(name) && findCommand(COMMANDS, name) === undefined) {
    const { runPluginCommand } = await import("./commands/plugin_command.ts");
    const code = await runPluginCommand(argv, { name, grammar: grammar() });
    if (code !== undefined) return code;
  }
  if (asksForHelp(argv)) return await showHelp(commandPathOf(argv, COMMANDS).path);
  const parsed = parseCommandLine(argv, grammar());
  if (parsed.flags.version === true) {
    out(`hermes ${VERSION}\n`);
    return 0;
  }
  if (parsed.path.length === 0 && !terminal.isTerminal) {
    throw new UsageError("no command, and no terminal to chat in", {
      hint: `Give the agent a job: hermes run "…". See "hermes help".`,
    });
  }
  if (parsed.flags["no-color"] === true) disableColor();
  if (parsed.spec.load === undefined) throw needsSubcommand(parsed.spec, parsed.path);
  const { main } = await parsed.spec.load();
  return await main(parsed);
}

/** The table as the parser wants it. */
function grammar(): Grammar {
  const defaultCommand = COMMANDS.find((command) => command.name === DEFAULT_COMMAND)!;
  return { commands: COMMANDS, globals: GLOBAL_FLAGS, defaultCommand };
}

/** `-h` wins over everything wrong beside it, but not when it belongs to text after `--` or to a program. */
function asksForHelp(argv: readonly string[]): boolean {
  const asks = (words: readonly string[]) => words.includes("--help") || words.includes("-h");
  return asks(argv) && asks(ownWords(argv, grammar()));
}

function needsSubcommand(spec: CommandSpec, path: readonly string[]): UsageError {
  const names = (spec.subcommands ?? []).filter((sub) => !sub.hidden).map((sub) => sub.name);
  return new UsageError(`hermes ${path.join(" ")} needs a subcommand`, {
    hint: `Choose one of: ${names.join(", ")}.`,
  });
}

async function showHelp(path: readonly string[]): Promise<number> {
  const { main } = await import("./commands/help.ts");
  return await main({ path: ["help"], args: [...path], flags: {} });
}
