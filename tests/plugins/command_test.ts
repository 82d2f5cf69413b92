import assert from "node:assert/strict";
import { runHermes, startHermes, tempHome } from "../support/hermes.ts";
import { withJob } from "../support/run_job.ts";
import { manifest, pluginFiles, toolModule } from "./_bench.ts";

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
}

/** Output of a running process, waited for piece by piece. */
class Watched {
  text = "";
  #reader: ReadableStreamDefaultReader<Uint8Array>;
  #decoder = new TextDecoder();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#reader = stream.getReader();
  }

  async until(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.text)) {
      const { value, done } = await this.#reader.read();
      if (done) throw new Error(`ended without ${pattern}: ${this.text}`);
      this.text += this.#decoder.decode(value, { stream: true });
    }
  }

  async end(): Promise<void> {
    while (!(await this.#reader.read()).done);
  }
}

Deno.test("hermes plugins create writes a plugin whose test passes and that runs", async () => {
  const call = { toolCalls: [{ name: "hello_my_first", arguments: { name: "Ada" } }] };
  await withJob([call, { text: "done" }], async (job) => {
    const created = await job.hermes(["plugins", "create", "my-first"]);
    assert.equal(created.code, 0, created.stderr);
    // A pipe gets no colours, although nobody forbids them.
    const test = () => job.hermes(["plugins", "test", "my-first"], { env: { NO_COLOR: "" } });
    const passed = await test();
    assert.equal(passed.code, 0, passed.stderr);
    assert.match(passed.stdout, /1 passed/);
    assert.ok(!(passed.stdout + passed.stderr).includes("\x1b"), passed.stdout);
    // What has passed the type check is known the next time; each plugin has a cache of its own.
    const caches = await Array.fromAsync(Deno.readDir(`${job.home}/.hermes/cache/plugin-tests`));
    assert.equal(caches.length, 1);
    const cache = `${job.home}/.hermes/cache/plugin-tests/${caches[0]!.name}`;
    assert.ok((await Deno.stat(`${cache}/check_cache_v2`)).isFile);
    const outcome = await job.run(["--plugin", "my-first", "go"]);
    assert.deepEqual([outcome.code, outcome.stdout], [0, "done\n"], outcome.stderr);
    assert.match(JSON.stringify(job.model.requests[1]!.body.messages), /Hello, Ada!/);
    const again = await job.hermes(["plugins", "create", "my-first"]);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /exists already/);
    const bad = await job.hermes(["plugins", "create", "Bad Name"]);
    assert.match(bad.stderr, /is no name for a plugin/);
    const nowhere = await job.hermes(["plugins", "create", "demo"], { cwd: "/proc" });
    assert.equal(nowhere.code, 1);
    assert.match(
      nowhere.stderr,
      /^hermes: cannot write \/proc\/demo: No such file or directory\n$/,
    );
    const taken = await job.hermes(["plugins", "create", "terminal"]);
    assert.match(taken.stderr, /"terminal" is the name of a built-in toolset/);
    await Deno.writeTextFile(`${job.home}/my-first/mod.ts`, "export function register() {}\n");
    const failed = await test();
    assert.equal(failed.code, 1);
    assert.match(failed.stdout, /no tool "hello_my_first" is registered/);
    const untested = await job.hermes(["plugins", "test", "nowhere"]);
    assert.equal(untested.code, 2);
    assert.match(untested.stderr, /there is no folder at .*nowhere/);
  });
});

Deno.test("hermes plugins create makes a tool of any name a plugin can have", async () => {
  await using home = await tempHome();
  for (const name of ["9-lives", "a".repeat(64)]) {
    await runHermes({ home: home.path, args: ["plugins", "create", name] });
    const module = await Deno.readTextFile(`${home.path}/${name}/mod.ts`);
    assert.match(module, /name: "[A-Za-z][A-Za-z0-9_]{0,63}"/);
  }
});

