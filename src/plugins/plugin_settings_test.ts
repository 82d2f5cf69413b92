import assert from "node:assert/strict";
import type { PluginManifest } from "../protocol/plugin.ts";
import type { Settings } from "../config/load.ts";
import { checkConfig, entryProblems, readEntry, sampleConfig } from "./plugin_settings.ts";

const MANIFEST = {
  name: "demo",
  config: {
    unit: { type: "string", default: "metric" },
    days: { type: "number", required: true },
    list: { type: "list" },
  },
} as unknown as PluginManifest;

Deno.test("readEntry() makes the safe choice of anything it is not told", () => {
  const safe = {
    config: {},
    trustFull: false,
    allowToolOverride: false,
    memoryMb: 256,
    turnsPerMinute: 6,
  };
  for (const value of [undefined, null, "full", [], { trust: true, allow_tool_override: "yes" }]) {
    assert.deepEqual(readEntry(value), safe);
  }
  assert.equal(readEntry({ trust: "full" }).trustFull, true);
  assert.equal(readEntry({ memory_mb: 512 }).memoryMb, 512);
  assert.deepEqual(readEntry({ settings: { a: 1 } }).config, { a: 1 });
});

Deno.test("entryProblems() names what an entry says in vain", () => {
  const problemsOf = (entry: unknown) =>
    entryProblems(
      { config: { plugins: { entries: { demo: entry } } } } as unknown as Settings,
      "demo",
    );
  assert.deepEqual(problemsOf(undefined), []);
  const fine = { config: {}, trust: "full", "allow_tool_override": false, "memory_mb": 64 };
  assert.deepEqual(problemsOf(fine), []);
  assert.deepEqual(problemsOf({ trust: "ful", "memory_mb": "lots", "allow_tool_overide": true }), [
    "plugins.entries.demo.trust is ignored: it cannot have this value",
    "plugins.entries.demo.memory_mb is ignored: it cannot have this value",
    "plugins.entries.demo.allow_tool_overide is ignored: there is no such key. " +
    'Did you mean "allow_tool_override"?',
  ]);
});

Deno.test("sampleConfig() fits whatever a manifest requires", () => {
  assert.deepEqual(sampleConfig(MANIFEST), { unit: "metric", days: 0 });
});

Deno.test("checkConfig() applies defaults and leaves out what nobody set", () => {
  assert.deepEqual(checkConfig(MANIFEST, { days: 3 }), { unit: "metric", days: 3 });
  assert.deepEqual(checkConfig(MANIFEST, { days: 3, unit: "us", list: ["a"] }), {
    unit: "us",
    days: 3,
    list: ["a"],
  });
});

Deno.test("checkConfig() names the setting that is missing, wrong or unknown", () => {
  const cases: [Record<string, unknown>, RegExp][] = [
    [{}, /needs plugins\.entries\.demo\.config\.days/],
    [{ days: "3" }, /config\.days must be a number, not a string/],
    [{ days: 3, list: "a" }, /config\.list must be a list, not a string/],
    [{ days: 3, unti: "us" }, /config\.unti is no setting of it\. Did you mean "unit"/],
  ];
  for (const [given, says] of cases) {
    assert.throws(() => checkConfig(MANIFEST, given), { message: says });
  }
});
