import assert from "node:assert/strict";
import { parse } from "../deps/acorn.ts";
import { NO_PERMISSIONS } from "../protocol/plugin.ts";
import { checkManifest, readModuleManifest, readYamlManifest } from "./manifest.ts";

const BASE = { name: "demo", version: "1.0.0", description: "A demo" };

function module(code: string) {
  const program = parse(code, { ecmaVersion: "latest", sourceType: "module" });
  return readModuleManifest(program, "mod.ts");
}

Deno.test("checkManifest() fills in what is not said", () => {
  assert.deepEqual(checkManifest(BASE, "plugin.yaml"), {
    ...BASE,
    provides: [],
    requiresEnv: [],
    permissions: NO_PERMISSIONS,
    config: {},
  });
});

Deno.test("checkManifest() accepts the spellings of the reference", () => {
  const manifest = checkManifest({
    ...BASE,
    version: 2,
    author: { name: "Somebody", email: "x" },
    requires_env: ["A_KEY", { name: "B_KEY", description: "b" }],
    provides: { tools: true, hooks: false },
    manifest_version: 2,
  }, "plugin.yaml");
  assert.equal(manifest.version, "2");
  assert.equal(manifest.author, "Somebody");
  assert.deepEqual(manifest.provides, ["tools"]);
  assert.deepEqual(manifest.requiresEnv, ["A_KEY", "B_KEY"]);
});

Deno.test("checkManifest() names the key that is wrong", () => {
  const cases: [unknown, RegExp][] = [
    [{ ...BASE, name: "Bad Name" }, /^plugin\.yaml: name must be up to 64/],
    [{ ...BASE, name: "../up" }, /name/],
    [{ ...BASE, description: "" }, /description/],
    [{ ...BASE, description: undefined }, /^plugin\.yaml: description is missing$/],
    [{ ...BASE, version: ["1"] }, /^plugin\.yaml: version must be text$/],
    [{ ...BASE, name: undefined }, /^plugin\.yaml: name is missing$/],
    [{ ...BASE, provides: "tools" }, /provides/],
    [{ ...BASE, description: "safe\x1b[2K" }, /description has characters that cannot be shown/],
    [{ ...BASE, version: "1\u202e0" }, /version has characters that cannot be shown/],
    [{ ...BASE, author: "\x9b1A" }, /author/],
    [[], /plugin\.yaml holds no keys/],
    [null, /plugin\.yaml holds no keys/],
    [
      { ...BASE, permissions: { net: "example.com" } },
      /permissions\.net must be a list: \[a, b\]$/,
    ],
    [
      { ...BASE, permissions: { import: ["x"] } },
      /permissions\.import is nothing a plugin can have/,
    ],
    [{ ...BASE, config: { x: { type: "object" } } }, /config\.x\.type/],
    [
      { ...BASE, permissions: { hooks: ["see_result"] } },
      /permissions\.hooks names "see_result", which does not exist\. Did you mean "see_results"/,
    ],
    [{ ...BASE, permissions: { hooks: "guard" } }, /permissions\.hooks/],
    [{ ...BASE, permissions: { hooks: [["guard"]] } }, /permissions\.hooks/],
  ];
  for (const [value, says] of cases) {
    assert.throws(() => checkManifest(value, "plugin.yaml"), { message: says });
  }
});

Deno.test("checkManifest() takes hosts, variables and programs for what they are", () => {
  const good = {
    net: ["example.com", "*.example.com:443", "127.0.0.1:8080", "[::1]:80", "localhost"],
    env: ["API_KEY"],
    run: ["git", "/usr/bin/git"],
    read: ["~/notes", "./docs", "/srv/data"],
    hooks: ["see_calls", "guard"],
    secrets: ["BOT_TOKEN"],
    sessions: ["wake", "notify"],
    platforms: ["telegram"],
    providers: ["acme"],
    routes: ["/hook", "/hooks/*", "/a/b-c.d"],
    background: ["services", "timers"],
  };
  const { permissions } = checkManifest({ ...BASE, permissions: good }, "plugin.yaml");
  assert.deepEqual(permissions, { ...good, write: [] });
  const bad = {
    net: ["https://example.com", "unix:/run/x.sock", "a,b", "host:port", "example.com/path", ""],
    env: ["LD_PRELOAD", "DENO_DIR", "NODE_OPTIONS", "PATH", "A B", "*"],
    run: ["git --force", "a,b", "-x", "/bin/\x1b[1A", ""],
    read: ["a,b", "*", "/tmp/\r", ""],
    hooks: ["see_call", "everything", "*", ""],
    secrets: ["LD_PRELOAD", "PATH", "*"],
    sessions: ["interrupt", "*", ""],
    platforms: ["*", "Tele gram", ""],
    providers: ["a/b", ""],
    routes: ["hook", "/", "/../x", "/./x", "/a//b", "/a?b", "/*/x", "/a/**", "https://x"],
    background: ["always", ""],
  };
  for (const [kind, values] of Object.entries(bad)) {
    for (const value of values) {
      const permissions = { [kind]: [value] };
      assert.throws(() => checkManifest({ ...BASE, permissions }, "f"), `${kind}: ${value}`);
    }
  }
});

Deno.test("readYamlManifest() says when the text is no YAML", () => {
  assert.throws(() => readYamlManifest("name: [", "plugin.yaml"), {
    message: /^plugin\.yaml is not YAML: /,
  });
});

Deno.test("readModuleManifest() reads a literal and runs nothing", () => {
  const found = module(
    `export const manifest = { "name": "demo", version: \`1.0.0\`, description: 'A demo', requires_env: ["A"] };`,
  );
  assert.equal(found?.name, "demo");
  assert.deepEqual(found?.requiresEnv, ["A"]);
  const numbers = module(
    `export const manifest = { name: "n", version: "1", description: "x",
       config: { depth: { type: "number", default: -1 } } };`,
  );
  assert.equal(numbers?.config.depth?.default, -1);
  assert.equal(module("export const other = 1; const manifest = {};"), undefined);
});

Deno.test("readModuleManifest() refuses anything that would have to run", () => {
  for (
    const value of [
      "make()",
      "{ ...base }",
      "{ [key]: 1 }",
      "{ name: `${x}` }",
      "{ name: NAME }",
      "{ get name() { return 1; } }",
      "[,]",
      "{ config: { x: { default: !1 } } }",
    ]
  ) {
    assert.throws(() => module(`export const manifest = ${value};`), {
      message: /must be a plain literal|mod\.ts/,
    });
  }
});
