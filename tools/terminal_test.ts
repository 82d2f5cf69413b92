import { deepEqual, equal, match, ok } from "node:assert/strict";
import { setImmediate } from "node:timers";
import { createLocalEnvironment } from "../environments/local/local_environment.ts";
import { createProcessTable } from "../environments/process_table.ts";
import type { ApprovalOutcome } from "../src/protocol/approval.ts";
import type { Environment } from "../src/protocol/environment.ts";
import { EnvironmentError } from "../src/protocol/error.ts";
import type { ToolServices } from "../src/protocol/services.ts";
import { exists } from "../src/util/exists.ts";
import { dirname } from "../src/util/path.ts";
import { withEnoughTime } from "../tests/support/enough_time.ts";
import { FakeTime } from "../tests/support/fake_time.ts";
import {
  createTestContext,
  createTestServices,
  runTool,
  type TestContextOptions,
} from "../tests/support/tool_context.ts";
import "./terminal.ts";

interface Bench extends AsyncDisposable {
  env: Environment;
  dir: string;
  services: ToolServices;
  spilled: Map<string, string>;
  /** Commands the gate was asked about. */
  asked: string[];
  /** Where the gate was told that they run. */
  places: unknown[];
  run(args: Record<string, unknown>, options?: BenchOptions): ReturnType<typeof runTool>;
}

interface BenchOptions extends TestContextOptions {
  outcome?: ApprovalOutcome;
}

const YES: ApprovalOutcome = { answer: "once", by: "rules" };

