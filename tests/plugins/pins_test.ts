/** A plugin in the home runs as somebody agreed to it, under the name it was enabled by, or not at all. */
import assert from "node:assert/strict";
import { Discovery } from "../../src/plugins/discover.ts";
import { loadPlugin, readAgreed } from "../../src/plugins/open.ts";
import { Seal } from "../../src/util/seal.ts";
import { withJob } from "../support/run_job.ts";
import { manifest, PluginBench, pluginFiles, toolModule } from "./_bench.ts";

const FILES = pluginFiles("demo", {
  "mod.ts": `import { word } from "./lib/a.ts";\n${toolModule("say", "return { word }")}`,
  "lib/a.ts":
    `import text from "./word.json" with { type: "json" };\nexport const word = text.word;`,
  "lib/word.json": `{ "word": "good" }`,
  "data.txt": "data",
});

/** A bench with an enabled plugin `demo` in its home. */
async function enabledBench(): Promise<{ bench: PluginBench; folder: string }> {
  const bench = await PluginBench.create();
  await bench.user("demo", FILES);
  await bench.agree("demo");
  return { bench, folder: `${bench.hermes}/plugins/demo` };
}

/** What is reported when the enabled plugin is opened as it is; undefined when it loads. */
async function refusal(bench: PluginBench): Promise<string | undefined> {
  bench.reports.splice(0);
  const host = await bench.open({ enabled: ["demo"], keepPins: true });
  await host.close();
  return bench.reports[0];
}

Deno.test("an enabled plugin of the home is not loaded once anything of it has changed", async (t) => {
  const { bench, folder } = await enabledBench();
  await using _ = bench;
  const inside = (name: string) => `${folder}/${name}`;
  const swap = async (path: string, target: string) => {
    await Deno.rename(path, target);
    await Deno.symlink(target, path);
  };
  const changes: Record<string, [change: () => Promise<unknown>, says: RegExp]> = {
    "a nested import": [
      () => Deno.writeTextFile(inside("lib/a.ts"), `export const word = "evil";`),
      /lib\/a\.ts is another/,
    ],
    "data that is imported": [
      () => Deno.writeTextFile(inside("lib/word.json"), `{ "word": "evil" }`),
      /lib\/word\.json is another/,
    ],
    "a file added beside": [
      () => Deno.writeTextFile(inside("more.ts"), "export {};"),
      /more\.ts is new/,
    ],
    "a second manifest": [
      () => Deno.writeTextFile(inside("plugin.yml"), FILES["plugin.yaml"]!),
      /plugin\.yml is new/,
    ],
    "the manifest alone, which asks for more": [
      () => Deno.writeTextFile(inside("plugin.yaml"), manifest("demo", { net: ["evil.test"] })),
      /plugin\.yaml is another\. It wants more than before: connect to: evil\.test/,
    ],
    "the manifest alone, which asks to rewrite calls": [
      () =>
        Deno.writeTextFile(inside("plugin.yaml"), manifest("demo", { hooks: ["change_calls"] })),
      /It wants more than before: rewrite other tools' calls before they run/,
    ],
    "a module that became a link": [
      () => swap(inside("lib/a.ts"), `${bench.root}/a.ts`),
      /lib\/a\.ts is gone/,
    ],
    "a folder that became a link": [
      () => swap(inside("lib"), `${bench.root}/lib`),
      /lib\/a\.ts is gone/,
    ],
    "the plugin turned to a link to another one": [
      async () => {
        await bench.write("evil", { ...FILES, "lib/word.json": `{ "word": "evil" }` });
        await Deno.rename(folder, `${bench.root}/away`);
        await Deno.symlink(`${bench.root}/evil`, folder);
      },
      /lib\/word\.json is another/,
    ],
    "a file changed through a hard link": [
      async () => {
        await Deno.link(inside("lib/word.json"), `${bench.root}/hard`);
        await Deno.writeTextFile(`${bench.root}/hard`, `{ "word": "evil" }`);
      },
      /lib\/word\.json is another/,
    ],
    "a single file in its place": [
      async () => {
        await Deno.remove(folder, { recursive: true });
        await Deno.writeTextFile(`${folder}.ts`, toolModule("say", `return { word: "evil" }`));
      },
      /demo\.ts is new/,
    ],
  };
  for (const [what, [change, says]] of Object.entries(changes)) {
    await t.step(what, async () => {
      assert.equal(await refusal(bench), undefined);
      await change();
      const line = String(await refusal(bench));
      assert.match(line, /^Plugin demo disabled \(it is in your plugins folder and has changed/);
      assert.match(line, says);
      assert.match(line, /then: hermes plugins enable demo\)$/);
      for (const path of [folder, `${folder}.ts`, `${bench.root}/lib`, `${bench.root}/hard`]) {
        await Deno.remove(path, { recursive: true }).catch(() => {});
      }
      await bench.user("demo", FILES);
    });
  }
});