/** `hermes plugins dev PATH` with a hand on its keyboard, until it is interrupted. */
async function withDev(
  { home, path }: { home: string; path: string },
  body: (dev: Dev) => Promise<void>,
): Promise<void> {
  const child = startHermes({ home, args: ["plugins", "dev", path], stdin: "" });
  const stdout = new Watched(child.stdout);
  const stderr = new Watched(child.stderr);
  const input = child.stdin.getWriter();
  const type = (line: string) => input.write(new TextEncoder().encode(`${line}\n`));
  await stdout.until(/Waiting for changes/);
  await body({ stdout, stderr, type });
  child.kill("SIGINT");
  assert.equal((await child.status).code, 0);
  await stdout.end();
  await stderr.end();
  await input.close().catch(() => {
    // The process has closed its end already.
  });
}

interface Dev {
  stdout: Watched;
  stderr: Watched;
  type(line: string): Promise<void>;
}

Deno.test("hermes plugins dev loads again after a change and calls tools", async () => {
  await using home = await tempHome();
  const folder = `${home.path}/demo`;
  await writeFiles(folder, pluginFiles("demo", toolModule("version", "return { version: 1 }")));
  await withDev({ home: home.path, path: "demo" }, async ({ stdout, stderr, type }) => {
    assert.match(stdout.text, /tools: version/);
    await type("version {}");
    await stdout.until(/\{"version":1\}/);
    await Deno.writeTextFile(`${folder}/mod.ts`, "export function register( {");
    await stderr.until(/✗ .*mod\.ts/);
    await Deno.writeTextFile(`${folder}/.mod.ts.swp`, "an editor's own file");
    await Deno.writeTextFile(`${folder}/mod.ts`, toolModule("version", "return { version: 2 }"));
    await stdout.until(/loaded[\s\S]*loaded[\s\S]*tools: version/);
    await type("version");
    await stdout.until(/\{"version":2\}/);
    assert.equal(stdout.text.match(/loaded/g)!.length, 2, stdout.text);
    await Deno.remove(folder, { recursive: true });
    await stderr.until(/✗ there is nothing at .*demo/);
    await writeFiles(folder, pluginFiles("demo", toolModule("back", "return { back: true }")));
    await stdout.until(/tools: back/);
    await Deno.writeTextFile(`${folder}/mod.ts`, toolModule("again", "return { again: true }"));
    await stdout.until(/tools: again/);
  });
});

Deno.test("hermes plugins dev calls tools as the model would, and commands", async () => {
  await using home = await tempHome();
  const module = `export function register(ctx) {
    const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const tool = (name, handler) => ctx.registerTool({ name, description: "d", schema, handler });
    tool("twice", ({ n }) => ({ twice: 2 * n }));
    tool("odd", () => 5);
    tool("hang", () => {
      ctx.log("hanging");
      return new Promise(() => {});
    });
    ctx.registerCommand({ name: "shout", description: "d", run: (text, call) =>
      text.toUpperCase() + " in " + call.sessionId });
  }`;
  await writeFiles(`${home.path}/demo`, pluginFiles("demo", module));
  await withDev({ home: home.path, path: "demo" }, async ({ stdout, stderr, type }) => {
    await type('twice {"n": "21"}');
    await stdout.until(/\{"twice":42\}/);
    await type("/shout out loud");
    await stdout.until(/OUT LOUD in dev/);
    for (
      const [line, answer] of [
        ["twice", /✗ Invalid arguments for twice: "n" is required/],
        [
          "twice [",
          /✗ Arguments of twice are not valid JSON: .* Write: twice \{"key": "value"\}\n/,
        ],
        ["twcie", /✗ there is no tool "twcie"\. Did you mean "twice"\? It has: twice, odd, hang\./],
        ["/quit", /✗ there is no command "quit"\. It has: shout\./],
        ['odd {"n": 1}', /✗ odd answered neither an object nor text/],
      ] as const
    ) {
      await type(line);
      await stderr.until(answer);
    }
    // Is waited for when the interrupt comes.
    await type('hang {"n": 1}');
    await stderr.until(/demo: hanging/);
  });
});

