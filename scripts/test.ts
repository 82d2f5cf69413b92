/**
 * `deno task test [FILTER|PATH|-flag]…`: runs every test in parallel and leak-checked, shows the
 * runner's output as it comes, and ends with what this machine cannot test and why, and the line
 * `N passed, N failed`, with `, N skipped` for those. Words that name no file filter by test name.
 */
import { LOCKED, ROOT } from "./_tree.ts";

/** What the runner counted; a run that died before its summary counts as one failure. */
export interface Summary {
  passed: number;
  failed: number;
}

/** Colours are on when a terminal is watching. */
function plainText(output: string): string {
  // deno-lint-ignore no-control-regex -- these are the colours
  return output.replace(/\x1b\[[0-9;]*m/g, "");
}

/** What this machine cannot test, and why: tests whose name says so. */
export function parseUntested(output: string): Map<string, string> {
  // Tests that run in parallel have their file in front.
  const found = plainText(output)
    .matchAll(/^(?:\S+ => )?(.+) NOT TESTED HERE: (.+?) \.\.\. ignored/gm);
  return new Map([...found].map(([, what, why]) => [what!, why!]));
}

/** The last line of all. */
export function summaryLine({ passed, failed }: Summary, untested: number): string {
  return `${passed} passed, ${failed} failed${untested === 0 ? "" : `, ${untested} skipped`}`;
}

/** The counts in the runner's last summary line, checked against its exit code. */
export function parseSummary(output: string, exitCode: number): Summary {
  const plain = plainText(output);
  const last = [...plain.matchAll(/^(?:ok|FAILED) \| (\d+) passed.*?\| (\d+) failed/gm)].at(-1);
  const passed = Number(last?.[1] ?? 0);
  const failed = Number(last?.[2] ?? 0);
  return { passed, failed: exitCode !== 0 && failed === 0 ? 1 : failed };
}

/** Arguments of `deno test` for the words after `deno task test`. */
export async function testArguments(words: readonly string[]): Promise<string[]> {
  const args = ["test", "-A", "--parallel", "--trace-leaks", ...LOCKED];
  const filters: string[] = [];
  for (const word of words) {
    if (word.startsWith("-") || await exists(`${ROOT}/${word}`)) args.push(word);
    else filters.push(word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  }
  if (filters.length > 0) args.push("--filter", `/${filters.join("|")}/`);
  return args;
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false; // not a path, then: a filter
  }
}

/** Runs the suite, copying its output to stdout. */
async function runTests(words: readonly string[]): Promise<{ code: number; output: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: await testArguments(words),
    cwd: ROOT,
    stdout: "piped",
    env: Deno.stdout.isTerminal() ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" },
  }).spawn();
  const decoder = new TextDecoder();
  let output = "";
  for await (const chunk of child.stdout) {
    output += decoder.decode(chunk, { stream: true });
    await Deno.stdout.write(chunk);
  }
  return { code: (await child.status).code, output };
}

if (import.meta.main) {
  const { code, output } = await runTests(Deno.args);
  const summary = parseSummary(output, code);
  const untested = parseUntested(output);
  for (const [what, why] of untested) console.log(`not tested here: ${what}: ${why}`);
  console.log(summaryLine(summary, untested.size));
  Deno.exit(summary.failed > 0 ? 1 : code);
}