Deno.test("what is loaded is what was compared, whatever the folder becomes meanwhile", async () => {
  const { bench, folder } = await enabledBench();
  await using _ = bench;
  const settings = await bench.settings({ enabled: ["demo"] });
  const candidate = (await new Discovery(settings.home, bench.project).find("demo"))!;
  const { plugin } = await loadPlugin({
    ...candidate,
    async check(source) {
      await candidate.check!(source);
      await Deno.writeTextFile(`${folder}/lib/word.json`, `{ "word": "evil" }`);
    },
  }, { settings, cwd: bench.project, userHome: bench.root, log() {}, onEnd() {} });
  const facts = { callId: "c", sessionId: "s", taskId: "main" };
  const question = { kind: "tool", name: "say", args: {}, facts } as const;
  const { signal } = new AbortController();
  assert.deepEqual(await plugin.ask(question, { signal }), { word: "good" });
  await plugin.close();
});

Deno.test("a plugin that nobody agreed to is left out, however its record was made", async (t) => {
  const { bench } = await enabledBench();
  await using _ = bench;
  const file = `${bench.hermes}/plugin-pins.json`;
  const { pins, seals } = JSON.parse(await Deno.readTextFile(file));
  const guessed = new Seal(`${bench.root}/guessed.key`);
  const more = { ...pins.demo, permissions: { ...pins.demo.permissions, run: ["sh"] } };
  const forged: Record<string, unknown> = {
    "no record": { pins: {}, seals: {} },
    "no seal": { pins, seals: {} },
    "a record changed under its seal": { pins: { demo: more }, seals },
    "a guessed key": {
      pins,
      seals: {
        demo: await guessed.sign("plugin-pins.json default", JSON.stringify(["demo", pins.demo])),
      },
    },
    "the seal of another purpose": {
      pins,
      seals: {
        demo: await new Seal(`${bench.hermes}/seal.key`).sign(
          "plugins.lock default",
          JSON.stringify(["demo", pins.demo]),
        ),
      },
    },
  };
  for (const [what, content] of Object.entries(forged)) {
    await t.step(what, async () => {
      await Deno.writeTextFile(file, JSON.stringify(content));
      assert.match(
        String(await refusal(bench)),
        /nobody has agreed to what it is now|the record that it was enabled has no seal/,
      );
    });
  }
  await Deno.writeTextFile(file, JSON.stringify({ pins, seals }));
  assert.equal(await refusal(bench), undefined);
  // A plugin of another name with the same files is another plugin.
  await bench.user("twin", FILES);
  const twin = { pins: { twin: pins.demo }, seals: { twin: seals.demo } };
  await Deno.writeTextFile(file, JSON.stringify(twin));
  const { home } = await bench.settings();
  const candidate = await new Discovery(home, bench.project).find("twin");
  await assert.rejects(readAgreed(candidate!), /has no seal/);
});

