/** Conformance of losing things: the place under a command, and hermes above it. */
import { equal, match, ok, rejects } from "node:assert/strict";
import { EnvironmentError } from "../../src/protocol/error.ts";
import { sleep } from "../../src/util/sleep.ts";
import {
  countProcesses,
  type EnvironmentCase,
  type OpenEnvironment,
  openTarget,
  uniqueNap,
} from "./environment_suite.ts";

const LIMIT_MS = 20_000;

function count({ env, count }: OpenEnvironment, word: string): Promise<number> {
  return count ? count(word) : countProcesses(env, word);
}

/** Other processes end in their own time: asks until they have. */
async function untilNone(opened: OpenEnvironment, word: string): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (await count(opened, word) > 0) {
    ok(performance.now() < deadline, `${word} still runs`);
    await sleep(100);
  }
}

export const LOSS_CASES: readonly EnvironmentCase[] = [
  {
    name: "says that the place died in the middle of a command, and has it back for the next",
    async run({ env, sh, breakDown }) {
      await sh("export KEPT=1");
      let up = () => {};
      const started = new Promise<void>((resolve) => up = resolve);
      const running = env.exec(`echo once >>runs; echo up; sleep ${uniqueNap()}`, {
        onOutput: () => up(),
      });
      const lost = rejects(running, (error) => {
        ok(error instanceof EnvironmentError, `${error}`);
        match(error.message, /went away in the middle of a command/);
        match(error.message, /not repeated/);
        return true;
      });
      await started;
      await breakDown!();
      await lost;
      equal(await sh("echo back"), "back");
      equal(await sh("cat runs"), "once");
    },
  },
  {
    name: "has the place back when it died between commands",
    async run({ env, dir, sh, breakDown }) {
      await sh("mkdir d; cd d");
      await breakDown!();
      equal(await sh("pwd"), `${dir}/d`);
      await breakDown!();
      await env.writeFile("f", new TextEncoder().encode("x"));
      equal(await sh("cat f; export A=2"), "x");
      equal(await sh("echo $A"), "2");
    },
  },
  {
    name: "ends what a killed hermes left running",
    async run(context) {
      const { target } = context;
      const nap = uniqueNap();
      const probe = new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "-A",
          "--no-check",
          new URL("./environment_killed_probe.ts", import.meta.url).href,
          JSON.stringify(target),
          nap,
        ],
        stdin: "null",
        stdout: "piped",
        stderr: "null",
      }).spawn();
      const reader = probe.stdout.getReader();
      await reader.read();
      equal(await count(context, `sleep ${nap}`), 2);
      probe.kill("SIGKILL");
      await probe.status;
      await reader.cancel();
      // The next hermes finds what is left.
      const next = await openTarget(target);
      try {
        await untilNone(next, `sleep ${nap}`);
      } finally {
        await next.close();
      }
    },
  },
];
