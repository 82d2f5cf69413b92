/**
 * What a conformance case for environments looks like, and how the cases become tests of one
 * backend. The cases know nothing of any backend; a backend is a module that exports `open`.
 */
import { equal } from "node:assert/strict";
import type { BackgroundProcess, Environment } from "../../src/protocol/environment.ts";

/** An environment that nobody else uses. */
export interface OpenEnvironment {
  env: Environment;
  /** An empty directory inside it, which is also its working directory. */
  dir: string;
  /** Closes the environment and removes what the backend needed for it. */
  close(): Promise<void>;
  /** Ends the place, or the way to it, from outside; where there is a place of its own. */
  breakDown?(): Promise<void>;
  /** Like `countProcesses()`, where one place does not see the processes of another. */
  count?(word: string): Promise<number>;
}

export interface EnvironmentTarget {
  name: string;
  /** URL of a module that exports `open(): Promise<OpenEnvironment>`. */
  module: string;
  /** Where a library needs memory of its own: growth allowed for this much output. */
  memory?: { megabytes: number; limitKb: number };
}

export interface CaseContext extends OpenEnvironment {
  target: EnvironmentTarget;
  /** Runs a command, wants exit code 0, returns the output without its last line end. */
  sh(command: string): Promise<string>;
}

export interface EnvironmentCase {
  name: string;
  run(context: CaseContext): Promise<void>;
}

/** One test for each case, on a fresh environment each. */
export function testEnvironment(
  target: EnvironmentTarget,
  cases: readonly EnvironmentCase[],
): void {
  for (const { name, run } of cases) {
    Deno.test(`environment ${target.name} ${name}`, async () => {
      const opened = await openTarget(target);
      try {
        await run({ ...opened, target, sh: (command) => runOk(opened.env, command) });
      } finally {
        await opened.close();
      }
    });
  }
}

export async function openTarget(target: EnvironmentTarget): Promise<OpenEnvironment> {
  const { open } = await import(target.module) as { open: () => Promise<OpenEnvironment> };
  return await open();
}

async function runOk(env: Environment, command: string): Promise<string> {
  const result = await env.exec(command);
  equal(result.exitCode, 0, `${command}\n${result.output}`);
  return result.output.replace(/\n$/, "");
}

const OUTPUT_WAIT_MS = 60_000;

/** Resolves when the output contains `text`; fails loudly when the process ends or hangs without it. */
export async function untilOutput(process: BackgroundProcess, text: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<string>();
  function look(): void {
    if (process.output().text.includes(text)) resolve("seen");
  }
  const stop = process.onOutput(look);
  const timer = setTimeout(() => resolve("still runs"), OUTPUT_WAIT_MS);
  look();
  const outcome = await Promise.race([promise, process.exited]);
  clearTimeout(timer);
  stop();
  const { text: all } = process.output();
  if (!all.includes(text)) throw new Error(`(${outcome}) No "${text}" in:\n${all}`);
}

/** Waits for a process that was told to end. @throws with its output when it does not. */
export async function untilEnd(process: BackgroundProcess): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const late = () => reject(new Error(`It goes on:\n${process.output().text}`));
  const timer = setTimeout(late, OUTPUT_WAIT_MS);
  await Promise.race([process.exited, promise]).finally(() => clearTimeout(timer));
}

/** A long time to sleep that no other process on the machine sleeps, to find it by. */
export function uniqueNap(): string {
  return `1234.${crypto.getRandomValues(new Uint32Array(1))[0]! + 1_000_000_000}`;
}

/** How many processes the environment shows with this word on their command line. */
export async function countProcesses(env: Environment, word: string): Promise<number> {
  // The bracket keeps the search from finding itself.
  const { output } = await env.exec(
    `for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' 2>/dev/null <"$f"; echo; done | ` +
      `grep -c '[${word[0]}]${word.slice(1)}'`,
    { taskId: "count" },
  );
  return Number(output.trim());
}
