import assert from "node:assert/strict";
import { TypeStripper } from "../sandbox/script/type_stripper.ts";
import { linkModule, preparedPath, scanModule } from "./modules.ts";

async function scan(url: string, source: string) {
  await using stripper = new TypeStripper();
  const bytes = new TextEncoder().encode(source) as Uint8Array<ArrayBuffer>;
  return await scanModule({ url, bytes }, stripper);
}

function same(url: string): string {
  return url;
}

Deno.test("scanModule() finds every literal import and strips types", async () => {
  const { code, imports } = await scan(
    "https://a.test/p/mod.ts",
    `import type { X } from "./types.ts";
     import { a } from "../a.ts"; export * from "/root.ts";
     import data from "./d.json" with { type: "json" };
     import { join } from "node:path";
     const later: Promise<unknown> = import("https://b.test/x.js?v=1#part");`,
  );
  assert.deepEqual(imports.map(({ url, isData }) => [url, isData]), [
    ["https://a.test/a.ts", false],
    ["https://a.test/root.ts", false],
    ["https://a.test/p/d.json", true],
    ["https://b.test/x.js?v=1", false],
  ]);
  assert.ok(!code.includes("Promise<unknown>"));
});

Deno.test("scanModule() understands enums and decorated syntax of TypeScript", async () => {
  const { code } = await scan("file:///mod.ts", "export enum Color { Red, Green }");
  assert.match(code, /Red/);
});

Deno.test("scanModule() refuses names of packages, and types imported as values", async () => {
  for (const name of ["lodash", "npm:x", "jsr:@a/b", "hermes/other", "data:text/javascript,1"]) {
    await assert.rejects(scan("file:///mod.ts", `import ${JSON.stringify(name)};`), {
      message: /a plugin imports only "hermes\/plugin"/,
    });
  }
  await assert.rejects(scan("file:///mod.ts", `import { PluginTool } from "hermes/plugin";`), {
    message: /import type \{ PluginTool \}/,
  });
  await scan("file:///mod.ts", `import * as api from "hermes/plugin"; void api;`);
});

Deno.test("preparedPath() keeps files apart and inside", () => {
  assert.equal(preparedPath("file:///lib/a%20b.ts", true), "/lib/a b.ts.js");
  assert.equal(preparedPath("file:///data/x.json", false), "/data/x.json");
  assert.equal(preparedPath("https://a.test:8443/p/mod.ts", true), "/a.test:8443/p/mod.ts.js");
  assert.equal(
    preparedPath("https://a.test/m.js?v=../../x", true),
    "/a.test/m.js%3Fv%3D..%2F..%2Fx.js",
  );
  assert.equal(preparedPath("https://a.test/%2e%2e/%2e%2e/m.js", true), "/a.test/m.js.js");
  const long = preparedPath(`https://a.test/${"x".repeat(200)}..?${"y".repeat(300)}`, false);
  assert.ok(long.split("/").every((name) => name.length < 250 && name !== ".."), long);
});

Deno.test("linkModule() points imports at the prepared files", async () => {
  const from = "file:///lib/deep/a.ts";
  const scanned = await scan(
    from,
    `import { defineTool } from "hermes/plugin"; import "../b.ts"; import "./c.js";
     import t from "../../t.json" with { type: "json" };`,
  );
  const code = linkModule(scanned, { from, finalUrl: same });
  assert.match(code, /from "\.\.\/\.\.\/\.hermes\/plugin\.js"/);
  assert.match(code, /"\.\.\/b\.ts\.js"/);
  assert.match(code, /"\.\/c\.js\.js"/);
  assert.match(code, /"\.\.\/\.\.\/t\.json"/);
});

Deno.test("linkModule() follows redirects", async () => {
  const from = "https://a.test/mod.ts";
  const scanned = await scan(from, `import "./old.ts";`);
  const code = linkModule(scanned, {
    from,
    finalUrl: (url) => url.replace("old", "v2/new"),
  });
  assert.match(code, /"\.\/v2\/new\.ts\.js"/);
});
