/**
 * `deno task test [FILTER|PATH|-flag]…`: runs every test in parallel and leak-checked, with the
 * permissions that its group needs; shows the runner's output and how far it is, and ends with
 * what this machine cannot test and why, and the line `N passed, N failed`, with `, N skipped` for
 * those. Words that name no file filter by test name. A test that does not end is ended.
 */
import { exists } from "../src/util/exists.ts";
import { LOCKED, ROOT, runDeno, typescriptFiles } from "./_tree.ts";
import { groupFiles } from "./test_groups.ts";
import { SLOW_FIRST } from "./test_order_data.ts";
import { parseUntested, summaryLine } from "./test_progress.ts";
import { INTERRUPTED, type Plan, runTests, type TestRun } from "./test_run.ts";

/** Every test file; those that take long first, so that none of them runs alone at the end. */
export async function testFiles(): Promise<string[]> {
  const all = (await typescriptFiles()).filter((path) => path.endsWith("_test.ts"));
  const slow = SLOW_FIRST.filter((path) => all.includes(path));
  return [...slow, ...all.filter((path) => !slow.includes(path))];
}

/** What to run for the words after `deno task test`. */
export async function planTests(words: readonly string[]): Promise<Plan> {
  const args: string[] = [];
  const filters: string[] = [];
  const places: string[] = [];
  for (const word of words) {
    if (word.startsWith("-")) args.push(word);
    else if (await exists(`${ROOT}/${word}`)) places.push(word.replace(/^\.\//, ""));
    else filters.push(word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  }
  if (filters.length > 0) args.push("--filter", `/${filters.join("|")}/`);
  if (words.length === 0) args.push("--no-check"); // `checkTypes()` does, at the same time
  const isWhole = words.every((word) => word === "--no-check");
  const files = await testFiles();
  return {
    args,
    groups: groupFiles(places.length === 0 ? files : files.filter((path) => isBelow(path, places))),
    isWhole,
  };
}

/** True for a file that is, or is in, one of `places`. */
function isBelow(path: string, places: readonly string[]): boolean {
  return places.some((place) =>
    place === "." || path === place || path.startsWith(place.endsWith("/") ? place : `${place}/`)
  );
}

/** What is wrong with the types of the whole tree; the gate has usually looked already. */
async function checkTypes(): Promise<string> {
  const { code, stdout, stderr } = await runDeno(["check", "--quiet", ...LOCKED, "."]);
  return code === 0 ? "" : `${stdout}${stderr}`.trimEnd();
}

/** Nobody waits for the types any more. */
function leaveWhenInterrupted(run: TestRun): TestRun {
  if (run.code === INTERRUPTED) Deno.exit(INTERRUPTED);
  return run;
}

/** A bundle that cannot be made is a failure like others. */
function explain(error: Error): TestRun {
  console.error(error.message);
  return { code: 1, output: "", summary: { passed: 0, failed: 1 } };
}

if (import.meta.main) {
  const plan = await planTests(Deno.args);
  if (plan.groups.length === 0) {
    console.error(`no test file below ${Deno.args.join(" ")}`);
    Deno.exit(1);
  }
  const [{ code, output, summary }, mistakes] = await Promise.all([
    runTests(plan).then(leaveWhenInterrupted, explain),
    Deno.args.length === 0 ? checkTypes() : "",
  ]);
  if (mistakes !== "") {
    console.log(mistakes);
    summary.failed++;
  }
  const untested = parseUntested(output);
  for (const [what, why] of untested) console.log(`not tested here: ${what}: ${why}`);
  console.log(summaryLine(summary, untested.size));
  Deno.exit(summary.failed > 0 ? 1 : code);
}
