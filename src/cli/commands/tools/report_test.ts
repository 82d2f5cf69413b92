import assert from "node:assert/strict";
import { resolveHome } from "../../../config/home.ts";
import { loadSettings } from "../../../config/load.ts";
import type { ToolSpec } from "../../../protocol/tool.ts";
import { registry } from "../../../registry/registry.ts";
import { reportTools } from "./report.ts";

function register(name: string, more: Partial<ToolSpec>): void {
  registry.register({
    name,
    toolset: "report_test",
    description: "d",
    schema: { type: "object", properties: {} },
    handler: () => ({ content: "" }),
    ...more,
  });
}

Deno.test("reportTools() says what each tool lacks: a variable, a program, a service, a sound check", async () => {
  register("needs_variable", {
    requiresEnv: ["REPORT_TEST_KEY", "PATH"],
    check: (ctx) => ctx.env("REPORT_TEST_KEY") !== undefined || "set REPORT_TEST_KEY",
  });
  register("needs_program", {
    check: async (ctx) =>
      await ctx.which("no-such-program-here") !== undefined || "install no-such-program-here",
  });
  register("needs_service", { check: () => false });
  register("needs_luck", {
    check: () => {
      throw new Error("boom");
    },
  });
  const dir = await Deno.makeTempDir({ prefix: "hermes-report-" });
  try {
    const home = resolveHome({ env: { HERMES_HOME: dir } });
    await Deno.writeTextFile(`${dir}/config.yaml`, "toolsets: [report_test]\n");
    const load = async (env: Record<string, string>) => {
      const tools = await reportTools(await loadSettings({ home, env: { PATH: "/bin", ...env } }));
      return new Map(tools.map((tool) => [tool.facts.name, tool]));
    };
    const tools = await load({});
    const reasons = [...tools.values()].filter(({ facts }) => facts.toolset === "report_test")
      .map(({ facts, state, reason }) => [facts.name, state, reason]);
    assert.deepEqual(reasons, [
      ["needs_luck", "unavailable", "its check failed: boom"],
      ["needs_program", "unavailable", "install no-such-program-here"],
      ["needs_service", "unavailable", "its check says no"],
      ["needs_variable", "unavailable", "set REPORT_TEST_KEY"],
    ]);
    assert.deepEqual(tools.get("needs_variable")!.env, { REPORT_TEST_KEY: false, PATH: true });
    assert.equal(tools.get("read_file")!.reason, "not in toolsets");
    const set = (await load({ REPORT_TEST_KEY: "x" })).get("needs_variable")!;
    assert.deepEqual([set.state, set.env.REPORT_TEST_KEY], ["offered", true]);
  } finally {
    await Deno.remove(dir, { recursive: true });
    for (const name of registry.inToolset("report_test")) registry.unregister(name);
  }
});
