import assert from "node:assert/strict";
import { registry } from "../src/registry/registry.ts";
import { TOOL_MANIFEST } from "../tools/manifest.ts";
import { registersTool, staticDefinition, toolNames } from "./gen.ts";

Deno.test("registersTool() wants a call at top level", () => {
  assert.equal(registersTool('registry.register({ name: "x" });'), true);
  assert.equal(registersTool('/** a */\nimport "x";\n\nregistry.register({\n});'), true);
  assert.equal(registersTool("function f() {\n  registry.register({});\n}"), false);
  assert.equal(registersTool("// registry.register(\n"), false);
});

Deno.test("staticDefinition() keeps data, flags functions and leaves absent values out", () => {
  const definition = staticDefinition({
    name: "x",
    toolset: "t",
    description: "d",
    schema: { type: "object", properties: { a: { type: "string" } } },
    handler: () => ({ content: "" }),
    check: () => true,
    parallel: "paths",
  });
  assert.deepEqual(definition, {
    name: "x",
    toolset: "t",
    description: "d",
    schema: { type: "object", properties: { a: { type: "string" } } },
    parallel: "paths",
    checked: true,
  });
});

Deno.test("the manifest equals the live registrations", async () => {
  assert.deepEqual(TOOL_MANIFEST.map((entry) => entry.name), await toolNames());
  for (const { load, ...definition } of TOOL_MANIFEST) {
    await load();
    assert.deepEqual(definition, staticDefinition(registry.get(definition.name)!));
  }
});