Deno.test("hermes plugins dev ends with its input, after the last line of it", async () => {
  await using home = await tempHome();
  await writeFiles(`${home.path}/demo`, pluginFiles("demo", toolModule("last", "return { n: 1 }")));
  const args = ["plugins", "dev", "demo"];
  const { code, stdout } = await runHermes({ home: home.path, args, stdin: "last {}" });
  assert.equal(code, 0);
  assert.match(stdout, /\{"n":1\}\n$/);
});

Deno.test("hermes plugins dev runs services and prints what is pushed", async () => {
  await using home = await tempHome();
  const module = `export function register(ctx) {
    ctx.registerPlatform({ name: "pigeon", send: async () => ({ id: "1" }) });
    ctx.registerTool({ name: "poke", description: "d", schema: { type: "object" },
      handler: async (_, { sessionId }) => {
        const message = { platform: "pigeon", id: "1", chat: "c", user: "u", text: "hi" };
        return [await ctx.wake({ sessionId, text: "up" }), await ctx.notify({ sessionId, text: "50 %" }),
          await ctx.deliver(message)].reduce((all, { status }) => ({ [status]: true }), {});
      } });
    ctx.registerService({ name: "watch", async run({ ready }) {
      ready();
      await ctx.notify({ sessionId: "dev", text: "the service runs" });
    } });
  }`;
  const permissions = {
    sessions: ["wake", "notify"],
    platforms: ["pigeon"],
    background: ["services"],
  };
  const files = { "plugin.yaml": manifest("demo", permissions), "mod.ts": module };
  await writeFiles(`${home.path}/demo`, files);
  await withDev({ home: home.path, path: "demo" }, async ({ stdout, type }) => {
    assert.match(stdout.text, /begin turns in sessions that use it/);
    assert.match(stdout.text, /services: watch\n {2}platforms: pigeon/);
    await stdout.until(/→ line: demo: the service runs/);
    await type("poke {}");
    await stdout.until(/\{"accepted":true\}/);
    assert.match(stdout.text, /→ turn \(queue\): Message from the plugin demo, not from the user/);
    assert.match(stdout.text, /→ line: demo: 50 %/);
    assert.match(stdout.text, /→ message from pigeon: chat c, user u: hi/);
  });
});

Deno.test("hermes plugins dev follows a single file that an editor replaces", async () => {
  await using home = await tempHome();
  const manifest =
    `export const manifest = { name: "solo", version: "1.0.0", description: "x" };\n`;
  const write = async (version: number) => {
    const module = manifest + toolModule("version", `return { version: ${version} }`);
    await Deno.writeTextFile(`${home.path}/solo.ts.new`, module);
    await Deno.rename(`${home.path}/solo.ts.new`, `${home.path}/solo.ts`);
  };
  await write(1);
  await withDev({ home: home.path, path: "solo.ts" }, async ({ stdout, type }) => {
    for (const version of [2, 3]) {
      await write(version);
      await stdout.until(new RegExp(`(loaded solo[\\s\\S]*){${version}}tools: version`));
      await type("version");
      await stdout.until(new RegExp(`\\{"version":${version}\\}`));
    }
  });
});

Deno.test("hooks of plugins run in order, before those of the configuration", async () => {
  await withJob([{ text: "done" }], async (job) => {
    for (const name of ["one", "two"]) {
      const module = `export function register(ctx) {
        ctx.registerHook("pre_turn", () => "first of ${name}");
        ctx.registerHook("pre_turn", () => "second of ${name}");
      }`;
      const files = { "plugin.yaml": manifest(name, { hooks: ["add_context"] }), "mod.ts": module };
      await writeFiles(`${job.home}/.hermes/plugins/${name}`, files);
    }
    await writeFiles(`${job.home}/.hermes`, {
      "hook.sh": `#!/bin/sh\necho '{"context": "of the shell"}'\n`,
      "config.yaml": `hooks: { pre_turn: [{ command: sh ${job.home}/.hermes/hook.sh }] }\n`,
    });
    assert.equal((await job.hermes(["plugins", "enable", "two", "one"])).code, 0);
    const outcome = await job.run(["--accept-hooks", "hello"]);
    assert.equal(outcome.code, 0, outcome.stderr);
    const sent = JSON.stringify(job.model.requests[0]!.body.messages);
    const texts = ["first of two", "second of two", "first of one", "second of one"];
    assert.match(sent, new RegExp(["hello", ...texts, "of the shell"].join(".*")));
  });
});

