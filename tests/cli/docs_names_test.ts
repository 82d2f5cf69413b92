/** Docs, settings, events and hooks name nothing that does not exist. */
import assert from "node:assert/strict";
import { typescriptFiles } from "../../scripts/_tree.ts";
import type { CommandSpec, FlagSpec } from "../../src/cli/command.ts";
import { COMMANDS, GLOBAL_FLAGS } from "../../src/cli/commands_data.ts";
import { describeKeys } from "../../src/config/describe.ts";
import { isVariableName } from "../../src/config/secrets.ts";
import { HOOK_NAMES } from "../../src/protocol/hook.ts";
import { AgentEventSchema } from "../../src/protocol/event_schema.ts";
import { ABSENT_TOOLSETS } from "../../src/registry/toolsets_absent_data.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");

/** Every page by its path. */
const pages = new Map<string, string>();
for await (const { name } of Deno.readDir(`${ROOT}/docs`)) {
  if (name.endsWith(".md")) pages.set(`docs/${name}`, await read(`docs/${name}`));
}
pages.set("README.md", await read("README.md"));

/** Source that runs, by its path. */
const sources = new Map<string, string>();
const everyFile = await typescriptFiles();
for (const path of everyFile) {
  const isCode = /^(src|tools|environments|scripts)\//.test(path) || path === "main.ts";
  if (isCode && !path.endsWith("_test.ts")) sources.set(path, await read(path));
}

async function read(path: string): Promise<string> {
  return await Deno.readTextFile(`${ROOT}/${path}`);
}

