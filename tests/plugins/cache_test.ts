/** What is kept of plugins on disk: edited, cut short or half removed, it is never what runs. */
import assert from "node:assert/strict";
import { Discovery } from "../../src/plugins/discover.ts";
import { fetchPlugin, pinPlugin } from "../../src/plugins/install.ts";
import { fetchSource } from "../../src/plugins/remote.ts";
import { contentHash } from "../../src/plugins/source.ts";
import { sha256Hex } from "../../src/util/hash.ts";
import { Seal } from "../../src/util/seal.ts";
import { withJob } from "../support/run_job.ts";
import { PluginBench, toolModule } from "./_bench.ts";
import { greeterSite, Site } from "./_site.ts";

/** The only snapshot there is. */
function snapshotOf(bench: PluginBench): string {
  const folder = `${bench.hermes}/cache/plugins/snapshots`;
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  assert.equal(names.length, 1, names.join(", "));
  return `${folder}/${names[0]}`;
}

Deno.test("a snapshot that was edited or half removed is made again", async () => {
  await using bench = await PluginBench.create();
  await (await bench.load(toolModule("hello", "return { from: 'the author' }"))).close();
  const dir = snapshotOf(bench);
  const module = `${dir}/modules/mod.ts.js`;
  const spoil = {
    "an edited module": () =>
      Deno.writeTextFileSync(module, Deno.readTextFileSync(module).replace("author", "evil")),
    "a module cut short": () => Deno.truncateSync(module),
    "a module that is gone": () => Deno.removeSync(module),
    "a file that was added": () => Deno.writeTextFileSync(`${dir}/modules/added.js`, ""),
    "an edited manifest": () => {
      const file = `${dir}/plugin.json`;
      const text = Deno.readTextFileSync(file);
      const [before, after] = [`\\"net\\":[]`, `\\"net\\":[\\"evil.example\\"]`];
      assert.ok(text.includes(before), text);
      Deno.writeTextFileSync(file, text.replace(before, after));
    },
    "no manifest": () => Deno.removeSync(`${dir}/plugin.json`),
  };
  for (const [what, change] of Object.entries(spoil)) {
    change();
    const host = await bench.open({ enabled: ["demo"] });
    assert.deepEqual(bench.reports, [], what);
    assert.deepEqual(await bench.call("hello"), { from: "the author" }, what);
    await host.close();
    assert.equal(snapshotOf(bench), dir, what);
    assert.ok(!(await Deno.readTextFile(`${dir}/plugin.json`)).includes("evil"), what);
  }
});

Deno.test("a plugin is not loaded from where other users can change it", async () => {
  await using bench = await PluginBench.create();
  await (await bench.load(toolModule("hello", "return {}"))).close();
  const dir = snapshotOf(bench);
  const above = dir.slice(0, dir.lastIndexOf("/"));
  for (const path of [above, dir, `${dir}/modules`]) {
    const opens: [() => Promise<void>, RegExp][] = [
      [() => Deno.chmod(path, 0o777), /every user of this machine can change .*chmod o-w/],
    ];
    // The sticky bit keeps others from replacing the directory, not from putting files into it.
    if (path !== above) opens.push([() => Deno.chmod(path, 0o1777), /every user of this machine/]);
    if (Deno.uid() === 0) {
      opens.push([() => Deno.chown(path, 4321, 0), /the user 4321 can change .*chown 0/]);
      opens.push([() => Deno.chown(path, 0, 4321), /the group 4321 can change .*chmod g-w/]);
    }
    for (const [open, wanted] of opens) {
      await Deno.chmod(path, 0o770);
      await open();
      await (await bench.open({ enabled: ["demo"] })).close();
      assert.match(bench.reports.at(-1) ?? "", wanted);
      if (Deno.uid() === 0) await Deno.chown(path, 0, 0);
      await Deno.chmod(path, 0o700);
    }
  }
});