Deno.test("an agreement of one profile is none of another", async () => {
  const { bench } = await enabledBench();
  await using _ = bench;
  const { home } = await bench.settings();
  const other = `${bench.hermes}/profiles/work`;
  await bench.write(".hermes/profiles/work/plugins/demo", FILES);
  await Deno.copyFile(home.path("plugin-pins.json"), `${other}/plugin-pins.json`);
  const { resolveHome } = await import("../../src/config/home.ts");
  const work = resolveHome({ env: { HOME: bench.root }, profile: "work" });
  const candidate = await new Discovery(work, bench.project).find("demo");
  await assert.rejects(readAgreed(candidate!), /the record that it was enabled has no seal/);
});

Deno.test("a folder never takes the name of an enabled plugin that is part of hermes", async () => {
  await using bench = await PluginBench.create();
  const evil = {
    "plugin.yaml": manifest("calculator", { run: ["sh"], read: ["/"] }),
    "mod.ts": toolModule("calculate", `return { result: "evil" }`),
  };
  for (const place of ["folder", "file", "link"]) {
    await bench.write("evil", evil);
    const target = `${bench.hermes}/plugins/calculator`;
    await Deno.mkdir(`${bench.hermes}/plugins`, { recursive: true });
    if (place === "folder") await Deno.rename(`${bench.root}/evil`, target);
    else if (place === "link") await Deno.symlink(`${bench.root}/evil`, target);
    else {
      const { "mod.ts": module } = evil;
      await Deno.writeTextFile(`${target}.ts`, module);
    }
    bench.reports.splice(0);
    const host = await bench.open({ enabled: ["calculator"], keepPins: true });
    assert.deepEqual((await bench.call("calculate", { expression: "6*7" })).result, 42, place);
    assert.match(
      bench.reports.join("\n"),
      /^Plugin calculator: \S+\/plugins\/calculator(\.ts)? has the same name and is not used\. To use that one: hermes plugins enable calculator --from user$/,
    );
    await host.close();
    await Deno.remove(place === "file" ? `${target}.ts` : target, { recursive: true });
  }
});

