/** Calls of one message end to end: which run side by side, and what is left after Ctrl-C. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import type { Reply } from "../support/fake_model_server.ts";
import { startHermes } from "../support/hermes.ts";
import { parseEvents, withJob } from "../support/run_job.ts";
import { isRunning, writtenFile } from "../support/written_file.ts";

function calls(...list: { name: string; arguments: Record<string, unknown> }[]): Reply {
  return { toolCalls: list.map((call, i) => ({ ...call, id: `c${i}` })) };
}

Deno.test("run reads side by side, and writes only where nothing overlaps", async () => {
  const replies = [
    calls(
      { name: "read_file", arguments: { path: "a" } },
      { name: "read_file", arguments: { path: "b" } },
      { name: "write_file", arguments: { path: "link/a", content: "new" } },
      { name: "search_files", arguments: { pattern: "new", path: "." } },
      { name: "write_file", arguments: { path: "d/x", content: "1" } },
      { name: "write_file", arguments: { path: "d/y", content: "2" } },
    ),
    { text: "done" },
  ];
  await withJob(replies, async (job) => {
    await Deno.writeTextFile(`${job.home}/a`, "old");
    await Deno.writeTextFile(`${job.home}/b`, "b");
    await Deno.symlink(job.home, `${job.home}/link`);
    const outcome = await job.run(["--json", "go"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    const order = parseEvents(outcome.stdout)
      .filter(({ type }) => type === "tool_start" || type === "tool_end")
      .map(({ type, callId }) => `${type === "tool_start" ? "+" : "-"}${callId}`);
    // Together: both reads, then both writes of different files. Alone: what a writer touches.
    deepStrictEqual(order.slice(0, 8), ["+c0", "+c1", "-c0", "-c1", "+c2", "-c2", "+c3", "-c3"]);
    deepStrictEqual(order.slice(8), ["+c4", "+c5", "-c4", "-c5"]);
    const messages = job.model.requests[1]!.body.messages as { role: string; content: string }[];
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    match(results[0]!, /1\|old/);
    match(results[3]!, /"total_count":1/);
  });
});

Deno.test("run ends a stubborn command at Ctrl-C and leaves every call answered", async () => {
  const command = "trap '' TERM INT; sleep 300 & echo $$ $! > pids; wait";
  const replies = [
    calls(
      { name: "terminal", arguments: { command } },
      { name: "read_file", arguments: { path: "a" } },
    ),
    { text: "not reached" },
  ];
  await withJob(replies, async (job) => {
    const args = ["run", "--base-url", job.model.url, "--model", "fake-model", "--json", "go"];
    const child = startHermes({ home: job.home, args });
    const pids = (await writtenFile(`${job.home}/pids`)).split(" ");
    child.kill("SIGINT");
    const { code, stdout } = await child.output();
    strictEqual(code, 130);
    for (const pid of pids) strictEqual(await isRunning(pid), false, `${pid} still runs`);
    const ended = parseEvents(new TextDecoder().decode(stdout));
    match(JSON.stringify(ended.find(({ type }) => type === "tool_end")), /interrupted|Cancelled/);
    const exported = (await job.hermes(["sessions", "export", "latest"])).stdout;
    strictEqual(exported.match(/"role":"tool"/g)?.length, 2, exported);
  });
});

Deno.test("run leaves nothing behind when the second Ctrl-C comes before the first is done", async () => {
  const command = "trap : TERM; sleep 300 & echo $$ $! > pids; wait; while :; do sleep 0.1; done";
  await withJob([calls({ name: "terminal", arguments: { command } })], async (job) => {
    const args = ["run", "--base-url", job.model.url, "--model", "fake-model", "--json", "go"];
    const child = startHermes({ home: job.home, args });
    const output = child.output();
    const pids = (await writtenFile(`${job.home}/pids`)).split(" ");
    child.kill("SIGINT");
    // The shell takes no notice of the signal, its child does: now the grace period runs.
    await isGone(pids[1]!);
    strictEqual(await isRunning(pids[0]!), true);
    // Sooner it would be an echo of the first.
    await new Promise((resolve) => setTimeout(resolve, 150));
    child.kill("SIGINT");
    strictEqual((await output).code, 130);
    await isGone(pids[0]!);
  });
});

/** A killed process may take a moment to leave. */
async function isGone(pid: string): Promise<void> {
  for (let i = 0; i < 200 && await isRunning(pid); i++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  strictEqual(await isRunning(pid), false, `${pid} still runs`);
}
