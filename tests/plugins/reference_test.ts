/** The sixteen behaviours of the reference's own plugin suite, one test each. */
import assert from "node:assert/strict";
import { Discovery } from "../../src/plugins/discover.ts";
import { statusLines } from "../../src/plugins/status.ts";
import { withJob } from "../support/run_job.ts";
import { PluginBench, pluginFiles, toolModule } from "./_bench.ts";

function behaviour(name: string, body: (bench: PluginBench) => Promise<void>): void {
  Deno.test(name, async () => {
    await using bench = await PluginBench.create();
    await body(bench);
  });
}

async function discovered(bench: PluginBench): Promise<string[]> {
  const { home } = await bench.settings();
  const found = await new Discovery(home, bench.project).list();
  return found.filter((one) => one.origin !== "bundled").map((one) => `${one.origin}:${one.id}`);
}

behaviour("1: plugins of the home are discovered", async (bench) => {
  await bench.user("hello", toolModule("hello", "return {}"));
  assert.deepEqual(await discovered(bench), ["user:hello"]);
});

behaviour("2: plugins of the project are discovered and load once trusted", async (bench) => {
  await bench.write(
    "project/.hermes/plugins/local",
    pluginFiles("local", toolModule("local_tool", "return { local: true }")),
  );
  assert.deepEqual(await discovered(bench), ["project:local"]);
  await bench.open({ enabled: ["local"] });
  assert.match(bench.reports[0]!, /belongs to this project and is not trusted/);
  await bench.agree("local", "project");
  await bench.open({ enabled: ["local"] });
  assert.deepEqual(await bench.call("local_tool"), { local: true });
});

behaviour("3: discovery twice finds the same, loading twice registers once", async (bench) => {
  await bench.user("hello", toolModule("hello", "return {}"));
  assert.deepEqual(await discovered(bench), await discovered(bench));
  const host = await bench.open({ enabled: ["hello", "hello"] });
  assert.equal(host.statuses.length, 1);
});

behaviour("4: a folder without a manifest or module is passed over", async (bench) => {
  await bench.write(".hermes/plugins/notes", { "readme.md": "just notes" });
  await bench.write(".hermes/plugins", { "stray.txt": "" });
  assert.deepEqual(await discovered(bench), []);
});

behaviour("5: of two with one name the project's wins, once it is trusted", async (bench) => {
  await bench.user("same", toolModule("same", "return { from: 'home' }"));
  await bench.write(
    "project/.hermes/plugins/same",
    pluginFiles("same", toolModule("same", "return { from: 'project' }")),
  );
  // Not trusted: the one of the home goes on working.
  assert.deepEqual(await discovered(bench), ["user:same"]);
  await bench.open({ enabled: ["same"] });
  assert.deepEqual(await bench.call("same"), { from: "home" });
  await bench.agree("same", "project");
  assert.deepEqual(await discovered(bench), ["project:same"]);
  await bench.open({ enabled: ["same"] });
  assert.deepEqual(await bench.call("same"), { from: "project" });
});

behaviour("6: nothing is loaded that is not enabled, and disabled wins", async (bench) => {
  await bench.user("hello", toolModule("hello", "return {}"));
  assert.deepEqual((await bench.open()).statuses, []);
  assert.deepEqual((await bench.open({ enabled: ["hello"], disabled: ["hello"] })).statuses, []);
  const safe = await bench.open({ enabled: ["hello"], env: { HERMES_SAFE_MODE: "1" } });
  assert.deepEqual(safe.statuses, []);
});

