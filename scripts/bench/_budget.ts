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
  /** To the floor: the median of the ratios of the rounds. */
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

/** A neighbour on the machine lasts longer than a few rounds; the part where the floor is fastest counts. */
const PARTS = 3;

/**
 * Measures floor and builds in turns, so that a busy moment of the machine meets all of them;
 * two rounds first that do not count. Of three parts the quietest one, by the floor alone, is
 * the result.
 */
export async function measureRounds(rounds: Rounds): Promise<Budget> {
  const { floor, builds, runs } = rounds;
  for (let round = 0; round < 2; round++) {
    await floor();
    for (const measure of builds.values()) await measure();
  }
  const parts: Budget[] = [];
  while (parts.length < PARTS) {
    parts.push(await measurePart({ ...rounds, runs: Math.ceil(runs / PARTS) }));
  }
  return parts.reduce((quiet, part) => part.floor! < quiet.floor! ? part : quiet);
}

async function measurePart(rounds: Rounds): Promise<Budget> {
  const { floor, builds, runs, ...names } = rounds;
  const floors: number[] = [];
  const values = new Map<string, number[]>();
  const ratios = new Map<string, number[]>();
  for (let round = 0; round < runs; round++) {
    const base = await floor();
    floors.push(base);
    for (const [name, measure] of builds) {
      const value = await measure();
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
