/** Help texts made from the command table. Pure: data in, text out. */
import type { CommandSpec, FlagSpec } from "./command.ts";

const INDENT = "  ";
const NAME_WIDTH = 26;
/** Narrower than this, texts stand below the names. */
const TWO_COLUMNS = 60;

export interface HelpLayout {
  /** Width of the terminal; infinite where the text goes to a file or a pipe. */
  columns: number;
}

/** The overview: every command with its summary. */
export function renderOverview(
  commands: readonly CommandSpec[],
  { globals, columns }: { globals: readonly FlagSpec[] } & HelpLayout,
): string {
  const shown = commands.filter((command) => !command.hidden);
  return [
    ...wrap("Hermes runs an LLM agent: one job with `hermes run`, a conversation with `hermes`.", {
      columns,
    }),
    "",
    ...wrap("Usage: hermes [COMMAND] [FLAGS] [ARGUMENTS]", { columns }),
    "",
    "Commands:",
    ...rows(shown.map((command) => [command.name, command.summary]), columns),
    "",
    "Flags of every command:",
    ...rows(flagRows(globals), columns),
    "",
    ...wrap('See "hermes help COMMAND" for one command.', { columns }),
    "",
  ].join("\n");
}

/** Help of one command: usage, subcommands, flags, examples. */
export function renderCommand(
  spec: CommandSpec,
  { path, globals, columns }: {
    path: readonly string[];
    globals: readonly FlagSpec[];
  } & HelpLayout,
): string {
  const subcommands = (spec.subcommands ?? []).filter((sub) => !sub.hidden);
  const lines = [
    ...wrap(spec.summary, { columns }),
    "",
    ...wrap(`Usage: ${usageOf(spec, path)}`, { columns, indent: INDENT }),
  ];
  if (spec.aliases !== undefined) {
    lines.push("", ...wrap(`Also understood: ${spec.aliases.join(", ")}`, { columns }));
  }
  if (subcommands.length > 0) {
    lines.push("", "Subcommands:");
    const names = subcommands.map((sub) => `${sub.name} ${sub.args ?? ""}`.trim());
    lines.push(...rows(names.map((name, i) => [name, subcommands[i]!.summary]), columns));
  }
  const flags = flagRows(spec.flags ?? []);
  if (flags.length > 0) lines.push("", "Flags:", ...rows(flags, columns));
  lines.push("", "Flags of every command:", ...rows(flagRows(globals), columns));
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

/** Two columns; a long name, or a narrow terminal, pushes a text to the next line. */
function rows(entries: readonly (readonly [string, string])[], columns: number): string[] {
  const isNarrow = columns < TWO_COLUMNS;
  const beside = isNarrow ? INDENT.repeat(3) : `${INDENT}${" ".repeat(NAME_WIDTH)} `;
  return entries.flatMap(([name, text]) => {
    const lines = wrap(text, { columns: columns - beside.length });
    if (isNarrow || name.length > NAME_WIDTH) {
      return [
        ...wrap(name, { columns: columns - INDENT.length, indent: INDENT })
          .map((line) => `${INDENT}${line}`),
        ...lines.map((line) => `${beside}${line}`),
      ];
    }
    const [first = "", ...more] = lines;
    return [
      `${INDENT}${name.padEnd(NAME_WIDTH)} ${first}`,
      ...more.map((line) => `${beside}${line}`),
    ];
  });
}

/** The lines of a text between blanks; a word longer than a line has one of its own. */
function wrap(text: string, { columns, indent = "" }: HelpLayout & { indent?: string }): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<=\S) /)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && longer.length > columns) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = longer;
  }
  return [...lines, line];
}
