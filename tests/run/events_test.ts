/** The lines of `--json`, checked against the schema that hermes itself publishes. */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { createSchemaCheck } from "../../src/deps/ajv.ts";
import type { Reply } from "../support/fake_model_server.ts";
import { parseEvents, withJob } from "../support/run_job.ts";

function call(name: string, args: Record<string, unknown>): Reply {
  return { toolCalls: [{ name, arguments: args }], usage: { input: 3, output: 2, cached: 1 } };
}

const SCRIPT = `import { read_file } from "hermes_tools";
console.log((await read_file({ path: "a" })).content);`;

Deno.test("hermes schema events describes every line of run --json", async () => {
  const runs: { args: string[]; replies: Reply[]; code: number }[] = [
    {
      args: ["go"],
      code: 0,
      replies: [
        { reasoning: "Hm.", signature: "S", ...call("write_file", { path: "a", content: "x" }) },
        call("execute_code", { code: SCRIPT }),
        call("terminal", { command: "git push --force" }),
        { status: 429, headers: { "retry-after-ms": "1" } },
        { text: ["do", "ne"] },
      ],
    },
    {
      args: ["--approve", "ask", "go"],
      code: 3,
      replies: [call("terminal", { command: "git push --force" })],
    },
    {
      args: ["--max-turns", "1", "go"],
      code: 4,
      replies: [call("terminal", { command: "true" }), { text: "half" }],
    },
    { args: ["go"], code: 5, replies: [{ status: 401 }] },
  ];
  const types = new Set<unknown>();
  for (const { args, replies, code } of runs) {
    await withJob(replies, async (job) => {
      const published = await job.hermes(["schema", "events"]);
      const check = createSchemaCheck(JSON.parse(published.stdout));
      ok(check({ type: "notice", text: 1 }), "the schema must refuse something");
      const outcome = await job.run(["--json", ...args]);
      strictEqual(outcome.code, code, outcome.stderr);
      for (const event of parseEvents(outcome.stdout)) {
        strictEqual(check(event), undefined, JSON.stringify(event));
        types.add(event.type);
      }
    });
  }
  const expected = [
    "error",
    "message_delta",
    "message_end",
    "message_start",
    "session_end",
    "session_start",
    "tool_end",
    "tool_start",
    "turn_end",
    "turn_start",
    "usage",
  ];
  deepStrictEqual(expected.filter((type) => !types.has(type)), []);
});