/** What stands between backticks on a page, and the lines of its code blocks. */
function* codeOf(text: string): Generator<string> {
  const [prose, blocks] = [[] as string[], [] as string[]];
  let isBlock = false;
  for (const line of text.split("\n")) {
    if (/^\s*```/.test(line)) isBlock = !isBlock;
    else (isBlock ? blocks : prose).push(line.trim());
  }
  for (const [, code] of prose.join("\n").matchAll(/`([^`]+)`/g)) yield code!.replaceAll("\n", " ");
  yield* blocks;
}

/** Everything `find` gives for the code of the pages, with the page it is on. */
function onPages(find: (code: string) => Iterable<string>): [page: string, name: string][] {
  return [...pages].flatMap(([page, text]) =>
    [...codeOf(text)].flatMap((code) =>
      [...find(code)].map((name): [string, string] => [page, name])
    )
  );
}

const keys = describeKeys().map(({ path }) => path.split("."));

/** True for a key, the beginning of one, and what stands below a mapping. */
function isSetting(name: string): boolean {
  const parts = name.split(".");
  return keys.some((key) =>
    parts.every((part, i) => i >= key.length || key[i] === part || /^[*#]$/.test(key[i]!)) &&
    (parts.length <= key.length || /mapping/.test(kindOf(key)))
  );
}

function kindOf(key: readonly string[]): string {
  return describeKeys().find(({ path }) => path === key.join("."))!.kind;
}

Deno.test("docs name only settings that exist", () => {
  const sections = new Set(keys.filter((key) => key.length > 1).map(([first]) => first));
  const named = onPages((code) => {
    const [, set] = /hermes config (?:set|unset|get) (\S+)/.exec(code) ?? [];
    const dotted = /^[a-z_]+(?:\.[a-z_]+)+(?=:|$)/.exec(code)?.[0];
    const isFile = /\.(?:md|ts|ya?ml|json|lock|key|db|sh|py|js)$/.test(dotted ?? "");
    const isOurs = dotted !== undefined && sections.has(dotted.split(".")[0]!) && !isFile;
    return [set, isOurs ? dotted : undefined].filter((name) => name !== undefined);
  }).filter(([, name]) => !isVariableName(name) && name !== "KEY" && name !== "model");
  assert.ok(named.length > 30, `only ${named.length} found`);
  assert.deepEqual(named.filter(([, name]) => !isSetting(name)), []);
});

Deno.test("every setting is read by something", () => {
  const code = [...sources].filter(([path]) => !path.startsWith("src/config/"))
    .map(([, text]) => text).join("\n");
  const unread = keys.map((key) => key.findLast((part) => !/^[*#]$/.test(part))!)
    .filter((name) => !new RegExp(`\\b${name}\\b`).test(code));
  // These names are made of the environment's.
  assert.deepEqual(unread, ["modal_image", "daytona_image"]);
});

function* everyCommand(commands: readonly CommandSpec[]): Generator<CommandSpec> {
  for (const command of commands) {
    yield command;
    yield* everyCommand(command.subcommands ?? []);
  }
}

Deno.test("docs use only commands and flags that exist", () => {
  const commands = [...everyCommand(COMMANDS)];
  const flags: FlagSpec[] = [...GLOBAL_FLAGS, ...commands.flatMap(({ flags }) => flags ?? [])];
  const known = new Set(flags.flatMap(({ name }) => [`--${name}`, `--no-${name}`]));
  const used = onPages((code) => {
    const [line] = /(?:^|\s|\$ )hermes [^#|]*/.exec(code) ?? [];
    // What follows two dashes, or another program, is not for hermes.
    const own = line?.split(/ -- |["'&;]/)[0] ?? "";
    return [...own.matchAll(/(?<=\s)--[a-z][a-z-]*/g)].map(([flag]) => flag);
  });
  assert.ok(used.length > 20, `only ${used.length} found`);
  // An example of a rule about a gateway, which is another program here.
  const strange = used.filter(([page, flag]) => !known.has(flag) && page !== "docs/approval.md");
  assert.deepEqual(strange, []);
  const names = new Set(COMMANDS.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  const called = onPages((code) => {
    const [, name] = /^(?:\$ )?hermes ([a-z]+)\b/.exec(code) ?? [];
    return name === undefined ? [] : [name];
  });
  // The command that the tutorial's plugin brings, and what stands for any.
  const others = called.filter(([page, name]) =>
    !names.has(name) && name !== "calls" && name !== "name" && page !== "docs/approval.md"
  );
  assert.deepEqual(others, []);
});

Deno.test("docs name only events and hooks that exist, and all hooks", () => {
  const types = new Set(eventTypes());
  const family =
    /^(?:session|turn|message|tool|approval|question|context|subagent)_(?:start|delta|end)$/;
  const events = onPages((code) => family.test(code) ? [code] : []);
  assert.deepEqual(events.filter(([, name]) => !types.has(name)), []);
  const hooks = onPages((code) => code.split(/[\s,:"]+/))
    .filter(([, word]) =>
      /^(?:pre|post|transform)_[a-z]+_?[a-z]*$|^on_(?:session|context)_/.test(word)
    );
  const known: readonly string[] = HOOK_NAMES;
  assert.deepEqual(hooks.filter(([, name]) => !known.includes(name)), []);
  for (const page of ["docs/hooks.md", "docs/plugins.md"]) {
    const here = new Set(hooks.filter(([at]) => at === page).map(([, name]) => name));
    const missing = HOOK_NAMES.filter((name) => !here.has(name));
    assert.deepEqual(missing, [], page);
  }
});

function eventTypes(): string[] {
  return AgentEventSchema.options.map((option) => option.shape.type.value);
}

Deno.test("every event and every hook is sent by something", () => {
  const code = [...sources].filter(([path]) => !/^src\/(?:protocol|cli|plugins)\//.test(path))
    .map(([, text]) => text).join("\n");
  const silent = eventTypes().filter((type) => !code.includes(`type: "${type}"`));
  assert.deepEqual(silent, []);
  const unsent = HOOK_NAMES.filter((name) => !code.includes(`"${name}"`));
  assert.deepEqual(unsent, []);
});

Deno.test("docs name no tool that this build does not have", () => {
  const absent = new Set([...ABSENT_TOOLSETS.values()].flat());
  // Names that are ordinary words, and tools that docs/tools.md has a check of its own for.
  for (const word of ["memory", "discord", "tour"]) absent.delete(word);
  const named = onPages((code) => absent.has(code) ? [code] : [])
    .filter(([page]) => page !== "docs/tools.md");
  assert.deepEqual(named, []);
});

Deno.test("docs name only variables that something reads", async () => {
  const others = ["scripts/install.sh", "scripts/portable_stub.sh", "action.yml"];
  const code = [
    ...sources.values(),
    ...await Promise.all([...others, "tests/support/hermes.ts"].map(read)),
  ].join("\n");
  const named = onPages((text) => text.match(/\bHERMES_[A-Z_]+\b/g) ?? []);
  assert.ok(named.length > 10);
  assert.deepEqual(named.filter(([, name]) => !new RegExp(`\\b${name}\\b`).test(code)), []);
});

Deno.test("comments name only files that exist", () => {
  const files = new Set(everyFile);
  const missing: string[] = [];
  for (const [path, text] of sources) {
    const comments = text.split("\n").filter((line) => /^\s*(?:\/\*\*|\*|\/\/)/.test(line));
    for (const [, name] of comments.join("\n").matchAll(/`([\w./-]+\.ts)`/g)) {
      const beside = new URL(name!, `file:///${path}`).pathname.slice(1);
      if (!files.has(name!) && !files.has(beside)) missing.push(`${path}: ${name}`);
    }
  }
  // Names that stand for any file, and the one that a script has inside its sandbox.
  assert.deepEqual(missing, [
    "scripts/bench/all.ts: NAME_bench.ts",
    "scripts/check_layers.ts: tools/x.ts",
    "scripts/check_layers.ts: _name.ts",
    "src/sandbox/child/child_main.ts: script.ts",
  ]);
});
