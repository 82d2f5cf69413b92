/** Help texts made from the command table. Pure: data in, text out. */
import type { CommandSpec, FlagSpec } from "./command.ts";

const INDENT = "  ";
const NAME_WIDTH = 26;

/** The overview: every command with its summary. */
export function renderOverview(
  commands: readonly CommandSpec[],
  globals: readonly FlagSpec[],
): string {
  return [
    "Hermes runs an LLM agent: one job with `hermes run`, a conversation with `hermes`.",
    "",
    "Usage: hermes [COMMAND] [FLAGS] [ARGUMENTS]",
    "",
    "Commands:",
    ...rows(commands.filter((command) => !command.hidden).map((c) => [c.name, c.summary])),
    "",
    "Flags of every command:",
    ...rows(flagRows(globals)),
    "",
    'See "hermes help COMMAND" for one command.',
    "",
  ].join("\n");
}

/** Help of one command: usage, subcommands, flags, examples. */
export function renderCommand(
  spec: CommandSpec,
  { path, globals }: { path: readonly string[]; globals: readonly FlagSpec[] },
): string {
  const subcommands = (spec.subcommands ?? []).filter((sub) => !sub.hidden);
  const lines = [spec.summary, "", `Usage: ${usageOf(spec, path)}`];
  if (subcommands.length > 0) {
    lines.push("", "Subcommands:");
    lines.push(
      ...rows(subcommands.map((sub) => [`${sub.name} ${sub.args ?? ""}`.trim(), sub.summary])),
    );
  }
  const flags = flagRows(spec.flags ?? []);
  if (flags.length > 0) lines.push("", "Flags:", ...rows(flags));
  lines.push("", "Flags of every command:", ...rows(flagRows(globals)));
  if (spec.examples !== undefined && spec.examples.length > 0) {
    lines.push("", "Examples:", ...spec.examples.map((example) => `${INDENT}${example}`));
  }
  return `${lines.join("\n")}\n`;
}

/** `hermes sessions list [FLAGS] ID`. */
function usageOf(spec: CommandSpec, path: readonly string[]): string {
  const parts = ["hermes", ...path];
  if (spec.subcommands !== undefined) parts.push(spec.load ? "[SUBCOMMAND]" : "SUBCOMMAND");
  if (spec.flags !== undefined && spec.flags.length > 0) parts.push("[FLAGS]");
  if (spec.args !== undefined) parts.push(spec.args);
  return parts.join(" ");
}

/** `-p, --profile NAME`. */
function flagLabel(flag: FlagSpec): string {
  const short = flag.short === undefined ? "    " : `-${flag.short}, `;
  const value = flag.type === "boolean" ? "" : ` ${flag.value ?? "VALUE"}`;
  return `${short}--${flag.name}${value}`;
}

function flagRows(flags: readonly FlagSpec[]): [string, string][] {
  return flags.filter((flag) => !flag.hidden).map((flag) => {
    const choices = flag.choices === undefined ? "" : ` (${flag.choices.join(", ")})`;
    return [flagLabel(flag), `${flag.help}${choices}`];
  });
}

/** Two columns; a long name pushes its text to the next line. */
function rows(entries: readonly (readonly [string, string])[]): string[] {
  return entries.flatMap(([name, text]) => {
    if (name.length > NAME_WIDTH) {
      return [`${INDENT}${name}`, `${INDENT}${" ".repeat(NAME_WIDTH)} ${text}`];
    }
    return [`${INDENT}${name.padEnd(NAME_WIDTH)} ${text}`];
  });
}
