import assert from "node:assert/strict";
import {
  type Edge,
  fenceProblem,
  findCycles,
  hotPathProblems,
  layerOf,
  layerProblem,
  placeProblem,
  pluginProblem,
  privacyProblem,
} from "./check_layers.ts";

function edge(from: string, to: string, kind: Partial<Edge> = {}): Edge {
  return { from, to, typeOnly: false, dynamic: false, ...kind };
}

Deno.test("layerOf() names the folder that has a rank", () => {
  assert.equal(layerOf("src/agent/loop.ts"), "src/agent");
  assert.equal(layerOf("src/cli/commands/run/run.ts"), "src/cli");
  assert.equal(layerOf("tools/read_file.ts"), "tools");
  assert.equal(layerOf("main.ts"), "main.ts");
  assert.equal(layerOf("plugins/calculator/mod.ts"), "plugins");
  assert.equal(layerOf("src/plugin_api.ts"), "src/plugin_api.ts");
  assert.equal(layerOf("scripts/gen.ts"), undefined);
  assert.equal(layerOf("node:fs"), undefined);
});

Deno.test("layerProblem() allows imports that go down", () => {
  for (
    const allowed of [
      edge("src/store/store.ts", "src/util/id.ts"),
      edge("src/agent/loop.ts", "src/agent/budget.ts"),
      edge("src/agent/loop.ts", "src/registry/dispatch/dispatch.ts", { typeOnly: true }),
      edge("tools/read_file.ts", "src/registry/registry.ts"),
      edge("src/session/build.ts", "src/store/store.ts"),
      edge("src/cli/commands/run/run.ts", "src/approval/rules/rules.ts"),
      edge("src/host/host.ts", "src/session/open.ts"),
      edge("src/cli/commands/run/run.ts", "src/host/host.ts"),
      edge("src/cli/commands/run/run.ts", "src/session/session.ts", { typeOnly: true }),
      edge("main.ts", "src/cli/dispatch.ts"),
      edge("main.ts", "src/sandbox/child.ts"),
    ]
  ) assert.equal(layerProblem(allowed), undefined, `${allowed.from} → ${allowed.to}`);
});

Deno.test("layerProblem() refuses up, sideways and too concrete", () => {
  for (
    const refused of [
      edge("src/util/id.ts", "src/protocol/tool.ts"),
      edge("src/store/store.ts", "src/config/home.ts", { typeOnly: true }),
      edge("src/registry/dispatch/dispatch.ts", "src/store/store.ts"),
      edge("src/approval/gate.ts", "src/registry/registry.ts"),
      edge("src/agent/loop.ts", "src/registry/dispatch/dispatch.ts"),
      edge("src/agent/loop.ts", "src/store/store.ts", { typeOnly: true }),
      edge("tools/read_file.ts", "environments/local.ts"),
      edge("tools/read_file.ts", "src/agent/loop.ts"),
      edge("src/session/build.ts", "src/cli/io.ts", { dynamic: true }),
      edge("src/session/build.ts", "src/host/host.ts", { typeOnly: true }),
      edge("src/cli/commands/run/run.ts", "src/session/open.ts", { dynamic: true }),
      edge("src/server/http.ts", "src/agent/loop.ts"),
      edge("src/server/http.ts", "src/cli/io.ts"),
      edge("src/cli/io.ts", "src/server/http.ts", { typeOnly: true }),
      edge("src/protocol/tool.ts", "src/plugin_api.ts", { typeOnly: true }),
      edge("src/plugin_api.ts", "src/store/store.ts", { typeOnly: true }),
      edge("plugins/calculator/mod.ts", "src/registry/registry.ts"),
      edge("src/util/id.ts", "plugins/manifest.ts", { dynamic: true }),
      edge("main.ts", "src/host/host.ts"),
      edge("main.ts", "src/store/store.ts"),
    ]
  ) assert.notEqual(layerProblem(refused), undefined, `${refused.from} → ${refused.to}`);
});

Deno.test("fenceProblem() keeps SQLite in the store and npm in src/deps", () => {
  assert.notEqual(fenceProblem(edge("src/cli/a.ts", "node:child_process")), undefined);
  assert.equal(fenceProblem(edge("src/store/database.ts", "node:sqlite")), undefined);
  assert.notEqual(fenceProblem(edge("src/session/a.ts", "node:sqlite")), undefined);
  assert.equal(fenceProblem(edge("src/deps/zod.ts", "npm:zod@4.6.7")), undefined);
  assert.notEqual(fenceProblem(edge("src/config/load.ts", "npm:zod@4.6.7")), undefined);
  assert.equal(
    fenceProblem(edge("src/config/a.ts", "npm:zod@4.6.7", { typeOnly: true })),
    undefined,
  );
});

