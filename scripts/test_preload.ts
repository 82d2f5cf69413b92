/**
 * Runs in front of every test file (`deno test --preload`) and gives each test a deadline: Deno
 * ends a test that is late, even one that computes for ever, and the others of its file go on.
 * What such a test had started is ended before the next test begins.
 */
import { runInThisContext } from "node:vm";
import { ONE_TEST_MS, TEST_LIMIT_MS } from "./test_limits.ts";

type TestFunction = (context: Deno.TestContext) => void | Promise<void>;

interface Started {
  /** What the test that runs now has started. */
  children: Set<Deno.ChildProcess>;
  /** False while a test runs. */
  hasEnded: boolean;
}

const started: Started = { children: new Set(), hasEnded: true };

/** Remembers children until their end. */
function watchChildren(): void {
  const spawn = Deno.Command.prototype.spawn;
  Deno.Command.prototype.spawn = function (this: Deno.Command): Deno.ChildProcess {
    const child = spawn.call(this);
    started.children.add(child);
    child.status.then(() => started.children.delete(child), () => {});
    return child;
  };
}

/** Ends what a test that did not end by itself has left. */
function endChildren(): void {
  for (const child of started.children) {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended in the meantime.
    }
  }
  started.children.clear();
}

/** The test, which tidies up after a predecessor that was ended. */
function watched(fn: TestFunction): TestFunction {
  return async (context) => {
    if (!started.hasEnded) endChildren();
    started.hasEnded = false;
    try {
      await fn(context);
    } finally {
      started.hasEnded = true;
      started.children.clear();
    }
  };
}

/** `Deno.test` with a deadline. Its text is all that is used: it may name nothing outside. */
function withDeadline(
  real: (definition: object) => void,
  options: { limitMs: number; watched: (fn: TestFunction) => TestFunction },
): (...args: unknown[]) => void {
  return function test(...args: unknown[]): void {
    let definition: Record<string, unknown> = { timeout: options.limitMs };
    for (const arg of args) {
      if (typeof arg === "string") definition.name = arg;
      else if (typeof arg === "function") definition = { name: arg.name, ...definition, fn: arg };
      else definition = { ...definition, ...arg as object };
    }
    real({ ...definition, fn: options.watched(definition.fn as TestFunction) });
  };
}

/**
 * Deno reports a test where the first caller stands that is not Deno itself: the name of this
 * script makes it one of Deno's, so that the place is the test's own.
 */
function installDeadline(limitMs: number): void {
  const make: typeof withDeadline = runInThisContext(`(${withDeadline})`, {
    filename: "ext:hermes/test_deadline.js",
  });
  const test = make(Deno.test as (definition: object) => void, { limitMs, watched });
  const { name: _name, length: _length, ...rest } = Object.getOwnPropertyDescriptors(Deno.test);
  Object.defineProperties(test, rest);
  Object.defineProperty(Deno, "test", { value: test });
}

watchChildren();
installDeadline(Number(Deno.env.get(TEST_LIMIT_MS) ?? 0) || ONE_TEST_MS);
