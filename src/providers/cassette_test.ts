import assert from "node:assert/strict";
import { UsageError } from "../protocol/error.ts";
import type { ModelRequest, ProviderEvent, WireFetch } from "../protocol/provider.ts";
import { startFakeModel } from "../../tests/support/fake_model_server.ts";
import { createRecorder, createReplayer } from "./cassette.ts";
import { describeDifference } from "./cassette_diff.ts";
import { createChatProvider } from "./openai_chat.ts";
import { networkFetch } from "./wire_fetch.ts";

const KEY = "sk-secret-0123456789";

async function tempFile(): Promise<AsyncDisposable & { path: string }> {
  const dir = await Deno.makeTempDir();
  return {
    path: `${dir}/tape.jsonl`,
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

function provider(baseUrl: string, wireFetch: WireFetch) {
  const model = { id: "m", contextTokens: 1000 };
  return createChatProvider({ name: "test", model, baseUrl, apiKey: KEY, wireFetch });
}

function ask(text: string): ModelRequest {
  return {
    system: "s",
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [],
  };
}

async function run(
  wireFetch: WireFetch,
  options: { url: string; text: string },
): Promise<ProviderEvent[]> {
  const stream = provider(options.url, wireFetch).stream(
    ask(options.text),
    new AbortController().signal,
  );
  return await Array.fromAsync(stream);
}

async function raw(fetch: WireFetch, body = "{}"): Promise<Uint8Array> {
  const signal = new AbortController().signal;
  const response = await fetch("http://h/v1", { method: "POST", headers: {}, body, signal });
  return new Uint8Array(await response.arrayBuffer());
}

Deno.test("createReplayer() gives the same events as the recorded run", async () => {
  await using tape = await tempFile();
  await using server = startFakeModel({
    replies: [
      { text: ["naïve ", "🦊"], chunkBytes: 5, usage: { input: 3, output: 2 } },
      { status: 429, headers: { "retry-after": "7" }, error: `slow down ${KEY}` },
      { toolCalls: [{ name: "terminal", arguments: { command: "ls" } }] },
    ],
  });
  const recorder = await createRecorder(tape.path, networkFetch);
  const live: ProviderEvent[][] = [];
  for (const text of ["a", "b", "c"]) {
    live.push(await run(recorder.fetch, { url: server.url, text }));
  }
  await recorder.close();
  const file = await Deno.readTextFile(tape.path);
  assert.ok(!file.includes(KEY), "the key is in the cassette");
  assert.equal(file.trimEnd().split("\n").length, 4);

  const replayer = await createReplayer(tape.path);
  for (const [index, text] of ["a", "b", "c"].entries()) {
    assert.deepEqual(await run(replayer, { url: server.url, text }), live[index]);
  }
  assert.equal(server.requests.length, 3);
});

Deno.test("createReplayer() gives the same bytes, also those that are no text", async () => {
  await using tape = await tempFile();
  const bodies = [
    [new Uint8Array([0xef, 0xbb, 0xbf, 0xc3]), new Uint8Array([0xa9, 0x0a])],
    [new Uint8Array([0xff, 0x00, 0xfe])],
    [],
  ];
  let call = 0;
  const recorder = await createRecorder(tape.path, () => {
    const stream = ReadableStream.from(bodies[call++]!);
    return Promise.resolve(new Response(stream));
  });
  const live = [await raw(recorder.fetch), await raw(recorder.fetch), await raw(recorder.fetch)];
  await recorder.close();
  const replayer = await createReplayer(tape.path);
  assert.deepEqual([await raw(replayer), await raw(replayer), await raw(replayer)], live);
});

Deno.test("createReplayer() refuses another request with its first difference, fatally", async () => {
  await using tape = await tempFile();
  await using server = startFakeModel({ replies: [{ text: "hi" }] });
  const recorder = await createRecorder(tape.path, networkFetch);
  await run(recorder.fetch, { url: server.url, text: "the old question" });
  await recorder.close();

  const [last] =
    (await run(await createReplayer(tape.path), { url: server.url, text: "the new question" }))
      .slice(-1);
  assert.ok(last?.type === "failure");
  const { kind, action, message } = last.failure;
  assert.deepEqual([kind, action], ["invalid_request", "fatal"]);
  assert.match(
    message,
    /^request 1 is not the one in cassette .*: at body\.messages\[1\]\.content recorded "the old question", now "the new question"; record it again with --record /,
  );
});

Deno.test("createReplayer() refuses a request beyond the last", async () => {
  await using tape = await tempFile();
  await (await createRecorder(tape.path, networkFetch)).close();
  const [last] = (await run(await createReplayer(tape.path), { url: "http://h/v1", text: "x" }))
    .slice(-1);
  assert.ok(last?.type === "failure" && last.failure.action === "fatal");
  assert.match(last.failure.message, /holds 0 requests, but the run makes another/);
});

Deno.test("createRecorder() keeps an abandoned answer as a cut one and a failed request as its error", async () => {
  await using tape = await tempFile();
  await using server = startFakeModel({
    replies: [{ text: ["one ", "two ", "three"], stall: true }],
  });
  let fail = false;
  const recorder = await createRecorder(tape.path, (url, init) => {
    if (fail) throw new TypeError(`connection refused with ${KEY}`);
    return networkFetch(url, init);
  });
  const controller = new AbortController();
  for await (
    const event of provider(server.url, recorder.fetch).stream(ask("a"), controller.signal)
  ) {
    if (event.type === "text_delta") controller.abort();
  }
  fail = true;
  await run(recorder.fetch, { url: server.url, text: "b" });
  await recorder.close();
  assert.ok(!(await Deno.readTextFile(tape.path)).includes(KEY));

  const replayer = await createReplayer(tape.path);
  const cut = await run(replayer, { url: server.url, text: "a" });
  assert.ok(cut.some((event) => event.type === "text_delta"));
  assert.ok(cut.at(-1)!.type === "failure");
  const failed = (await run(replayer, { url: server.url, text: "b" })).at(-1)!;
  assert.ok(failed.type === "failure" && failed.failure.kind === "network");
});

Deno.test("createRecorder() writes each exchange when it is complete, not at the end", async () => {
  await using tape = await tempFile();
  const recorder = await createRecorder(tape.path, () => Promise.resolve(new Response("x")));
  await raw(recorder.fetch);
  assert.equal((await Deno.readTextFile(tape.path)).trimEnd().split("\n").length, 2);
  await recorder.close();
});

Deno.test("createRecorder() and createReplayer() compare requests after normalize()", async () => {
  await using tape = await tempFile();
  const normalize = (text: string) => text.replace(/\/tmp\/\w+/g, "{{cwd}}");
  const recorder = await createRecorder(tape.path, () => Promise.resolve(new Response("x")), {
    normalize,
  });
  await raw(recorder.fetch, '{"cwd":"/tmp/one"}');
  await recorder.close();
  const replayer = await createReplayer(tape.path, { normalize });
  assert.equal(new TextDecoder().decode(await raw(replayer, '{"cwd":"/tmp/two"}')), "x");
});

Deno.test("createRecorder() hides a key that an answer repeats across two pieces", async () => {
  await using tape = await tempFile();
  const recorder = await createRecorder(tape.path, () => {
    const pieces = [KEY.slice(0, 8), KEY.slice(8)].map((text) => new TextEncoder().encode(text));
    return Promise.resolve(new Response(ReadableStream.from(pieces)));
  });
  const signal = new AbortController().signal;
  const headers = { "x-api-key": KEY };
  const response = await recorder.fetch("http://h/v1", {
    method: "POST",
    headers,
    body: "{}",
    signal,
  });
  assert.equal(await response.text(), KEY);
  await recorder.close();
  const file = await Deno.readTextFile(tape.path);
  assert.ok(!file.includes(KEY.slice(8)) && file.includes("[redacted]"));
});

Deno.test("createReplayer() carries the target that the recorder was told", async () => {
  await using tape = await tempFile();
  const target = {
    provider: "p",
    model: "m",
    baseUrl: "http://h/v1",
    wire: "openai_chat",
  } as const;
  const recorder = await createRecorder(tape.path, networkFetch);
  recorder.fetch.describe!(target);
  await recorder.close();
  assert.deepEqual((await createReplayer(tape.path)).target, target);
});

Deno.test("createReplayer() refuses files that are no cassette of this format, in one line", async () => {
  await using tape = await tempFile();
  const cases: [string | undefined, RegExp][] = [
    [undefined, /cannot read cassette .*No such file/],
    ["", /is not a hermes cassette/],
    ["null\n", /is not a hermes cassette/],
    ["\x00\x01garbage", /is not a hermes cassette/],
    ['{"cassette":2,"hermes":"9.0.0"}\n', /has format 2, this hermes reads 1/],
    ['{"cassette":1,"hermes":"0.1.0"}\n{"request":{}', /line 2 of cassette .* is damaged/],
  ];
  for (const [text, message] of cases) {
    if (text !== undefined) await Deno.writeTextFile(tape.path, text);
    await assert.rejects(createReplayer(tape.path), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, message);
      return true;
    });
  }
  await assert.rejects(createRecorder(`${tape.path}/x/y`, networkFetch), UsageError);
});

