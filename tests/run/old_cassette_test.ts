/**
 * A recording of the version before there was a host: it plays, and the events are still those that
 * its readers knew. The prompt and the schemas of tools are filled in as they are now: a replay is
 * strict about them on purpose, and this is about everything else.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { withJob } from "../support/run_job.ts";

const FIXTURE = new URL("../fixtures/cassettes/before_host.jsonl", import.meta.url);

/** Events of that version, as the same run printed them then; others may have come between. */
const TOOL_CALL = ["message_start", "message_end", "tool_start", "tool_end"];
const THEN = [
  ...["session_start", "turn_start"],
  ...Array.from({ length: 7 }, () => TOOL_CALL).flat(),
  ...["message_start", "message_delta", "message_end", "turn_end", "session_end"],
];

interface Exchange {
  request: { body: { messages: { content: unknown }[]; tools: unknown } };
}

Deno.test("a cassette of an older version replays, and its events mean what they meant", async () => {
  await withJob([{ text: "x" }], async (job) => {
    const [recorded, cwd] = [`${job.home}/now.jsonl`, `${job.home}/work`];
    await Deno.mkdir(cwd);
    equal((await job.run(["--record", recorded, "write it down"], { cwd })).code, 0);
    const now: Exchange = JSON.parse((await Deno.readTextFile(recorded)).split("\n")[1]!);
    const { messages: [system], tools } = now.request.body;
    const [header, ...lines] = (await Deno.readTextFile(FIXTURE)).trim().split("\n");
    const filled = lines.map((line) => {
      const exchange: Exchange = JSON.parse(line);
      exchange.request.body.messages[0]!.content = system!.content;
      exchange.request.body.tools = tools;
      return JSON.stringify(exchange);
    });
    const old = `${job.home}/old.jsonl`;
    await Deno.writeTextFile(old, `${[header, ...filled].join("\n")}\n`);
    const replay = ["run", "--replay", old, "--json", "write it down"];
    const first = await job.hermes(replay, { cwd });
    equal(first.code, 0, first.stderr);
    equal(await Deno.readTextFile(`${cwd}/notes.txt`), "one\nthree\n");
    const events = first.stdout.trim().split("\n").map((line) => JSON.parse(line));
    let at = 0;
    for (const { type } of events) if (type === THEN[at]) at++;
    equal(at, THEN.length, `after ${at} events comes no ${THEN[at]}`);
    deepEqual(events.map(({ seq }) => seq), events.map((_, index) => index + 1));
    const [ended] = events.filter(({ type }) => type === "turn_end");
    deepEqual([ended.reason, ended.text, ended.iterations], ["done", "It says one and three.", 8]);
    const results = events.filter(({ type }) => type === "tool_end");
    ok(results.every(({ result }) => typeof JSON.parse(result) === "object"));
    // The same bytes every time, once the file is as it was.
    await Deno.remove(`${cwd}/notes.txt`);
    equal((await job.hermes(replay, { cwd })).stdout, first.stdout);
  });
});
