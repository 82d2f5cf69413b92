/** What `hermes run` shows on a terminal while it works. */
import { match, ok, strictEqual } from "node:assert/strict";
import { withJob } from "../support/run_job.ts";
import { withScreen } from "../support/screen.ts";

Deno.test("run on a terminal shows the answer as it comes, once", async () => {
  const replies = [
    {
      text: "Let me look.",
      toolCalls: [{ name: "terminal", arguments: { command: "echo seen" } }],
    },
    { text: ["The first half", " and the rest."], stall: true },
  ];
  await withScreen({ args: ["run", "go"], replies }, async ({ screen }) => {
    // The model never ends this answer: what is on the screen came while it was received.
    await screen.shows(/Let me look\.\n→ terminal echo seen\n {2}✓ exit 0 · seen\nThe first half/);
    await screen.type("\x03");
    strictEqual(await screen.exitCode(), 130);
  });
  await withScreen(
    { args: ["run", "go"], replies: [{ text: ["All ", "good."] }] },
    async (seat) => {
      await seat.screen.shows(/All good\.\n/);
      strictEqual(await seat.screen.exitCode(), 0);
      strictEqual(seat.screen.text.split("All good.").length, 2);
    },
  );
});

Deno.test("run says whose result a line is when calls run side by side", async () => {
  const read = (path: string) => ({ name: "read_file", arguments: { path } });
  const replies = [{ toolCalls: [read("a.txt"), read("b.txt")] }, {
    toolCalls: [read("a.txt")],
  }, { text: "done" }];
  await withJob(replies, async (job) => {
    await Deno.writeTextFile(`${job.home}/a.txt`, "one\n");
    const { stderr, stdout } = await job.run(["go"]);
    strictEqual(stdout, "done\n");
    match(stderr, /→ read_file a\.txt\n→ read_file b\.txt\n/);
    match(stderr, / {2}✓ read_file a\.txt: 1 lines/);
    match(stderr, / {2}✗ read_file b\.txt: error/);
    // A call that runs alone is followed by its result.
    ok(/→ read_file a\.txt\n {2}✓ (?!read_file a)/.test(stderr), stderr);
  });
});