Deno.test("pluginProblem() keeps a bundled plugin to hermes/plugin and its own folder", () => {
  for (
    const allowed of [
      edge("plugins/calculator/mod.ts", "src/plugin_api.ts"),
      edge("plugins/calculator/mod.ts", "plugins/calculator/data/units.json"),
      edge("src/plugins/discover.ts", "plugins/manifest.ts", { dynamic: true }),
      edge("src/plugins/guest.ts", "src/plugin_api.ts"),
      edge("src/plugin_api.ts", "src/protocol/hook.ts", { typeOnly: true }),
    ]
  ) assert.equal(pluginProblem(allowed), undefined, `${allowed.from} → ${allowed.to}`);
  for (
    const refused of [
      edge("plugins/calculator/mod.ts", "plugins/calculator-more/mod.ts"),
      edge("plugins/calculator/mod.ts", "plugins/manifest.ts"),
      edge("plugins/calculator/mod.ts", "src/util/id.ts"),
      edge("plugins/calculator/mod.ts", "node:fs"),
      edge("plugins/calculator/mod.ts", "npm:zod@4.6.7", { typeOnly: true }),
      edge("plugins/manifest.ts", "src/util/id.ts"),
      edge("src/plugin_api.ts", "src/protocol/hook.ts"),
      edge("src/plugin_api.ts", "src/util/id.ts"),
      edge("src/plugin_api.ts", "node:fs"),
      edge("src/cli/io.ts", "plugins/manifest.ts"),
      edge("src/plugins/discover.ts", "plugins/calculator/mod.ts"),
      edge("src/cli/io.ts", "src/plugin_api.ts"),
    ]
  ) assert.notEqual(pluginProblem(refused), undefined, `${refused.from} → ${refused.to}`);
});

Deno.test("placeProblem() keeps the places of environments apart", () => {
  const at = (path: string) => `environments/${path}.ts`;
  for (
    const [from, to] of [
      ["docker/environment", "remote/channel"],
      ["docker/environment", "docker/admin"],
      ["docker/environment", "shell"],
      ["docker/admin", "options"],
      ["options", "local/environment"],
      ["manifest", "ssh/environment"],
    ]
  ) assert.equal(placeProblem(edge(at(from!), at(to!))), undefined, `${from} → ${to}`);
  for (
    const [from, to] of [
      ["docker/environment", "ssh/environment"],
      ["remote/channel", "docker/environment"],
      ["local/environment", "remote/channel"],
      ["docker/environment", "manifest"],
      ["shell", "local/environment"],
    ]
  ) assert.notEqual(placeProblem(edge(at(from!), at(to!))), undefined, `${from} → ${to}`);
});

Deno.test("privacyProblem() keeps _files in their folder and tools apart", () => {
  assert.equal(privacyProblem(edge("tools/a.ts", "tools/_b.ts")), undefined);
  assert.equal(privacyProblem(edge("tools/manifest.ts", "tools/a.ts")), undefined);
  assert.notEqual(privacyProblem(edge("src/cli/a.ts", "tools/_b.ts")), undefined);
  assert.notEqual(privacyProblem(edge("tools/a.ts", "tools/b.ts")), undefined);
});

Deno.test("findCycles() reports cycles of values and of types and ignores dynamic ones", () => {
  const there = edge("src/a/x.ts", "src/a/y.ts");
  const back = edge("src/a/y.ts", "src/a/x.ts");
  const cycle = ["src/a/x.ts → src/a/y.ts → src/a/x.ts"];
  assert.deepEqual(findCycles([there, { ...back, dynamic: true }]), []);
  assert.deepEqual(findCycles([there, back]), cycle);
  assert.deepEqual(findCycles([there, { ...back, typeOnly: true }]), cycle);
  assert.deepEqual(
    findCycles([there, back].map((one) => ({ ...one, typeOnly: true }))),
    cycle,
  );
});

Deno.test("hotPathProblems() finds slow modules behind static imports only", () => {
  const first = edge("main.ts", "src/cli/dispatch.ts");
  const slow = edge("src/cli/dispatch.ts", "node:util");
  assert.deepEqual(hotPathProblems([first, { ...slow, dynamic: true }]), []);
  assert.deepEqual(hotPathProblems([first, { ...slow, typeOnly: true }]), []);
  assert.deepEqual(hotPathProblems([first, edge("src/cli/dispatch.ts", "node:sqlite")]), []);
  assert.deepEqual(hotPathProblems([first, slow]), [
    "hot path: main.ts → src/cli/dispatch.ts → node:util: import it lazily",
  ]);
});
