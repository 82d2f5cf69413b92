import assert from "node:assert/strict";
import { ToolRegistry } from "./registry.ts";
import { TOOL_MANIFEST } from "../../tools/manifest.ts";
import { describeUnknown, resolveToolsets, toolsetNames, toolsOf } from "./toolsets.ts";
import { ABSENT_TOOLSETS } from "./toolsets_absent_data.ts";
import { CORE_TOOLS, LEGACY_TOOLSETS, TOOLSETS } from "./toolsets_data.ts";

function registryWith(tools: Record<string, string>): ToolRegistry {
  const registry = new ToolRegistry();
  for (const [name, toolset] of Object.entries(tools)) {
    registry.register({
      name,
      toolset,
      description: "",
      schema: {},
      handler: () => ({ content: "" }),
    });
  }
  return registry;
}

const REGISTRY = registryWith({
  "terminal": "terminal",
  "process": "terminal",
  "read_file": "file",
  "write_file": "file",
  "patch": "file",
  "search_files": "file",
  "web_search": "web",
  "web_extract": "web",
  "clarify": "clarify",
  "discord": "discord",
  "mcp__git__log": "mcp-git",
  "mcp__db__query": "mcp-db",
  "stars": "astronomy",
});
REGISTRY.alias("git", "mcp-git");

function tools(enabled: string[] | undefined, disabled: string[] = []): string[] {
  return resolveToolsets(REGISTRY, enabled ? { enabled, disabled } : { disabled }).tools;
}

Deno.test("resolveToolsets() gives the sorted registered tools of a toolset", () => {
  assert.deepEqual(tools(["file"]), ["patch", "read_file", "search_files", "write_file"]);
  assert.deepEqual(tools([]), []);
  assert.deepEqual(tools(["terminal", "web"]), [
    "process",
    "terminal",
    "web_extract",
    "web_search",
  ]);
});

Deno.test("resolveToolsets() follows includes", () => {
  assert.deepEqual(tools(["debugging"]), [
    "patch",
    "process",
    "read_file",
    "search_files",
    "terminal",
    "write_file",
  ]);
});

Deno.test("resolveToolsets() takes all, *, or no selection for everything", () => {
  const everything = REGISTRY.list().map((facts) => facts.name);
  for (const enabled of [undefined, ["all"], ["*"]]) assert.deepEqual(tools(enabled), everything);
});

Deno.test("resolveToolsets() accepts single tools, legacy names, plugins, servers and aliases", () => {
  assert.deepEqual(tools(["read_file"]), ["read_file"]);
  assert.deepEqual(tools(["terminal_tools"]), ["terminal"]);
  assert.deepEqual(tools(["astronomy"]), ["stars"]);
  assert.deepEqual(tools(["mcp-git"]), ["mcp__git__log"]);
  assert.deepEqual(tools(["git"]), ["mcp__git__log"]);
});

Deno.test("resolveToolsets() subtracts disabled names last", () => {
  assert.deepEqual(tools(["file"], ["patch"]), ["read_file", "search_files", "write_file"]);
  assert.deepEqual(tools(["terminal", "file"], ["file"]), ["process", "terminal"]);
});

Deno.test("resolveToolsets() removes only the extra tools of a disabled preset or posture", () => {
  const enabled = ["terminal", "discord"];
  assert.deepEqual(tools(enabled, ["hermes-cli"]), ["discord", "process", "terminal"]);
  assert.deepEqual(tools(enabled, ["coding"]), ["discord", "process", "terminal"]);
  assert.deepEqual(tools(enabled, ["discord"]), ["process", "terminal"]);
});

Deno.test("resolveToolsets() lets a preset bring plugin and MCP tools along", () => {
  const cli = tools(["hermes-cli"]);
  assert.ok(["stars", "mcp__git__log", "mcp__db__query"].every((name) => cli.includes(name)));
  const named = tools(["hermes-cli", "git"]);
  assert.ok(named.includes("mcp__git__log") && !named.includes("mcp__db__query"));
  const none = tools(["hermes-cli", "no_mcp"]);
  assert.ok(none.includes("stars") && !none.some((name) => name.startsWith("mcp__")));
  assert.ok(!tools(["hermes-run"]).includes("clarify"));
});

Deno.test("resolveToolsets() reports unknown names with the nearest one", () => {
  const { unknown, tools } = resolveToolsets(REGISTRY, {
    enabled: ["file", "termnal"],
    disabled: ["qqqqqqq"],
  });
  assert.equal(tools.length, 4);
  assert.deepEqual(unknown, [
    { name: "termnal", suggestion: "terminal" },
    { name: "qqqqqqq", suggestion: undefined },
  ]);
  assert.equal(
    describeUnknown(unknown),
    'Unknown toolset or tool: "termnal" (did you mean "terminal"?), "qqqqqqq". See "hermes tools list".',
  );
  assert.equal(describeUnknown([]), undefined);
});

Deno.test("toolsOf() ends on every toolset and knows every include", () => {
  for (const name of toolsetNames(REGISTRY)) assert.ok(toolsOf(REGISTRY, name), name);
  for (const toolset of Object.values(TOOLSETS)) {
    for (const included of toolset.includes ?? []) assert.ok(included in TOOLSETS, included);
  }
});

Deno.test("toolsets name exactly the tools this build has", () => {
  const built = TOOL_MANIFEST.map(({ name }) => name).sort();
  assert.deepEqual([...CORE_TOOLS].sort(), built);
  const named = Object.values(TOOLSETS).flatMap((spec) => spec.tools);
  assert.deepEqual([...new Set(named)].sort(), built);
  for (const list of Object.values(LEGACY_TOOLSETS)) {
    assert.deepEqual(list.filter((tool) => !built.includes(tool)), []);
  }
  for (const [toolset, list] of ABSENT_TOOLSETS) {
    assert.ok(!Object.hasOwn(TOOLSETS, toolset), `${toolset} is here and absent`);
    assert.deepEqual(list.filter((tool) => built.includes(tool)), [], toolset);
  }
});

Deno.test("resolveToolsets() knows the toolsets of other builds and offers nothing from them", () => {
  const registry = registryWith({ "read_file": "file" });
  const names = ["messaging", "moa", "rl", "browser-cdp", "web", "browser_click", "hermes-slack"];
  const resolved = resolveToolsets(registry, { enabled: ["file", ...names], disabled: names });
  assert.deepEqual(resolved, { tools: ["read_file"], unknown: [], empty: names });
});

Deno.test("TOOLSETS list no tool twice", () => {
  const lists = [...Object.values(TOOLSETS).map((spec) => spec.tools), CORE_TOOLS];
  for (const list of [...lists, ...Object.values(LEGACY_TOOLSETS)]) {
    assert.equal(new Set(list).size, list.length);
  }
});
