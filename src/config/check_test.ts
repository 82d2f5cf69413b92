import assert from "node:assert/strict";
import { checkConfigText, type Problem } from "./check.ts";
import { DEFAULTS } from "./defaults_data.ts";
import { describeKeys } from "./describe.ts";
import { ENV_KEYS } from "./env_data.ts";
import { ConfigSchema } from "./schema.ts";
import { getPath, leaves, type Tree } from "./tree.ts";

async function complaints(text: string): Promise<string[]> {
  const { problems, warnings } = await checkConfigText(text);
  const line = (problem: Problem) => `${problem.line ?? "-"}: ${problem.message}`;
  return [...problems, ...warnings].map(line);
}

async function treeOf(text: string): Promise<Tree> {
  const { tree, problems, warnings } = await checkConfigText(text);
  assert.deepEqual([...problems, ...warnings], []);
  return tree;
}

Deno.test("ConfigSchema accepts exactly the defaults", () => {
  assert.deepEqual(ConfigSchema.parse(DEFAULTS), DEFAULTS);
});

Deno.test("describeKeys() has help for every key and covers every default", () => {
  const keys = describeKeys();
  assert.deepEqual(keys.filter((key) => key.help === "").map((key) => key.path), []);
  const known = new Set(keys.map((key) => key.path));
  const missing = [...leaves(DEFAULTS as unknown as Tree)].filter(([path]) => !known.has(path));
  assert.deepEqual(missing, []);
});

Deno.test("ENV_KEYS name existing settings once", () => {
  const paths = ENV_KEYS.map((key) => key.path);
  const names = ENV_KEYS.flatMap((key) => key.names);
  assert.deepEqual(paths.filter((path) => getPath(DEFAULTS, path) === undefined), []);
  assert.equal(new Set([...paths, ...names]).size, paths.length + names.length);
});

Deno.test("checkConfigText() folds accepted spellings", async () => {
  assert.deepEqual(await treeOf("model: a/b\nmax_turns: none\napprovals: { mode: false }\n"), {
    model: { default: "a/b" },
    agent: { max_turns: 0 },
    approvals: { mode: "off" },
  });
  assert.deepEqual(
    await treeOf("model: { model: a, api_base: u }\nfallback_model: { provider: p, model: m }\n"),
    {
      model: { default: "a", base_url: "u" },
      fallback_providers: [{ provider: "p", model: "m" }],
    },
  );
  assert.deepEqual(
    await treeOf("custom_providers: [{ name: home, url: u }]\nproviders: { x: { api: v } }\n"),
    { providers: { home: { base_url: "u" }, x: { base_url: "v" } } },
  );
});

Deno.test("checkConfigText() takes an empty file and null sections as defaults", async () => {
  for (const text of ["", "# nothing\n\n", "null\n", "---\n"]) {
    assert.deepEqual(await treeOf(text), {}, JSON.stringify(text));
  }
  const { problems } = await checkConfigText("agent:\nterminal:\n  backend:\n");
  assert.deepEqual(problems, []);
});

Deno.test("checkConfigText() explains each kind of wrong value", async () => {
  assert.deepEqual(await complaints("agent: { max_turns: 1.5 }\n"), [
    "1: agent.max_turns must be a whole number, not 1.5",
  ]);
  assert.deepEqual(await complaints("agent:\n  max_turns: -5\n"), [
    "2: agent.max_turns must be at least 0, not -5",
  ]);
  assert.deepEqual(await complaints("\nterminal: 5\n"), ["2: terminal must be a mapping, not 5"]);
  assert.deepEqual(await complaints("toolsets: web\n"), [`1: toolsets must be a list, not "web"`]);
  assert.deepEqual(await complaints("terminal:\n  ssh_port: 70000\n"), [
    "2: terminal.ssh_port must be at most 65535, not 70000",
  ]);
  assert.deepEqual(await complaints("fallback_providers:\n  - provider: x\n"), [
    "2: fallback_providers.0.model is missing",
  ]);
  assert.deepEqual(await complaints("terminal: { backend: vercel_sandbox }\n"), [
    "1: terminal.backend must be one of local, docker, ssh, singularity, modal, daytona, " +
    `not "vercel_sandbox"`,
  ]);
});