behaviour("7: a plugin without a module is reported, the others load", async (bench) => {
  await bench.write(".hermes/plugins/empty", { "plugin.yaml": "name: empty\n" });
  await bench.user("hello", toolModule("hello", "return { hello: true }"));
  await bench.open({ enabled: ["empty", "hello"] });
  assert.match(bench.reports[0]!, /^Plugin empty disabled \(.*has no mod\.ts/);
  assert.deepEqual(await bench.call("hello"), { hello: true });
});

behaviour("8: a plugin without register is reported", async (bench) => {
  await bench.load("export const x = 1;");
  assert.match(bench.reports[0]!, /does not export a function register/);
});

behaviour("9: a plugin imports its own modules by relative paths", async (bench) => {
  await bench.load({
    "mod.ts": `import { answer } from "./deep/answer.ts";\n${
      toolModule("ask", "return { answer }")
    }`,
    "deep/answer.ts": `import { half } from "../half.ts";\nexport const answer: number = half * 2;`,
    "half.ts": "export const half = 21;",
  });
  assert.deepEqual(await bench.call("ask"), { answer: 42 });
});

behaviour("10: a hook is called with its payload", async (bench) => {
  await bench.load(
    toolModule("hello", "return { hello: true }").replace(
      /\}\n$/,
      `ctx.registerHook("post_tool_call", (p) => ctx.log(p.toolName + " " + p.status + " " + p.result));\n}\n`,
    ),
  );
  await bench.call("hello");
  assert.deepEqual(bench.logs, ['demo: hello ok {"hello":true}']);
});

behaviour("11: a hook that throws disturbs nobody", async (bench) => {
  await bench.load(
    toolModule("hello", "return { hello: true }").replace(
      /\}\n$/,
      `ctx.registerHook("pre_tool_call", () => { throw new Error("boom"); });\n}\n`,
    ),
  );
  assert.deepEqual(await bench.call("hello"), { hello: true });
  assert.match(bench.bench.logs.join("\n"), /Hook pre_tool_call of plugin demo failed: boom/);
});

behaviour("12: an unknown hook is a warning", async (bench) => {
  await bench.load(`export function register(ctx) {
    ctx.registerHook("pre_tool_cal", () => {});
    ctx.registerTool({ name: "hello", description: "x", schema: { type: "object" }, handler: () => ({ ok: true }) });
  }`);
  assert.match(bench.reports[0]!, /hook "pre_tool_cal" is left out.*Did you mean "pre_tool_call"/);
  assert.deepEqual(await bench.call("hello"), { ok: true });
});

behaviour("13: a tool is registered under the plugin's toolset", async (bench) => {
  await bench.load(toolModule("hello", "return {}"));
  assert.equal(bench.bench.registry.facts("hello")?.toolset, "demo");
});

Deno.test("14: the model sees the tools of plugins", async () => {
  const call = { toolCalls: [{ name: "hello", arguments: {} }] };
  await withJob([call, { text: "done" }], async (job) => {
    const folder = `${job.home}/.hermes/plugins/demo`;
    await Deno.mkdir(folder, { recursive: true });
    const files = pluginFiles("demo", toolModule("hello", "return { seen: true }"));
    for (const [path, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    assert.equal((await job.hermes(["plugins", "enable", "demo"])).code, 0);
    const outcome = await job.run(["go"]);
    assert.deepEqual([outcome.code, outcome.stdout], [0, "done\n"], outcome.stderr);
    const offered = job.model.requests[0]!.body.tools.map(
      (tool: { function: { name: string } }) => tool.function.name,
    );
    assert.ok(offered.includes("hello"));
    assert.match(JSON.stringify(job.model.requests[1]!.body.messages), /seen\\":true/);
  });
});

behaviour("15: without plugins the list says so", async (bench) => {
  const host = await bench.open();
  assert.match(statusLines(host.statuses)[0]!, /^No plugins/);
});

behaviour("16: the list names every plugin with its tools, hooks and failures", async (bench) => {
  await bench.user("hello", toolModule("hello", "return {}"));
  await bench.user("weather", {
    "plugin.yaml":
      "name: weather\nversion: 2.0.0\ndescription: x\nrequires_env: [WEATHER_API_KEY]\n",
    "mod.ts": "export function register() {}",
  });
  const host = await bench.open({ enabled: ["hello", "weather"] });
  assert.deepEqual(bench.reports, ["Plugin weather disabled (missing: WEATHER_API_KEY)"]);
  assert.deepEqual(statusLines(host.statuses), [
    "Plugins (2):",
    "  ✓ hello v1.0.0 (1 tools, 0 hooks)",
    "  ✗ weather (missing: WEATHER_API_KEY)",
  ]);
  const set = await bench.open({ enabled: ["weather"], env: { WEATHER_API_KEY: "k" } });
  assert.deepEqual(statusLines(set.statuses)[1], "  ✓ weather v2.0.0 (0 tools, 0 hooks)");
});
