/**
 * Fills the tables of `docs/configuration.md`, `docs/cli.md`, `docs/chat.md` and `docs/tools.md` from
 * the settings schema, the tables of commands and the tools. With `--check` it writes nothing and
 * fails when one is stale, or when a page names a tool that does not exist.
 */
import type { CommandSpec } from "../src/cli/command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "../src/cli/commands_data.ts";
import { SLASH_COMMANDS } from "../src/cli/slash/slash.ts";
import { describeKeys } from "../src/config/describe.ts";
import { ENV_KEYS } from "../src/config/env_data.ts";
import { ABSENT_TOOLSETS } from "../src/registry/toolsets_absent_data.ts";
import { TOOLSETS } from "../src/registry/toolsets_data.ts";
import { TOOL_MANIFEST } from "../tools/manifest.ts";
import { finish, ROOT, runDeno } from "./_tree.ts";

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
      file: TOOLS_PAGE,
      heading: "The tools",
      header: ["tool", "toolset", "what the model is told", "effects"],
      rows: TOOL_MANIFEST.map(({ name, toolset, description, effects }) => [
        code(name),
        code(toolset),
        firstSentence(description),
        effects?.join(", ") ?? "",
      ]),
    },
    {
      file: TOOLS_PAGE,
      heading: "Toolsets",
      header: ["toolset", "tools"],
      rows: Object.keys(TOOLSETS).filter((name) => !name.startsWith("hermes-")).sort()
        .map((name) => [code(name), toolsIn(name).map(code).join(", ")])
        .filter(([, tools]) => tools !== ""),
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

const TOOLS_PAGE = "docs/tools.md";

/** The tools of a static toolset that exist. */
function toolsIn(name: string): string[] {
  const { tools, includes = [] } = TOOLSETS[name]!;
  const all = new Set([...tools, ...includes.flatMap(toolsIn)]);
  return TOOL_MANIFEST.map((tool) => tool.name).filter((tool) => all.has(tool));
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/, 1)[0]!;
}

/** Tools that a text names and that this build does not have. */
export function missingTools(text: string): string[] {
  const absent = new Set(ABSENT_TOOLSETS.values().flatMap((tools) => tools));
  for (const { name } of TOOL_MANIFEST) absent.delete(name);
  const words = new Set(text.match(/\w+/g));
  // A word like `memory` is also a plain word; a tool is written as code.
  return [...absent].filter((name) =>
    name.includes("_") ? words.has(name) : text.includes(code(name))
  ).sort();
}

/** What is stale or wrong in the pages. */
export async function docProblems(): Promise<string[]> {
  const problems: string[] = [];
  for (const { file, heading, rows } of docTables()) {
    const found = readTable(await Deno.readTextFile(`${ROOT}/${file}`), heading);
    if (JSON.stringify(found) === JSON.stringify(rows)) continue;
    problems.push(`${file}: the table under "${heading}" is stale: run \`deno task gen\``);
  }
  for await (const { name } of Deno.readDir(`${ROOT}/docs`)) {
    const missing = missingTools(await Deno.readTextFile(`${ROOT}/docs/${name}`));
    if (missing.length === 0) continue;
    problems.push(`docs/${name}: names tools that do not exist: ${missing.join(", ")}`);
  }
  return problems;
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
  if (Deno.args.includes("--check")) finish(await docProblems());
  for (const table of docTables()) {
    const path = `${ROOT}/${table.file}`;
    const text = await Deno.readTextFile(path);
    const found = findTable(text, table.heading);
    if (found === undefined) throw new Error(`${table.file} has no section "${table.heading}"`);
    const filled = text.slice(0, found.start) + renderTable(table) + text.slice(found.end);
    await Deno.writeTextFile(path, filled);
  }
  await runDeno(["fmt", "-q", "docs/configuration.md", "docs/cli.md", "docs/chat.md", TOOLS_PAGE]);
}
