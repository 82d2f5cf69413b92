import assert from "node:assert/strict";
import type { ToolSpec } from "../protocol/tool.ts";
import { Availability } from "./tool_availability.ts";
import { buildDefinitions } from "./definitions.ts";
import { ToolRegistry } from "./registry.ts";

function build(registry: ToolRegistry, names: readonly string[], log?: (line: string) => void) {
  const availability = new Availability({
    registry,
    context: {
      env: () => undefined,
      which: () => Promise.resolve(undefined),
      config: () => undefined,
      environmentName: "local",
      surface: "run",
      depth: 0,
      services: new Set(),
      kernel: "test",
      recall: (_key, _fingerprint, look) => look(),
    },
  });
  const config = (path: string) => `value of ${path}`;
  return buildDefinitions({ registry, availability, names, config, ...(log ? { log } : {}) });
}

function tool(name: string, rest: Partial<ToolSpec> = {}): ToolSpec {
  return {
    name,
    toolset: "x",
    description: `about ${name}`,
    schema: { type: "object", properties: { a: { type: ["string", "null"] } } },
    handler: () => ({ content: "" }),
    ...rest,
  };
}

Deno.test("buildDefinitions() is sorted, sanitised and byte-stable", async () => {
  const registry = new ToolRegistry();
  for (const name of ["b", "a", "c"]) registry.register(tool(name));
  const first = await build(registry, ["c", "b", "a", "b", "unknown"]);
  assert.deepEqual(first.definitions.map(({ name }) => name), ["a", "b", "c"]);
  assert.deepEqual(first.definitions[0], {
    name: "a",
    description: "about a",
    parameters: { type: "object", properties: { a: { type: "string", nullable: true } } },
  });
  const second = await build(registry, ["a", "c", "b"]);
  assert.equal(JSON.stringify(second.definitions), JSON.stringify(first.definitions));
});

Deno.test("buildDefinitions() hides unavailable tools and says why", async () => {
  const registry = new ToolRegistry();
  registry.register(tool("a", { check: () => "needs A_KEY" }));
  registry.register(tool("b"));
  const { definitions, unavailable } = await build(registry, ["a", "b"]);
  assert.deepEqual(definitions.map(({ name }) => name), ["b"]);
  assert.deepEqual([...unavailable], [["a", "needs A_KEY"]]);
});

Deno.test("buildDefinitions() rewrites definitions from what survived", async () => {
  const registry = new ToolRegistry();
  registry.register(tool("gone", { check: () => false }));
  registry.register(tool("other"));
  registry.register(tool("script", {
    dynamicSchema: ({ tools, definitions, config }) => ({
      name: "not honoured",
      description: `${tools.join()} ${definitions.get("other")?.description} ${config("k")}`,
    }),
  }));
  const { definitions } = await build(registry, ["gone", "other", "script"]);
  assert.equal(definitions[1]!.name, "script");
  assert.equal(definitions[1]!.description, "other,script about other value of k");
});

Deno.test("buildDefinitions() keeps the static definition when the dynamic one fails", async () => {
  const registry = new ToolRegistry();
  registry.register(tool("a", {
    dynamicSchema: () => {
      throw new Error("boom");
    },
  }));
  const lines: string[] = [];
  const { definitions } = await build(registry, ["a"], (line) => lines.push(line));
  assert.equal(definitions[0]!.description, "about a");
  assert.match(lines[0]!, /"a" failed.*boom/);
});

Deno.test("buildDefinitions() imports only modules with a dynamic schema", async () => {
  const registry = new ToolRegistry();
  const imported: string[] = [];
  for (const name of ["static", "dynamic", "broken"]) {
    const { toolset, description, schema } = tool(name);
    registry.addManifest([{
      name,
      toolset,
      description,
      schema,
      dynamic: name !== "static",
      load() {
        imported.push(name);
        if (name === "broken") throw new Error("boom");
        registry.register(tool(name, { dynamicSchema: () => ({ description: "rewritten" }) }));
        return Promise.resolve();
      },
    }]);
  }
  const { definitions, unavailable } = await build(registry, ["static", "dynamic", "broken"]);
  assert.deepEqual(imported.sort(), ["broken", "dynamic"]);
  assert.deepEqual(definitions.map(({ description }) => description), [
    "rewritten",
    "about static",
  ]);
  assert.deepEqual([...unavailable.keys()], ["broken"]);
});
