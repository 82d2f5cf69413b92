/** Every class of failure of a model, over real HTTP and through the whole program. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import type { Reply } from "../support/fake_model_server.ts";
import { startFakeModel } from "../support/fake_model_server.ts";
import { type Job, parseEvents, withJob } from "../support/run_job.ts";

/** No wait between attempts where the server says so. */
const AT_ONCE = { "retry-after-ms": "1" };

async function configure(job: Job, text: string): Promise<void> {
  await Deno.mkdir(`${job.home}/.hermes`, { recursive: true });
  await Deno.writeTextFile(`${job.home}/.hermes/config.yaml`, text);
}

async function kindsOf(replies: Reply[], config = ""): Promise<[number, unknown[], number]> {
  let seen: [number, unknown[], number] | undefined;
  await withJob(replies, async (job) => {
    await configure(job, config);
    const outcome = await job.run(["--json", "hi"]);
    const events = parseEvents(outcome.stdout);
    const errors = events.filter(({ type }) => type === "error");
    for (const { message } of errors) match(String(message), /127\.0\.0\.1|empty|content filter/);
    seen = [outcome.code, errors.map(({ kind }) => kind), job.model.requests.length];
  });
  return seen!;
}

Deno.test("run tries again what may pass, class by class", async () => {
  const passing: [string, Reply, string?][] = [
    ["rate_limit", { status: 429, headers: AT_ONCE }],
    ["overloaded", { status: 529, headers: AT_ONCE }],
    ["network", { text: ["one ", "two"], cut: "reset" }],
    ["malformed", { garbage: "<html>not the API</html>" }],
    ["malformed", {}],
    ["timeout", { text: "late", delayMs: 60_000 }, "timeouts: { stream_read: 2 }\n"],
  ];
  await Promise.all(passing.map(async ([kind, reply, config]) => {
    deepStrictEqual(await kindsOf([reply, { text: "ok" }], config), [0, [kind], 2], kind);
  }));
});

Deno.test("run ends at once with exit code 5 where trying again cannot help", async () => {
  const final: [string, Reply][] = [
    ["auth", { status: 401 }],
    ["billing", { status: 402 }],
    ["not_found", { status: 404 }],
    ["content_filter", { text: "no", finish: "content_filter" }],
    ["overflow", { status: 400, error: "prompt is too long: 9 tokens > 8 maximum" }],
    ["invalid_request", { status: 400, error: "what is this?" }],
    ["invalid_request", { status: 307, headers: { location: "http://127.0.0.1:9/" } }],
  ];
  await Promise.all(final.map(async ([kind, reply]) => {
    deepStrictEqual(await kindsOf([reply]), [5, [kind], 1], kind);
  }));
});

Deno.test("run ends at once with exit code 5 when the server asks for more time than the run has", async () => {
  const cases: [asked: string, flags: string[], says: RegExp][] = [
    ["3600", [], /; come back in 60 minutes\n/],
    ["30", ["--timeout", "20s"], /; come back in 30 seconds\n/],
  ];
  for (const [asked, flags, says] of cases) {
    await withJob([{ status: 429, headers: { "retry-after": asked } }], async (job) => {
      const outcome = await job.run([...flags, "hi"]);
      deepStrictEqual([outcome.code, job.model.requests.length], [5, 1], outcome.stderr);
      match(outcome.stderr, says);
    });
  }
});

Deno.test("run goes down the chain of fallbacks in order and stays with the one that answers", async () => {
  await using second = startFakeModel({ replies: [{ status: 402 }] });
  await using third = startFakeModel({
    replies: [
      { toolCalls: [{ name: "terminal", arguments: { command: "true" } }] },
      { text: "from the third" },
    ],
  });
  await withJob([{ status: 401 }], async (job) => {
    const chain = [second, third].map(({ url }, i) =>
      `  - { provider: custom, model: m${i + 2}, base_url: "${url}" }\n`
    );
    await configure(job, `fallback_providers:\n${chain.join("")}`);
    const outcome = await job.run(["--json", "hi"]);
    strictEqual(outcome.code, 0, outcome.stderr);
    const asked = [job.model, second, third].map(({ requests }) => requests.length);
    deepStrictEqual(asked, [1, 1, 2]);
    const messages = parseEvents(outcome.stdout).filter(({ type }) => type === "message_end");
    deepStrictEqual(messages.map(({ message }) => (message as { model: string }).model), [
      "m3",
      "m3",
    ]);
  });
});

Deno.test("run puts a cut answer together and counts what every call used", async () => {
  const usage = { input: 100, output: 10, cached: 80 };
  const replies: Reply[] = [
    { usage },
    { text: "one ", finish: "length", usage },
    { text: "two", usage },
  ];
  await withJob(replies, async (job) => {
    const outcome = await job.run(["hi"]);
    deepStrictEqual([outcome.code, outcome.stdout], [0, "one two\n"], outcome.stderr);
    match(outcome.stderr, /done · 300 tokens in \(240 cached\), 30 out/);
    const shown = await job.hermes(["sessions", "show", "latest", "--json"]);
    const { usage: stored } = JSON.parse(shown.stdout);
    deepStrictEqual([stored.inputTokens, stored.cachedInputTokens, stored.outputTokens], [
      300,
      240,
      30,
    ]);
  });
});

Deno.test("run mends broken arguments and wrong names of tools", async () => {
  const replies: Reply[] = [
    { toolCalls: [{ name: "Terminal", arguments: '{"command": "echo mended > a",}' }] },
    { toolCalls: [{ name: "terminal", arguments: '{"command": "echo ' }] },
    { text: "ok" },
  ];
  await withJob(replies, async (job) => {
    strictEqual((await job.run(["go"])).code, 0);
    strictEqual(await Deno.readTextFile(`${job.home}/a`), "mended\n");
    const told = job.model.requests[2]!.body.messages.at(-1).content;
    match(told, /not valid JSON.*cut off/);
    // What is sent back is JSON again, whatever came.
    const sent: { tool_calls?: { function: { arguments: string } }[] }[] =
      job.model.requests[2]!.body.messages;
    for (const { tool_calls: calls = [] } of sent) {
      for (const call of calls) ok(JSON.parse(call.function.arguments));
    }
  });
});
