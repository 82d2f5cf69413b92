import assert from "node:assert/strict";
import { resolveHome } from "../config/home.ts";
import { loadSettings } from "../config/load.ts";
import { Availability } from "../registry/tool_availability.ts";
import { ToolRegistry } from "../registry/registry.ts";
import { createCheckContext } from "./check_context.ts";

Deno.test("createCheckContext() lets a check see surface, depth and services", async () => {
  const root = await Deno.makeTempDir();
  try {
    const settings = await loadSettings({ home: resolveHome({ env: { HOME: root } }), env: {} });
    const registry = new ToolRegistry();
    registry.register({
      name: "asks",
      toolset: "x",
      description: "",
      schema: {},
      check: ({ surface, depth, services }) =>
        `${surface} ${depth} ${services.has("clarifier")} ${services.has("sandbox")}`,
      handler: () => ({ content: "" }),
    });
    const reason = async (more: object) => {
      const options = { environment: "local", remember: false, surface: "run", ...more };
      const context = createCheckContext(settings, options);
      return (await new Availability({ registry, context }).unavailable(["asks"])).get("asks");
    };
    assert.equal(await reason({}), "run 0 true true");
    const subagent = { surface: "chat", depth: 2, services: new Set(["clarifier"] as const) };
    assert.equal(await reason(subagent), "chat 2 true false");
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