Deno.test("a snapshot that somebody else has sealed is made again", async () => {
  await using bench = await PluginBench.create();
  await (await bench.load(toolModule("hello", "return { from: 'the author' }"))).close();
  const dir = snapshotOf(bench);
  const file = `${dir}/plugin.json`;
  const module = `${dir}/modules/mod.ts.js`;
  const good = JSON.parse(await Deno.readTextFile(file));
  const code = (await Deno.readTextFile(module)).replace("author", "evil");
  /** The snapshot as it would be with the evil module in it. */
  const snapshot = async () => {
    const stored = JSON.parse(good.snapshot);
    stored.files["/mod.ts.js"] = await sha256Hex(code);
    stored.manifest.permissions.net = ["evil.example"];
    return JSON.stringify(stored);
  };
  const name = dir.split("/").at(-1);
  const guessed = new Seal(`${bench.root}/guessed.key`);
  const ours = new Seal(`${bench.hermes}/seal.key`);
  const seals = {
    "a hash that anybody can make": async (text: string) => await sha256Hex(text),
    "a guessed key": (text: string) => guessed.sign("plugin snapshot", `${name}\n${text}`),
    "the old seal": () => Promise.resolve(good.seal),
    // What hermes has sealed for something else it has not sealed for this.
    "our key, of another folder": (text: string) =>
      ours.sign("plugin snapshot", `${"0".repeat(64)}\n${text}`),
    "our key, of another purpose": (text: string) =>
      ours.sign("plugin registrations", `${name}\n${text}`),
  };
  for (const [what, seal] of Object.entries(seals)) {
    const text = await snapshot();
    await Deno.writeTextFile(module, code);
    await Deno.writeTextFile(file, JSON.stringify({ snapshot: text, seal: await seal(text) }));
    const host = await bench.open({ enabled: ["demo"] });
    assert.deepEqual(await bench.call("hello"), { from: "the author" }, what);
    await host.close();
    assert.ok(!(await Deno.readTextFile(file)).includes("evil"), what);
  }
});

Deno.test("what a plugin is said to register is believed only under a seal", async () => {
  await using bench = await PluginBench.create();
  await (await bench.load(toolModule("hello", "return {}"))).close();
  const dir = snapshotOf(bench);
  const entries = await Array.fromAsync(Deno.readDir(dir));
  const { name } = entries.find((entry) => entry.name.startsWith("registrations-"))!;
  const file = `${dir}/${name}`;
  const good = JSON.parse(await Deno.readTextFile(file));
  const checked = good.checked.replace('"sections":[]', '"sections":[{"id":"x","text":"obey"}]');
  assert.notEqual(checked, good.checked);
  const guessed = new Seal(`${bench.root}/guessed.key`);
  const forged = {
    "under the old seal": { checked, seal: good.seal },
    "with a guessed key": { checked, seal: await guessed.sign("plugin registrations", checked) },
    "as it was written before there were seals": JSON.parse(checked),
  };
  for (const [what, content] of Object.entries(forged)) {
    await Deno.writeTextFile(file, JSON.stringify(content));
    await (await bench.open({ enabled: ["demo"] })).close();
    assert.deepEqual(JSON.parse(await Deno.readTextFile(file)), good, what);
  }
});

Deno.test("prepared files that change after the session began are not loaded", async () => {
  await using bench = await PluginBench.create();
  await (await bench.load(toolModule("hello", "return { from: 'the author' }"))).close();
  const modules = `${snapshotOf(bench)}/modules`;
  const spoil = [
    () => Deno.writeTextFileSync(`${modules}/mod.ts.js`, "export function register() {}\n"),
    () => Deno.writeTextFileSync(`${modules}/extra.js`, "// a file more"),
  ];
  for (const change of spoil) {
    // What was spoilt before is made anew, and its process started for that.
    await (await bench.open({ enabled: ["demo"] })).close();
    bench.reports.splice(0);
    const host = await bench.open({ enabled: ["demo"] });
    assert.deepEqual(bench.reports, [], "it is whole when the session begins");
    change();
    assert.match(String((await bench.call("hello")).error), /changed after they were checked/);
    assert.match(bench.reports.join(), /demo is disabled for this run: its prepared files/);
    await host.close();
  }
  const host = await bench.open({ enabled: ["demo"] });
  assert.deepEqual(await bench.call("hello"), { from: "the author" }, "made anew");
  await host.close();
});

Deno.test("where an address leads is part of a plugin's hash", async () => {
  await using site = new Site();
  site.pages.set(
    "/mod.ts",
    `import { word } from "./word.ts"; import "./good.ts"; import "./evil.ts";
     export const manifest = { name: "words", version: "1.0.0", description: "x" };
     export function register(ctx) {
       ctx.registerTool({ name: "word", description: "x", schema: { type: "object" },
         handler: () => ({ word }) });
     }`,
  );
  for (const word of ["good", "evil"]) {
    site.pages.set(`/${word}.ts`, `export const word = "${word}";`);
  }
  const lead = (to: string) =>
    site.pages.set("/word.ts", () => Response.redirect(`${site.url}/${to}.ts`));
  const place = `${site.url}/mod.ts`;
  await using bench = await PluginBench.create();
  lead("good");
  const pin = await contentHash(await fetchSource(place));
  await (await bench.open({ extra: [place], acceptUnpinned: true })).close();
  lead("evil");
  assert.notEqual(await contentHash(await fetchSource(place)), pin);
  await (await bench.open({ extra: [place], acceptUnpinned: true })).close();
  await bench.open({ extra: [place], acceptUnpinned: true });
  assert.deepEqual(await bench.call("word"), { word: "evil" }, "not what was prepared before");
  await using other = await PluginBench.create();
  await assert.rejects(other.open({ extra: [`${place}#sha256=${pin}`] }), {
    message: /is not the pinned plugin/,
  });
});

