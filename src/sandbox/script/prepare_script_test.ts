import assert from "node:assert/strict";
import { ScriptSyntaxError } from "../child/module_source.ts";
import { type PrepareOptions, prepareScript } from "./prepare_script.ts";

function prepare(source: string, options: Partial<PrepareOptions> = {}): Promise<string> {
  return prepareScript(source, {
    language: "typescript",
    stubUrl: "stub:",
    session: false,
    refuseImport: (name) => name === "read_file" ? undefined : `no ${name}`,
    ...options,
  });
}

Deno.test("prepareScript() strips types and keeps every line where it was", async () => {
  const code = await prepare(
    `const a: number = 1;\ninterface X {\n  b: string;\n}\nlet c = a as X;`,
  );
  assert.deepEqual(code.split("\n").map((line) => line.trimEnd()), [
    "const a         = 1;",
    "",
    "",
    "",
    "let c = a     ;",
  ]);
  assert.match(await prepare("enum A { B }"), /A\["B"\] = 0/);
  assert.equal(await prepare("const b = f<string>(x);"), "const b = f        (x);");
  const plain = "for (let i = 0; i < n; i++) all.map((x) => (x > 1));";
  assert.equal(await prepare(plain), plain);
});

Deno.test("prepareScript() resolves hermes_tools wherever it is imported", async () => {
  const cases: [string, string][] = [
    [`import { read_file } from "hermes_tools";`, `import { read_file } from "stub:";`],
    [`import * as t from 'hermes_tools';`, `import * as t from "stub:";`],
    [`const t = await import("hermes_tools");`, `const t = await import("stub:");`],
    [`const text = 'from "hermes_tools"';`, `const text = 'from "hermes_tools"';`],
    ["`${await import('hermes_tools')}`", '`${await import("stub:")}`'],
    [`export { read_file } from "hermes_tools";`, `export { read_file } from "stub:";`],
  ];
  for (const [source, expected] of cases) {
    assert.equal(await prepare(source, { language: "javascript" }), expected);
  }
});

Deno.test("prepareScript() refuses names and modules that are not there", async () => {
  const refused: [string, RegExp][] = [
    [`\nimport { foo } from "hermes_tools";`, /^no foo\n {4}at script\.ts:2:1$/],
    [`import tools from "hermes_tools";`, /^no default/],
    [`import { "odd name" as x } from "hermes_tools";`, /^no odd name/],
    [`import "./other.ts";`, /^Cannot import "\.\/other\.ts": a script may import only/],
    [`export * from "zod";`, /^Cannot import "zod"/],
    [`import fs from "fs";`, /^Cannot import "fs"/],
  ];
  for (const [source, message] of refused) {
    await assert.rejects(prepare(source, { language: "javascript" }), (error) => {
      assert.ok(error instanceof ScriptSyntaxError);
      assert.match(error.message, message);
      return true;
    });
  }
  assert.equal(await prepare(`import p from "path";`), `import p from "node:path";`);
});

Deno.test("prepareScript() names the place of a syntax error", async () => {
  const broken = prepare("let a = 1;\n  let b = (;\n", { language: "javascript" });
  await assert.rejects(broken, {
    message: /Unexpected token\n {4}let b = \(;\n.*\^\n.*script\.ts:2:12$/,
  });
  await assert.rejects(prepare("let a: = 1;"), { message: /script\.ts:1:8/ });
});

Deno.test("prepareScript() keeps the declarations of a session", async () => {
  const source = `import { read_file as r } from "hermes_tools";
const { a, b: [c = 1, ...d], ...e } = x;
let f = 1; var g; function h() {} class I {} export const j = 2;
{ const inner = 1; }`;
  const code = await prepare(source, { session: true });
  const [first] = code.split("\n");
  const names = [...first!.matchAll(/(\w+):\{configurable/g)].map((match) => match[1]);
  assert.deepEqual(names, ["r", "a", "c", "d", "e", "f", "g", "h", "I", "j"]);
  const settable = [...first!.matchAll(/set:\(v\)=>\{(\w+)=v\}/g)].map((match) => match[1]);
  assert.deepEqual(settable, ["f", "g", "h", "I"]);
  assert.equal(await prepare("f();", { session: true }), "f();");
});