Deno.test("describeDifference() finds the place, bounds the values and ignores key order", () => {
  assert.equal(describeDifference({ a: 1, b: [2] }, { b: [2], a: 1 }), undefined);
  assert.equal(
    describeDifference({ a: [1, 2] }, { a: [1] }),
    "at a[1] recorded 2, now nothing",
  );
  assert.equal(
    describeDifference({ a: { b: 1 }, c: "x" }, { a: { b: 2 }, c: "y" }),
    "at a.b recorded 1, now 2 (also c)",
  );
  const long = "x".repeat(5000);
  const text = describeDifference({ a: `${long}1${long}` }, { a: `${long}2${long}` })!;
  assert.match(text, /"…x{20}1x+…", now "…x{20}2/);
  assert.ok(text.length < 300);
});

Deno.test("createReplayer() refuses answers that cannot be played, before anything runs", async () => {
  const file = await Deno.makeTempFile();
  try {
    const sound = { status: 200, headers: {}, events: ["x"] };
    const bad = [
      5,
      null,
      { error: { a: 1 } },
      { ...sound, status: 999 },
      { ...sound, headers: null },
      { ...sound, headers: { "a\nb": "1" } },
      { ...sound, events: 5 },
      { ...sound, events: [null] },
      { ...sound, events: [{ base64: "!" }] },
    ];
    for (const response of bad) {
      const lines = [{ cassette: 1, hermes: "0" }, { request: {}, response }];
      await Deno.writeTextFile(file, lines.map((line) => JSON.stringify(line)).join("\n"));
      await assert.rejects(createReplayer(file), /line 2 of cassette .* is damaged/);
    }
  } finally {
    await Deno.remove(file);
  }
});
