/** `--approve plan` and `--approve ask-all` as a run has them, plugins' tools included. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Reply } from "../support/fake_model_server.ts";
import { type Job, parseEvents, withJob } from "../support/run_job.ts";

function calls(...made: [name: string, args: Record<string, unknown>][]): Reply {
  return { toolCalls: made.map(([name, args]) => ({ name, arguments: args })) };
}

function results(job: Pick<Job, "model">): string[] {
  const messages = job.model.requests.at(-1)!.body.messages as { role: string; content: string }[];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => content);
}

/** The names in a directory. */
async function namesIn(directory: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name);
}

const WRITE: [string, Record<string, unknown>] = ["write_file", { path: "x.txt", content: "x" }];

Deno.test("run --approve plan changes nothing and ends well with the plan", async () => {
  const replies = [
    calls(WRITE, ["terminal", { command: "touch y" }], ["terminal", { command: "ls -la | head" }]),
    calls(["read_file", { path: "a.txt" }], ["terminal", { command: "touch y", background: true }]),
    { text: "1. write x.txt" },
  ];
  await withJob(replies, async (job) => {
    const cwd = `${job.home}/work`;
    await Deno.mkdir(cwd);
    await Deno.writeTextFile(`${cwd}/a.txt`, "hello\n");
    const outcome = await job.run(["--approve", "plan", "go"], { cwd });
    deepStrictEqual([outcome.code, outcome.stdout], [0, "1. write x.txt\n"], outcome.stderr);
    const [write, touch, list, read, background] = results(job);
    match(write!, /BLOCKED: write_file changes files\. This session only plans/);
    match(touch!, /BLOCKED: the command is not known to change nothing.*a step of the plan/);
    match(list!, /a\.txt/);
    match(read!, /hello/);
    match(background!, /BLOCKED/);
    deepStrictEqual(await namesIn(cwd), ["a.txt"]);
    const system = JSON.stringify(job.model.requests[0]!.body.messages);
    match(system, /Plan mode: change nothing\./);
  });
});

Deno.test("run says nothing of plans to a model that may work", async () => {
  await withJob([{ text: "done" }], async (job) => {
    strictEqual((await job.run(["go"])).code, 0);
    ok(!JSON.stringify(job.model.requests[0]!.body).includes("Plan mode"));
  });
});

Deno.test("run --approve ask-all ends with exit code 3 at the first command, and goes on with its id", async () => {
  const replies = [
    calls(["read_file", { path: "a.txt" }]),
    calls(["terminal", { command: "echo first" }]),
    calls(WRITE),
    { text: "not reached" },
  ];
  await withJob(replies, async (job) => {
    const cwd = `${job.home}/work`;
    await Deno.mkdir(cwd);
    await Deno.writeTextFile(`${cwd}/a.txt`, "hello\n");
    const outcome = await job.run(["--approve", "ask-all", "--json", "go"], { cwd });
    strictEqual(outcome.code, 3, outcome.stderr);
    const [start] = parseEvents(outcome.stdout).filter(({ type }) => type === "approval_start");
    const request = start!.request as { subject: string; rule: string; id: string };
    deepStrictEqual([request.subject, request.rule], ["echo first", "ask-all"]);
    const [, words] = /Allow this one action: hermes (.*)\n/.exec(outcome.stderr)!;
    ok(words!.includes(`--approve ask-all --approve-once ${request.id}`), outcome.stderr);
    const resumed = await job.hermes(words!.split(" "), { cwd });
    strictEqual(resumed.code, 3, "the write needs a yes of its own");
    match(results(job).join("\n"), /first/);
    match(resumed.stderr, /\n {2}write_file: write_file x\.txt\n {2}Rule: ask-all/);
    ok(!resumed.stderr.includes("matched nothing"), resumed.stderr);
    ok(!(await namesIn(cwd)).includes("x.txt"));
  });
});

Deno.test("approvals.mode plan and ask-all hold in a headless run, unless a flag says otherwise", async () => {
  for (const [mode, code] of [["plan", 0], ["ask-all", 3]] as const) {
    await withJob([calls(["terminal", { command: "touch y" }]), { text: "done" }], async (job) => {
      await Deno.mkdir(`${job.home}/.hermes`, { recursive: true });
      await Deno.writeTextFile(`${job.home}/.hermes/config.yaml`, `approvals:\n  mode: ${mode}\n`);
      const outcome = await job.run(["--quiet", "go"]);
      strictEqual(outcome.code, code, outcome.stderr);
      ok(!(await namesIn(job.home)).includes("y"));
    });
  }
  await withJob([calls(["terminal", { command: "touch y" }]), { text: "done" }], async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`, { recursive: true });
    await Deno.writeTextFile(`${job.home}/.hermes/config.yaml`, "approvals:\n  mode: plan\n");
    strictEqual(
      (await job.run(["--quiet", "--sandbox", "off", "--approve", "never", "go"])).code,
      0,
    );
    ok((await namesIn(job.home)).includes("y"));
  });
});
