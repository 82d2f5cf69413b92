/** What the output of a test runner says: how far it is, what was counted, what cannot run here. */

/** What the runner counted; a run that died before its summary counts as one failure. */
export interface Summary {
  passed: number;
  failed: number;
}

/** How many more files are worth a line. */
const PROGRESS_FILES = 20;

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

/** Tells from the output of the runners how many tests and files are done. */
export class Progress {
  readonly #total: number;
  readonly #seen = new Set<string>();
  readonly #now: () => number;
  readonly #startedAt: number;
  #group = "";
  #unfinished = "";
  #passed = 0;
  #failed = 0;
  #shown = 0;

  constructor(total: number, now: () => number = () => performance.now()) {
    this.#total = total;
    this.#now = now;
    this.#startedAt = now();
  }

  /** The line in front of a group. */
  startGroup(group: string): string {
    this.#group = group;
    return this.#line();
  }

  /** A line to show after this much more output, or nothing. */
  after(output: string): string {
    const lines = (this.#unfinished + plainText(output)).split("\n");
    this.#unfinished = lines.pop()!;
    for (const line of lines) this.#count(line);
    // The rest of a line would come after it.
    if (this.#seen.size < this.#shown + PROGRESS_FILES || this.#unfinished !== "") return "";
    this.#shown = this.#seen.size;
    return this.#line();
  }

  /** `FILE => NAME ... ok (3ms)`; a step of a test has one ` ... ` more. */
  #count(line: string): void {
    const [file = "", test] = line.split(" => ", 2);
    const [, result = "", step] = test?.split(" ... ") ?? [];
    if (!file.endsWith("_test.ts") || step !== undefined) return;
    this.#seen.add(file);
    if (result.startsWith("ok")) this.#passed++;
    if (result.startsWith("FAILED")) this.#failed++;
  }

  #line(): string {
    const done = [
      `${this.#seen.size} of ${this.#total} files`,
      `${this.#passed} passed`,
      ...this.#failed === 0 ? [] : [`${this.#failed} FAILED`],
      `${clock(this.#now() - this.#startedAt)} so far`,
    ];
    return `[${this.#group}: ${done.join(", ")}${this.#left()}]\n`;
  }

  /** As if the rest took as long as what is done. */
  #left(): string {
    if (this.#seen.size < PROGRESS_FILES) return "";
    const eachMs = (this.#now() - this.#startedAt) / this.#seen.size;
    return `, about ${clock(eachMs * (this.#total - this.#seen.size))} left`;
  }
}

/** Minutes and seconds, as `3:05`. */
function clock(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
