/** The shell text that `npm run`, `deno task` and `make` run, as the files of the project say. */
import { textOnDisk } from "./real_paths.ts";
import { type Invocation, parseLeading, parseOptions } from "./invocation.ts";
import { makeCommands } from "./make_text.ts";
import { LIFE_CYCLE, MAKEFILES, SCRIPT_COMMANDS } from "./package_scripts_data.ts";
import type { Place } from "./paths.ts";
import { FROM_PROJECT, type Payload } from "./payload.ts";
import { shellQuote } from "../../util/shell_quote.ts";

/** Directories above the one a package manager runs in that are searched for its file. */
const MAX_PARENTS = 8;
const MANAGERS = /^(?:npm|pnpm|yarn|bun)$/;
const RUNS = /^(?:run|run-script|rum|urn)$/;

/** What the project's own files make the command run; empty for other commands. */
export function projectScripts(
  invocation: Invocation,
  variable: (name: string) => string | undefined,
): Payload[] {
  const { program, place } = invocation;
  if (program === "make" || program === "gmake") return madeBy(invocation, variable);
  if (MANAGERS.test(program)) return managed(invocation);
  if (program === "deno" && invocation.args[0] === "task") {
    const { operands, values } = parseLeading(invocation.args.slice(1), {
      longValues: ["cwd", "config"],
      values: "c",
    });
    const [name, ...args] = operands;
    const from = { ...place, directory: values.get("cwd")?.[0] ?? "." };
    return name === undefined ? [] : named(["deno.json", "deno.jsonc"], {
      from,
      key: "tasks",
      scripts: [[name, args]],
    });
  }
  return [];
}

function madeBy(
  { args, place }: Invocation,
  variable: (name: string) => string | undefined,
): Payload[] {
  const { operands, values, flags } = parseOptions(args, {
    values: "CfIoW",
    longValues: ["directory", "file", "makefile", "eval", "include-dir", "old-file", "what-if"],
  });
  if (flags.has("n") || flags.has("--dry-run") || flags.has("--version")) return [];
  const option = (...names: string[]) => names.flatMap((name) => values.get(name) ?? []);
  const directory = option("C", "directory").at(-1) ?? ".";
  const at = (path: string) => /^[/~]/.test(path) ? path : `${directory}/${path}`;
  const files = option("f", "file", "makefile");
  const texts = (files.length > 0 ? files : MAKEFILES).map((file) => textOnDisk(at(file), place));
  const text = texts.find((found) => found !== undefined);
  if (text === undefined) return [];
  const given = new Map(
    operands.filter((word) => word.includes("=")).map((word) => {
      const cut = word.indexOf("=");
      return [word.slice(0, cut), word.slice(cut + 1)];
    }),
  );
  const goals = operands.filter((word) => !word.includes("="));
  const commands = makeCommands([...option("eval"), text].join("\n"), {
    goals,
    given: (name) => given.get(name) ?? variable(name),
    include: (path) => textOnDisk(at(path), place),
  });
  if (commands === undefined) return [{ unjudged: "make" }];
  const file = `${at(files[0] ?? "Makefile")} ${goals.join(" ")}`;
  return commands.map((command): Payload => ({
    text: command,
    via: FROM_PROJECT,
    cwd: directory,
    file: `${file} ${command}`,
  }));
}

function managed({ args, place, program }: Invocation): Payload[] {
  const { operands, values } = parseLeading(args, {
    values: "Cw",
    longValues: ["prefix", "dir", "cwd", "filter", "workspace"],
  });
  const directory =
    ["C", "prefix", "dir", "cwd"].flatMap((name) => values.get(name) ?? []).at(-1) ?? ".";
  const [command = "", ...rest] = operands;
  const from = { ...place, directory };
  const cycle = LIFE_CYCLE.get(command);
  if (cycle !== undefined) {
    const ownScripts = rest.filter((word) => word[0] !== "-").length === 0 || command !== "install";
    return ownScripts
      ? named(["package.json"], { from, key: "scripts", scripts: cycle.map((name) => [name, []]) })
      : [];
  }
  const isRun = RUNS.test(command);
  const name = isRun
    ? rest.find((word) => word[0] !== "-")
    : SCRIPT_COMMANDS.get(command) ?? (program === "npm" ? undefined : command);
  if (name === undefined || name === "") return [];
  const more = rest.slice(isRun ? rest.indexOf(name) + 1 : 0).filter((word) => word !== "--");
  return named(["package.json"], {
    from,
    key: "scripts",
    scripts: [[`pre${name}`, []], [name, more], [`post${name}`, []]],
  });
}

/** Scripts by name from the nearest file, each with the words that are added to it. */
function named(
  files: readonly string[],
  { from, key, scripts }: {
    from: Place & { directory: string };
    key: "scripts" | "tasks";
    scripts: readonly (readonly [name: string, args: readonly string[]])[];
  },
): Payload[] {
  const found = nearest(files, from);
  if (found === undefined) return [];
  const table = scriptsIn(found.text, key);
  return scripts.flatMap(([name, args]): Payload[] => {
    const script = table.get(name);
    if (script === undefined) return [];
    const text = [script, ...args.map((arg) => shellQuote(arg))].join(" ");
    return [{ text, via: FROM_PROJECT, cwd: found.directory, file: `${found.directory} ${name}` }];
  });
}

function nearest(
  files: readonly string[],
  { directory, ...place }: Place & { directory: string },
): { text: string; directory: string } | undefined {
  let at = directory;
  for (let i = 0; i < MAX_PARENTS; i++) {
    for (const file of files) {
      const text = textOnDisk(`${at}/${file}`, place);
      if (text !== undefined) return { text, directory: at };
    }
    at = `${at}/..`;
  }
  return undefined;
}

/** Names and texts of scripts; a file that is no plain JSON has none. */
function scriptsIn(text: string, key: "scripts" | "tasks"): Map<string, string> {
  const scripts = new Map<string, string>();
  try {
    const content: unknown = JSON.parse(text);
    const table = (content as Record<string, unknown> | null)?.[key];
    for (const [name, value] of Object.entries(table ?? {})) {
      const command = typeof value === "string" ? value : (value as { command?: unknown })?.command;
      if (typeof command === "string") scripts.set(name, command);
    }
  } catch {
    // A package manager would refuse the file as well, or reads comments that JSON lacks.
  }
  return scripts;
}
