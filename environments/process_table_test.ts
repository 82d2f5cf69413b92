import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { Environment } from "../src/protocol/environment.ts";
import { createLocalEnvironment } from "./local/local_environment.ts";
import { createProcessTable } from "./process_table.ts";

async function withLocal(work: (env: Environment) => Promise<void>): Promise<void> {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-table-" }));
  const env = createLocalEnvironment({
    cwd: dir,
    home: dir,
    env: { PATH: "/usr/bin:/bin", TMPDIR: dir },
  });
  try {
    await work(env);
  } finally {
    await env.close();
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("start() names a process and get() finds it by a beginning of the name", () =>
  withLocal(async (env) => {
    const table = createProcessTable();
    const one = await table.start(env, "read x", { taskId: "a" });
    const two = await table.start(env, "read x", { taskId: "b" });
    match(one.id, /^proc_[0-9a-f]{12}$/);
    equal(table.get(one.id), one);
    equal(table.get(one.id.slice(5)), one);
    equal(table.get(one.id.slice(0, 11)), one);
    equal(table.get(one.id.slice(5, 8)), undefined);
    equal(table.get("proc_"), undefined);
    equal(table.get("proc_zzzzzzzz"), undefined);
    deepEqual(table.list(), [one, two]);
    deepEqual(table.list("b"), [two]);
    equal(one.endedBy, undefined);
    await table.closeAll();
    equal(one.endedBy, "kill");
    deepEqual(table.list(), []);
  }));

Deno.test("drainNotices() tells of a completion that was asked for, once", () =>
  withLocal(async (env) => {
    const table = createProcessTable();
    const quiet = await table.start(env, "true", {});
    const told = await table.start(env, "printf '\\033[1mall\\033[0m done\\n'; exit 3", {
      notifyOnComplete: true,
    });
    await Promise.all([quiet.process.exited, told.process.exited]);
    deepEqual(table.drainNotices(), [
      `[Background process ${told.id} ended with exit code 3]\n$ ${told.command}\nall done`,
    ]);
    deepEqual(table.drainNotices(), []);
  }));

Deno.test("drainNotices() does not tell of an end that was seen already", () =>
  withLocal(async (env) => {
    const table = createProcessTable();
    const managed = await table.start(env, "read x", { notifyOnComplete: true });
    managed.acknowledge();
    await managed.kill();
    deepEqual(table.drainNotices(), []);
  }));

Deno.test("drainNotices() tells of watched lines and gives up on a process that never stops", () =>
  withLocal(async (env) => {
    let time = 1_000_000;
    const table = createProcessTable({ now: () => time });
    const managed = await table.start(env, 'while read x; do echo "ready $x"; done', {
      watchPatterns: ["ready", ""],
    });
    deepEqual(managed.watchPatterns, ["ready"]);
    const say = async (text: string) => {
      const heard = new Promise<void>((resolve) => {
        const stop = managed.process.onOutput((output) => {
          if (!output.includes(text)) return;
          stop();
          resolve();
        });
      });
      await managed.process.write(`${text}\n`);
      await heard;
    };
    await say("one");
    deepEqual(table.drainNotices(), [
      `[Background process ${managed.id} matched a watch pattern]\nready one`,
    ]);
    for (let round = 0; round < 3; round++) {
      await say(`a${round}`);
      time += 16_000;
      await say(`b${round}`);
    }
    match(table.drainNotices().at(-1)!, /^\[Watching proc_\w+ was stopped/);
    deepEqual(managed.watchPatterns, []);
    equal(managed.notifyOnComplete, true);
    await managed.process.closeStdin();
    await managed.process.exited;
    match(table.drainNotices()[0]!, /ended with exit code 0/);
  }));

Deno.test("list() forgets finished processes that are old or too many", () =>
  withLocal(async (env) => {
    let time = 1_000_000;
    const table = createProcessTable({ now: () => time });
    for (let i = 0; i < 70; i++) {
      time++;
      await (await table.start(env, `exit ${i}`, {})).process.exited;
    }
    const kept = table.list();
    equal(kept.length, 64);
    equal(kept[0]!.process.exitCode, 6);
    const running = await table.start(env, "read x", {});
    time += 31 * 60_000;
    deepEqual(table.list(), [running]);
    await table.closeAll();
  }));

Deno.test("start() survives 200 processes at once, again and again, without growing", async () => {
  const probe = new URL("./testdata/process_table_probe.ts", import.meta.url).href;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--v8-flags=--expose-gc", probe],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  equal(code, 0, new TextDecoder().decode(stderr));
  const { first, last, peakKb } = JSON.parse(new TextDecoder().decode(stdout));
  const report = JSON.stringify({ first, last, peakKb });
  ok(last.usedKb - first.usedKb < 8 << 10, report);
  // The allocator keeps pages of its own accord; one forgotten round would be 40 MB, three 120.
  ok(last.residentKb - first.residentKb < 100 << 10, report);
  ok(peakKb < 320 << 10, report);
});
