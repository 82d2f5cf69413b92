/** Whether an expression takes time out of proportion to a text, told by counted steps. */
import { type Pump, pumpsFor, pumpText } from "./_regex_pumps.ts";
import { StepCounter } from "./_regex_steps.ts";
import { parseRegex, type RegexTree } from "./_regex_tree.ts";

export interface Growth {
  /** Texts that were tried. */
  tried: number;
  /** One on which the steps grow faster than the text, with the counts. */
  slow?: { pump: Pump; steps: number[] };
  /** Otherwise, the one that took most steps. */
  worst?: Pump;
}

const LENGTHS = [100, 200, 400] as const;
/** Twice the text takes twice the steps; four times as many are quadratic. */
const MIN_GROWTH = 2.7;
/** Steps for each character below which growth is of no account. */
const FEW_STEPS = 8;
/** Steps that the shortest text may take, and how many times more the next. */
const LIMIT = 400_000;
const MAX_GROWTH = 5;

/** Tries the expression on texts made for it. */
export function growthOf(source: string, flags: string): Growth {
  const tree = parseRegex(source, flags);
  if (repeatsBehind(tree)) {
    const pump = { prefix: "", pump: "", suffix: "(looks back without a bound)" };
    return { tried: 0, slow: { pump, steps: [] } };
  }
  const counter = new StepCounter(tree, flags);
  const pumps = pumpsFor(tree);
  let worst: Pump | undefined;
  let most = 0;
  for (const [index, pump] of pumps.entries()) {
    const steps: number[] = [];
    for (const length of LENGTHS) {
      const limit = steps.length === 0 ? LIMIT : steps.at(-1)! * MAX_GROWTH;
      steps.push(counter.count(pumpText(pump, length), limit));
      if (steps[0]! > most) [worst, most] = [pump, steps[0]!];
      if (!isGrowing(steps)) break;
      if (steps.length === LENGTHS.length || steps[0] === LIMIT) {
        return { tried: index + 1, slow: { pump, steps } };
      }
    }
  }
  return { tried: pumps.length, ...(worst === undefined ? {} : { worst }) };
}

function isGrowing(steps: readonly number[]): boolean {
  const now = steps.at(-1)!;
  if (steps.length === 1) return now > LENGTHS[0] * FEW_STEPS;
  return now / steps.at(-2)! > MIN_GROWTH;
}

function repeatsBehind(tree: RegexTree, behind = false): boolean {
  switch (tree.type) {
    case "repeat":
      return (behind && tree.max > 50) || repeatsBehind(tree.body, behind);
    case "look":
      return repeatsBehind(tree.body, behind || tree.behind);
    case "group":
      return repeatsBehind(tree.body, behind);
    case "choice":
      return tree.options.some((option) => repeatsBehind(option, behind));
    case "sequence":
      return tree.items.some((item) => repeatsBehind(item, behind));
    default:
      return false;
  }
}
