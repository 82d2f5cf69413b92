/**
 * Fills the tables of `docs/configuration.md`, `docs/cli.md` and `docs/chat.md` from the settings
 * schema and the tables of commands. A test fails when they are stale.
 */
import type { CommandSpec } from "../src/cli/command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "../src/cli/commands_data.ts";
import { SLASH_COMMANDS } from "../src/cli/slash/slash.ts";
import { describeKeys } from "../src/config/describe.ts";
import { ENV_KEYS } from "../src/config/env_data.ts";
import { ROOT, runDeno } from "./_tree.ts";

export interface DocTable {
  file: string;
  /** The `##` section whose first table it is. */
  heading: string;
  header: string[];
  rows: string[][];
}

/** Every generated table. */
export function docTables(): DocTable[] {
  return [
    {
      file: "docs/configuration.md",
      heading: "Variables",
      header: ["variable", "key"],
      rows: ENV_KEYS.map(({ path, names }) => [names.map(code).join(", "), code(path)]),
    },
    {
      file: "docs/configuration.md",
      heading: "Keys",
      header: ["key", "value", "default", "meaning"],
      rows: describeKeys().map(({ path, kind, default: value, help }) => [
        code(path),
        kind,
        value === undefined ? "" : code(JSON.stringify(value)),
        help,
      ]),
    },
    {
      file: "docs/cli.md",
      heading: "Commands",
      header: ["command", "what it does"],
      rows: [...usages(COMMANDS, "hermes")],
    },
    {
      file: "docs/cli.md",
      heading: "Flags of every command",
      header: ["flag", "meaning"],
      rows: GLOBAL_FLAGS.map((flag) => {
        const short = flag.short === undefined ? "" : `-${flag.short}, `;
        const value = flag.value === undefined ? "" : ` ${flag.value}`;
        return [code(`${short}--${flag.name}${value}`), flag.help];
      }),
    },
    {
      file: "docs/chat.md",
      heading: "Commands",
      header: ["command", "what it does"],
      rows: SLASH_COMMANDS.map(({ name, args, help }) => [
        code(`/${[name, args].filter(Boolean).join(" ")}`),
        help,
      ]),
    },
  ];
}

/** The rows of the first table under a heading, cells trimmed; undefined without such a section. */
export function readTable(text: string, heading: string): string[][] | undefined {
  const found = findTable(text, heading);
  if (found === undefined) return undefined;
  const lines = text.slice(found.start, found.end).trimEnd().split("\n").slice(2);
  return lines.map((line) =>
    line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim().replaceAll("\\|", "|"))
  );
}

function findTable(text: string, heading: string): { start: number; end: number } | undefined {
  const section = new RegExp(`^## ${heading}\n(?:(?!## |\\|).*\n)*`, "m").exec(text);
  if (section === null) return undefined;
  const start = section.index + section[0].length;
  return { start, end: start + /^(?:\|.*\n)*/.exec(text.slice(start))![0].length };
}

function* usages(commands: readonly CommandSpec[], above: string): Generator<string[]> {
  for (const spec of commands) {
    if (spec.hidden) continue;
    const path = `${above} ${spec.name}`;
    if (spec.load !== undefined) {
      yield [code([path, spec.args].filter(Boolean).join(" ")), spec.summary];
    }
    yield* usages(spec.subcommands ?? [], path);
  }
}

function code(text: string): string {
  return `\`${text}\``;
}

function renderTable(table: DocTable): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  const rule = table.header.map(() => "---");
  return [table.header, rule, ...table.rows].map(line).join("");
}

if (import.meta.main) {
  for (const table of docTables()) {
    const path = `${ROOT}/${table.file}`;
    const text = await Deno.readTextFile(path);
    const found = findTable(text, table.heading);
    if (found === undefined) throw new Error(`${table.file} has no section "${table.heading}"`);
    const filled = text.slice(0, found.start) + renderTable(table) + text.slice(found.end);
    await Deno.writeTextFile(path, filled);
  }
  await runDeno(["fmt", "-q", "docs/configuration.md", "docs/cli.md", "docs/chat.md"]);
}
