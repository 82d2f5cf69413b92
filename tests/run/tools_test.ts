/** Every tool end to end: a scripted model calls it through `hermes run`, and the world shows it. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { type Job, withJob } from "../support/run_job.ts";

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** Runs one call per model turn and gives the parsed results. */
async function results(
  calls: readonly Call[],
  body: (results: Record<string, unknown>[], job: Job) => Promise<void> | void,
  prepare: (job: Job) => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const replies = [...calls.map((call) => ({ toolCalls: [call] })), { text: "done" }];
  await withJob(replies, async (job) => {
    await prepare(job);
    const outcome = await job.run(["--quiet", "go"]);
    deepStrictEqual([outcome.code, outcome.stdout], [0, "done\n"], outcome.stderr);
    const last = job.model.requests.at(-1)!.body.messages as { role: string; content: string }[];
    const contents = last.filter((message) => message.role === "tool").map((m) => m.content);
    await body(contents.map((content) => JSON.parse(content)), job);
  });
}

Deno.test("terminal keeps its directory and exports between calls", async () => {
  await results([
    { name: "terminal", arguments: { command: "mkdir deep && cd deep && export COLOUR=blue" } },
    { name: "terminal", arguments: { command: "basename $PWD; echo $COLOUR; exit 3" } },
  ], (all) => {
    strictEqual(all[1]!.output, "deep\nblue");
    strictEqual(all[1]!.exit_code, 3);
  });
});

Deno.test("terminal never hands a credential to a command", async () => {
  await withJob([
    { toolCalls: [{ name: "terminal", arguments: { command: "env" } }] },
    { text: "done" },
  ], async (job) => {
    const secret = "sk-live-abcdefghijklmnopqrstuvwxyz123456";
    const outcome = await job.run(["go"], { env: { OPENAI_API_KEY: secret, MY_TOKEN: secret } });
    strictEqual(outcome.code, 0, outcome.stderr);
    ok(!JSON.stringify(job.model.requests[1]!.body).includes(secret));
    ok(!outcome.stderr.includes(secret));
  });
});

Deno.test("process follows a background command to its end", async () => {
  await withJob((request, index) => {
    if (index === 0) {
      const args = { command: "echo ready; sleep 0.2; echo over", background: true };
      return { toolCalls: [{ name: "terminal", arguments: args }] };
    }
    if (index > 1) return { text: "done" };
    const messages = (request.body as { messages: { content: string }[] }).messages;
    const { session_id: id } = JSON.parse(messages.at(-1)!.content);
    return {
      toolCalls: [{ name: "process", arguments: { action: "wait", session_id: id, timeout: 20 } }],
    };
  }, async (job) => {
    const outcome = await job.run(["--quiet", "go"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    const waited = JSON.parse(job.model.requests[2]!.body.messages.at(-1).content);
    strictEqual(waited.exit_code, 0);
    match(String(waited.output), /ready[\s\S]*over/);
  });
});

Deno.test("write_file, read_file, patch and search_files work on real files", async () => {
  await results([
    { name: "write_file", arguments: { path: "src/a.txt", content: "one\ntwo\nthree\n" } },
    { name: "read_file", arguments: { path: "src/a.txt", offset: 2, limit: 1 } },
    {
      name: "patch",
      arguments: { mode: "replace", path: "src/a.txt", old_string: "two", new_string: "2" },
    },
    { name: "search_files", arguments: { pattern: "^2$", path: "src" } },
  ], async (all, job) => {
    strictEqual(await Deno.readTextFile(`${job.home}/src/a.txt`), "one\n2\nthree\n");
    strictEqual(all[0]!.bytes_written, 14);
    match(String(all[1]!.content), /two/);
    strictEqual(all[2]!.success, true);
    strictEqual(all[3]!.total_count, 1);
  });
});

Deno.test("patch applies a multi-file patch or nothing", async () => {
  const patch = (second: string) =>
    `*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** Update File: b.txt\n@@\n-${second}\n+2\n*** End Patch`;
  await results(
    [
      { name: "patch", arguments: { mode: "patch", patch: patch("nowhere") } },
      { name: "patch", arguments: { mode: "patch", patch: patch("two") } },
    ],
    async (all, job) => {
      ok(all[0]!.error, "a patch that does not fit must fail");
      strictEqual(all[1]!.success, true);
      strictEqual(await Deno.readTextFile(`${job.home}/a.txt`), "1\n");
      strictEqual(await Deno.readTextFile(`${job.home}/b.txt`), "2\n");
    },
    async (job) => {
      await Deno.writeTextFile(`${job.home}/a.txt`, "one\n");
      await Deno.writeTextFile(`${job.home}/b.txt`, "two\n");
    },
  );
});

Deno.test("todo keeps the list of the session", async () => {
  const item = { id: "1", content: "write it", status: "in_progress" };
  await results([
    { name: "todo", arguments: { todos: [item] } },
    { name: "todo", arguments: {} },
  ], (all) => {
    deepStrictEqual(all[1]!.todos, [item]);
  });
});

Deno.test("clarify tells the model to decide when nobody is there", async () => {
  const replies = [
    {
      toolCalls: [{ name: "clarify", arguments: { question: "Which?", choices: ["a", "b"] } }],
    },
    { text: "chose a" },
  ];
  await withJob(replies, async (job) => {
    const outcome = await job.run(["--quiet", "-t", "clarify", "go"]);
    deepStrictEqual([outcome.code, outcome.stdout], [0, "chose a\n"], outcome.stderr);
    const content = job.model.requests[1]!.body.messages.at(-1).content;
    match(content, /nobody|no one|decide|best/i);
  });
});

Deno.test("execute_code calls tools from a script and prints only its summary to the model", async () => {
  const code = `import { read_file, search_files, terminal } from "hermes_tools";
const made = await terminal({ command: "seq 1 9 > n.txt; echo made" });
const { content } = await read_file({ path: "n.txt" });
const { matches } = await search_files({ pattern: "^[1-7]", path: "n.txt" });
const found = matches.map((match) => match.line).join("");
console.log("lines:", content.trim().split("\\n").length, made.exit_code, found);`;
  await withJob([
    { toolCalls: [{ name: "execute_code", arguments: { code } }] },
    { text: "done" },
  ], async (job) => {
    const outcome = await job.run(["--json", "go"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    const result = JSON.parse(job.model.requests[1]!.body.messages.at(-1).content);
    deepStrictEqual([result.status, result.output.trim(), result.tool_calls_made], [
      "success",
      "lines: 9 0 1234567",
      3,
    ]);
    const inner = outcome.stdout.split("\n").filter((line) => line.includes('"sandbox":true'));
    strictEqual(inner.length, 6);
    const shown = await job.hermes(["sessions", "show", "latest", "--json"]);
    strictEqual(shown.code, 0, shown.stderr);
  });
});
