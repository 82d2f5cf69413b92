import assert from "node:assert/strict";
import { PluginBench, toolModule } from "./_bench.ts";

const LOOP = "while (true);";

async function withBench(body: (bench: PluginBench) => Promise<void>): Promise<void> {
  await using bench = await PluginBench.create();
  await body(bench);
}

/** A plugin that cannot be loaded: one line, nothing registered, the next one works. */
const UNLOADABLE: readonly {
  name: string;
  files: string | Record<string, string>;
  says: RegExp;
  registerTimeoutMs?: number;
}[] = [
  {
    name: "whose module does not parse",
    files: "export function register( {",
    says: /mod\.ts/,
  },
  {
    name: "whose module throws while it is imported",
    files: `throw new Error("no luck"); export function register() {}`,
    says: /no luck/,
  },
  {
    name: "without register",
    files: "export const nothing = 1;",
    says: /does not export a function register/,
  },
  {
    name: "whose register throws after it registered",
    files: toolModule("half", "return {}").replace(/\}\n$/, `throw new Error("late");\n}\n`),
    says: /register\(\) failed: .*late/,
  },
  {
    name: "whose register rejects",
    files: `export async function register() { await 0; throw new TypeError("later"); }`,
    says: /TypeError: later \(mod\.ts:1:\d+\)/,
  },
  {
    name: "that loops in register",
    files: `export function register() { ${LOOP} }`,
    says: /register\(\) did not return within 1 s/,
    registerTimeoutMs: 1_000,
  },
  {
    name: "that hangs in register",
    files: `export async function register() { await new Promise(() => {}); }`,
    says: /register\(\) did not return within 1 s/,
    registerTimeoutMs: 1_000,
  },
  {
    name: "that loops while it is imported",
    files: `${LOOP} export function register() {}`,
    says: /register\(\) did not return within 1 s/,
    registerTimeoutMs: 1_000,
  },
  {
    name: "that allocates without end in register",
    files:
      `export function register() { const all = []; while (true) all.push(new Array(1e5).fill(1.5)); }`,
    says: /out of memory \(limit 256 MB\)/,
    registerTimeoutMs: 60_000,
  },
  {
    name: "that exits in register",
    files: `export function register() { Deno.exit(3); }`,
    says: /its process ended/,
  },
  {
    name: "that prints without end",
    files:
      `export function register() { const s = "x".repeat(1e6); while (true) Deno.stdout.writeSync(new TextEncoder().encode(s)); }`,
    says: /prints without end/,
    registerTimeoutMs: 60_000,
  },
  {
    name: "that registers a tool twice",
    files: `export function register(ctx) {
      const tool = { name: "x", description: "x", schema: { type: "object" }, handler: () => ({}) };
      ctx.registerTool(tool); ctx.registerTool(tool);
    }`,
    says: /"x" is registered twice/,
  },
  {
    name: "that imports a file it does not have",
    files: `import "./nowhere.ts"; export function register() {}`,
    says: /mod\.ts imports nowhere\.ts, which is not among the plugin's files/,
  },
  {
    name: "that imports a package",
    files: `import "npm:left-pad"; export function register() {}`,
    says: /imports "npm:left-pad": a plugin imports only "hermes\/plugin"/,
  },
  {
    name: "that imports an address although it is a folder",
    files: `import "https://example.com/x.ts"; export function register() {}`,
    says: /which is not among the plugin's files/,
  },
  {
    name: "that imports a type as a value",
    files:
      `import { PluginContext } from "hermes/plugin"; export function register(c: PluginContext) {}`,
    says: /import type \{ PluginContext \}/,
  },
  {
    name: "with a broken manifest",
    files: { "plugin.yaml": "name: [demo", "mod.ts": "" },
    says: /plugin\.yaml is not YAML/,
  },
  {
    name: "with a manifest that lacks a key",
    files: { "plugin.yaml": "name: demo\nversion: 1.0.0\n", "mod.ts": "" },
    says: /plugin\.yaml: description/,
  },
  {
    name: "with an unknown permission",
    files: {
      "plugin.yaml": "name: demo\nversion: 1\ndescription: x\npermissions: { ffi: [libc] }\n",
      "mod.ts": "",
    },
    says: /permissions\.ffi is nothing a plugin can have/,
  },
  {
    name: "that wants the keys of hermes",
    files: {
      "plugin.yaml": "name: demo\nversion: 1\ndescription: x\npermissions: { read: [~/.hermes] }\n",
      "mod.ts": "export function register() {}",
    },
    says: /holds the keys of hermes/,
  },
  {
    name: "with another name in its manifest",
    files: { "plugin.yaml": "name: other\nversion: 1\ndescription: x\n", "mod.ts": "" },
    says: /its manifest calls it "other"/,
  },
  {
    name: "that is not text",
    files: { "mod.ts": "\u0000\ufffd<html>" },
    says: /mod\.ts/,
  },
  {
    name: "without an entry module",
    files: { "main.ts": "export function register() {}" },
    says: /has no mod\.ts/,
  },
];

