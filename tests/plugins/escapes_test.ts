import assert from "node:assert/strict";
import type { ChildMode, Wall } from "../../src/sandbox/child/contract.ts";
import { type Attempt, loadAttempts } from "../sandbox/_attempt.ts";
import { World } from "../sandbox/_world.ts";
import { PluginBench } from "./_bench.ts";
import { ATTEMPT } from "./_escape_tool.ts";

interface Variant {
  mode: ChildMode;
  without: readonly Wall[];
}

/** With everything up, and with each wall down that the others must make up for. */
const VARIANTS: readonly Variant[] = [
  { mode: "deno", without: [] },
  { mode: "deno", without: ["landlock"] },
  { mode: "deno", without: ["seccomp"] },
  { mode: "deno", without: ["landlock", "seccomp"] },
  { mode: "deno", without: ["permissions"] },
  { mode: "reexec", without: [] },
];

/** Metadata, which Landlock does not guard, and storage in the process's own private folder. */
const ONLY_PERMISSIONS = ["local_storage", "stat_file", "stat_relative"];

/** What nothing but Deno's permissions holds back. */
function isBeyondKernel([name, attempt]: [string, Attempt]): boolean {
  return attempt.onlyPermissions === true || ONLY_PERMISSIONS.includes(name);
}

const attempts = await loadAttempts();

async function attemptEscape(
  bench: PluginBench,
  { attempt, world }: { attempt: Attempt; world: World },
): Promise<void> {
  const result = await bench.call("attempt", { code: attempt.script!(world) });
  const said = JSON.stringify(result);
  assert.equal(result.gained, undefined, said);
  assert.ok(!said.includes(world.marker), `the secret was printed: ${said}`);
  // An attempt may also end its own process; a mistake in the attempt is no refusal.
  assert.ok(!/SyntaxError/.test(said), said);
  assert.deepEqual(await world.traces(), []);
  assert.equal(await attempt.effect?.(world), undefined);
}

for (const { mode, without } of VARIANTS) {
  const down = without.length === 0 ? "behind every wall" : `without ${without.join(" and ")}`;
  Deno.test(`no plugin gets out ${down} (${mode})`, async (t) => {
    const world = await World.create();
    try {
      let bench = await PluginBench.create();
      try {
        await bench.load(ATTEMPT, { mode, without });
        assert.deepEqual(bench.reports, []);
        for (const [name, attempt] of attempts) {
          if (attempt.script === undefined) continue;
          if (without.includes("permissions") && isBeyondKernel([name, attempt])) continue;
          await t.step(name, () => attemptEscape(bench, { attempt, world }));
          if (bench.reports.length === 0) continue;
          // It ended its own process: the next one needs another.
          await bench[Symbol.asyncDispose]();
          bench = await PluginBench.create();
          await bench.load(ATTEMPT, { mode, without });
        }
      } finally {
        await bench[Symbol.asyncDispose]();
      }
    } finally {
      await world.close();
    }
  });
}

Deno.test("a compiled build refuses plugins where a kernel wall is missing", async () => {
  for (const wall of ["landlock", "seccomp"] as const) {
    await using bench = await PluginBench.create();
    await bench.load(ATTEMPT, { mode: "reexec", without: [wall] });
    assert.match(bench.reports.join("\n"), new RegExp(`needs a Linux kernel with ${wall}`));
  }
});
