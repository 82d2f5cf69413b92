/** The same conversation over each wire format, through the whole program and its store. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Reply } from "../support/fake_model_server.ts";
import { withJob } from "../support/run_job.ts";

const USAGE = { input: 100, output: 10, cached: 60 };
const REPLIES: Reply[] = [
  {
    reasoning: "First I look.",
    signature: "SIGNED-1",
    toolCalls: [{ id: "call_a", name: "terminal", arguments: { command: "echo from-tool" } }],
    usage: USAGE,
  },
  { reasoning: "Now I know.", signature: "SIGNED-2", text: "It says from-tool.", usage: USAGE },
  { text: "Still.", usage: USAGE },
];

for (
  const [mode, path] of [
    ["chat_completions", "/v1/chat/completions"],
    ["codex_responses", "/v1/responses"],
    ["anthropic_messages", "/v1/messages"],
  ]
) {
  Deno.test(`run speaks ${mode}: tools, reasoning and usage survive the store`, async () => {
    await withJob(REPLIES, async (job) => {
      await Deno.mkdir(`${job.home}/.hermes`);
      await Deno.writeTextFile(
        `${job.home}/.hermes/config.yaml`,
        // A name that is known to reason, so that every format asks for it.
        `model: { default: gpt-5, base_url: "${job.model.url}", api_mode: ${mode} }\n` +
          "agent: { reasoning_effort: low }\n",
      );
      const first = await job.hermes(["run", "what does it say?"]);
      deepStrictEqual([first.code, first.stdout], [0, "It says from-tool.\n"], first.stderr);
      match(first.stderr, /done · 200 tokens in \(120 cached\), 20 out/);
      const second = await job.hermes(["run", "--continue", "sure?"]);
      deepStrictEqual([second.code, second.stdout], [0, "Still.\n"], second.stderr);

      deepStrictEqual(job.model.requests.map((request) => request.path), [path, path, path]);
      const [, afterTool, resumed] = job.model.requests.map(({ body }) => JSON.stringify(body));
      for (const sent of [afterTool!, resumed!]) {
        ok(sent.includes("SIGNED-1"), "the reasoning before the tool call is missing");
        ok(sent.includes("from-tool"), "the tool's result is missing");
        ok(sent.indexOf("SIGNED-1") < sent.indexOf("call_a"), "reasoning comes first");
      }
      ok(resumed!.includes("SIGNED-2"), "the reasoning of the answer is missing");
      strictEqual(resumed!.match(/"call_a"/g)?.length, 2, "one call and its result");
    });
  });
}
