/** Calls that a model makes too deep, too long or too many: the run answers each and goes on. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { parseEvents, withJob } from "../support/run_job.ts";
import type { Reply } from "../support/fake_model_server.ts";

const LISTS = "[".repeat(20_000) + "]".repeat(20_000);
const OBJECTS = '{"a":'.repeat(20_000) + "1" + "}".repeat(20_000);

interface Body {
  messages: { role: string; content: string }[];
}

function resultsOf(body: unknown): string[] {
  return (body as Body).messages.filter(({ role }) => role === "tool").map((one) => one.content);
}

/** The results the model reads after it made these calls in one message. */
async function resultsAfter(
  toolCalls: { name: string; arguments: string }[],
  flags: string[] = [],
): Promise<{ results: string[]; stdout: string }> {
  let results: string[] = [];
  let stdout = "";
  const replies = (request: { body: unknown }, index: number): Reply => {
    if (index > 0) results = resultsOf(request.body);
    return index === 0 ? { toolCalls } : { text: "done" };
  };
  await withJob(replies, async (job) => {
    const outcome = await job.run([...flags, "go"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    stdout = outcome.stdout;
  });
  return { results, stdout };
}

Deno.test("run goes on after arguments that are nested without end", async () => {
  const { results, stdout } = await resultsAfter([
    { name: "todo", arguments: `{"todos":${LISTS}}` },
    { name: "write_file", arguments: `{"path":"a","content":"x","more":${OBJECTS}}` },
    { name: "read_file", arguments: `{"path":${LISTS}}` },
    { name: "read_file", arguments: `{"path":${"[".repeat(100_000)}` },
    { name: "todo", arguments: JSON.stringify({ todos: LISTS }) },
  ], ["--json"]);
  deepStrictEqual(results.map((text) => /nested deeper than 64 levels|cut off/.exec(text)?.[0]), [
    "nested deeper than 64 levels",
    "nested deeper than 64 levels",
    "nested deeper than 64 levels",
    "cut off",
    "nested deeper than 64 levels",
  ]);
  const events = parseEvents(stdout);
  strictEqual(events.filter(({ type }) => type === "tool_end").length, 5);
});

Deno.test("run goes on after tool names and keys without end", async () => {
  const { results } = await resultsAfter([
    { name: "x".repeat(2_000_000), arguments: "{}" },
    { name: "read_file", arguments: `{"${"p".repeat(2_000_000)}":1}` },
    { name: "execute_code", arguments: JSON.stringify({ code: "1", language: "p".repeat(1e6) }) },
  ]);
  match(results[0]!, /^\{"error":"Unknown tool: x{100}… No tool has a name/);
  ok(results.every((text) => text.length < 3_000), "a result repeats what was sent");
});
