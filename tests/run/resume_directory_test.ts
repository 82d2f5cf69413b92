/** A resumed session goes on where it was, not where the person happens to stand. */
import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { withJob } from "../support/run_job.ts";

Deno.test("run --resume goes on in the directory of the session unless another is named", async () => {
  const reply = { toolCalls: [{ name: "terminal", arguments: { command: "pwd" } }] };
  const replies = [reply, { text: "one" }, reply, { text: "two" }, reply, { text: "three" }];
  await withJob(replies, async (job) => {
    const [mine, other] = [`${job.home}/mine`, `${job.home}/other`];
    await Promise.all([Deno.mkdir(mine), Deno.mkdir(other)]);
    strictEqual((await job.run(["go"], { cwd: mine })).code, 0);
    const again = await job.run(["--resume", "latest", "again"], { cwd: other });
    match(again.stderr, /goes on in \S+\/mine; -C DIR goes on elsewhere/);
    strictEqual(
      (await job.run(["--resume", "latest", "-C", other, "more"], { cwd: mine })).code,
      0,
    );
    const results =
      (job.model.requests.at(-1)!.body.messages as { role: string; content: string }[])
        .filter(({ role }) => role === "tool")
        .map(({ content }) => JSON.parse(content).output.trim());
    deepStrictEqual(results, [mine, mine, other]);
    await Deno.remove(mine);
    const lost = await job.run(["--resume", "latest", "-C", mine, "x"], { cwd: other });
    strictEqual(lost.code, 2);
  });
});

Deno.test("run --resume says so when the directory of the session is gone", async () => {
  await withJob([{ text: "one" }], async (job) => {
    const mine = `${job.home}/mine`;
    await Deno.mkdir(mine);
    strictEqual((await job.run(["go"], { cwd: mine })).code, 0);
    await Deno.remove(mine);
    const lost = await job.run(["--resume", "latest", "again"], { cwd: job.home });
    strictEqual(lost.code, 2);
    match(lost.stderr, /directory of session \S+ cannot be entered: \S+\/mine[\s\S]*-C DIR/);
  });
});

Deno.test("run --resume does not go on upon this machine with what ran in a container", async () => {
  const reply = { toolCalls: [{ name: "terminal", arguments: { command: "pwd" } }] };
  await withJob([{ text: "one" }, reply, { text: "two" }], async (job) => {
    strictEqual((await job.run(["go"])).code, 0);
    const [line = "", ...rest] = (await job.hermes(["sessions", "export"])).stdout.split("\n");
    const { session, ...head } = JSON.parse(line);
    for (const [id, place] of [["boxed", "docker"], ["far", "ssh"]]) {
      const systemPrompt = `You are Hermes\nCommands and files are in: ${place}\nDate: x`;
      const changed = JSON.stringify({ ...head, session: { ...session, id, systemPrompt } });
      const stdin = [changed, ...rest].join("\n");
      strictEqual((await job.hermes(["sessions", "import", "-"], { stdin })).code, 0);
      const refused = await job.run(["--resume", id!, "--approve", "always", "on"]);
      strictEqual(refused.code, 2);
      match(refused.stderr, new RegExp(`worked in ${place}, not on this machine\\s+.*--env local`));
    }
    // Nor in another box: each of them holds other files and reaches other machines.
    const env = { TERMINAL_ENV: "docker" };
    const elsewhere = await job.run(["--resume", "far", "on"], { env });
    strictEqual(elsewhere.code, 2);
    match(elsewhere.stderr, /worked in ssh, not in docker\s+.*--env ssh.*--env docker/);
    strictEqual(job.model.requests.length, 1);
    strictEqual((await job.run(["--resume", "boxed", "--env", "local", "on"])).code, 0);
    strictEqual(job.model.requests.length, 3);
  });
});
