/**
 * Every chunk of the bundle can be loaded. Most are imported lazily, so a broken one, say a
 * CommonJS package the bundler wrapped wrongly, would otherwise show in some rare command only.
 */
import assert from "node:assert/strict";
import { PORTABLE_FLAGS, STARTUP_V8_FLAGS } from "../../src/util/runtime.ts";
import { buildApp } from "../../scripts/build_app.ts";
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

async function withApp(body: (app: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "hermes-chunks-" });
  try {
    await buildApp(`${directory}/app`);
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
