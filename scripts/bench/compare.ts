/**
 * Compares `dist/bench.json` with the committed baseline and fails when a budget's ratio is more
 * than 15 % worse. `--accept` makes the last measurement the baseline.
 */
import { ROOT } from "../_tree.ts";
import { type Budget, judgedNumber } from "./_budget.ts";

/** By budget: the ratio, or the value where there is no floor. */
export type Baseline = Readonly<Record<string, number>>;

const TOLERANCE = 1.15;
/** Budgets that are kept but not compared: a small difference of two times, the mood of a disk. */
const UNSTEADY: ReadonlySet<string> = new Set(["unpacked", "durable"]);
const MEASURED = `${ROOT}/dist/bench.json`;
const BASELINE = `${ROOT}/scripts/bench/baseline.json`;

/** One line per budget that is missing or got worse. */
export function regressions(baseline: Baseline, budgets: readonly Budget[]): string[] {
  const now = toBaseline(budgets);
  return Object.entries(baseline).flatMap(([id, before]) => {
    const value = now[id];
    if (value === undefined || Number.isNaN(value)) return [`${id} was not measured`];
    if (value <= before * TOLERANCE) return [];
    const percent = Math.round((value / before - 1) * 100);
    return [`${id} is ${percent} % worse: ${value.toFixed(2)}, was ${before.toFixed(2)}`];
  });
}

/** What a measurement becomes when it is accepted. Times without a floor depend on the machine. */
export function toBaseline(budgets: readonly Budget[]): Baseline {
  const comparable = budgets.filter(({ floor, unit }) => floor !== undefined || unit !== "ms");
  return Object.fromEntries(
    comparable.map((budget) => [budget.id, Number(judgedNumber(budget).toFixed(3))]),
  );
}

if (import.meta.main) {
  const { budgets } = JSON.parse(await Deno.readTextFile(MEASURED)) as { budgets: Budget[] };
  if (Deno.args.includes("--accept")) {
    const accepted = toBaseline(budgets.filter(({ id }) => !UNSTEADY.has(id)));
    await Deno.writeTextFile(BASELINE, `${JSON.stringify(accepted, null, 2)}\n`);
    Deno.exit(0);
  }
  const baseline = JSON.parse(await Deno.readTextFile(BASELINE)) as Baseline;
  const worse = regressions(baseline, budgets);
  for (const line of worse) console.error(line);
  console.log(worse.length === 0 ? "no regression" : `${worse.length} regressions`);
  Deno.exit(worse.length === 0 ? 0 : 1);
}
