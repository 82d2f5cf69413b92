/**
 * Runs the groups of a plan one after the other and shows their output as it comes. Nothing
 * outlives a run: its directories go, and so do the processes that tests have left.
 */
import { TEST_SERVICES } from "./services/_service.ts";
import { installServices } from "./services/install.ts";
import { TEST_BUNDLE } from "../tests/support/hermes.ts";
import { LOCKED, ROOT } from "./_tree.ts";
import { makeTestBundle, type TestBundle } from "./test_bundle.ts";
import { permissionFlags, type TestGroup } from "./test_groups.ts";
import { endLeftovers } from "./test_leftovers.ts";
import { GROUP_MS, TEST_LIMIT_MS } from "./test_limits.ts";
import { loopbackNetwork } from "./test_network.ts";
import { parseSummary, Progress, type Summary } from "./test_progress.ts";
import { makeTestTemp } from "./test_temp.ts";

export interface Plan {
  /** More arguments of `deno test`. */
  args: string[];
  groups: TestGroup[];
  /** True when every test runs: hermes is bundled for them. */
  isWhole: boolean;
}

export interface TestRun {
  code: number;
  output: string;
  summary: Summary;
}

export interface RunOptions {
  /** Makes the program that the tests of a whole run drive. */
  makeBundle?: () => Promise<TestBundle>;
  /** The command line of a group; `deno test` unless a test says otherwise. */
  command?: (group: TestGroup, temp: string) => string[];
  groupMs?: number;
}

/** The runner names the tests that run before it ends. */
const LAST_WORDS_MS = 10_000;
/** The exit code after Ctrl-C. */
export const INTERRUPTED = 130;
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];
/** What tests get of the caller's environment: no credentials, no settings of the person's own. */
const VARIABLES: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "TZ",
  "DENO_DIR",
  "HERMES_BIN",
  TEST_LIMIT_MS,
  // What Windows starts no program without.
  "SystemRoot",
  "ComSpec",
  "PATHEXT",
  "USERPROFILE",
  "LOCALAPPDATA",
];

/** Runs every group; the summary is the sum of theirs. */
export async function runTests(plan: Plan, options: RunOptions = {}): Promise<TestRun> {
  using interrupts = new Interrupts();
  const network = await loopbackNetwork();
  if (network.reason) console.error(`programs of tests have the whole network: ${network.reason}`);
  if (network.launcher.length > 0 && needsServices(plan)) await installServices();
  await using temp = await makeTestTemp();
  await using services = await makeTestTemp("hs");
  await using bundle = plan.isWhole && Deno.build.os !== "windows"
    ? await (options.makeBundle ?? makeTestBundle)()
    : undefined;
  const env = {
    ...temp.env,
    [TEST_SERVICES]: services.path,
    ...bundle === undefined ? {} : { [TEST_BUNDLE]: bundle.path },
  };
  const command = options.command ??
    ((group, path) => denoTest(group, { args: plan.args, temp: path }));
  const progress = new Progress(plan.groups.reduce((sum, { files }) => sum + files.length, 0));
  const run: TestRun = { code: 0, output: "", summary: { passed: 0, failed: 0 } };
  for (const [index, group] of plan.groups.entries()) {
    if (interrupts.count > 0) break;
    const title = `group ${index + 1} of ${plan.groups.length}, ${group.name}`;
    await show(progress.startGroup(title));
    const argv = [...network.launcher, ...command(group, temp.path)];
    interrupts.runner = startRunner(argv, env);
    const { code, output } = await follow(interrupts.runner, {
      progress,
      groupMs: options.groupMs ?? GROUP_MS,
      title,
    });
    for (const left of await endLeftovers([temp.path, services.path])) {
      console.error(`${title} left a process, now ended: ${left.command.slice(0, 200)}`);
    }
    const { passed, failed } = parseSummary(output, code);
    run.summary.passed += passed;
    run.summary.failed += failed;
    run.code ||= code;
    run.output += output;
  }
  return interrupts.count > 0 ? { ...run, code: INTERRUPTED } : run;
}

/** The suites that run every environment. */
function needsServices({ groups }: Plan): boolean {
  return groups.some(({ files }) => files.some((path) => path.startsWith("tests/conformance/")));
}

/** Copies the output of one runner to stdout until its end. */
async function follow(
  runner: Deno.ChildProcess,
  { progress, groupMs, title }: { progress: Progress; groupMs: number; title: string },
): Promise<{ code: number; output: string }> {
  using _late = endWhenLate(runner, { title, limitMs: groupMs });
  const decoder = new TextDecoder();
  let output = "";
  for await (const chunk of runner.stdout) {
    const text = decoder.decode(chunk, { stream: true });
    output += text;
    await writeAll(chunk);
    await show(progress.after(text));
  }
  return { code: (await runner.status).code, output };
}

/** Ends a runner that is too late, once it has named the tests that run. */
export function endWhenLate(
  runner: Deno.ChildProcess,
  { title, limitMs }: { title: string; limitMs: number },
): Disposable {
  let timer = setTimeout(() => {
    console.error(`${title} is not done after ${limitMs / 60_000} minutes: the tests that run`);
    runner.kill("SIGINT");
    timer = setTimeout(() => runner.kill("SIGKILL"), LAST_WORDS_MS);
  }, limitMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function denoTest(group: TestGroup, { args, temp }: { args: string[]; temp: string }): string[] {
  return [
    Deno.execPath(),
    "test",
    ...permissionFlags(group.name, temp),
    "--parallel",
    "--trace-leaks",
    "--preload",
    "scripts/test_preload.ts",
    ...LOCKED,
    ...args,
    ...group.files,
  ];
}

function startRunner(argv: string[], env: Record<string, string>): Deno.ChildProcess {
  const inherited = VARIABLES.map((name) => [name, Deno.env.get(name)])
    .filter((pair): pair is [string, string] => pair[1] !== undefined);
  return new Deno.Command(argv[0]!, {
    args: argv.slice(1),
    cwd: ROOT,
    stdout: "piped",
    clearEnv: true,
    env: {
      ...Object.fromEntries(inherited),
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
    try {
      this.runner?.kill("SIGINT");
    } catch {
      // It has ended; the next group does not begin.
    }
  };

  constructor() {
    for (const signal of SIGNALS) Deno.addSignalListener(signal, this.#onSignal);
  }

  [Symbol.dispose](): void {
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, this.#onSignal);
  }
}

function show(text: string): Promise<void> {
  return writeAll(new TextEncoder().encode(text));
}

async function writeAll(bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) done += await Deno.stdout.write(bytes.subarray(done));
}
