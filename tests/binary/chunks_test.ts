/**
 * Every chunk of the bundle can be loaded. Most are imported lazily, so a broken one, say a
 * CommonJS package the bundler wrapped wrongly, would otherwise show in some rare command only.
 */
import assert from "node:assert/strict";
import { PORTABLE_FLAGS, STARTUP_V8_FLAGS } from "../../src/util/runtime.ts";
import { buildApp } from "../../scripts/build_app.ts";
import { dirname } from "../../src/util/path.ts";
import { TEST_BUNDLE } from "../support/hermes.ts";
import { run } from "./support.ts";

const LOADER = `
for (const chunk of Deno.args) {
  try {
    await import(chunk);
  } catch (error) {
    console.log(chunk, error?.stack ?? error);
  }
}
Deno.exit(0);
`;

/** What importing these chunks loads with them: chunks, and built-in modules as `node:…`. */
async function loadedWith(app: string, chunks: readonly string[]): Promise<Set<string>> {
  const loaded = new Set<string>();
  const left = [...chunks];
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (loaded.has(name)) continue;
    loaded.add(name);
    if (name.startsWith("node:")) continue;
    const text = await Deno.readTextFile(`${app}/${name}`);
    const imports = text.matchAll(/(?:\bimport|\bfrom)"(?:\.\/)?([^"]+\.js|node:[^"]+)"/g);
    left.push(...[...imports].map(([, found]) => found!));
  }
  return loaded;
}

async function copyFiles(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name } of Deno.readDir(from)) {
    await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

async function withApp(body: (app: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "hermes-chunks-" });
  try {
    const bundle = Deno.env.get(TEST_BUNDLE);
    // A run of the whole suite has it already.
    if (bundle) await copyFiles(`${dirname(bundle)}/app`, `${directory}/app`);
    else await buildApp(`${directory}/app`);
    await body(`${directory}/app`);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("buildApp() makes chunks that start fast and lose nothing", async (t) => {
  await withApp(async (app) => {
    const names = await Array.fromAsync(Deno.readDir(app), ({ name }) => name);
    const chunks = names.filter((name) => name.endsWith(".js"));
    assert.ok(chunks.length > 40, `${chunks.length} chunks`);

    await t.step("each can be loaded without npm, network or configuration", async () => {
      await Deno.writeTextFile(`${app}/../loader.js`, LOADER);
      const outcome = await run([
        Deno.execPath(),
        ...PORTABLE_FLAGS,
        STARTUP_V8_FLAGS,
        `${app}/../loader.js`,
        ...chunks.map((name) => `file://${app}/${name}`),
      ], { env: { HOME: app, DENO_DIR: `${app}/../cache` } });
      assert.deepEqual(outcome, { code: 0, stdout: "", stderr: "" });
    });

    await t.step("the way to the first request loads nothing that costs time", async () => {
      const hot = chunks.filter((name) => /^(main|dispatch-|run-|openai_chat-)/.test(name));
      assert.equal(hot.length, 4, hot.join(" "));
      const loaded = await loadedWith(app, hot);
      const builtIn = [...loaded].filter((name) => name.startsWith("node:")).sort();
      assert.deepEqual(builtIn, ["node:sqlite"]);
      const sizes = [...loaded].filter((name) => !name.startsWith("node:"))
        .map(async (name) => (await Deno.stat(`${app}/${name}`)).size);
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size);
      assert.ok(bytes < 400_000, `${bytes} bytes, as much as a package has`);
      const smallest = [...await loadedWith(app, ["main.js"])];
      assert.ok(smallest.length <= 3, `hermes --version loads ${smallest}`);
    });

    await t.step("using declarations stay, lazy imports are hidden", async () => {
      let text = "";
      for (const name of chunks) text += await Deno.readTextFile(`${app}/${name}`);
      const holdsLock = /using \w+=\w+;return await \w+\.lock\(/;
      const visibleImport = /\bimport\("\.\//;
      const eagerRequire =
        /import\{createRequire as (\w+)\}from"node:module";var \w+=\1\(import\.meta\.url\)/;
      assert.ok(holdsLock.test(text), "withLock() holds its lock");
      assert.ok(!visibleImport.test(text), "Deno would read lazy chunks at once");
      assert.ok(!eagerRequire.test(text), "every command would load node:module");
    });
  });
});
