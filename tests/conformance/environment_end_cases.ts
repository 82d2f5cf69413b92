/** Conformance of ending things: timeouts, interrupts, whole trees, what is left behind. */
import { equal, match, ok, rejects } from "node:assert/strict";
import type { Environment, ExecResult } from "../../src/protocol/environment.ts";
import { EnvironmentError } from "../../src/protocol/error.ts";
import { withEnoughTime } from "../support/enough_time.ts";
import {
  countProcesses,
  type EnvironmentCase,
  openTarget,
  uniqueNap,
} from "./environment_suite.ts";

async function wantNone(env: Environment, word: string): Promise<void> {
  equal(await countProcesses(env, word), 0, `${word} still runs`);
}

/** What is not ended in time goes on for longer, also on a busy machine. */
const LATE_MS = 60_000;

function wantTimeout(result: ExecResult, output: string): void {
  equal(result.exitCode, 124);
  equal(result.timedOut, true);
  equal(result.interrupted, false);
  equal(result.output, output);
}

export const END_CASES: readonly EnvironmentCase[] = [
  {
    name: "ends a command after its timeout and keeps what it wrote",
    async run({ env, sh }) {
      const nap = uniqueNap();
      const { result, timeoutMs } = await withEnoughTime({
        timeoutMs: 300,
        run: (timeoutMs) => env.exec(`echo before; sleep ${nap}; echo after`, { timeoutMs }),
        hasBegun: ({ output }) => output !== "",
      });
      wantTimeout(result, "before\n");
      const afterMs = result.durationMs - timeoutMs;
      ok(afterMs >= 0 && afterMs < LATE_MS, `${afterMs} ms after the timeout`);
      await wantNone(env, nap);
      equal(await sh("echo fine"), "fine");
    },
  },
  {
    name: "ends the whole tree after a timeout",
    async run({ env }) {
      const nap = uniqueNap();
      const tree = `sh -c 'sleep ${nap} & sh -c "sleep ${nap} & sleep ${nap}"' & sleep ${nap}`;
      wantTimeout(await env.exec(tree, { timeoutMs: 300 }), "");
      await wantNone(env, nap);
    },
  },
  {
    name: "ends children that left the session",
    async run({ env }) {
      const nap = uniqueNap();
      const command = `setsid sleep ${nap} & (setsid sh -c 'sleep ${nap} & sleep ${nap}' &) ; ` +
        `sleep ${nap}`;
      wantTimeout(await env.exec(command, { timeoutMs: 400 }), "");
      await wantNone(env, nap);
    },
  },
  {
    name: "ends a process that ignores SIGTERM",
    async run({ env }) {
      const nap = uniqueNap();
      const stubborn = `trap '' TERM; sh -c 'trap "" TERM; while :; do sleep 0.1; done' ${nap}`;
      const result = await env.exec(stubborn, { timeoutMs: 200 });
      equal(result.exitCode, 124);
      ok(result.durationMs < LATE_MS, `${result.durationMs} ms`);
      await wantNone(env, nap);
    },
  },
  {
    name: "lets a process that handles SIGTERM clean up",
    async run({ env, sh }) {
      const command = "trap 'echo cleaned >mark; exit 0' TERM; echo ready; " +
        "while :; do sleep 0.05; done";
      await withEnoughTime({
        timeoutMs: 200,
        run: (timeoutMs) => env.exec(command, { timeoutMs }),
        hasBegun: ({ output }) => output !== "",
      });
      equal(await sh("cat mark"), "cleaned");
    },
  },
  {
    name: "interrupts a command, with code 130 and nothing left of it",
    async run({ env }) {
      const nap = uniqueNap();
      const controller = new AbortController();
      // A shell that outlives its program for a moment would say how the program ended.
      const quiet = `exec 2>/dev/null; echo started; sleep ${nap} & sleep ${nap}`;
      const result = await env.exec(quiet, {
        signal: controller.signal,
        onOutput: () => controller.abort(),
      });
      equal(result.exitCode, 130);
      equal(result.interrupted, true);
      equal(result.timedOut, false);
      equal(result.output, "started\n");
      await wantNone(env, nap);
    },
  },
  {
    name: "does not start a command that is already interrupted",
    async run({ env, sh }) {
      const result = await env.exec("touch ran", { signal: AbortSignal.abort() });
      equal(result.exitCode, 130);
      equal(result.interrupted, true);
      equal(await sh("ls"), "");
    },
  },
  {
    name: "has its state of before after a command that was ended",
    async run({ env, dir, sh }) {
      const nap = uniqueNap();
      await sh("mkdir kept; cd kept; export STATE=kept");
      await env.exec(`exec sleep ${nap}`, { timeoutMs: 100 });
      equal(await sh("pwd; echo $STATE"), `${dir}/kept\nkept`);
    },
  },
  {
    name: "does not wait for a child that keeps the output open",
    async run({ env }) {
      const nap = uniqueNap();
      const result = await env.exec(`sleep ${nap} & echo done`, { timeoutMs: 20_000 });
      equal(result.exitCode, 0);
      equal(result.output, "done\n");
      ok(result.durationMs < LATE_MS, `${result.durationMs} ms`);
    },
  },
  {
    name: "does not wait for a child that goes on writing",
    async run({ env }) {
      const nap = uniqueNap();
      const result = await env.exec(`(while :; do echo ${nap}; sleep 0.01; done) & sleep 0.05`, {
        timeoutMs: 20_000,
      });
      equal(result.exitCode, 0);
      ok(result.durationMs < LATE_MS, `${result.durationMs} ms`);
    },
  },
  {
    name: "ends what commands left behind when it is closed, and only once",
    async run({ env, target }) {
      const nap = uniqueNap();
      await env.exec(`sleep ${nap} >/dev/null 2>&1 & setsid sleep ${nap} >/dev/null 2>&1 &`);
      const background = await env.spawn(`sleep ${nap} & sleep ${nap}`);
      ok(await countProcesses(env, nap) >= 3);
      await Promise.all([env.close(), env.close()]);
      await env.close();
      ok(background.exitCode !== undefined);
      const other = await openTarget(target);
      await wantNone(other.env, nap);
      await other.close();
      await rejects(env.exec("true"), (error) => {
        ok(error instanceof EnvironmentError);
        match(error.message, /closed/);
        return true;
      });
      await rejects(env.spawn("true"), EnvironmentError);
    },
  },
  {
    name: "ends a running command when it is closed",
    async run({ env }) {
      const nap = uniqueNap();
      let ready = () => {};
      const started = new Promise<void>((resolve) => ready = resolve);
      const running = env.exec(`echo up; sleep ${nap}`, { onOutput: () => ready() });
      await started;
      await env.close();
      ok((await running).exitCode !== 0);
    },
  },
];
