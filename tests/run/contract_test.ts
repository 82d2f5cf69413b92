/** The headless contract: what goes to which stream, and every exit code. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { startFakeModel } from "../support/fake_model_server.ts";
import { startHermes } from "../support/hermes.ts";
import { parseEvents, sessionIdOf, withJob } from "../support/run_job.ts";
import { isRunning, writtenFile } from "../support/written_file.ts";

function call(command: string) {
  return { toolCalls: [{ name: "terminal", arguments: { command } }] };
}

Deno.test("run prints the answer alone on stdout, progress on stderr, and exits 0", async () => {
  await withJob(
    [call("echo from-tool > made.txt; echo seen"), { text: "All done." }],
    async (job) => {
      const outcome = await job.run(["make a file"]);
      deepStrictEqual([outcome.code, outcome.stdout], [0, "All done.\n"], outcome.stderr);
      match(outcome.stderr, /→ terminal echo from-tool/);
      strictEqual(await Deno.readTextFile(`${job.home}/made.txt`), "from-tool\n");
      const result = job.model.requests[1]!.body.messages.at(-1);
      strictEqual(result.role, "tool");
      match(result.content, /"exit_code":0/);
      match(result.content, /seen/);
    },
  );
});

Deno.test("run --quiet is silent on stderr, also about settings and the choice of a model", async () => {
  await withJob([{ text: "ok" }], async (job) => {
    const outcome = await job.run(["--quiet", "hi"]);
    deepStrictEqual(outcome, { code: 0, stdout: "ok\n", stderr: "" });
    await Deno.writeTextFile(`${job.home}/.hermes/config.yaml`, "agnet: 1\n");
    const { code, stderr } = await job.hermes(["run", "-q", "-m", "offline", "count files in ."]);
    deepStrictEqual([code, stderr], [0, ""]);
  });
});

Deno.test("run --json prints every event as one line, from session_start to session_end", async () => {
  const usage = { input: 10, output: 2 };
  await withJob([call("true"), { text: "ok", usage }], async (job) => {
    const outcome = await job.run(["--json", "hi"]);
    const events = parseEvents(outcome.stdout);
    strictEqual(outcome.code, 0, outcome.stderr);
    deepStrictEqual(events.map((event) => event.seq), events.map((_, i) => i + 1));
    strictEqual(events[0]!.type, "session_start");
    deepStrictEqual(
      [events.at(-1)!.type, events.at(-1)!.reason, events.at(-1)!.exitCode],
      ["session_end", "done", 0],
    );
    for (
      const type of ["turn_start", "tool_start", "tool_end", "message_end", "usage", "turn_end"]
    ) {
      ok(events.some((event) => event.type === type), type);
    }
  });
});

Deno.test("run exits 1 when the agent gives up", async () => {
  const wrong = { toolCalls: [{ name: "no_such_tool_at_all", arguments: {} }] };
  await withJob([wrong, wrong, wrong, wrong], async (job) => {
    const outcome = await job.run(["hi"]);
    deepStrictEqual([outcome.code, outcome.stdout], [1, ""]);
    match(outcome.stderr, /gave up: the model keeps calling tools that do not exist/);
  });
});

Deno.test("run exits 2 with one clear line on wrong usage", async () => {
  await withJob([], async (job) => {
    const cases: [string[], RegExp][] = [
      [["run"], /no prompt/],
      [["run", "--modle", "x", "hi"], /--modle.*Did you mean.*--model/s],
      [["run", "--max-turns", "many", "hi"], /--max-turns/],
      [["run", "-f", "/no/such/file"], /cannot read --prompt-file \/no\/such\/file/],
      [["run", "--output-schema", "/no/such.json", "hi"], /cannot read --output-schema/],
      [["run", "--image", "/no/such.png", "hi"], /^hermes: cannot read --image/],
      [["run", "-C", "/no/such", "hi"], /^hermes: -C \(--cwd\) is not a directory: \/no\/such/],
      [["run", "--replay", "/no/such.cassette", "hi"], /\/no\/such\.cassette/],
      [["run", "--toolsets", "termnal", "hi"], /termnal.*terminal/s],
      [["run", "--env", "dokcer", "hi"], /dokcer/],
      [["run", "--provider", "opnai", "hi"], /opnai.*openai/s],
      [["run", "--resume", "nope", "hi"], /nope/],
      [["run", "--approve", "maybe", "hi"], /maybe/],
      [["rnu", "hi"], /rnu.*run/s],
    ];
    for (const [args, line] of cases) {
      const outcome = await job.hermes(args);
      strictEqual(outcome.code, 2, `${args.join(" ")}: ${outcome.stderr}`);
      match(outcome.stderr, line);
      strictEqual(outcome.stdout, "");
      ok(!/\n\s+at /.test(outcome.stderr), `stack trace for ${args.join(" ")}`);
    }
  });
});

Deno.test("run --approve never refuses, tells the model, and goes on", async () => {
  await withJob([call("rm -rf .git build"), { text: "left it" }], async (job) => {
    await Deno.mkdir(`${job.home}/build`);
    const outcome = await job.run(["clean"]);
    deepStrictEqual([outcome.code, outcome.stdout], [0, "left it\n"]);
    match(job.model.requests[1]!.body.messages.at(-1).content, /BLOCKED/);
    ok((await Deno.stat(`${job.home}/build`)).isDirectory);
  });
});

Deno.test("run --approve ask exits 3 without a terminal, and --resume goes on from there", async () => {
  await withJob([call("rm -rf .git build"), { text: "cleaned" }], async (job) => {
    await Deno.mkdir(`${job.home}/build`);
    const first = await job.run(["--approve", "ask", "clean"]);
    deepStrictEqual([first.code, first.stdout], [3, ""], first.stderr);
    match(first.stderr, /needs approval/);
    ok((await Deno.stat(`${job.home}/build`)).isDirectory);
    const second = await job.run(["--approve", "always", "--resume", sessionIdOf(first)]);
    deepStrictEqual([second.code, second.stdout], [0, "cleaned\n"], second.stderr);
    await Deno.stat(`${job.home}/build`).then(
      () => ok(false, "the approved command did not run"),
      (error) => ok(error instanceof Deno.errors.NotFound),
    );
  });
});

Deno.test("run --yolo runs what needs approval but never what is forbidden", async () => {
  await withJob(
    [call("rm -rf .git build"), call("rm -rf / --no-preserve-root"), { text: "ok" }],
    async (job) => {
      await Deno.mkdir(`${job.home}/build`);
      const outcome = await job.run(["--yolo", "clean"]);
      strictEqual(outcome.code, 0, outcome.stderr);
      match(job.model.requests[1]!.body.messages.at(-1).content, /"exit_code":0/);
      match(job.model.requests[2]!.body.messages.at(-1).content, /BLOCKED \(hardline\)/);
    },
  );
});

Deno.test("run exits 4 when a budget runs out: turns, tokens, cost, time", async () => {
  const replies = () => ({ ...call("true"), usage: { input: 900, output: 200 } });
  await withJob(replies, async (job) => {
    const turns = await job.run(["--max-turns", "2", "go"]);
    strictEqual(turns.code, 4, turns.stderr);
    match(turns.stderr, /used all 2 model calls/);
    strictEqual(job.model.requests.length, 2);
    match(turns.stderr, /hermes run --resume/);
    const tokens = await job.run(["--max-tokens", "1000", "go"]);
    strictEqual(tokens.code, 4, tokens.stderr);
    match(tokens.stderr, /token budget spent/);
  });
  await withJob([{ ...call("sleep 60") }], async (job) => {
    const time = await job.run(["--timeout", "1s", "go"]);
    strictEqual(time.code, 4, time.stderr);
    match(time.stderr, /time budget spent/);
  });
});

Deno.test("run exits 4 on a cost budget where the price is known", async () => {
  const reply = { ...call("true"), usage: { input: 900, output: 200, cost: 0.3 } };
  await withJob(() => reply, async (job) => {
    const outcome = await job.run(["--max-cost", "0.5", "go"]);
    strictEqual(outcome.code, 4, outcome.stderr);
    match(outcome.stderr, /cost budget spent: \$0\.6000 of \$0\.5 used/);
  });
});

Deno.test("run exits 5 when the provider is unreachable or refuses", async () => {
  await withJob([{ status: 401, error: "bad key" }], async (job) => {
    const refused = await job.run(["hi"]);
    deepStrictEqual([refused.code, refused.stdout], [5, ""], refused.stderr);
    match(refused.stderr, /127\.0\.0\.1/);
    await Deno.writeTextFile(`${job.home}/.hermes/config.yaml`, "agent: { api_max_retries: 1 }\n");
    const server = startFakeModel({ replies: [] });
    await server.close();
    const gone = await job.hermes(["run", "--base-url", server.url, "--model", "m", "hi"]);
    deepStrictEqual([gone.code, gone.stdout], [5, ""], gone.stderr);
    match(gone.stderr, /cannot talk to 127\.0\.0\.1:\d+: connection refused/);
  });
});

Deno.test("run --output-schema asks again on a violation and prints the bare JSON", async () => {
  await withJob([{ text: "Sure: 3" }, { text: '```json\n{"n": 3}\n```' }], async (job) => {
    const schema = `${job.home}/schema.json`;
    await Deno.writeTextFile(
      schema,
      JSON.stringify({ type: "object", properties: { n: { type: "integer" } }, required: ["n"] }),
    );
    const outcome = await job.run(["--output-schema", schema, "count"]);
    deepStrictEqual([outcome.code, outcome.stdout], [0, '{"n": 3}\n'], outcome.stderr);
    match(JSON.stringify(job.model.requests[1]!.body.messages.at(-1)), /does not fit/);
  });
});

Deno.test("run exits 6 when the answer never fits the schema", async () => {
  await withJob(() => ({ text: "no" }), async (job) => {
    const schema = `${job.home}/schema.json`;
    await Deno.writeTextFile(schema, '{"type":"array"}');
    const outcome = await job.run(["--output-schema", schema, "go"]);
    deepStrictEqual([outcome.code, outcome.stdout], [6, ""]);
    strictEqual(job.model.requests.length, 3);
    await Deno.writeTextFile(schema, '{"type":"nonsense"}');
    const invalid = await job.run(["--output-schema", schema, "go"]);
    strictEqual(invalid.code, 2);
    match(invalid.stderr, /not a valid JSON Schema/);
  });
});

type Stop = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Interrupts a run; false when the echo of the signal came too late to be taken for one. */
async function interruptRun(signal: Stop, options: { code: number; isEchoed?: boolean }) {
  let isTaken = true;
  await withJob([call("echo $$ > pid; exec sleep 300"), { text: "resumed" }], async (job) => {
    const child = startHermes({
      home: job.home,
      args: ["run", "--base-url", job.model.url, "--model", "m", "wait"],
    });
    const output = child.output();
    const pid = await writtenFile(`${job.home}/pid`);
    child.kill(signal);
    // Two that are pending together would be one.
    if (options.isEchoed) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill(signal);
    }
    const { code, stderr } = await output;
    const text = new TextDecoder().decode(stderr);
    strictEqual(code, options.code, text);
    ok(!await isRunning(pid), "the command outlived hermes");
    const said = /interrupted\n {2}Go on with: hermes (.*) 'go on'\n$/.exec(text);
    isTaken = said !== null;
    if (options.isEchoed && !isTaken) return;
    const resumed = await job.hermes([...said![1]!.split(" "), "go on"]);
    deepStrictEqual([resumed.code, resumed.stdout], [0, "resumed\n"], resumed.stderr);
  });
  return isTaken;
}

const STOPS: readonly (readonly [Stop, number])[] = [
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
];
for (const [signal, code] of STOPS) {
  Deno.test(`run exits ${code} on ${signal}, kills what it started and keeps the session`, async () => {
    ok(await interruptRun(signal, { code }));
  });
}

Deno.test("run takes a SIGINT that a task runner passes on for the same one", async () => {
  // On a busy machine the second is late now and then, but not always.
  let left = 8;
  while (!await interruptRun("SIGINT", { code: 130, isEchoed: true })) {
    ok(--left > 0, "the second SIGINT ended hermes every time");
  }
});
