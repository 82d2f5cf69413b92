import assert from "node:assert/strict";
import { statusLines } from "../../src/plugins/status.ts";
import { FixedGate } from "../registry/support.ts";
import { manifest, PluginBench, pluginFiles, toolModule } from "./_bench.ts";

function withBench(name: string, body: (bench: PluginBench) => Promise<void>): void {
  Deno.test(name, async () => {
    await using bench = await PluginBench.create();
    await body(bench);
  });
}

function noSignal(): AbortSignal {
  return new AbortController().signal;
}

const LOGGING = toolModule("hello", "return { hello: true }").replace(
  /\}\n$/,
  `ctx.log("registering");\n}\n`,
);

withBench("a plugin seen before starts no process until it is asked", async (bench) => {
  const first = await bench.load(LOGGING);
  assert.deepEqual(bench.logs, ["demo: registering"]);
  await first.close();
  await bench.open({ enabled: ["demo"] });
  assert.deepEqual(bench.logs, ["demo: registering"], "registered from the cache");
  assert.deepEqual(await bench.call("hello"), { hello: true });
  assert.deepEqual(bench.logs, ["demo: registering", "demo: registering"]);
});

withBench("a plugin with a hook of every session starts with the session", async (bench) => {
  const early = LOGGING.replace(/\}\n$/, `ctx.registerHook("on_session_start", () => {});\n}\n`);
  await (await bench.load(early)).close();
  assert.equal(bench.logs.length, 1);
  const host = await bench.open({ enabled: ["demo"] });
  assert.equal(bench.logs.length, 1, "registered from the cache");
  await host.begin();
  await host.close();
  assert.equal(bench.logs.length, 2, "it was starting");
});

withBench("a plugin that fails when its session begins is disabled in one line", async (bench) => {
  const early = `export function register(ctx) {
    ctx.registerHook("pre_turn", () => "x");
    if (Deno.readTextFileSync(ctx.dataDir + "/mood") === "bad") throw new Error("not today");
  }`;
  await bench.write(".hermes/plugin-data/demo", { mood: "good" });
  await (await bench.load(early)).close();
  await bench.write(".hermes/plugin-data/demo", { mood: "bad" });
  const host = await bench.open({ enabled: ["demo"] });
  await host.begin();
  assert.equal(await bench.bench.hooks.preTurn({ sessionId: "s" }, noSignal()), "");
  assert.deepEqual(bench.reports, [
    "Plugin demo is disabled for this run: register() failed: not today",
  ]);
  assert.ok(!bench.bench.hooks.has("pre_turn"));
});

withBench("what a plugin registers is asked again when its settings change", async (bench) => {
  const files = {
    "plugin.yaml": `name: demo
version: 1.0.0
description: x
config:
  tool: { type: string, default: plain }
  count: { type: number, required: true }
`,
    "mod.ts": `export function register(ctx) {
      ctx.registerTool({ name: ctx.config.tool, description: "x", schema: { type: "object" },
        handler: () => ({ count: ctx.config.count }) });
    }`,
  };
  await bench.load(files);
  assert.match(bench.reports[0]!, /needs plugins\.entries\.demo\.config\.count/);
  const open = (config: unknown) =>
    bench.open({ enabled: ["demo"], entries: { demo: { config } } });
  const first = await open({ count: 1 });
  assert.deepEqual(await bench.call("plain"), { count: 1 });
  await first.close();
  await open({ count: 2, tool: "fancy" });
  assert.deepEqual(await bench.call("fancy"), { count: 2 });
  await open({ count: "two" });
  assert.match(bench.reports.at(-1)!, /config\.count must be a number/);
  await open({ count: 2, tol: "x" });
  assert.match(bench.reports.at(-1)!, /config\.tol is no setting of it\. Did you mean "tool"/);
});

withBench("closing takes everything back, and a changed plugin loads anew", async (bench) => {
  const first = await bench.load(toolModule("hello", "return { version: 1 }"));
  assert.deepEqual(await bench.call("hello"), { version: 1 });
  await first.close();
  assert.equal(bench.bench.registry.facts("hello"), undefined);
  await bench.user("demo", toolModule("hello", "return { version: 2 }"));
  await bench.open({ enabled: ["demo"] });
  assert.deepEqual(await bench.call("hello"), { version: 2 });
});

