/** What background processes tell the model, end to end. */
import { match, ok, strictEqual } from "node:assert/strict";
import { withJob } from "../support/run_job.ts";

Deno.test("run passes on ends and watched lines of background processes, without secrets", async () => {
  const start = (command: string, more: Record<string, unknown>) => ({
    toolCalls: [{ name: "terminal", arguments: { command, background: true, ...more } }],
  });
  const wait = "until [ -e ready ]; do sleep 0.05; done; sleep 0.2";
  const secret = "sk-abcdefghij1234567890XYZ";
  await withJob([
    start(`echo built ${secret}; exit 3`, { notify_on_complete: true }),
    start("echo starting; echo READY on 80; touch ready; sleep 60", { watch_patterns: ["READY"] }),
    { toolCalls: [{ name: "terminal", arguments: { command: wait } }] },
    { text: "done" },
  ], async (job) => {
    const outcome = await job.run(["go"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    const messages = job.model.requests.at(-1)!.body.messages as {
      role: string;
      content: string;
    }[];
    const told = messages.filter(({ role }) => role === "user").map(({ content }) => content)
      .slice(1).join("\n");
    match(told, /ended with exit code 3[\s\S]*built sk-abc\.\.\.0XYZ/);
    match(told, /matched a watch pattern\]\nREADY on 80/);
    ok(!told.includes(secret) && !told.includes("starting"));
  });
});
