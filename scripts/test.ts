/**
 * `deno task test [FILTER|PATH|-flag]…`: runs every test in parallel and leak-checked, shows the
 * runner's output as it comes and how far it is, and ends with what this machine cannot test and
 * why, and the line `N passed, N failed`, with `, N skipped` for those. Words that name no file
 * filter by test name. A run that does not end is ended, with the names of the tests that hung.
 */
import { exists } from "../src/util/exists.ts";
import { TEST_BUNDLE } from "../tests/support/hermes.ts";
import { LOCKED, ROOT, runDeno, typescriptFiles } from "./_tree.ts";
import { makeTestBundle, type TestBundle } from "./test_bundle.ts";
import { SLOW_FIRST } from "./test_order_data.ts";
import { makeTestTemp } from "./test_temp.ts";

/** What the runner counted; a run that died before its summary counts as one failure. */
export interface Summary {
  passed: number;
  failed: number;
}

/** Many times what a run takes on two cores: something waits for ever. */
const DEADLINE_MS = 30 * 60_000;
/** The runner names the tests that run before it ends. */
const LAST_WORDS_MS = 10_000;
/** How many more files are worth a line. */
const PROGRESS_FILES = 20;
/** The exit code after Ctrl-C. */
const INTERRUPTED = 130;
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];

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

/** Every test file; those that take long first, so that none of them runs alone at the end. */
export async function testFiles(): Promise<string[]> {
  const all = (await typescriptFiles()).filter((path) => path.endsWith("_test.ts"));
  const slow = SLOW_FIRST.filter((path) => all.includes(path));
  return [...slow, ...all.filter((path) => !slow.includes(path))];
}

interface Plan {
  /** Arguments of `deno test`. */
  args: string[];
  /** How many files are run; undefined unless it is all of them. */
  files?: number;
}

/** What to run for the words after `deno task test`. */
export async function planTests(words: readonly string[]): Promise<Plan> {
  const args = ["test", "-A", "--parallel", "--trace-leaks", ...LOCKED];
  const filters: string[] = [];
  let isWhole = true;
  for (const word of words) {
    if (word.startsWith("-") || await exists(`${ROOT}/${word}`)) args.push(word);
    else filters.push(word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
    isWhole &&= word === "--no-check";
  }
  if (filters.length > 0) args.push("--filter", `/${filters.join("|")}/`);
  if (!isWhole) return { args };
  const files = await testFiles();
  if (words.length === 0) args.push("--no-check"); // `checkTypes()` does, at the same time
  return { args: [...args, ...files], files: files.length };
}

/** Tells from the runner's output how many files had a test that ended. */
export class Progress {
  readonly #total: number;
  readonly #seen = new Set<string>();
  readonly #now: () => number;
  readonly #startedAt: number;
  #shown = 0;

  constructor(total: number, now: () => number = () => performance.now()) {
    this.#total = total;
    this.#now = now;
    this.#startedAt = now();
  }

  /** A line to show after this much more output, or nothing. */
  after(output: string): string {
    const plain = plainText(output);
    for (const [, file] of plain.matchAll(/^(\S+_test\.ts) => /gm)) this.#seen.add(file!);
    // The rest of a line would come after it.
    if (this.#seen.size < this.#shown + PROGRESS_FILES || !output.endsWith("\n")) return "";
    this.#shown = this.#seen.size;
    return `[${this.#shown} of ${this.#total} files, ${this.#left()}]\n`;
  }

  /** As if the rest took as long as what is done; the slow files come first, so it takes less. */
  #left(): string {
    const eachMs = (this.#now() - this.#startedAt) / this.#shown;
    const minutes = Math.ceil(eachMs * (this.#total - this.#shown) / 60_000);
    return minutes <= 1 ? "about a minute left" : `at most ${minutes} minutes left`;
  }
}

/** Ends a runner that is too late, once it has named the tests that run. */
export function endWhenLate(child: Deno.ChildProcess, deadlineMs = DEADLINE_MS): Disposable {
  let timer = setTimeout(() => {
    console.error(`not done after ${deadlineMs / 60_000} minutes: ending the tests that run`);
    child.kill("SIGINT");
    timer = setTimeout(() => child.kill("SIGKILL"), LAST_WORDS_MS);
  }, deadlineMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

interface TestRun {
  code: number;
  output: string;
}

/** Makes the program that the tests of a whole run drive. */
type MakeBundle = () => Promise<TestBundle>;

/** Runs the suite, copying its output to stdout; a run of all files gets a bundle of hermes. */
export async function runTests(
  { args, files }: Plan,
  makeBundle: MakeBundle = makeTestBundle,
): Promise<TestRun> {
  using interrupts = new Interrupts();
  await using temp = await makeTestTemp();
  await using bundle = files === undefined || Deno.build.os === "windows"
    ? undefined
    : await makeBundle();
  if (interrupts.count > 0) return { code: INTERRUPTED, output: "" };
  const child = interrupts.runner = startRunner(args, {
    ...temp.env,
    ...bundle === undefined ? {} : { [TEST_BUNDLE]: bundle.path },
  });
  using _late = endWhenLate(child);
  const progress = files === undefined ? undefined : new Progress(files);
  const decoder = new TextDecoder();
  let output = "";
  for await (const chunk of child.stdout) {
    const text = decoder.decode(chunk, { stream: true });
    output += text;
    await writeAll(chunk);
    await writeAll(new TextEncoder().encode(progress?.after(text) ?? ""));
  }
  const { code } = await child.status;
  return { code: interrupts.count > 0 ? INTERRUPTED : code, output };
}

function startRunner(args: string[], env: Record<string, string>): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args,
    cwd: ROOT,
    stdout: "piped",
    env: {
      ...env,
      // Many tests wait, for a process or a clock: two more of them keep every core busy.
      DENO_JOBS: Deno.env.get("DENO_JOBS") ?? `${navigator.hardwareConcurrency + 2}`,
      ...Deno.stdout.isTerminal() ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" },
    },
  }).spawn();
}

/** Ctrl-C and the like end the runner first: what was made for it has to be removed. */
class Interrupts implements Disposable {
  count = 0;
  /** Told of every interrupt, once there is one. */
  runner: Deno.ChildProcess | undefined;
  #onSignal = (): void => {
    this.count++;
    this.runner?.kill("SIGINT");
  };

  constructor() {
    for (const signal of SIGNALS) Deno.addSignalListener(signal, this.#onSignal);
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, this.#onSignal);
  }
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await Deno.stdout.write(bytes.subarray(done));
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
  return { code: 1, output: "" };
}

if (import.meta.main) {
  const plan = await planTests(Deno.args);
  const isWhole = Deno.args.length === 0;
  const [{ code, output }, mistakes] = await Promise.all([
    runTests(plan).then(leaveWhenInterrupted, explain),
    isWhole ? checkTypes() : "",
  ]);
  const summary = parseSummary(output, code);
  if (mistakes !== "") {
    console.log(mistakes);
    summary.failed++;
  }
  const untested = parseUntested(output);
  for (const [what, why] of untested) console.log(`not tested here: ${what}: ${why}`);
  console.log(summaryLine(summary, untested.size));
  Deno.exit(summary.failed > 0 ? 1 : code);
}