withBench(
  "a session opened beside another keeps its tools when the first one ends",
  async (bench) => {
    const first = await bench.load(toolModule("hello", "return { hello: true }"));
    await bench.open({ enabled: ["demo"] });
    await first.close();
    assert.deepEqual(await bench.call("hello"), { hello: true });
  },
);

withBench("of two plugins with one tool name the first keeps it", async (bench) => {
  await bench.user("one", toolModule("same", "return { from: 'one' }"));
  await bench.user("two", toolModule("same", "return { from: 'two' }"));
  const host = await bench.open({ enabled: ["two", "one"] });
  assert.deepEqual(await bench.call("same"), { from: "two" });
  assert.deepEqual(bench.reports, [
    'Plugin one: tool "same" is left out: two has a tool of that name',
  ]);
  host.disable("two", "a test");
  assert.match(String((await bench.call("same")).error), /Unknown tool/);
});

withBench("a plugin named for the run wins over an enabled one of its name", async (bench) => {
  await bench.user("demo", toolModule("hello", "return { from: 'home' }"));
  const files = pluginFiles("demo", toolModule("hello", "return { from: 'path' }"));
  const folder = await bench.write("elsewhere", files);
  const host = await bench.open({ enabled: ["demo"], extra: [folder] });
  assert.equal(host.statuses.length, 1);
  assert.deepEqual(await bench.call("hello"), { from: "path" });
  await assert.rejects(bench.open({ extra: [folder, `${bench.hermes}/plugins/demo`] }), {
    message: /another one is called "demo" as well/,
  });
});

withBench("a plugin named for the run that cannot be used ends what was opened", async (bench) => {
  await bench.user("demo", toolModule("hello", "return {}"));
  const broken = await bench.write("broken", pluginFiles("broken", "export const x = 1;"));
  // A process that was left behind would be found by the test's own leak check.
  await assert.rejects(bench.open({ enabled: ["demo"], extra: [broken] }), {
    message: /--plugin .*broken: it does not export a function register/,
  });
});

withBench(
  "of two commands with one name the first is kept, hermes' own before all",
  async (bench) => {
    const shout = (answer: string) =>
      `export function register(ctx) {
      ctx.registerCommand({ name: "shout", description: "x", run: () => "${answer}" });
      ctx.registerCommand({ name: "help", description: "x", run: () => "taken" });
    }`;
    await bench.user("one", shout("one"));
    await bench.user("two", shout("\\x1b[2Jtwo"));
    const host = await bench.open({
      enabled: ["two", "one"],
      ownCommands: () => Promise.resolve(["help"]),
    });
    assert.deepEqual(host.commands.map(({ name }) => name), ["shout"]);
    assert.equal(await host.commands[0]!.run("", { signal: noSignal() }), "two\n");
    assert.deepEqual(bench.reports, [
      'Plugin two: command "help" is left out: hermes has one of that name',
      'Plugin one: command "shout" is left out: two has one of that name',
      'Plugin one: command "help" is left out: hermes has one of that name',
    ]);
  },
);

withBench(
  "a built-in tool is replaced only with the operator's grant, and comes back",
  async (bench) => {
    const greedy = toolModule("todo", "return { replaced: true }", "override: true,");
    await bench.load(greedy);
    assert.match(bench.reports[0]!, /"todo" is left out.*allow_tool_override true/);
    const before = bench.bench.registry.facts("todo");
    const host = await bench.open({
      enabled: ["demo"],
      entries: { demo: { allow_tool_override: true } },
    });
    assert.deepEqual(await bench.call("todo"), { replaced: true });
    host.disable("demo", "a test");
    assert.equal(bench.bench.registry.facts("todo"), before);
  },
);