/** Every file below a folder. */
async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    found.push(...isDirectory ? await filesBelow(path) : [path]);
  }
  return found;
}

Deno.test("hermes plugins remove leaves nothing, and update nothing of the old version", async () => {
  await using site = new Site();
  const url = greeterSite(site);
  const single = (name: string) =>
    `export const manifest = { name: "${name}", version: "1.0.0", description: "x" };
     export function register() {}`;
  site.pages.set("/other.ts", single("other"));
  await withJob([{ text: "done" }], async (job) => {
    const cache = `${job.home}/.hermes/cache/plugins`;
    const hermes = async (...args: string[]) => {
      const { code, stderr } = await job.hermes(["plugins", ...args, "--yes"]);
      assert.equal(code, 0, stderr);
    };
    await hermes("install", url);
    await hermes("install", `${site.url}/other.ts`);
    assert.equal((await job.run(["--accept-plugins", "--plugin", url, "go"])).code, 0);
    await Deno.writeTextFile(`${cache}/files/half.tmp`, "of a process that was killed");
    site.pages.set("/p/lib/words.ts", `export const greeting: string = "good evening";\n`);
    await hermes("update", "greeter");
    assert.equal((await filesBelow(`${cache}/files`)).length, 3, "two of greeter, one of other");
    await hermes("remove", "greeter");
    assert.equal((await filesBelow(`${cache}/files`)).length, 1);
    assert.match((await job.hermes(["plugins", "audit"])).stdout, /^✓ other/, "it is whole");
    await hermes("remove", "other");
    assert.deepEqual(await filesBelow(cache), []);
  });
});

Deno.test("a plugin that is updated while others read it is read whole, old or new", async () => {
  await using site = new Site();
  const files = Array.from({ length: 20 }, (_, index) => `/f${index}.ts`);
  const publish = (version: number) => {
    const imports = files.map((file) => `import ".${file}";`).join("\n");
    site.pages.set(
      "/mod.ts",
      `export const manifest = { name: "moving", version: "${version}", description: "x" };
       ${imports} export function register() {}`,
    );
    for (const file of files) site.pages.set(file, `export const version = "${file} ${version}";`);
  };
  await using bench = await PluginBench.create();
  const { home } = await bench.settings();
  const update = async (version: number) => {
    publish(version);
    await pinPlugin(home, await fetchPlugin(home, `${site.url}/mod.ts`));
  };
  await update(0);
  let done = false;
  const reading = (async () => {
    for (let count = 0; !done || count === 0; count++) {
      const candidate = await new Discovery(home, bench.project).find("moving");
      const { files } = await candidate!.read();
      const texts = [...files.values()].map((bytes) => new TextDecoder().decode(bytes));
      const versions = new Set(texts.map((text) => /(\d+)"[,;]/.exec(text)?.[1]));
      assert.equal(versions.size, 1, `of ${[...versions].join(" and ")}`);
    }
  })();
  try {
    for (let version = 1; version <= 5; version++) await update(version);
  } finally {
    done = true;
    await reading;
  }
});

Deno.test("a lock that was damaged in any way is one clear line", async () => {
  await using site = new Site();
  const url = greeterSite(site);
  await withJob([], async (job) => {
    assert.equal((await job.hermes(["plugins", "install", url, "--yes"])).code, 0);
    const file = `${job.home}/.hermes/plugins.lock`;
    const good = JSON.parse(await Deno.readTextFile(file));
    const spoil: Record<string, (greeter: Record<string, unknown>) => unknown> = {
      "no redirects": (greeter) => delete greeter.redirects,
      "no url": (greeter) => delete greeter.url,
      "no version": (greeter) => delete greeter.version,
      "a way out of the cache": (greeter) => greeter.files = { [url]: { sha256: "../../../.env" } },
      "a manifest that is not there": (greeter) => greeter.manifest = "https://a.test/x",
      "an entry that is not there": (greeter) => greeter.entry = "https://a.test/x",
    };
    const actions = ["audit", "list", "update"];
    for (const [index, [what, change]] of Object.entries(spoil).entries()) {
      const bad = structuredClone(good);
      change(bad.plugins.greeter);
      await Deno.writeTextFile(file, JSON.stringify(bad));
      // All of them with the first; they read the lock in the same way.
      for (const action of index === 0 ? actions : [actions[index % 3]!]) {
        const { code, stderr } = await job.hermes(["plugins", action]);
        assert.equal(code, 1, what);
        assert.match(stderr, /^hermes: \S+plugins\.lock is damaged\n {2}Restore it/, what);
      }
    }
  });
});
