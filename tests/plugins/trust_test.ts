/** A project's plugins are trusted as they were seen: whatever becomes of their folder is noticed. */
import assert from "node:assert/strict";
import { Discovery } from "../../src/plugins/discover.ts";
import { readAgreed } from "../../src/plugins/open.ts";
import { PluginBench, pluginFiles, toolModule } from "./_bench.ts";

const FILES = pluginFiles("local", {
  "mod.ts": `import "./lib/a.ts"; export function register() {}`,
  "lib/a.ts": "export {};",
  "data.txt": "data",
});

/** A bench whose project has a trusted plugin `local`. */
async function trustedBench(): Promise<{ bench: PluginBench; folder: string }> {
  const bench = await PluginBench.create();
  const folder = await bench.write("project/.hermes/plugins/local", FILES);
  await bench.agree("local", "project");
  return { bench, folder };
}

/** What is said when the plugin is to be read; undefined when it may be. */
async function refusal(bench: PluginBench, project = bench.project): Promise<string | undefined> {
  const { home } = await bench.settings();
  const candidate = await new Discovery(home, project).find("local");
  return await readAgreed(candidate!).then(() => undefined, (error: Error) => error.message);
}

Deno.test("trust ends with any change of the plugin's files, and is whole when it is undone", async (t) => {
  const { bench, folder } = await trustedBench();
  await using _ = bench;
  const inside = (name: string) => `${folder}/${name}`;
  const changes: Record<string, () => Promise<unknown>> = {
    "content of a module": () => Deno.writeTextFile(inside("lib/a.ts"), "export { };"),
    "content of a data file": () => Deno.writeTextFile(inside("data.txt"), "Data"),
    "a file added": () => Deno.writeTextFile(inside("more.txt"), ""),
    "a file removed": () => Deno.remove(inside("data.txt")),
    "a file renamed": () => Deno.rename(inside("data.txt"), inside("DATA.txt")),
    "a file moved": () => Deno.rename(inside("data.txt"), inside("lib/data.txt")),
    "two files swapped": async () => {
      await Deno.writeTextFile(inside("data.txt"), FILES["lib/a.ts"]!);
      await Deno.writeTextFile(inside("lib/a.ts"), FILES["data.txt"]!);
    },
    "a file that became a link to the same": async () => {
      await Deno.rename(inside("data.txt"), `${bench.root}/data.txt`);
      await Deno.symlink(`${bench.root}/data.txt`, inside("data.txt"));
    },
    "a manifest that asks for more": () =>
      Deno.writeTextFile(
        inside("plugin.yaml"),
        `${FILES["plugin.yaml"]}permissions: { net: [a.test] }\n`,
      ),
  };
  for (const [what, change] of Object.entries(changes)) {
    await t.step(what, async () => {
      assert.equal(await refusal(bench), undefined);
      await change();
      assert.match(String(await refusal(bench)), /has changed since it was trusted/);
      await Deno.remove(folder, { recursive: true });
      await bench.write("project/.hermes/plugins/local", FILES);
    });
  }
});

Deno.test("a link in a plugin's folder brings nothing into it", async () => {
  const { bench, folder } = await trustedBench();
  await using _ = bench;
  await bench.write("elsewhere", { "evil.ts": "export {};" });
  await Deno.symlink(`${bench.root}/elsewhere`, `${folder}/linked`);
  await Deno.symlink(`${bench.root}/elsewhere/evil.ts`, `${folder}/linked.ts`);
  assert.equal(await refusal(bench), undefined, "what is not read needs no trust");
  await Deno.writeTextFile(
    `${folder}/mod.ts`,
    `import "./linked.ts"; ${toolModule("x", "return {}")}`,
  );
  await bench.agree("local", "project");
  await bench.open({ enabled: ["local"] });
  assert.match(bench.reports[0]!, /imports linked\.ts, which is not among the plugin's files/);
});

Deno.test("a folder that is a link is trusted as what it leads to is", async () => {
  const { bench, folder } = await trustedBench();
  await using _ = bench;
  await Deno.rename(folder, `${bench.root}/real`);
  await Deno.symlink(`${bench.root}/real`, folder);
  assert.equal(await refusal(bench), undefined);
  await Deno.writeTextFile(`${bench.root}/real/data.txt`, "other");
  assert.match(String(await refusal(bench)), /has changed since it was trusted/);
});

Deno.test("a trusted project that is moved is not trusted where it is then", async () => {
  const { bench } = await trustedBench();
  await using _ = bench;
  const moved = `${bench.root}/moved`;
  await Deno.rename(bench.project, moved);
  assert.match(String(await refusal(bench, moved)), /is not trusted/);
  await bench.write("project/.hermes/plugins/local", { ...FILES, "data.txt": "another project" });
  assert.match(String(await refusal(bench)), /has changed since it was trusted/);
});

Deno.test("Discovery finds no plugin whose name a terminal would obey", async () => {
  await using bench = await PluginBench.create();
  for (const name of ["ok", "\x1b[2J", "new\nline", "\u202eback", "bell\x07"]) {
    await bench.write(`project/.hermes/plugins/${name}`, FILES);
  }
  const { home } = await bench.settings();
  const discovery = new Discovery(home, bench.project);
  assert.deepEqual(discovery.project().map(({ id }) => id), ["ok"]);
  assert.equal(await discovery.find("\x1b[2J"), undefined);
});

Deno.test("files of a plugin may be called anything, however an import spells it", async () => {
  await using bench = await PluginBench.create();
  const names = ["a@2x.ts", "[id].ts", "a?b#c.ts", "100%.ts", "sp ace.ts", "ä+,;=$&'.ts"];
  const spelt = ["./a@2x.ts", "./[id].ts", "./a%3Fb%23c.ts", "./100%25.ts", "./sp%20ace.ts"]
    .concat("./ä+,;=$&'.ts", "./%C3%A4+,;=$&'.ts", "./a%402x.ts", "./sp ace.ts");
  await bench.load({
    ...Object.fromEntries(
      names.map((name) => [name, `export const id = ${JSON.stringify(name)};`]),
    ),
    "mod.ts": spelt.map((name, i) => `import { id as i${i} } from ${JSON.stringify(name)};`)
      .join("\n") + toolModule("ids", `return { ids: [${spelt.map((_, i) => `i${i}`)}] }`),
  });
  assert.deepEqual(bench.reports, []);
  assert.deepEqual((await bench.call("ids")).ids, [...names, names[5], names[0], names[4]]);
  await bench.user("demo", `import "./%ff.ts"; export function register() {}`);
  await bench.open({ enabled: ["demo"] });
  assert.match(bench.reports[0]!, /imports %ff\.ts, which is not among the plugin's files/);
});
