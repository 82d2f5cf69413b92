/** A measured budget: values of every build beside the floor, and whether they are within it. */
import { median } from "./_process.ts";

export interface Budget {
  /** Stable name, the key in the baseline. */
  id: string;
  what: string;
  unit: string;
  /** The value of the floor; absent where there is none. */
  floor?: number;
  values: Record<string, number>;
  /** To the floor: the median of the ratios of each round. */
  ratios: Record<string, number>;
  /** Largest allowed ratio, or value where there is no floor. */
  limit: number;
}

/** The build that the budgets are about. */
export const JUDGED = "portable";

export interface Rounds {
  id: string;
  what: string;
  unit: string;
  limit: number;
  runs: number;
  floor: () => Promise<number>;
  builds: ReadonlyMap<string, () => Promise<number>>;
}

/**
 * Measures floor and builds in turns, so that a busy moment of the machine meets all of them;
 * two rounds first that do not count.
 */
export async function measureRounds(rounds: Rounds): Promise<Budget> {
  const { floor, builds, runs, ...names } = rounds;
  const floors: number[] = [];
  const values = new Map<string, number[]>();
  const ratios = new Map<string, number[]>();
  for (let round = -2; round < runs; round++) {
    const base = await floor();
    if (round >= 0) floors.push(base);
    for (const [name, measure] of builds) {
      const value = await measure();
      if (round < 0) continue;
      values.set(name, [...values.get(name) ?? [], value]);
      ratios.set(name, [...ratios.get(name) ?? [], value / base]);
    }
  }
  return { ...names, floor: median(floors), values: medians(values), ratios: medians(ratios) };
}

/** A budget without a floor: the value itself is limited. */
export function absolute(
  budget: Pick<Budget, "id" | "what" | "unit" | "limit">,
  value: number,
): Budget {
  return { ...budget, values: { [JUDGED]: value }, ratios: {} };
}

export function isMet(budget: Budget): boolean {
  return judgedNumber(budget) <= budget.limit;
}

/** What is compared with the limit and with the baseline: the ratio, or the value itself. */
export function judgedNumber(budget: Budget): number {
  return (budget.floor === undefined ? budget.values : budget.ratios)[JUDGED] ?? NaN;
}

function medians(lists: ReadonlyMap<string, number[]>): Record<string, number> {
  return Object.fromEntries([...lists].map(([name, list]) => [name, median(list)]));
}
