import assert from "node:assert/strict";
import plugin from "./lint_plugin.ts";

const OPENING = "/** What it owns. */\n";

function rulesBroken(source: string, path = "/p/src/a/b.ts"): string[] {
  return Deno.lint.runPlugin(plugin, path, OPENING + source).map((found) =>
    found.id.replace("hermes/", "")
  );
}

Deno.test("lint accepts plain project code", () => {
  const source = "export function f(a: string, b: number, options: { c?: boolean } = {}) {\n" +
    "  try {\n    return [a, b, options].map((x) => x);\n  } catch {\n    // why\n  }\n}\n" +
    "export class A {\n  #x = 1;\n  get x() { return this.#x; }\n}\n";
  assert.deepEqual(rulesBroken(source), []);
});

Deno.test("lint reports each broken rule", () => {
  const cases: [rule: string, source: string][] = [
    ["no-top-level-arrow", "const f = () => {};"],
    ["no-top-level-arrow", "export const f = function () {};"],
    ["hash-private", "export class A { private x = 1; }"],
    ["hash-private", "export class A { constructor(private x: number) {} }"],
    ["no-default-export", "export default 1;"],
    ["env-in-cli", 'export const x = Deno.env.get("X");'],
    ["spawn-in-process", 'new Deno.Command("ls");'],
    ["spawn-in-process", 'Deno.spawnAndWaitSync("ls");'],
    ["spawn-in-process", "const { Command, pid } = Deno;"],
    ["no-console", "console.log(1);"],
    ["empty-catch", "try { f(); } catch {}"],
    ["no-barrel", 'export * from "./x.ts";'],
    ["no-barrel", 'export { x } from "./x.ts";'],
    ["max-params", "export function f(a: string, b: string, c: string) {}"],
    ["max-params", "export function f(a: string, b: string, c = true, d: object) {}"],
    ["max-function-lines", `export function f() {\n${"  g();\n".repeat(79)}}`],
  ];
  for (const [rule, source] of cases) assert.deepEqual(rulesBroken(source), [rule], source);
});

Deno.test("lint wants a module comment of one to six lines", () => {
  for (const source of ["export {};", "// line\nexport {};", `/**\n${" * x\n".repeat(7)} */`]) {
    const found = Deno.lint.runPlugin(plugin, "/p/src/a.ts", source);
    assert.deepEqual(found.map((one) => one.id), ["hermes/module-comment"], source);
  }
  assert.deepEqual(Deno.lint.runPlugin(plugin, "/p/src/a_test.ts", "export {};"), []);
});

Deno.test("lint exempts the places a rule is not for", () => {
  assert.deepEqual(rulesBroken("console.log(Deno.env.get('X'));", "/p/src/cli/io.ts"), []);
  assert.deepEqual(rulesBroken("console.log(1);", "/p/tests/a.ts"), []);
  for (
    const path of ["src/process/a.ts", "scripts/a.ts", "tests/support/a.ts", "src/a/b_test.ts"]
  ) {
    assert.deepEqual(rulesBroken('new Deno.Command("ls");', `/p/${path}`), [], path);
  }
  assert.deepEqual(rulesBroken("export { x } from 'yaml';", "/p/src/deps/yaml.ts"), []);
  assert.deepEqual(rulesBroken("Deno.cwd();", "/p/tools/a.ts"), ["no-deno-in-tools"]);
  assert.deepEqual(rulesBroken("Deno.cwd();", "/p/tools/a_test.ts"), []);
});
