/**
 * What plugins cost: nothing when there is none, little when one is only known, a process when
 * one is needed, and a message a call. Usage: plugin_bench.ts [--runs N]
 */
import { readEntry } from "../../src/plugins/plugin_settings.ts";
import { Plugin } from "../../src/plugins/plugin.ts";
import { openSnapshot } from "../../src/plugins/snapshot.ts";
import { readSource } from "../../src/plugins/source.ts";
import { Seal } from "../../src/util/seal.ts";
import { portableExecutable } from "../portable.ts";
import { BenchModel } from "./_model.ts";
import { runTimed, type Subject } from "./_process.ts";

const START_BUDGET_MS = 60;
const CALL_BUDGET_MS = 1;
const CALLS = 2_000;

const MODULE = `export const manifest = { name: "bench", version: "1.0.0", description: "x" };
export function register(ctx) {
  ctx.registerTool({ name: "nothing", description: "x", schema: { type: "object" }, handler: () => ({}) });
  HOOK
}
`;

const at = Deno.args.indexOf("--runs");
const runs = at < 0 ? 30 : Number(Deno.args[at + 1]);
const directory = await Deno.makeTempDir({ prefix: "hermes-plugin-bench-" });
const model = new BenchModel();
await model.start();

/** A home of its own for each case, so that nothing but the plugin differs. */
async function home(name: string, hook: string | undefined): Promise<string> {
  const path = `${directory}/${name}`;
  await Deno.mkdir(`${path}/.hermes/plugins`, { recursive: true });
  const enabled = hook === undefined ? "[]" : "[bench]";
  await Deno.writeTextFile(`${path}/.hermes/config.yaml`, `plugins:\n  enabled: ${enabled}\n`);
  if (hook !== undefined) {
    const module = MODULE.replace("HOOK", hook);
    await Deno.writeTextFile(`${path}/.hermes/plugins/bench.ts`, module);
  }
  return path;
}

function subject(command: string, path: string): Subject {
  return {
    name: path,
    command,
    args: ["run", "--base-url", model.url, "--model", "bench", "-q", "go"],
    env: {
      HOME: path,
      XDG_CACHE_HOME: `${directory}/cache`,
      PATH: Deno.env.get("PATH") ?? "",
      NO_COLOR: "1",
    },
    cwd: path,
  };
}

async function firstRequestMs(run: Subject): Promise<number> {
  model.reset(0);
  const { startedAt } = await runTimed(run);
  return model.requests[0]!.at - startedAt;
}

/**
 * Milliseconds a session takes longer to its first request than one without a plugin. Judged by
 * the best of all rounds: whatever else the machine does only adds.
 */
async function startCosts(command: string): Promise<Record<"known" | "needed", number>> {
  const hook = `ctx.registerHook("pre_turn", () => undefined);`;
  const subjects = {
    none: subject(command, await home("none", undefined)),
    known: subject(command, await home("known", "")),
    needed: subject(command, await home("needed", hook)),
  };
  // What is in the home is loaded only once somebody has enabled it.
  for (const run of [subjects.known, subjects.needed]) {
    await runTimed({ ...run, args: ["plugins", "enable", "bench"] });
  }
  const best = { none: Infinity, known: Infinity, needed: Infinity };
  for (let round = 0; round < runs; round++) {
    for (const name of ["none", "known", "needed"] as const) {
      best[name] = Math.min(best[name], await firstRequestMs(subjects[name]));
    }
  }
  return { known: best.known - best.none, needed: best.needed - best.none };
}

async function callMs(): Promise<{ p50: number; p99: number }> {
  const file = `${directory}/bench.ts`;
  await Deno.writeTextFile(file, MODULE.replace("HOOK", ""));
  const seal = new Seal(`${directory}/seal.key`);
  const plugin = await Plugin.load({
    snapshot: await openSnapshot(readSource(file), { dir: `${directory}/snapshots`, seal }),
    entry: readEntry({}),
    config: {},
    place: {
      cwd: directory,
      userHome: directory,
      hermesRoot: `${directory}/none`,
      dataDir: `${directory}/data`,
      env: () => undefined,
    },
    log() {},
    onEnd() {},
  });
  const { signal } = new AbortController();
  const facts = { callId: "c", sessionId: "s", taskId: "main" };
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) {
    const startedAt = performance.now();
    await plugin.ask({ kind: "tool", name: "nothing", args: {}, facts }, { signal });
    times.push(performance.now() - startedAt);
  }
  await plugin.close();
  times.sort((a, b) => a - b);
  return { p50: times[CALLS / 2]!, p99: times[Math.floor(CALLS * 0.99)]! };
}

try {
  const { known, needed } = await startCosts(await portableExecutable());
  const { p50, p99 } = await callMs();
  const good = needed <= START_BUDGET_MS && p50 <= CALL_BUDGET_MS;
  console.log(`a plugin that is only known: ${known.toFixed(1)} ms to the first request`);
  console.log(
    `its process, when it is needed: ${needed.toFixed(1)} ms, at most ${START_BUDGET_MS}`,
  );
  console.log(`a call: ${p50.toFixed(3)} ms (p99 ${p99.toFixed(3)}), at most ${CALL_BUDGET_MS}`);
  console.log(good ? "all budgets met" : "a budget is NOT met");
} finally {
  await model.close();
  await Deno.remove(directory, { recursive: true });
}
