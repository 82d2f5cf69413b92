/** `hermes NAME …` where a plugin brings the command NAME. Looked for only when nothing else has the name. */
import { EXIT, UsageError } from "../../protocol/error.ts";
import { type Grammar, parseCommandLine } from "../args.ts";
import type { CommandInput } from "../command.ts";
import { interruptedCode, onInterrupt } from "../interrupt.ts";
import { err, out } from "../io.ts";
import { settingsOf } from "../settings.ts";
import { openEnabledPlugins } from "./open_plugins.ts";

interface Input extends Pick<CommandInput, "args" | "flags"> {
  /** What is wrong with it, should there be such a command. */
  mistake?: UsageError;
}

function parse(
  argv: readonly string[],
  { name, grammar }: { name: string; grammar: Grammar },
): Input {
  const command = { name, summary: "", args: "[ARGUMENT...]" };
  try {
    return parseCommandLine(argv, { ...grammar, commands: [command] });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const hint = `What belongs to the command itself follows two dashes: hermes ${name} -- …`;
    return { args: [], flags: {}, mistake: new UsageError(error.message, { hint }) };
  }
}

/** The exit code; undefined when no enabled plugin has such a command. */
export async function runPluginCommand(
  argv: readonly string[],
  { name, grammar }: { name: string; grammar: Grammar },
): Promise<number | undefined> {
  const input = parse(argv, { name, grammar });
  const settings = await settingsOf(input);
  if (settings.config.plugins.enabled.length === 0) return undefined;
  const log = input.flags.verbose === true ? (line: string) => err(`hermes: ${line}\n`) : () => {};
  const host = await openEnabledPlugins(settings, log);
  const abort = new AbortController();
  const stop = onInterrupt((reason) => abort.abort(reason));
  try {
    const found = host.commands.find((one) => one.name === name);
    if (found === undefined) return undefined;
    if (input.mistake !== undefined) throw input.mistake;
    if (input.flags.help === true) {
      out(`${found.description}\n\nUsage: hermes ${name} ${found.args ?? ""}`.trimEnd() + "\n");
      return EXIT.done;
    }
    const text = await found.run(input.args.join(" "), { signal: abort.signal });
    out(text, { styled: false });
    return EXIT.done;
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    err("hermes: interrupted\n");
    return interruptedCode(abort.signal);
  } finally {
    stop();
    await host.close();
  }
}
