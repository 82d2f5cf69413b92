/**
 * `deno task bench [--runs N] [--bin FILE]`: the budgets of the design, measured beside the floor
 * agent in one run and printed as ratios. Writes `dist/bench.json`; exits 1 when the portable
 * build is over a budget.
 */
import { parseArgs } from "node:util";
import { ROOT } from "../_tree.ts";
import { absolute, type Budget, isMet, JUDGED, measureRounds } from "./_budget.ts";
import { BenchModel, fixedChars } from "./_model.ts";
import { pssMiB, runTimed, type Subject } from "./_process.ts";
import { prepareSubjects, type Subjects } from "./_subjects.ts";
import { DURABLE_BUDGET_MS, measureDurable } from "./store_bench.ts";

const TOOL_TURNS = 20;

interface Bench {
  subjects: Subjects;
  model: BenchModel;
  runs: number;
  /** Removed afterwards. */
  directory: string;
}

type Measure = (subject: Subject) => Promise<number>;

async function wallMs(subject: Subject): Promise<number> {
  return (await runTimed(subject)).tookMs;
}

/** Every budget that is a ratio: how it is measured and what it may be. */
function ratioBudgets(model: BenchModel): [Omit<Budget, "values" | "ratios">, Measure][] {
  const firstRequestMs: Measure = async (subject) => {
    model.reset(0);
    const { startedAt } = await runTimed(subject);
    return model.requests[0]!.at - startedAt;
  };
  const perTurnMs: Measure = async (subject) => {
    model.reset(TOOL_TURNS);
    await runTimed(subject);
    const [first, last] = [model.requests[1]!, model.requests[TOOL_TURNS]!];
    return (last.at - first.at) / (TOOL_TURNS - 1);
  };
  /** The highest PSS seen at any request of a run with one tool turn. */
  const peakMiB: Measure = async (subject) => {
    model.reset(1);
    let pid = 0;
    let peak = 0;
    model.onRequest = async () => {
      peak = Math.max(peak, await pssMiB(pid));
    };
    await runTimed(subject, (started) => pid = started);
    model.onRequest = () => Promise.resolve();
    return peak;
  };
  return [
    [{ id: "first_request", what: "start to first request", unit: "ms", limit: 2 }, firstRequestMs],
    [{ id: "tool_turn", what: "per tool turn", unit: "ms", limit: 2 }, perTurnMs],
    [{ id: "one_turn", what: "whole run, one answer", unit: "ms", limit: 3 }, async (subject) => {
      model.reset(0);
      return await wallMs(subject);
    }],
    [{ id: "memory", what: "peak memory (PSS)", unit: "MiB", limit: 2 }, peakMiB],
  ];
}

async function measureAll(bench: Bench): Promise<Budget[]> {
  const { subjects, model, runs } = bench;
  const job = ["run", "--base-url", model.url, "--model", "bench", "--quiet", "go"];
  const rounds = (args: readonly string[], measure: Measure) =>
    new Map([...subjects.builds].map(([name, build]) => [name, () => measure(build(args))]));
  const budgets = [
    await measureRounds({
      id: "version",
      what: "hermes --version (floor: empty script)",
      unit: "ms",
      limit: 2,
      runs,
      floor: () => wallMs(subjects.empty),
      builds: rounds(["--version"], wallMs),
    }),
  ];
  const floor = subjects.floor([model.url, "go"]);
  for (const [budget, measure] of ratioBudgets(model)) {
    budgets.push(
      await measureRounds({
        ...budget,
        runs,
        floor: () => measure(floor),
        builds: rounds(job, measure),
      }),
    );
  }
  const [start] = budgets;
  const durableMs = measureDurable(bench.directory);
  const { size } = await Deno.stat(subjects.builds.get(JUDGED)!([]).command);
  return [
    ...budgets,
    absolute(
      { id: "unpacked", what: "portable over bundle, --version", unit: "ms", limit: 10 },
      start!.values.portable! - start!.values.bundle!,
    ),
    absolute(
      { id: "prompt", what: "system prompt and tool schemas", unit: "chars", limit: 16_000 },
      fixedChars(model.requests.at(-1)!.body),
    ),
    absolute(
      { id: "durable", what: "one message on disk", unit: "ms", limit: DURABLE_BUDGET_MS },
      durableMs,
    ),
    absolute({ id: "size", what: "the executable", unit: "MB", limit: 45 }, size / 1e6),
  ];
}

function report(budgets: readonly Budget[]): void {
  for (const budget of budgets) {
    const { what, unit, floor, values, ratios, limit } = budget;
    const shown = Object.entries(values).map(([name, value]) => {
      const ratio = ratios[name];
      return `${name} ${value.toFixed(1)}${ratio === undefined ? "" : ` (${ratio.toFixed(2)}×)`}`;
    });
    const base = floor === undefined ? "" : `floor ${floor.toFixed(1)}  `;
    const allowed = `≤ ${limit}${floor === undefined ? "" : "×"}`;
    const verdict = isMet(budget) ? "ok" : "OVER";
    console.log(
      `${`${what}, ${unit}`.padEnd(44)} ${base}${shown.join("  ")}  ${allowed} ${verdict}`,
    );
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { runs: { type: "string", default: "21" }, bin: { type: "string" } },
  });
  const directory = await Deno.makeTempDir({ prefix: "hermes-bench-" });
  const model = new BenchModel();
  try {
    await model.start();
    const subjects = await prepareSubjects({ directory, binary: values.bin });
    const budgets = await measureAll({ subjects, model, runs: Number(values.runs), directory });
    report(budgets);
    const facts = { runs: Number(values.runs), arch: Deno.build.arch, deno: Deno.version.deno };
    await Deno.mkdir(`${ROOT}/dist`, { recursive: true });
    await Deno.writeTextFile(
      `${ROOT}/dist/bench.json`,
      `${JSON.stringify({ ...facts, budgets }, null, 2)}\n`,
    );
    const over = budgets.filter((budget) => !isMet(budget)).map(({ id }) => id);
    console.log(over.length === 0 ? "all budgets met" : `over budget: ${over.join(", ")}`);
    Deno.exitCode = over.length === 0 ? 0 : 1;
  } finally {
    await model.close();
    await Deno.remove(directory, { recursive: true });
  }
}
