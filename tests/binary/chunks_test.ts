/**
 * Every chunk of the bundle can be loaded. Most are imported lazily, so a broken one, say a
 * CommonJS package the bundler wrapped wrongly, would otherwise show in some rare command only.
 */
import assert from "node:assert/strict";
import { PORTABLE_FLAGS } from "../../src/util/runtime.ts";
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

Deno.test("buildApp() makes chunks that load without npm, network or configuration", async () => {
  const directory = await Deno.makeTempDir({ prefix: "hermes-chunks-" });
  try {
    await buildApp(`${directory}/app`);
    const names = await Array.fromAsync(Deno.readDir(`${directory}/app`), ({ name }) => name);
    const chunks = names.filter((name) => name.endsWith(".js"));
    assert.ok(chunks.length > 40, `${chunks.length} chunks`);
    await Deno.writeTextFile(`${directory}/loader.js`, LOADER);
    const outcome = await run([
      Deno.execPath(),
      ...PORTABLE_FLAGS,
      `${directory}/loader.js`,
      ...chunks.map((name) => `file://${directory}/app/${name}`),
    ], { env: { HOME: directory, DENO_DIR: `${directory}/cache` } });
    assert.deepEqual(outcome, { code: 0, stdout: "", stderr: "" });
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});

Deno.test("buildApp() keeps every using declaration and hides every lazy import", async () => {
  const directory = await Deno.makeTempDir({ prefix: "hermes-chunks-" });
  try {
    await buildApp(directory);
    let text = "";
    for await (const { name } of Deno.readDir(directory)) {
      // The cloud SDKs do as they like; nobody pays for them who does not use them.
      if (/^(modal|daytona)\.js$/.test(name)) continue;
      text += await Deno.readTextFile(`${directory}/${name}`);
    }
    assert.match(text, /using \w+=\w+;return await \w+\.lock\(/, "withLock() holds its lock");
    assert.doesNotMatch(text, /\bimport\("\.\//);
    assert.doesNotMatch(text, /import\{createRequire/);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