for (const { name, files, says, registerTimeoutMs } of UNLOADABLE) {
  Deno.test(`openPlugins() disables a plugin ${name} and goes on`, async () => {
    await withBench(async (bench) => {
      await bench.user("demo", files);
      await bench.user("fine", toolModule("fine", `return { fine: true }`));
      const host = await bench.open({
        enabled: ["demo", "fine"],
        ...(registerTimeoutMs === undefined ? {} : { registerTimeoutMs }),
      });
      assert.equal(bench.reports.length, 1, bench.reports.join("\n"));
      assert.match(bench.reports[0]!, /^Plugin demo disabled \(/);
      assert.match(bench.reports[0]!, says);
      assert.ok(!bench.reports[0]!.includes("\n"));
      assert.equal(bench.bench.registry.facts("half"), undefined);
      assert.deepEqual(await bench.call("fine"), { fine: true });
      assert.deepEqual(host.statuses.map((status) => status.problem === undefined), [false, true]);
    });
  });
}

/** A plugin that misbehaves later: stopped, everything taken back, the call answered. */
const MISBEHAVING: readonly { name: string; body: string; says: RegExp }[] = [
  { name: "loops", body: LOOP, says: /does not answer/ },
  {
    name: "allocates without end",
    body: "const all = []; while (true) all.push(new Array(1e5).fill(1.5));",
    says: /out of memory/,
  },
  { name: "exits", body: "Deno.exit(0);", says: /its process ended/ },
  {
    name: "throws where nobody catches",
    body: `setTimeout(() => { throw new Error("stray"); }, 0); await new Promise(() => {});`,
    says: /its process ended.*stray/,
  },
  {
    name: "sends more than a message holds",
    body: `throw new ToolError("x", { more: "x".repeat(48 * 1024 * 1024) });`,
    says: /it broke the protocol/,
  },
  {
    name: "answers with something nested without end",
    body: `return { deep: JSON.parse("[".repeat(3000) + "]".repeat(3000)) };`,
    says: /it broke the protocol: a frame is nested deeper than 500 levels/,
  },
  {
    name: "floods hermes with messages",
    body:
      `for (let i = 0; i < 20000; i++) { call.progress("x"); if (i % 500 === 0) await 0; } await new Promise((r) => setTimeout(r, 5000));`,
    says: /floods hermes/,
  },
];

for (const { name, body, says } of MISBEHAVING) {
  Deno.test(`a plugin whose tool ${name} is stopped and rolled back`, async () => {
    await withBench(async (bench) => {
      const hooked = toolModule("bad", body, "timeoutMs: 3000,").replace(
        /\}\n$/,
        `ctx.registerHook("post_tool_call", () => {});\n}\n`,
      );
      await bench.user("demo", hooked);
      await bench.user("fine", toolModule("fine", `return { fine: true }`));
      const host = await bench.open({ enabled: ["demo", "fine"] });
      assert.ok(bench.bench.hooks.has("post_tool_call"));
      const answer = await bench.call("bad");
      assert.ok(typeof answer.error === "string", JSON.stringify(answer));
      await until(() => bench.reports.length > 0);
      assert.match(bench.reports.join("\n"), /^Plugin demo is disabled for this run: /);
      assert.match(bench.reports.join("\n"), says);
      assert.equal(bench.reports.length, 1);
      assert.equal(bench.bench.registry.facts("bad"), undefined);
      assert.ok(!bench.bench.hooks.has("post_tool_call"));
      assert.match(String((await bench.call("bad")).error), /what provided it is gone/);
      assert.deepEqual(await bench.call("fine"), { fine: true });
      assert.match(host.statuses[0]!.problem ?? "", says);
    });
  });
}

Deno.test("a tool that throws is an error of that call alone", async () => {
  await withBench(async (bench) => {
    await bench.load(toolModule(
      "moody",
      `if (args.mood) throw new ToolError("not today", { mood: args.mood });
       if (args.bug) throw new TypeError("a bug");
       if (args.loud) console.log(call.progress("x".repeat(20_000_000)), "x".repeat(20_000_000));
       if (args.long) return { long: "x".repeat(20_000_000) };
       if (args.read) Deno.readTextFileSync("/etc/hostname");
       return args.nothing ? undefined : { fine: true };`,
    ));
    assert.deepEqual(await bench.call("moody", { mood: "bad" }), {
      error: "not today",
      mood: "bad",
    });
    assert.deepEqual(await bench.call("moody", { bug: true }), {
      error: "moody failed: TypeError: a bug (mod.ts:9:28)",
    });
    assert.deepEqual(await bench.call("moody", { loud: true }), { fine: true });
    assert.deepEqual(await bench.call("moody", { long: true }), {
      error: "moody failed: the answer is longer than 5 million characters",
    });
    assert.deepEqual(await bench.call("moody", { read: true }), {
      error: 'moody failed: NotCapable: Requires read access to "/etc/hostname", which ' +
        "permissions.read of its manifest does not name (mod.ts:12:28)",
    });
    assert.match(String((await bench.call("moody", { nothing: true })).error), /neither an object/);
    assert.deepEqual(await bench.call("moody"), { fine: true });
    assert.deepEqual(bench.reports, []);
  });
});

Deno.test("a hook that throws or takes too long is logged and skipped", async () => {
  await withBench(async (bench) => {
    await bench.load(`export function register(ctx) {
      ctx.registerHook("pre_tool_call", () => { throw new Error("hook bug"); });
      ctx.registerHook("pre_tool_call", () => new Promise(() => {}), { timeoutMs: 100 });
      ctx.registerHook("pre_tool_call", () => ({ action: "block", message: "the third one" }));
      ctx.registerTool({ name: "fine", description: "x", schema: { type: "object" }, handler: () => ({}) });
    }`);
    assert.match(String((await bench.call("fine")).error), /the third one/);
    assert.match(bench.bench.logs.join("\n"), /hook bug/);
    assert.match(bench.bench.logs.join("\n"), /timed out/);
    assert.deepEqual(bench.reports, []);
  });
});

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 200 && !condition(); i++) await new Promise((r) => setTimeout(r, 25));
}
