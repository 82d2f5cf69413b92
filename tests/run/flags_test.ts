/** Flags of `hermes run` that change what is sent, where it works and what is told. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { withJob } from "../support/run_job.ts";

function toolNames(request: { body: { tools?: { function: { name: string } }[] } }): string[] {
  return (request.body.tools ?? []).map((tool) => tool.function.name);
}

Deno.test("run --toolsets and --disable-toolsets decide what the model is offered", async () => {
  await withJob(() => ({ text: "ok" }), async (job) => {
    await job.run(["--toolsets", "file,terminal", "hi"]);
    await job.run(["-t", "file", "-t", "terminal", "--disable-toolsets", "terminal", "hi"]);
    await job.run(["--toolsets", "file", "--disable-toolsets", "patch", "hi"]);
    const [both, file, without] = job.model.requests.map(toolNames);
    deepStrictEqual(both!.toSorted(), [...file!, "process", "terminal"].toSorted());
    ok(file!.includes("read_file") && file!.includes("patch"));
    deepStrictEqual(without, file!.filter((name) => name !== "patch"));
  });
});

Deno.test("run --cwd works there, and --system adds to the prompt", async () => {
  const reply = { toolCalls: [{ name: "terminal", arguments: { command: "pwd > where" } }] };
  await withJob([reply, { text: "ok" }], async (job) => {
    await Deno.mkdir(`${job.home}/deep/er`, { recursive: true });
    const outcome = await job.run(["--cwd", "deep/er", "--system", "Answer in Latin.", "hi"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    const where = await Deno.readTextFile(`${job.home}/deep/er/where`);
    strictEqual(where, `${await Deno.realPath(`${job.home}/deep/er`)}\n`);
    match(job.model.requests[0]!.body.messages[0].content, /deep\/er[\s\S]*Answer in Latin\./);
  });
});

Deno.test("run --prompt-file and --output-last-message take long names too", async () => {
  await withJob([{ text: "42" }], async (job) => {
    await Deno.writeTextFile(`${job.home}/task.md`, "compute");
    await Deno.writeTextFile(`${job.home}/answer`, "an answer of yesterday");
    const flags = ["--prompt-file", "task.md", "--output-last-message", "answer"];
    strictEqual((await job.run(flags)).code, 0);
    strictEqual(await Deno.readTextFile(`${job.home}/answer`), "42");
    match(JSON.stringify(job.model.requests[0]!.body.messages), /compute/);
  });
});

Deno.test("run refuses an answer file it cannot write before it asks the model", async () => {
  await withJob([], async (job) => {
    const outcome = await job.run(["-o", "no/such/directory", "hi"]);
    deepStrictEqual([outcome.code, outcome.stdout], [2, ""]);
    match(outcome.stderr, /^hermes: cannot write --output-last-message no\/such\/directory: /);
    strictEqual(job.model.requests.length, 0);
  });
});

Deno.test("run --verbose tells what each call used", async () => {
  await withJob([{ text: "ok", usage: { input: 7, output: 3 } }], async (job) => {
    const { stderr } = await job.run(["--verbose", "hi"]);
    strictEqual(stderr.match(/7 tokens in, 3 out/g)?.length, 2, stderr);
  });
});

Deno.test("run --timeout takes any time, however long", async () => {
  await withJob(() => ({ text: "ok" }), async (job) => {
    for (const time of ["90", "1500ms", "5m", "10000h"]) {
      const outcome = await job.run(["--timeout", time, "hi"]);
      deepStrictEqual([outcome.code, outcome.stdout], [0, "ok\n"], outcome.stderr);
    }
  });
});

Deno.test("run refuses flags that contradict each other", async () => {
  await withJob([], async (job) => {
    const cases: [string[], RegExp][] = [
      [["--resume", "latest", "--continue"], /--continue and --resume cannot be used together/],
      [["--no-session", "--continue"], /nothing to resume/],
      [["--yolo", "--approve", "never"], /--yolo and --approve never say different things/],
      [["--record", "a", "--replay", "b"], /--record and --replay cannot be used together/],
      [["--replay", "a", "--resume", "latest"], /--replay is about a whole run/],
      [["--record", "a", "--continue"], /--record is about a whole run/],
    ];
    for (const [flags, line] of cases) {
      const outcome = await job.run([...flags, "hi"]);
      deepStrictEqual([outcome.code, outcome.stdout], [2, ""], flags.join(" "));
      match(outcome.stderr, line);
    }
    strictEqual(job.model.requests.length, 0);
  });
});

Deno.test("agent.reasoning_effort reaches the model, none included", async () => {
  await withJob(() => ({ text: "ok" }), async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`);
    const file = `${job.home}/.hermes/config.yaml`;
    for (const effort of ["none", "high"]) {
      await Deno.writeTextFile(file, `agent: { reasoning_effort: ${effort} }\n`);
      const args = ["run", "--base-url", job.model.url, "--model", "gpt-5.1", "hi"];
      strictEqual((await job.hermes(args)).code, 0);
    }
    const sent = job.model.requests.map(({ body }) => body.reasoning_effort);
    deepStrictEqual(sent, ["none", "high"]);
  });
});
