import assert from "node:assert/strict";
import type { ManifestEntry, ToolSpec } from "../protocol/tool.ts";
import { ToolRegistry } from "./registry.ts";

function tool(name: string, toolset: string, rest: Partial<ToolSpec> = {}): ToolSpec {
  return {
    name,
    toolset,
    description: `${name} of ${toolset}`,
    schema: { type: "object", properties: {} },
    handler: () => ({ content: "" }),
    ...rest,
  };
}

function entry(spec: ToolSpec, load: () => Promise<unknown>): ManifestEntry {
  const { name, toolset, description, schema } = spec;
  return { name, toolset, description, schema, load };
}

Deno.test("register() follows the collision table", () => {
  const registry = new ToolRegistry();
  const state = (name: string) => [registry.generation, registry.facts(name)?.toolset];
  assert.equal(registry.register(tool("a", "x")), true);
  assert.deepEqual(state("a"), [1, "x"]);
  assert.equal(registry.register(tool("a", "x")), true);
  assert.deepEqual(state("a"), [2, "x"]);
  assert.equal(registry.register(tool("a", "y")), false);
  assert.deepEqual(state("a"), [2, "x"]);
  assert.equal(registry.register(tool("a", "y", { override: true })), true);
  assert.deepEqual(state("a"), [3, "y"]);
  registry.register(tool("m", "mcp-1"));
  assert.deepEqual(state("m"), [4, "mcp-1"]);
  assert.equal(registry.register(tool("m", "mcp-2")), false);
  assert.deepEqual(state("m"), [4, "mcp-1"]);
  registry.alias("srv", "mcp-1");
  assert.equal(registry.generation, 5);
  assert.equal(registry.unregister("m"), true);
  assert.equal(registry.generation, 6);
  assert.equal(registry.aliases.has("srv"), false);
  assert.equal(registry.unregister("unknown"), false);
  assert.equal(registry.generation, 6);
});

Deno.test("register() reports why it rejected, also to a log that comes later", () => {
  const registry = new ToolRegistry();
  registry.register(tool("a", "x"));
  registry.register(tool("a", "y"));
  const lines: string[] = [];
  registry.reportProblems((line) => lines.push(line));
  registry.register(tool("a", "z"));
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, /"a" of toolset "y" is rejected.*belongs to toolset "x"/);
  assert.deepEqual(registry.problems, lines);
});

Deno.test("load() imports a module once, without a new generation", async () => {
  const registry = new ToolRegistry();
  let imports = 0;
  const spec = tool("a", "x");
  registry.addManifest([entry(spec, () => {
    imports++;
    registry.register(spec);
    return Promise.resolve();
  })]);
  const before = registry.generation;
  assert.equal(registry.get("a"), undefined);
  assert.equal(registry.facts("a")?.description, "a of x");
  assert.ok(registry.pending("a"));
  const [first, second] = await Promise.all([registry.load("a"), registry.load("a")]);
  assert.equal(first, spec);
  assert.equal(second, spec);
  assert.equal(imports, 1);
  assert.equal(registry.generation, before);
  assert.equal(registry.pending("a"), undefined);
});

Deno.test("load() survives a module that throws and leaves the others alone", async () => {
  const registry = new ToolRegistry();
  const good = tool("good", "x");
  registry.addManifest([
    entry(tool("bad", "x"), () => Promise.reject(new Error("boom"))),
    entry(tool("silent", "x"), () => Promise.resolve()),
    entry(good, () => Promise.resolve(registry.register(good))),
  ]);
  assert.equal(await registry.load("bad"), undefined);
  assert.equal(await registry.load("bad"), undefined);
  assert.equal(registry.loadFailure("bad"), "boom");
  assert.equal(await registry.load("silent"), undefined);
  assert.match(registry.loadFailure("silent")!, /did not register/);
  assert.equal(await registry.load("good"), good);
  assert.equal(registry.problems.length, 2);
});