withBench("a grant alone replaces nothing, and no name makes a plugin built-in", async (bench) => {
  await bench.load(toolModule("todo", "return {}"), {
    entries: { demo: { allow_tool_override: true } },
  });
  assert.match(bench.reports[0]!, /"todo" is left out: hermes has a tool of that name/);
  await bench.user("terminal", toolModule("terminal", "return {}"));
  await bench.open({ enabled: ["terminal"] });
  assert.match(bench.reports.at(-1)!, /is the name of a built-in toolset/);
});

withBench("no spelling puts a plugin's tool beside one it would be taken for", async (bench) => {
  for (const name of ["Todo", "todo".toUpperCase(), "to-do", "t0do", "todo_tool"]) {
    const host = await bench.load(toolModule(name, "return {}", "override: true,"), {
      entries: { demo: { allow_tool_override: true } },
    });
    assert.match(bench.reports.at(-1)!, new RegExp(`"${name}" is left out: hermes has "todo"`));
    assert.equal(bench.bench.registry.facts(name), undefined);
    await host.close();
  }
  await bench.user("first", toolModule("shared_thing", "return {}"));
  await bench.user("second", toolModule("SharedThing", "return {}"));
  await bench.open({ enabled: ["first", "second"] });
  assert.match(bench.reports.at(-1)!, /second: tool "SharedThing" is left out: first has/);
});

withBench("only the operator's hand puts a plugin into hermes itself", async (bench) => {
  const files = {
    "plugin.yaml": "name: demo\nversion: 1.0.0\ndescription: x\ntrust: full\n",
    "mod.ts": toolModule("pid", "return { pid: Deno.pid }"),
  };
  const own = await bench.load(files);
  assert.notEqual((await bench.call("pid")).pid, Deno.pid);
  await own.close();
  const { log } = console;
  const inside = await bench.open({ enabled: ["demo"], entries: { demo: { trust: "full" } } });
  assert.equal((await bench.call("pid")).pid, Deno.pid);
  assert.notEqual(console.log, log);
  await inside.close();
  assert.equal(console.log, log);
});

withBench("a single file is a plugin, its manifest read without running it", async (bench) => {
  await bench.write(".hermes/plugins", {
    "solo.ts": `export const manifest = {
      name: "solo", version: "1.2.3", description: "One file", permissions: { env: ["WANTED"] },
    } as const;
    ${toolModule("solo", `return { wanted: Deno.env.get("WANTED") }`)}`,
    "sly.ts": `export const manifest = { name: "sly", version: String(1), description: "x" };
    export function register() {}`,
  });
  const host = await bench.open({ enabled: ["solo", "sly"], env: { WANTED: "yes" } });
  assert.deepEqual(await bench.call("solo"), { wanted: "yes" });
  assert.match(statusLines(host.statuses)[1]!, /✓ solo v1\.2\.3/);
  assert.match(bench.reports[0]!, /must be a plain literal/);
});

withBench(
  "a plugin reads the data files it came with, and nothing can be changed there",
  async (bench) => {
    await bench.load({
      "mod.ts": toolModule(
        "data",
        `const file = new URL("./data/words.txt", import.meta.url);
       const text = await Deno.readTextFile(file);
       const write = await Deno.writeTextFile(file, "x").then(() => "written", (e) => e.name);
       return { text, write };`,
      ),
      "data/words.txt": "words",
    });
    assert.deepEqual(await bench.call("data"), { text: "words", write: "NotCapable" });
  },
);

withBench("hooks run in the order of the plugins and may block, change and ask", async (bench) => {
  const hook = async (id: string, body: string) =>
    await bench.user(id, {
      "plugin.yaml": manifest(id, { hooks: ["see_calls", "change_calls", "guard"] }),
      "mod.ts": `export function register(ctx) {
        ctx.registerHook("pre_tool_call", (payload) => { ${body} });
      }`,
    });
  for (const id of ["first", "second"]) {
    await hook(
      id,
      `return { action: "modify", args: { by: [...payload.args.by ?? [], "${id}"] } };`,
    );
  }
  await hook(
    "blocker",
    `if (payload.args.block) return { action: "block", message: "not allowed" };`,
  );
  await hook(
    "asker",
    `if (payload.args.ask) return { action: "approve", message: "really?", rule: "demo" };`,
  );
  await bench.user("tool", toolModule("echo", "return { args }"));
  await bench.open({ enabled: ["second", "first", "blocker", "asker", "tool"] });
  assert.deepEqual(await bench.call("echo"), { args: { by: ["second", "first"] } });
  assert.match(String((await bench.call("echo", { block: true })).error), /not allowed/);
  const gate = new FixedGate({ answer: "once", by: "test" });
  await bench.bench.dispatcher({ gate }).run("echo", { ask: true });
  assert.match(gate.requests[0]!.description, /really\?/);
});