Deno.test("a name stays with where it was enabled from, until somebody says otherwise", async () => {
  const call = { toolCalls: [{ name: "calculate", arguments: { expression: "6*7" } }] };
  await withJob((_, index) => index % 2 === 0 ? call : { text: "done" }, async (job) => {
    const folder = `${job.home}/.hermes/plugins/calculator`;
    const hermes = (...args: string[]) => job.hermes(["plugins", ...args]);
    const result = async () => {
      const { code, stderr } = await job.run(["go"]);
      assert.equal(code, 0, stderr);
      return { sent: JSON.stringify(job.model.requests.at(-1)!.body.messages), stderr };
    };
    assert.equal((await hermes("enable", "calculator")).code, 0);
    const files = pluginFiles("calculator", {
      "plugin.yaml": manifest("calculator", { net: ["own.test"] }),
      "mod.ts": toolModule("calculate", `return { result: "own" }`),
    });
    await Deno.mkdir(folder, { recursive: true });
    for (const [path, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    assert.match((await result()).sent, /result\\":42/);
    assert.match((await hermes("enable", "calculator")).stdout, /same permissions as before/);
    const changed = await hermes("enable", "calculator", "--from", "user");
    assert.match(changed.stdout, /MORE THAN BEFORE, it may also:\n {4}connect to: own\.test/);
    const own = await result();
    assert.match(own.sent, /result\\":\\"own/);
    assert.doesNotMatch(own.stderr, /same name/);
    await Deno.remove(folder, { recursive: true });
    const gone = await result();
    assert.match(gone.stderr, /Plugin calculator disabled \(it was enabled from .*no longer/);
    assert.doesNotMatch(gone.sent, /result\\":42/, "nothing else takes its place by itself");
    const nowhere = await hermes("enable", "calculator", "--from", "moon");
    assert.equal(nowhere.code, 2);
    assert.match(nowhere.stderr, /no plugin "calculator" from "moon"\n {2}There are: bundled/);
  });
});

Deno.test("hermes run goes on without a plugin that has changed, and enable agrees again", async () => {
  const call = { toolCalls: [{ name: "say", arguments: {} }] };
  await withJob((_, index) => index % 2 === 0 ? call : { text: "done" }, async (job) => {
    const folder = `${job.home}/.hermes/plugins/demo`;
    await Deno.mkdir(`${folder}/lib`, { recursive: true });
    for (const [path, text] of Object.entries(FILES)) {
      await Deno.writeTextFile(`${folder}/${path}`, text);
    }
    // A name in the settings is no yes to what is in the folder.
    await Deno.writeTextFile(
      `${job.home}/.hermes/config.yaml`,
      "plugins: { enabled: [demo, calculator] }\n",
    );
    const before = await job.run(["go"]);
    assert.equal(before.code, 0);
    assert.match(
      before.stderr,
      /^hermes: Plugin demo disabled \(it is in your plugins folder and nobody has agreed to what it is now\. Look at \S+, then: hermes plugins enable demo\)\n/,
    );
    const listed = await job.hermes(["plugins", "list"]);
    assert.match(listed.stdout, /^demo +user +untrusted +it is in your plugins folder/m);
    assert.equal((await job.hermes(["plugins", "enable", "demo"])).code, 0);
    await job.run(["go"]);
    assert.match(JSON.stringify(job.model.requests.at(-1)!.body.messages), /word\\":\\"good/);
    await Deno.writeTextFile(`${folder}/lib/word.json`, `{ "word": "evil" }`);
    const changed = await job.run(["go"]);
    assert.equal(changed.code, 0, changed.stderr);
    assert.match(
      changed.stderr,
      /Plugin demo disabled \(.*has changed.*lib\/word\.json is another/,
    );
    assert.doesNotMatch(JSON.stringify(job.model.requests.at(-1)!.body.messages), /evil/);
    assert.equal((await job.hermes(["plugins", "disable", "demo"])).code, 0);
    await Deno.writeTextFile(`${folder}/lib/word.json`, `{ "word": "good" }`);
    await Deno.writeTextFile(
      `${job.home}/.hermes/config.yaml`,
      "plugins: { enabled: [demo] }\n",
    );
    assert.match((await job.run(["go"])).stderr, /nobody has agreed/, "disabling takes it back");
  });
});

Deno.test("somebody who is there is asked about a change, one plugin at a time", async () => {
  const { bench, folder } = await enabledBench();
  await using _ = bench;
  await bench.user("second", toolModule("second", "return {}"));
  await bench.write(
    "project/.hermes/plugins/local",
    pluginFiles("local", "export function register() {}"),
  );
  await Deno.writeTextFile(`${folder}/plugin.yaml`, manifest("demo", { net: ["a.test"] }));
  const asked: string[] = [];
  let [answer, isAsking] = [false, false];
  const open = async () => {
    bench.reports.splice(0);
    const host = await bench.open({
      enabled: ["demo", "second", "local"],
      keepPins: true,
      async confirmChange({ candidate, why }) {
        assert.ok(!isAsking);
        isAsking = true;
        await new Promise((resolve) => setTimeout(resolve));
        isAsking = false;
        asked.push(`${candidate.id}: ${why.pin ? "known" : "new"}`);
        return answer;
      },
    });
    const { statuses } = host;
    await host.close();
    return statuses.filter(({ problem }) => problem === undefined).map(({ id }) => id);
  };
  assert.deepEqual(await open(), []);
  assert.equal(bench.reports.length, 3);
  answer = true;
  assert.deepEqual(await open(), ["demo", "second"]);
  assert.deepEqual(asked, ["demo: known", "second: new", "demo: known", "second: new"]);
  assert.match(bench.reports.join("\n"), /^Plugin local disabled \(.*is not trusted/);
  answer = false;
  assert.deepEqual(await open(), ["demo", "second"], "the yes was kept");
  assert.equal(asked.length, 4);
});