async function openBench(): Promise<Bench> {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-terminal-" }));
  const work = `${dir}/work`;
  await Deno.mkdir(work);
  const env = createLocalEnvironment({
    cwd: work,
    home: dir,
    env: { PATH: "/usr/bin:/bin", TMPDIR: dir },
  });
  const spilled = new Map<string, string>();
  const asked: string[] = [];
  const places: unknown[] = [];
  const services: ToolServices = {
    ...createTestServices(),
    processes: createProcessTable(),
    spill: {
      write(name, text) {
        spilled.set(name, text);
        return Promise.resolve(`/spill/${name}`);
      },
    },
  };
  return {
    env,
    dir: work,
    services,
    spilled,
    asked,
    places,
    run(args, { outcome = YES, ...options } = {}) {
      return runTool("terminal", args, {
        ...createTestContext(env, { services, ...options }),
        approveCommand(command, place) {
          asked.push(command);
          places.push(place);
          return Promise.resolve(outcome);
        },
      });
    },
    async [Symbol.asyncDispose]() {
      await services.processes.closeAll();
      await env.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

Deno.test("terminal runs a command and gives output, code and no error", async () => {
  await using bench = await openBench();
  deepEqual(await bench.run({ command: "echo hi; exit 3" }), {
    output: "hi",
    exit_code: 3,
    error: null,
  });
  deepEqual(bench.asked, ["echo hi; exit 3"]);
});

Deno.test("terminal tells the directory only when the command changed it", async () => {
  await using bench = await openBench();
  const moved = await bench.run({ command: "mkdir sub; cd sub" });
  equal(moved.cwd, `${bench.dir}/sub`);
  equal("cwd" in await bench.run({ command: "pwd" }), false);
  const once = await bench.run({ command: "pwd", workdir: ".." });
  deepEqual(once, { output: bench.dir, exit_code: 0, error: null });
});

Deno.test("terminal removes escape sequences and progress noise", async () => {
  await using bench = await openBench();
  const { output } = await bench.run({
    command: "printf '\\033[32mgreen\\033[0m\\n10%%\\r100%%\\nend\\n\\n'",
  });
  equal(output, "green\n100%\nend");
});

Deno.test("terminal spills what does not fit and says where it is", async () => {
  await using bench = await openBench();
  const reply = await bench.run({ command: "seq 1 20000" }, {
    config: { "tool_output.max_bytes": 1000 },
  });
  match(reply.output as string, /TRUNCATED/);
  equal(reply.output_total_chars, 108_894);
  equal(reply.full_output_path, "/spill/terminal-call_1.log");
  match(reply.truncation_note as string, /read_file/);
  equal(bench.spilled.get("terminal-call_1.log")?.length, 108_894);
});

/** Waits for a file, which is the command's to make, without a clock. */
async function made(path: string): Promise<void> {
  while (!await exists(path)) await new Promise((resolve) => setImmediate(resolve));
}

Deno.test("terminal ends a command after its timeout", async () => {
  await using bench = await openBench();
  const { result: reply } = await withEnoughTime({
    timeoutMs: 1_000,
    run: (timeoutMs) =>
      bench.run({ command: "echo start; sleep 600", timeout: Math.round(timeoutMs / 1000) }),
    hasBegun: ({ output }) => `${output}`.startsWith("start"),
  });
  equal(reply.exit_code, 124);
  match(`${reply.output}`, /^start\n\[Command timed out after \d+s\]$/);
  match(reply.hint, /background=true/);
});

Deno.test("terminal takes its default timeout from the configuration", async () => {
  await using bench = await openBench();
  const reply = await bench.run({ command: "sleep 600" }, { config: { "terminal.timeout": 1 } });
  equal(reply.output, "[Command timed out after 1s]");
});

Deno.test("terminal says that a command was interrupted", async () => {
  await using bench = await openBench();
  const turn = new AbortController();
  const command = "echo start; touch begun; sleep 600";
  const running = bench.run({ command }, { signal: turn.signal });
  await made(`${bench.dir}/begun`);
  turn.abort();
  const reply = await running;
  equal(reply.exit_code, 130);
  equal(reply.output, "start\n[Command interrupted]");
});

Deno.test("terminal does not run what was denied", async () => {
  await using bench = await openBench();
  const denied = await bench.run({ command: "touch ran" }, {
    outcome: { answer: "deny", by: "user", reason: "The user said no" },
  });
  deepEqual(denied, { output: "", exit_code: -1, error: "The user said no", status: "blocked" });
  const unasked = await bench.run({ command: "touch ran", background: true }, {
    outcome: { answer: "deny", by: "policy", unanswerable: true },
  });
  equal(unasked.status, "pending_approval");
  deepEqual(await bench.env.list("."), []);
});

Deno.test("terminal says who approved a command that needed it", async () => {
  await using bench = await openBench();
  const outcome: ApprovalOutcome = { answer: "session", by: "user" };
  equal((await bench.run({ command: "true" }, { outcome })).approval, "Approved by user");
  const background = await bench.run({ command: "true", background: true }, { outcome });
  equal(background.approval, "Approved by user");
});

Deno.test("terminal shows the latest line of a command that takes long", async () => {
  await using bench = await openBench();
  using time = new FakeTime();
  const exec = bench.env.exec.bind(bench.env);
  // Pieces of output at times the test decides: a busy machine would choose others.
  bench.env.exec = async (command, options) => {
    options?.onOutput?.("early\n");
    await time.tick(510);
    options?.onOutput?.("1\n2 of 3\n");
    options?.onOutput?.("too soon after\n");
    return await exec(command);
  };
  const lines: string[] = [];
  const ctx = createTestContext(bench.env, { services: bench.services, approve: "once" });
  await runTool("terminal", { command: "true" }, { ...ctx, progress: (line) => lines.push(line) });
  deepEqual(lines, ["2 of 3"]);
});

Deno.test("terminal refuses arguments that make no sense, without asking anybody", async () => {
  await using bench = await openBench();
  const cases: [Record<string, unknown>, string, RegExp][] = [
    [{ command: "" }, "error", /non-empty/],
    [{ command: "  \n" }, "error", /non-empty/],
    [{ command: ": x".repeat(200_000) }, "error", /has 600000 characters, at most 500000/],
    [{ command: "a\0b" }, "error", /NUL/],
    [{ command: "true", timeout: 601 }, "error", /background=true/],
    [{ command: "true", workdir: "/tmp; rm -rf x" }, "blocked", /directory name/],
    [{ command: "true", workdir: "$(id)" }, "blocked", /directory name/],
    [{ command: "true", workdir: "/nowhere/at all" }, "error", /is not a directory/],
    [{ command: "sleep 1 &" }, "error", /background=true/],
  ];
  for (const [args, status, message] of cases) {
    const reply = await bench.run(args);
    equal(reply.status, status, JSON.stringify(args));
    equal(reply.exit_code, -1);
    match(reply.error, message);
  }
  deepEqual(bench.asked, []);
});

Deno.test("terminal offers scripts the foreground only", async () => {
  await using bench = await openBench();
  for (const extra of [{ background: true }, { pty: true }]) {
    const reply = await bench.run({ command: "true", ...extra }, { sandbox: true });
    equal(reply.status, "blocked");
  }
  equal((await bench.run({ command: "true" }, { sandbox: true })).exit_code, 0);
});

Deno.test("terminal starts background processes", async () => {
  await using bench = await openBench();
  const silent = await bench.run({ command: "pwd; read x", background: true, timeout: 9999 });
  match(silent.session_id as string, /^proc_/);
  ok((silent.pid as number) > 0);
  equal(silent.exit_code, 0);
  equal(silent.error, null);
  match(silent.hint, /process/);
  const told = await bench.run({
    command: "npm start",
    background: true,
    notify_on_complete: true,
    watch_patterns: ["x"],
  });
  equal(told.notify_on_complete, true);
  equal(told.watch_patterns_ignored, true);
  equal("hint" in told, false);
  const watched = await bench.run({ command: "read x", background: true, watch_patterns: ["up"] });
  deepEqual(watched.watch_patterns, ["up"]);
  equal(bench.services.processes.list("main").length, 3);
});

Deno.test("terminal runs on a pseudo-terminal when asked", async () => {
  await using bench = await openBench();
  equal((await bench.run({ command: "test -t 1 && stty size", pty: true })).output, "40 120");
  equal((await bench.run({ command: "test -t 1" })).exit_code, 1);
});

Deno.test("terminal gives no terminal to a command that needs a pipe", async () => {
  await using bench = await openBench();
  const reply = await bench.run({
    command: "test -t 1 || echo piped # gh auth login --with-token",
    pty: true,
  });
  equal(reply.output, "piped");
  match(reply.pty_note as string, /without pty/);
});

Deno.test("terminal explains codes that are no errors and hints at masked ones", async () => {
  await using bench = await openBench();
  const none = await bench.run({ command: "grep nothing /etc/passwd" });
  deepEqual(none, {
    output: "",
    exit_code: 1,
    error: null,
    exit_code_meaning: "No matches found (not an error)",
  });
  const masked = await bench.run({ command: "ls /nowhere 2>&1 | tail -1" });
  equal(masked.exit_code, 0);
  match(masked.hint, /last command/);
});

Deno.test("terminal reports a broken environment as degraded", async () => {
  await using bench = await openBench();
  const broken = Object.create(bench.env, {
    prepare: { value: () => Promise.resolve() },
    exec: { value: () => Promise.reject(new EnvironmentError("The container is gone")) },
    cwd: { value: () => "/" },
    stat: { value: () => Promise.resolve({ kind: "directory" }) },
    realPath: { value: () => Promise.resolve("/") },
  });
  const ctx = createTestContext(broken, { approve: "once" });
  const reply = await runTool("terminal", { command: "true" }, ctx);
  equal(reply.status, "degraded");
  equal(reply.reason, "The container is gone");
  ok(reply.retry_hint);
});

Deno.test("terminal tells the gate where a command runs, by both names", async () => {
  await using bench = await openBench();
  const { dir } = bench;
  await bench.run({ command: "mkdir -p real/sub && ln -s real/sub link && cd real" });
  await bench.run({ command: "pwd" });
  await bench.run({ command: "pwd", workdir: "../link" });
  await bench.run({ command: "cat", workdir: "~", background: true });
  deepEqual(bench.places.slice(1), [
    { cwd: `${dir}/real`, realCwd: `${dir}/real`, takesInput: false },
    { cwd: `${dir}/link`, realCwd: `${dir}/real/sub`, takesInput: false },
    { cwd: dirname(dir), realCwd: dirname(dir), takesInput: true },
  ]);
});

Deno.test("terminal runs nothing when its directory is gone", async () => {
  await using bench = await openBench();
  await bench.run({ command: "mkdir sub && touch kept && cd sub" });
  await Deno.remove(`${bench.dir}/sub`);
  for (const options of [{}, { pty: true }, { background: true }, { workdir: "." }]) {
    const reply = await bench.run({ command: "rm -f ../kept kept; cd ..; rm -f kept", ...options });
    match(reply.error, /Nothing ran/, JSON.stringify(options));
    equal(reply.exit_code, -1);
  }
  equal((await Deno.stat(`${bench.dir}/kept`)).isFile, true);
  equal((await bench.run({ command: "ls", workdir: bench.dir })).output, "kept");
});
