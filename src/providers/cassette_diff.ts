/** Where two JSON values part ways, in one bounded line for people. */

interface Difference {
  path: string;
  recorded: unknown;
  actual: unknown;
}

const MAX_SHOWN = 3;
const MAX_VALUE_CHARS = 80;
const CONTEXT_CHARS = 20;

/** The first differences between what was recorded and what is sent now; undefined when equal. */
export function describeDifference(recorded: unknown, actual: unknown): string | undefined {
  const found: Difference[] = [];
  collect({ path: "", recorded, actual }, found);
  const [first, ...rest] = found;
  if (first === undefined) return undefined;
  const [was, is] = shown(first);
  const more = rest.slice(0, MAX_SHOWN - 1).map((difference) => difference.path);
  if (rest.length >= MAX_SHOWN) more.push("…");
  const others = more.length === 0 ? "" : ` (also ${more.join(", ")})`;
  return `at ${first.path || "the top"} recorded ${was}, now ${is}${others}`;
}

function collect(pair: Difference, found: Difference[]): void {
  const { path, recorded, actual } = pair;
  if (found.length > MAX_SHOWN || Object.is(recorded, actual)) return;
  if (!isContainer(recorded) || !isContainer(actual)) {
    found.push(pair);
    return;
  }
  if (Array.isArray(recorded) !== Array.isArray(actual)) {
    found.push(pair);
    return;
  }
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(actual)])) {
    const step = Array.isArray(recorded) ? `[${key}]` : path === "" ? key : `.${key}`;
    collect({ path: path + step, recorded: recorded[key], actual: actual[key] }, found);
  }
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Both values, cut to the place where they differ. */
function shown({ recorded, actual }: Difference): [string, string] {
  if (typeof recorded !== "string" || typeof actual !== "string") {
    return [clip(recorded), clip(actual)];
  }
  let same = 0;
  while (same < recorded.length && recorded[same] === actual[same]) same++;
  const from = Math.max(0, same - CONTEXT_CHARS);
  return [clip(recorded, from), clip(actual, from)];
}

function clip(value: unknown, from = 0): string {
  if (value === undefined) return "nothing";
  const text = typeof value === "string" ? value.slice(from) : JSON.stringify(value);
  const cut = text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
  return typeof value === "string" ? JSON.stringify(`${from > 0 ? "…" : ""}${cut}`) : cut;
}