withBench("pre_turn adds text and the other hooks observe", async (bench) => {
  await bench.load({
    "plugin.yaml": manifest("demo", { hooks: ["add_context"] }),
    "mod.ts": `export function register(ctx) {
    ctx.registerHook("pre_turn", () => "remember the milk");
    for (const name of ["post_turn", "on_session_start", "on_session_end", "on_session_reset",
      "pre_approval_request", "post_approval_response", "on_context_compress"]) {
      ctx.registerHook(name, (payload) => ctx.log(name + " " + payload.sessionId));
    }
  }`,
  });
  const { hooks } = bench.bench;
  assert.equal(await hooks.preTurn({ sessionId: "s" }, noSignal()), "remember the milk");
  for (const name of ["on_session_start", "on_context_compress"] as const) {
    await hooks.notify(name, { sessionId: "s" });
  }
  assert.deepEqual(bench.logs, [
    "demo: on_session_start s",
    "demo: on_context_compress s",
  ]);
});

withBench("an interrupted call is told so, and the plugin goes on", async (bench) => {
  await bench.load(toolModule(
    "slow",
    `if (args.quick) return { quick: true };
     call.progress("working");
     await new Promise((resolve) => call.signal.addEventListener("abort", resolve));
     ctx.log("told to stop"); return {};`,
  ));
  const abort = new AbortController();
  const dispatcher = bench.bench.dispatcher();
  const result = await dispatcher.run("slow", {}, {
    signal: abort.signal,
    emit: (event) => event.type === "tool_delta" && abort.abort(new Error("interrupted")),
  });
  assert.match(result.message.content, /Cancelled/);
  assert.deepEqual(await bench.call("slow", { quick: true }), { quick: true });
  assert.deepEqual(bench.logs, ["demo: told to stop"]);
  assert.deepEqual(bench.reports, []);
});

withBench("a tool whose check says no is not offered", async (bench) => {
  const files = pluginFiles("demo", toolModule("picky", "return {}", `check: () => "no licence",`));
  await bench.load(files);
  assert.equal(await bench.bench.registry.get("picky")!.check!({} as never), "no licence");
});

withBench("commands, skills and prompt sections arrive where they belong", async (bench) => {
  const host = await bench.load({
    "plugin.yaml": manifest("demo", { hooks: ["add_context"] }),
    "mod.ts": `export function register(ctx) {
      ctx.registerCommand({ name: "shout", description: "Shouts", args: "TEXT", run: (text) => text.toUpperCase() });
      ctx.registerSkill({ name: "filed", description: "From a file", path: "skills/filed.md" });
      ctx.registerSkill({ name: "inline", description: "From text", content: "# Inline" });
      ctx.registerSkill({ name: "sly", description: "Out of the folder", path: "../../../secret" });
      ctx.addPromptSection("style", "Answer in verse.");
      ctx.addPromptSection("long", "x".repeat(5000));
    }`,
    "skills/filed.md": "# Filed",
  });
  const [command] = host.commands;
  assert.equal(await command!.run("hello there", { signal: noSignal() }), "HELLO THERE\n");
  const [section, skills] = host.promptSections;
  assert.equal(section, "Answer in verse.");
  const files = [...skills!.matchAll(/demo:(\w+): .*\((.*)\)/g)];
  assert.deepEqual(files.map((match) => match[1]), ["filed", "inline"]);
  assert.equal(await Deno.readTextFile(files[0]![2]!), "# Filed");
  assert.equal(await Deno.readTextFile(files[1]![2]!), "# Inline");
  assert.equal(bench.reports.length, 2, "the long section and the sly skill are reported");
});