Deno.test("addManifest() keeps what is registered already and list() sorts", () => {
  const registry = new ToolRegistry();
  const live = tool("b", "x");
  registry.register(live);
  registry.addManifest([
    entry(tool("b", "other"), () => Promise.resolve()),
    entry(tool("a", "x"), () => Promise.resolve()),
  ]);
  assert.equal(registry.get("b"), live);
  assert.deepEqual(registry.list().map((facts) => facts.name), ["a", "b"]);
  assert.deepEqual(registry.inToolset("x"), ["a", "b"]);
});

Deno.test("withdraw() takes back one registration and restores what it replaced", () => {
  const registry = new ToolRegistry();
  const [own, first, second] = [
    tool("a", "core"),
    tool("a", "one", { override: true }),
    tool("a", "two", { override: true }),
  ];
  for (const spec of [own, first, second]) assert.equal(registry.register(spec), true);
  assert.equal(registry.withdraw(first), true);
  assert.equal(registry.get("a"), second, "whoever has the name keeps it");
  const { generation } = registry;
  assert.equal(registry.withdraw(second), true);
  assert.equal(registry.get("a"), own);
  assert.ok(registry.generation > generation);
  assert.equal(registry.withdraw(second), false);
  assert.equal(registry.withdraw(own), true);
  assert.equal(registry.facts("a"), undefined);
});

Deno.test("withdraw() leaves a later registration of the same toolset alone", () => {
  const registry = new ToolRegistry();
  const [own, old, renewed] = [
    tool("a", "core"),
    tool("a", "one", { override: true }),
    tool("a", "one"),
  ];
  for (const spec of [own, old, renewed]) registry.register(spec);
  assert.equal(registry.withdraw(old), false);
  assert.equal(registry.get("a"), renewed);
  registry.withdraw(renewed);
  assert.equal(registry.get("a"), own);
});

Deno.test("fork() shows the base and keeps its own changes from it and from other forks", async () => {
  const base = new ToolRegistry();
  base.register(tool("shared", "core"));
  base.alias("c", "core");
  const late = tool("late", "core");
  base.addManifest([entry(late, () => Promise.resolve(base.register(late)))]);
  const [a, b] = [base.fork(), base.fork()];
  const names = (one: ToolRegistry) => one.list().map(({ name }) => name);
  a.register(tool("own", "plugin-a"));
  b.register(tool("own", "plugin-b"));
  a.alias("p", "plugin-a");
  assert.deepEqual([names(base), names(a), names(b)], [
    ["late", "shared"],
    ["late", "own", "shared"],
    ["late", "own", "shared"],
  ]);
  assert.deepEqual([a.facts("own")?.toolset, b.facts("own")?.toolset], ["plugin-a", "plugin-b"]);
  assert.deepEqual([...b.aliases], [["c", "core"]]);
  assert.equal(await a.load("late"), late);
  assert.equal(b.get("late"), late);
  assert.equal(a.unregister("own"), true);
  assert.equal(b.get("own")?.toolset, "plugin-b");
  assert.equal(a.aliases.has("p"), false);
});

Deno.test("fork() overrides for itself alone, and taking that back shows the base again", () => {
  const base = new ToolRegistry();
  base.register(tool("t", "core"));
  const fork = base.fork();
  assert.equal(fork.register(tool("t", "plugin")), false);
  const own = tool("t", "plugin", { override: true });
  const before = fork.generation;
  assert.equal(fork.register(own), true);
  assert.ok(fork.generation > before);
  assert.deepEqual([fork.facts("t")?.toolset, base.facts("t")?.toolset], ["plugin", "core"]);
  assert.equal(fork.withdraw(own), true);
  assert.equal(fork.facts("t")?.toolset, "core");
  assert.equal(fork.unregister("t"), false);
  assert.equal(base.facts("t")?.toolset, "core");
});

Deno.test("fork() sees what the base learns later", () => {
  const base = new ToolRegistry();
  const fork = base.fork();
  const before = fork.generation;
  base.register(tool("new", "core"));
  assert.ok(fork.generation > before);
  assert.equal(fork.get("new")?.name, "new");
});
