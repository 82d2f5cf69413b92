import assert from "node:assert/strict";
import type { CheckContext, ToolSpec } from "../protocol/tool.ts";
import { Availability } from "./tool_availability.ts";
import { ToolRegistry } from "./registry.ts";

const CONTEXT: CheckContext = {
  env: () => undefined,
  which: () => Promise.resolve(undefined),
  config: () => undefined,
  environmentName: "local",
  surface: "run",
  depth: 0,
  services: new Set(),
  kernel: "test",
  recall: (_key, _fingerprint, look) => look(),
};

function registryOf(checks: Record<string, ToolSpec["check"]>): ToolRegistry {
  const registry = new ToolRegistry();
  for (const [name, check] of Object.entries(checks)) {
    registry.register({
      name,
      toolset: "x",
      description: "",
      schema: {},
      handler: () => ({ content: "" }),
      ...(check ? { check } : {}),
    });
  }
  return registry;
}

Deno.test("unavailable() gives the reason of each tool that cannot be used", async () => {
  const registry = registryOf({
    plain: undefined,
    yes: () => true,
    no: () => false,
    reason: () => Promise.resolve("needs X_KEY"),
    broken: () => {
      throw new Error("boom");
    },
  });
  const names = registry.list().map((facts) => facts.name);
  const availability = new Availability({ registry, context: CONTEXT });
  assert.deepEqual(Object.fromEntries(await availability.unavailable(names)), {
    no: "its check says no",
    reason: "needs X_KEY",
    broken: "its check failed: boom",
  });
});

Deno.test("unavailable() runs a shared check once and caches it for 30 s", async () => {
  let runs = 0;
  let now = 0;
  const check = () => ++runs > 0;
  const registry = registryOf({ a: check, b: check });
  const availability = new Availability({ registry, context: CONTEXT, now: () => now });
  await availability.unavailable(["a", "b"]);
  assert.equal(runs, 1);
  now = 29_999;
  await availability.unavailable(["a", "b"]);
  assert.equal(runs, 1);
  now = 30_000;
  await availability.unavailable(["a", "b"]);
  assert.equal(runs, 2);
});

Deno.test("unavailable() forgives a failure within 60 s of a success without caching it", async () => {
  let works = true;
  let runs = 0;
  let now = 0;
  const registry = registryOf({
    a: () => {
      runs++;
      return works;
    },
  });
  const availability = new Availability({ registry, context: CONTEXT, now: () => now });
  const usable = async () => (await availability.unavailable(["a"])).size === 0;
  assert.equal(await usable(), true);
  works = false;
  now = 40_000;
  assert.equal(await usable(), true);
  assert.equal(await usable(), true);
  assert.equal(runs, 3);
  now = 60_000;
  assert.equal(await usable(), false);
  availability.invalidate();
  assert.equal(await usable(), false);
});

Deno.test("unavailable() imports a module only when there is something to check", async () => {
  const registry = new ToolRegistry();
  const imported: string[] = [];
  for (const [name, checked] of [["lazy", false], ["checked", true], ["broken", true]] as const) {
    registry.addManifest([{
      name,
      toolset: "x",
      description: "",
      schema: {},
      checked,
      load() {
        imported.push(name);
        if (name === "broken") throw new Error("syntax");
        registry.register({
          name,
          toolset: "x",
          description: "",
          schema: {},
          handler: () => ({ content: "" }),
          check: () => "not here",
        });
        return Promise.resolve();
      },
    }]);
  }
  const availability = new Availability({ registry, context: CONTEXT });
  const reasons = await availability.unavailable(["lazy", "checked", "broken"]);
  assert.deepEqual(imported, ["checked", "broken"]);
  assert.deepEqual([...reasons], [["broken", "syntax"], ["checked", "not here"]]);
});