Deno.test("a project's plugin loads only as it was when somebody trusted it", async () => {
  const call = { toolCalls: [{ name: "local", arguments: {} }] };
  await withJob((_, index) => index % 2 === 0 ? call : { text: "done" }, async (job) => {
    const project = `${job.home}/project`;
    const folder = `${project}/.hermes/plugins/local`;
    await writeFiles(folder, pluginFiles("local", toolModule("local", "return { trusted: true }")));
    const options = { cwd: project };
    const nobody = await job.hermes(["plugins", "trust"], options);
    assert.equal(nobody.code, 2);
    assert.match(nobody.stderr, /tools: local/);
    assert.equal((await job.hermes(["plugins", "trust", "--yes"], options)).code, 0);
    const loaded = await job.run(["go"], options);
    assert.equal(loaded.code, 0, loaded.stderr);
    assert.match(JSON.stringify(job.model.requests.at(-1)!.body.messages), /trusted\\":true/);
    const elsewhere = await job.run(["go"]);
    assert.match(elsewhere.stderr, /Plugin local disabled \(there is no such plugin\)/);
    await Deno.writeTextFile(`${folder}/extra.txt`, "a file was added");
    const changed = await job.run(["go"], options);
    assert.match(changed.stderr, /Plugin local disabled \(.*has changed since it was trusted/);
    const audit = await job.hermes(["plugins", "audit"], options);
    assert.equal(audit.code, 1);
    assert.equal((await job.hermes(["plugins", "trust", "--revoke"], options)).code, 0);
    const revoked = await job.run(["go"], options);
    assert.match(revoked.stderr, /is not trusted/);
  });
});

Deno.test("hermes plugins answers mistakes in one line", async () => {
  await using home = await tempHome();
  for (
    const [args, says] of [
      [["enable", "calculater"], /no plugin "calculater"\. Did you mean "calculator"/],
      [["disable", "calculator"], /"calculator" is not enabled/],
      [["info", "nothing"], /there is no plugin "nothing"/],
      [["remove", "calculator", "--yes"], /cannot be removed: it is part of hermes/],
      [["update", "calculator"], /was not installed from an address/],
      [["trust"], /there is no plugin in/],
      [["info", "constructor"], /there is no plugin "constructor"/],
      [["dev", "nowhere"], /there is neither a folder nor a file at .*nowhere/],
      [["dev", "/dev/null"], /there is neither a folder nor a file at \/dev\/null/],
      [["install", "http://127.0.0.1:1/x.ts#sha256=12"], /a SHA-256 has 64 digits/],
      [["install", "http://example.com/x.ts"], /is not HTTPS: a plugin must come over a safe/],
      [["instal", "x"], /unknown subcommand "instal".*install/],
    ] as const
  ) {
    const { code, stderr } = await runHermes({ home: home.path, args: ["plugins", ...args] });
    assert.equal(code, 2, stderr);
    assert.match(stderr, says);
  }
  await writeFiles(`${home.path}/.hermes/plugins/demo`, pluginFiles("demo", toolModule("t", "")));
  const remove = await runHermes({ home: home.path, args: ["plugins", "remove", "demo"] });
  assert.equal(remove.code, 2);
  assert.match(remove.stderr, /nobody is here to say yes: Remove demo .*stored\?\n.*--yes/);
  const run = await runHermes({
    home: home.path,
    args: ["run", "--plugin", "./nowhere", "go"],
  });
  assert.equal(run.code, 2);
  assert.match(run.stderr, /there is nothing at .*nowhere/);
});

Deno.test("a damaged lock or file of pins is one clear line", async () => {
  await using home = await tempHome();
  await writeFiles(`${home.path}/.hermes`, { "plugins.lock": "{", "plugin-pins.json": "[]" });
  const hermes = (...args: string[]) => runHermes({ home: home.path, args: ["plugins", ...args] });
  const lock = await hermes("audit");
  assert.equal(lock.code, 1);
  assert.match(lock.stderr, /plugins\.lock is damaged/);
  await Deno.remove(`${home.path}/.hermes/plugins.lock`);
  const pins = await hermes("info", "calculator");
  assert.equal(pins.code, 1);
  assert.match(pins.stderr, /plugin-pins\.json is damaged\n {2}Delete it and agree again/);
});

Deno.test("a plugin's command is found by name, and an unknown one still is an error", async () => {
  await using home = await tempHome();
  const hermes = (...args: string[]) => runHermes({ home: home.path, args });
  assert.match((await hermes("shout", "x")).stderr, /unknown command "shout"/);
  await writeFiles(
    `${home.path}/.hermes/plugins/loud`,
    pluginFiles(
      "loud",
      `export function register(ctx) {
        ctx.registerCommand({ name: "shout", description: "Shouts", run: (text) => text.toUpperCase() });
        ctx.registerCommand({ name: "fail", description: "Fails", run: () => { throw new Error("no"); } });
      }`,
    ),
  );
  assert.equal((await hermes("plugins", "enable", "loud")).code, 0);
  assert.deepEqual(await hermes("shout", "hello", "there"), {
    code: 0,
    stdout: "HELLO THERE\n",
    stderr: "",
  });
  const failed = await hermes("fail");
  assert.deepEqual([failed.code, failed.stdout], [1, ""]);
  assert.match(failed.stderr, /fail failed: no/);
  assert.equal((await hermes("shout", "--", "--now")).stdout, "--NOW\n");
  const flag = await hermes("shout", "--now");
  assert.equal(flag.code, 2);
  assert.match(flag.stderr, /unknown flag "--now"[\s\S]*hermes shout -- …/);
  assert.match((await hermes("shuot")).stderr, /unknown command "shuot"/);
});

Deno.test("what a plugin prints never reaches standard output, even inside hermes", async () => {
  const call = { toolCalls: [{ name: "hello", arguments: {} }] };
  const replies = (_: unknown, index: number) => index % 2 === 0 ? call : { text: "done" };
  const module = `console.log("at the top");
    ${toolModule("hello", `console.table(["in the tool"]); return {};`)}`;
  await withJob(replies, async (job) => {
    await writeFiles(`${job.home}/.hermes/plugins/demo`, pluginFiles("demo", module));
    const enabled = await job.hermes(["plugins", "enable", "demo", "--allow-tool-override"]);
    assert.match(enabled.stdout, /replace tools of others/);
    for (const trust of [undefined, "full"]) {
      if (trust) await job.hermes(["config", "set", "plugins.entries.demo.trust", trust]);
      const { code, stdout, stderr } = await job.run(["--json", "--verbose", "go"]);
      assert.equal(code, 0, stderr);
      for (const line of stdout.trimEnd().split("\n")) JSON.parse(line);
      assert.match(stderr, /demo: at the top/);
      assert.match(stderr, /demo: .*in the tool/);
    }
    const audit = await job.hermes(["plugins", "audit"]);
    assert.match(audit.stdout, /do everything/);
    assert.doesNotMatch(audit.stdout, /nothing/);
  });
});

Deno.test("a plugin's command has help, and an interrupt ends it as it ends hermes", async () => {
  await using home = await tempHome();
  const module = `export function register(ctx) {
    ctx.registerCommand({ name: "wait", description: "Waits", args: "[DAYS]", run: () => {
      Deno.writeTextFileSync(ctx.dataDir + "/waiting", "");
      return new Promise(() => {});
    } });
  }`;
  await writeFiles(`${home.path}/.hermes/plugins/demo`, pluginFiles("demo", module));
  const enable = await runHermes({ home: home.path, args: ["plugins", "enable", "demo"] });
  assert.equal(enable.code, 0, enable.stderr);
  const help = await runHermes({ home: home.path, args: ["wait", "--help"] });
  assert.deepEqual(help, { code: 0, stdout: "Waits\n\nUsage: hermes wait [DAYS]\n", stderr: "" });
  const other = await runHermes({ home: home.path, args: ["weit", "--help"] });
  assert.match(other.stdout, /^Hermes runs an LLM agent/);
  const child = startHermes({ home: home.path, args: ["wait"] });
  await until(() => exists(`${home.path}/.hermes/plugin-data/demo/waiting`), "its start");
  child.kill("SIGINT");
  const { code, stderr } = await child.output();
  assert.deepEqual([code, new TextDecoder().decode(stderr)], [130, "hermes: interrupted\n"]);
});

Deno.test("hermes plugins info shows settings; enable keeps the order of the others", async () => {
  await using home = await tempHome();
  const hermes = (...args: string[]) => runHermes({ home: home.path, args: ["plugins", ...args] });
  const yaml = `name: demo\nversion: 1.0.0\ndescription: d\nconfig:
  units: { type: string, default: metric, description: metric or imperial }
  days: { type: number, required: true }
`;
  const files = { "plugin.yaml": yaml, "mod.ts": toolModule("look", "return {}") };
  await writeFiles(`${home.path}/.hermes/plugins/demo`, pluginFiles("demo", files));
  const { stdout } = await hermes("info", "demo");
  assert.match(stdout, /tools: look\n/);
  const key = "plugins\\.entries\\.demo\\.config";
  assert.match(
    stdout,
    new RegExp(`${key}\\.units: string, default "metric"\\. metric or imperial\n`),
  );
  assert.match(stdout, new RegExp(`${key}\\.days: number, required\n`));
  const enabled = await hermes("enable", "demo", "calculator");
  assert.match(
    enabled.stderr,
    /^hermes: demo does not load yet: it needs plugins\.entries\.demo\.config\.days\. Set it/,
  );
  assert.match(
    (await hermes("list")).stdout,
    /demo .* enabled +it needs plugins\.entries\.demo\.config\.days/,
  );
  await hermes("enable", "demo");
  const config = await Deno.readTextFile(`${home.path}/.hermes/config.yaml`);
  assert.match(config, /demo[\s\S]*calculator/);
});

Deno.test("a plugin starts wherever temporary files are kept", async () => {
  await using home = await tempHome();
  await writeFiles(
    `${home.path}/.hermes/plugins/here`,
    pluginFiles(
      "here",
      `export function register(ctx) {
        ctx.registerCommand({ name: "here", description: "x", run: () => "here I am" });
      }`,
    ),
  );
  assert.equal((await runHermes({ home: home.path, args: ["plugins", "enable", "here"] })).code, 0);
  const places = [home.path, ...(Deno.build.os === "linux" ? ["/dev/shm"] : [])];
  for (const TMPDIR of places) {
    const outcome = await runHermes({ home: home.path, args: ["here"], env: { TMPDIR } });
    assert.deepEqual(outcome, { code: 0, stdout: "here I am\n", stderr: "" }, TMPDIR);
  }
});

Deno.test("hermes run outlives a plugin that loops, with one line about it", async () => {
  const call = { toolCalls: [{ name: "spin", arguments: {} }] };
  await withJob([call, call, { text: "went on" }], async (job) => {
    const module = toolModule("spin", "while (true);", "timeoutMs: 1000,");
    await writeFiles(`${job.home}/.hermes/plugins/spinner`, pluginFiles("spinner", module));
    assert.equal((await job.hermes(["plugins", "enable", "spinner"])).code, 0);
    const outcome = await job.run(["go"]);
    assert.deepEqual([outcome.code, outcome.stdout], [0, "went on\n"], outcome.stderr);
    const told = outcome.stderr.split("\n").filter((line) => line.startsWith("hermes: "));
    assert.equal(told.length, 1, outcome.stderr);
    assert.match(told[0]!, /Plugin spinner is disabled for this run: .*does not answer/);
    const results = JSON.stringify(job.model.requests[2]!.body.messages);
    assert.match(results, /timed out after 1 s/);
    assert.match(results, /what provided it is gone|the plugin spinner was stopped/);
  });
});

Deno.test("a plugin's process ends with hermes, however that ends", async () => {
  const call = { toolCalls: [{ name: "wait", arguments: {} }] };
  for (const signal of ["SIGKILL", "SIGTERM"] as const) {
    await withJob([call], async (job) => {
      const module = toolModule(
        "wait",
        `Deno.writeTextFileSync(ctx.dataDir + "/pid.new", String(Deno.pid));
         Deno.renameSync(ctx.dataDir + "/pid.new", ctx.dataDir + "/pid");
         await new Promise(() => {});`,
      );
      await writeFiles(`${job.home}/.hermes/plugins/waiter`, pluginFiles("waiter", module));
      assert.equal((await job.hermes(["plugins", "enable", "waiter"])).code, 0);
      const where = ["--base-url", job.model.url, "--model", "fake-model"];
      const child = startHermes({ home: job.home, args: ["run", ...where, "go"] });
      const file = `${job.home}/.hermes/plugin-data/waiter/pid`;
      await until(() => exists(file), "its process");
      const pid = await Deno.readTextFile(file);
      assert.ok(await isRunning(pid));
      child.kill(signal);
      await child.output();
      await until(async () => !await isRunning(pid), `its end after ${signal}`);
    });
  }
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}

async function isRunning(pid: string): Promise<boolean> {
  return (await new Deno.Command("kill", { args: ["-0", pid], stderr: "null" }).output()).success;
}

async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  for (let i = 0; i < 400; i++) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  assert.fail(`${what} never came`);
}

Deno.test("a key that a plugin was given reaches neither the log nor the model", async () => {
  const secret = "sk-live-abcdefghijklmnopqrstuvwxyz123456";
  const calls = ["leak", "todo"].map((name) => ({ toolCalls: [{ name, arguments: {} }] }));
  const module = toolModule("leak", `ctx.log("the key is " + key); return { key };`).replace(
    /\}\n$/,
    `const key = Deno.env.get("LEAKY_API_KEY");
     ctx.registerHook("pre_turn", () => "context with " + key);
     ctx.registerHook("post_turn", () => { throw new Error("no luck with " + key); });
     ctx.registerHook("pre_tool_call", ({ toolName }) => {
       if (toolName === "todo") return { action: "block", message: "refused with " + key };
     });\n}\n`,
  );
  await withJob([...calls, { text: "done" }], async (job) => {
    await writeFiles(
      `${job.home}/.hermes/plugins/leaky`,
      pluginFiles("leaky", {
        "plugin.yaml":
          "name: leaky\nversion: 1.0.0\ndescription: x\nrequires_env: [LEAKY_API_KEY]\n" +
          "permissions: { hooks: [guard, add_context] }\n",
        "mod.ts": module,
      }),
    );
    assert.equal((await job.hermes(["plugins", "enable", "leaky"])).code, 0);
    const outcome = await job.run(["--verbose", "go"], { env: { LEAKY_API_KEY: secret } });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stderr, /leaky: the key is/);
    assert.match(outcome.stderr, /Hook post_turn of plugin leaky failed: no luck with/);
    assert.ok(!outcome.stderr.includes(secret), outcome.stderr);
    const sent = JSON.stringify(job.model.requests[2]!.body);
    assert.match(sent, /context with .*refused with /);
    assert.ok(!sent.includes(secret), sent);
  });
});

Deno.test("hermes plugins says of which plugin it speaks, and that one waits for a yes", async () => {
  await using home = await tempHome();
  const cwd = `${home.path}/project`;
  await writeFiles(`${cwd}/.hermes/plugins/demo`, pluginFiles("demo", toolModule("t", "")));
  const hermes = (...args: string[]) =>
    runHermes({ home: home.path, cwd, args: ["plugins", ...args] });
  const enabled = await hermes("enable", "demo");
  assert.equal(enabled.code, 1);
  assert.match(
    enabled.stderr,
    /^hermes: plugin demo: it belongs to this project and is not trusted/,
  );
  assert.match((await hermes("list")).stdout, /^demo +project +untrusted +it belongs to this/m);
  assert.equal((await hermes("trust", "demo", "--yes")).code, 0);
  await Deno.writeTextFile(`${cwd}/.hermes/plugins/demo/mod.ts`, toolModule("u", ""));
  assert.match((await hermes("list")).stdout, /^demo +project +changed +/m);
});
