/** What people and programs see of a result: the same truth as text and as JSON. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Reply } from "../support/fake_model_server.ts";
import { type Job, parseEvents, sessionIdOf, withJob } from "../support/run_job.ts";

type Call = { name: string; arguments: Record<string, unknown> };

interface ToolEnd {
  type: string;
  name: string;
  isError: boolean;
  summary: string;
  details: Record<string, unknown>;
  view: { kind: string; text?: string }[];
}

function replies(...calls: Call[]): Reply[] {
  return [...calls.map((call) => ({ toolCalls: [call] })), { text: "done" }];
}

/** The `tool_end` events of a JSON run of these calls, and the marked lines of a text run. */
async function both(calls: Call[], prepare?: (job: Job) => Promise<void>) {
  let ends: ToolEnd[] = [];
  let lines: string[] = [];
  await withJob(replies(...calls), async (job) => {
    await prepare?.(job);
    const { stdout, code, stderr } = await job.run(["--json", "go"]);
    strictEqual(code, 0, stderr);
    ends = (parseEvents(stdout) as unknown as ToolEnd[]).filter(({ type }) => type === "tool_end");
  });
  await withJob(replies(...calls), async (job) => {
    await prepare?.(job);
    lines = (await job.run(["go"])).stderr.split("\n").filter((line) => /^ {2}[✓✗]/.test(line));
  });
  return { ends, lines };
}

Deno.test("a command that exits with another code than 0 failed, as text and as JSON", async () => {
  const { ends, lines } = await both([
    { name: "terminal", arguments: { command: "echo broken; exit 3" } },
    { name: "terminal", arguments: { command: "echo fine" } },
  ]);
  deepStrictEqual(ends.map(({ isError, summary }) => [isError, summary]), [
    [true, "exit 3 · broken"],
    [false, "exit 0 · fine"],
  ]);
  deepStrictEqual(ends[0]!.details, { kind: "command", exitCode: 3, output: "broken" });
  match(lines[0]!, /^ {2}✗ exit 3 · broken/);
  match(lines[1]!, /^ {2}✓ exit 0 · fine/);
});

Deno.test("a script that throws, and one that is killed, failed, as text and as JSON", async () => {
  const { ends, lines } = await both([
    { name: "execute_code", arguments: { code: "throw new RangeError('out of it')" } },
    { name: "execute_code", arguments: { code: "while (true);" } },
    { name: "execute_code", arguments: { code: "console.log('well')" } },
  ], async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`, { recursive: true });
    await Deno.writeTextFile(
      `${job.home}/.hermes/config.yaml`,
      "code_execution: { timeout: 2 }\n",
    );
  });
  deepStrictEqual(ends.map(({ isError, details }) => [isError, details.status]), [
    [true, "error"],
    [true, "timeout"],
    [false, "success"],
  ]);
  match(lines[0]!, /^ {2}✗ error · 0 calls · .*RangeError: out of it/);
  match(lines[1]!, /^ {2}✗ timeout · 0 calls/);
  match(lines[2]!, /^ {2}✓ 0 calls · well/);
});

Deno.test("a run shows each tool by its own renderers, with --verbose in full", async () => {
  await withJob(
    replies(
      { name: "write_file", arguments: { path: "a.txt", content: "one\ntwo\n" } },
      { name: "patch", arguments: { path: "a.txt", old_string: "two", new_string: "2" } },
      { name: "read_file", arguments: { path: "missing.txt" } },
    ),
    async (job) => {
      const { stderr } = await job.run(["--verbose", "go"]);
      match(stderr, /→ write_file a\.txt\n {2}✓ created · 2 lines\n {4}one\n {4}two\n/);
      match(stderr, /→ patch a\.txt\n {2}✓ \+1 −1\n {4}- modified a\.txt\n/);
      match(stderr, /\n {4}-two\n {4}\+2\n/);
      match(stderr, /→ read_file missing\.txt\n {2}✗ error: File not found: /);
    },
  );
});

Deno.test("the task list survives a resume", async () => {
  const todos = [{ id: "1", content: "write it", status: "in_progress" }];
  await withJob([
    ...replies({ name: "todo", arguments: { todos } }),
    ...replies({ name: "todo", arguments: {} }),
  ], async (job) => {
    const first = await job.run(["go"]);
    strictEqual(first.code, 0, first.stderr);
    match(first.stderr, /✓ 0 of 1 done · write it/);
    const second = await job.run(["--resume", sessionIdOf(first), "and now?"]);
    strictEqual(second.code, 0, second.stderr);
    const messages = job.model.requests.at(-1)!.body.messages as {
      role: string;
      content: string;
    }[];
    const last = messages.findLast(({ role }) => role === "tool")!;
    deepStrictEqual(JSON.parse(last.content).todos, todos);
  });
});

Deno.test("details are stored with a session and never sent to the model", async () => {
  await withJob([
    ...replies({ name: "terminal", arguments: { command: "echo out" } }),
    { text: "again" },
  ], async (job) => {
    const first = await job.run(["go"]);
    await job.run(["--resume", sessionIdOf(first), "go on"]);
    for (const { body } of job.model.requests) ok(!JSON.stringify(body).includes('"exitCode"'));
    const exported = await job.hermes(["sessions", "export", sessionIdOf(first)]);
    ok(exported.stdout.includes('"details":{"kind":"command","exitCode":0'), exported.stdout);
  });
});
