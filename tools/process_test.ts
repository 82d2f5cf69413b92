import { deepEqual, equal, match, ok } from "node:assert/strict";
import { createLocalEnvironment } from "../environments/local/local_environment.ts";
import { createProcessTable } from "../environments/process_table.ts";
import type { ManagedProcess, ProcessTable } from "../src/protocol/services.ts";
import {
  createTestContext,
  createTestServices,
  runTool,
  type TestContextOptions,
} from "../tests/support/tool_context.ts";
import { FakeTime } from "../tests/support/fake_time.ts";
import "./process.ts";

async function openBench() {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-process-" }));
  const env = createLocalEnvironment({
    cwd: dir,
    home: dir,
    env: { PATH: "/usr/bin:/bin", TMPDIR: dir },
  });
  const processes: ProcessTable = createProcessTable();
  const services = { ...createTestServices(), processes };
  return {
    dir,
    processes,
    start: (command: string): Promise<ManagedProcess> =>
      processes.start(env, command, { taskId: "main", notifyOnComplete: true }),
    run: (args: Record<string, unknown>, options: TestContextOptions = {}) =>
      runTool("process", args, createTestContext(env, { services, approve: "once", ...options })),
    /** Sends input and tells what the gate was asked. */
    async send(args: Record<string, unknown>, answer: "once" | "deny") {
      const judged: string[] = [];
      const reply = await runTool("process", args, {
        ...createTestContext(env, { services }),
        approveCommand(command) {
          judged.push(command);
          return Promise.resolve({ answer, by: "test" });
        },
      });
      return { reply, judged };
    },
    async [Symbol.asyncDispose]() {
      await processes.closeAll();
      await env.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

Deno.test("process list shows the processes of the task", async () => {
  await using bench = await openBench();
  deepEqual(await bench.run({ action: "list" }), { processes: [] });
  const managed = await bench.start("echo hello; exit 2");
  await managed.process.exited;
  const { processes } = await bench.run({ action: "list" }) as unknown as {
    processes: Record<string, unknown>[];
  };
  const { started_at, uptime_seconds, pid, ...rest } = processes[0]!;
  ok(Date.parse(started_at as string) > 0);
  equal(typeof uptime_seconds, "number");
  equal(pid, managed.process.pid);
  deepEqual(rest, {
    session_id: managed.id,
    command: "echo hello; exit 2",
    cwd: bench.dir,
    status: "exited",
    exit_code: 2,
    completion_reason: "exited",
    output_preview: "hello\n",
    notify_on_complete: true,
  });
  deepEqual(await bench.run({ action: "list" }, { taskId: "other" }), { processes: [] });
});

Deno.test("process poll shows status and the latest output", async () => {
  await using bench = await openBench();
  const managed = await bench.start("seq 1 1000; read x");
  await managed.process.write("");
  const running = await bench.run({ action: "poll", session_id: managed.id });
  equal(running.status, "running");
  equal("exit_code" in running, false);
  await managed.process.closeStdin();
  await managed.process.exited;
  const ended = await bench.run({ action: "poll", session_id: managed.id.slice(5, 12) });
  equal(ended.status, "exited");
  equal((ended.output_preview as string).length, 1000);
  equal(bench.processes.drainNotices().length, 1);
});

Deno.test("process log shows lines", async () => {
  await using bench = await openBench();
  const managed = await bench.start("printf '\\033[1m'; seq 0 999");
  await managed.process.exited;
  const last = await bench.run({ action: "log", session_id: managed.id });
  equal((last.output as string).split("\n").length, 200);
  equal(last.total_lines, 1000);
  equal(last.showing, "800-999");
  const part = await bench.run({ action: "log", session_id: managed.id, offset: 0, limit: 3 });
  equal(part.output, "0\n1\n2");
  equal(part.showing, "0-2");
  const beyond = await bench.run({ action: "log", session_id: managed.id, offset: 5000 });
  deepEqual([beyond.output, beyond.showing], ["", "none"]);
});

Deno.test("process log says that the beginning is gone", async () => {
  await using bench = await openBench();
  const managed = await bench.start("seq 1 100000");
  await managed.process.exited;
  const reply = await bench.run({ action: "log", session_id: managed.id, limit: 1 });
  equal(reply.output, "100000");
  match(reply.note as string, /388895 bytes/);
});

Deno.test("process wait returns at the end and uses up the notice", async () => {
  await using bench = await openBench();
  const managed = await bench.start("echo done; exit 4");
  const reply = await bench.run({ action: "wait", session_id: managed.id });
  deepEqual(reply, {
    command: "echo done; exit 4",
    output: "done\n",
    status: "exited",
    exit_code: 4,
    completion_reason: "exited",
  });
});

Deno.test("process wait gives up after its time, which the configuration bounds", async () => {
  await using bench = await openBench();
  using time = new FakeTime();
  const managed = await bench.start("echo up; read x");
  const args = { action: "wait", "session_id": managed.id, timeout: 1000 };
  const waiting = bench.run(args, { config: { "terminal.timeout": 100 } });
  await time.tick(100_000);
  const reply = await waiting;
  equal(reply.status, "timeout");
  equal(reply.process_running, true);
  match(reply.timeout_note as string, /100 s/);
});

Deno.test("process wait ends with an interrupt", async () => {
  await using bench = await openBench();
  const managed = await bench.start("read x");
  const args = { action: "wait", "session_id": managed.id };
  equal((await bench.run(args, { signal: AbortSignal.timeout(50) })).status, "interrupted");
  equal((await bench.run(args, { signal: AbortSignal.abort() })).status, "interrupted");
});

Deno.test("process kill ends a process once", async () => {
  await using bench = await openBench();
  const managed = await bench.start("echo up; read x");
  const first = await bench.run({ action: "kill", session_id: managed.id });
  equal(first.status, "killed");
  equal(first.session_id, managed.id);
  equal((await bench.run({ action: "kill", session_id: managed.id })).status, "already_exited");
  const polled = await bench.run({ action: "poll", session_id: managed.id });
  equal(polled.completion_reason, "killed");
  deepEqual(bench.processes.drainNotices(), []);
});

Deno.test("process write, submit and close reach the process", async () => {
  await using bench = await openBench();
  const managed = await bench.start('read a; read b; echo "$a/$b"; cat; echo end');
  const id = { "session_id": managed.id };
  deepEqual(await bench.run({ action: "write", ...id, data: "é" }), {
    status: "ok",
    bytes_written: 2,
  });
  equal((await bench.run({ action: "submit", ...id, data: "1" })).bytes_written, 2);
  equal((await bench.run({ action: "submit", ...id })).bytes_written, 1);
  equal((await bench.run({ action: "close", ...id })).status, "ok");
  await managed.process.exited;
  equal(managed.process.output().text, "é1/\nend\n");
  equal((await bench.run({ action: "write", ...id, data: "x" })).status, "already_exited");
});

Deno.test("process has input judged like a command, together with what was sent before", async () => {
  await using bench = await openBench();
  const managed = await bench.start("cat");
  const id = { "session_id": managed.id };
  await bench.send({ action: "write", ...id, data: "rm -r" }, "once");
  const { judged } = await bench.send({ action: "submit", ...id, data: "f x" }, "once");
  deepEqual(judged, ["rm -rf x\n"]);
  const editor = await bench.send({ action: "submit", ...id, data: ":!reboot" }, "once");
  deepEqual(editor.judged, ["rm -rf x\n:!reboot\n", "rm -rf x\nreboot\n"]);
  const refused = await bench.send({ action: "submit", ...id, data: "more" }, "deny");
  equal(refused.reply.status, "blocked");
  await bench.run({ action: "close", ...id });
  await managed.process.exited;
  equal(managed.process.output().text, "rm -rf x\n:!reboot\n");
});

Deno.test("process asks about keys that edit a line, not about keys alone", async () => {
  await using bench = await openBench();
  const managed = await bench.start("cat");
  const id = { "session_id": managed.id };
  for (const data of ["\x1b[A", "\x1b", "\x1bOP\x1b[6~", "\x04", "\x03"]) {
    equal((await bench.send({ action: "write", ...id, data }, "once")).reply.status, "ok");
  }
  // Delete, backspace, kill, quote the next key, C1: `approve` says no in this context.
  const edits = ["5!rX\x7fm -rf d\r", "gg!rX\x08m d\r", "a\x15rm x\r", "\x16x", "x\x9by", "\x7f"];
  for (const data of edits) {
    equal((await bench.send({ action: "write", ...id, data }, "once")).reply.status, "blocked");
  }
  // A line has been begun: an arrow would edit it.
  equal((await bench.send({ action: "write", ...id, data: "m x" }, "once")).reply.status, "ok");
  const home = await bench.send({ action: "write", ...id, data: "\x1b[H" }, "once");
  equal(home.reply.status, "blocked");
});

Deno.test("process says what is wrong with a session_id", async () => {
  await using bench = await openBench();
  match((await bench.run({ action: "poll" })).error, /session_id is required/);
  const reply = await bench.run({ action: "kill", session_id: "proc_000000000000" });
  equal(reply.status, "not_found");
  match(reply.error, /action=list/);
});