Deno.test("checkConfigText() suggests no zero for a number that is too large", async () => {
  const { problems } = await checkConfigText("plugins: { http_port: 99999 }\n");
  assert.equal(problems[0]?.fix, "Set it: hermes config set plugins.http_port 65535");
});

Deno.test("checkConfigText() never shows a secret", async () => {
  const texts = [
    "model: { api_key: [s3cret] }\n",
    "providers: { x: { base_url: u, extra_headers: { A: [s3cret] } } }\n",
    "model:\n  api_key: s3cret: s3cret\n",
  ];
  for (const text of texts) {
    const found = await complaints(text);
    assert.ok(found.length > 0);
    assert.doesNotMatch(found.join("\n"), /s3cret/);
  }
});

Deno.test("checkConfigText() warns about unknown keys with the nearest known one", async () => {
  assert.deepEqual(
    await complaints(
      "modle: x\nagent:\n  max_turn: 3\nproviders:\n  p:\n    base_url: u\n    modls: []\n",
    ),
    [
      `1: unknown key "modle" is ignored; did you mean "model"?`,
      `3: unknown key "agent.max_turn" is ignored; did you mean "agent.max_turns"?`,
      `7: unknown key "providers.p.modls" is ignored; did you mean "providers.p.models"?`,
    ],
  );
  assert.deepEqual(await complaints("plugins: { entries: { a: { anything: 1 } } }\n"), []);
});

Deno.test("checkConfigText() points at broken YAML", async () => {
  assert.match((await complaints("a: [1,\nb: 2\n"))[0]!, /^2: broken YAML: .* near "b: 2"/);
  assert.match((await complaints("a: 1\na: 2\n"))[0]!, /^2: broken YAML: duplicated mapping key/);
  assert.match(
    (await complaints("- a\n- b\n"))[0]!,
    /^1: must hold "key: value" lines, but is a list/,
  );
  assert.match((await complaints("just text\n"))[0]!, /^1: must hold "key: value" lines/);
  assert.match((await complaints("a: &x\n  b: *x\n"))[0]!, /alias refers to itself/);
});

Deno.test("checkConfigText() counts what stands behind aliases, and no further than the limit", async () => {
  const lists = ["l0: &l0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"];
  const maps = ["m0: &m0 { a: lol, b: lol, c: lol }"];
  for (let i = 1; i < 25; i++) {
    lists.push(`l${i}: &l${i} [${Array(9).fill(`*l${i - 1}`).join(", ")}]`);
    maps.push(`m${i}: &m${i} { a: *m${i - 1}, b: *m${i - 1} }`);
  }
  for (const text of [lists.join("\n"), maps.join("\n"), `a: &a ${"x".repeat(3_000_000)}\nb: *a`]) {
    const { problems } = await checkConfigText(text);
    assert.match(problems[0]!.message, /cannot be used: .*larger than 4 MB/);
  }
  const { problems } = await checkConfigText("a: &a\n  b: [*a]\n");
  assert.match(problems[0]!.message, /an alias refers to itself/);
  const sound = await checkConfigText("agent: &a { max_turns: 3 }\nother: *a\n");
  assert.deepEqual(sound.problems, []);
});

Deno.test("checkConfigText() tells of a hundred keys and values at most", async () => {
  const keys = Array.from({ length: 3000 }, (_, i) => `k${i}: 1`);
  const { warnings } = await checkConfigText(keys.join("\n"));
  assert.equal(warnings.length, 100);
  assert.equal(warnings[99]!.line, 100);
  const { problems } = await checkConfigText(`toolsets: [${"1, ".repeat(3000)}2]`);
  assert.equal(problems.length, 100);
});
