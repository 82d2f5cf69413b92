import assert from "node:assert/strict";
import { messageText, toolCallsOf } from "../protocol/message.ts";
import { assistant, tryWire, user } from "../../tests/support/fake_wire.ts";
import { createChatProvider } from "./openai_chat.ts";

function chunk(delta: unknown, finish: string | null = null) {
  return { choices: [{ index: 0, delta, finish_reason: finish }] };
}

function read(...data: unknown[]) {
  return tryWire(createChatProvider, { data });
}

Deno.test("createChatProvider() tells calls apart that all have index 0, or none", async () => {
  const call = (id: string, args: string) => ({ id, function: { name: "f", arguments: args } });
  for (const index of [{ index: 0 }, {}]) {
    const trial = await read(
      chunk({ tool_calls: [{ ...index, ...call("a", '{"x":') }] }),
      chunk({ tool_calls: [{ ...index, function: { arguments: "1}" } }] }),
      chunk({ tool_calls: [{ ...index, ...call("b", '{"x":') }] }),
      chunk({ tool_calls: [{ ...index, function: { arguments: "2}" } }] }),
      chunk({}, "stop"),
    );
    assert.deepEqual(
      toolCallsOf(trial.message()).map((call) => [call.id, call.arguments]),
      [["a", '{"x":1}'], ["b", '{"x":2}']],
    );
    assert.equal(trial.message().stopReason, "tool_calls");
  }
});

Deno.test("createChatProvider() gives calls without an id the same id on every replay", async () => {
  const data = [
    chunk({ tool_calls: [{ index: 0, function: { name: "f", arguments: { x: 1 } } }] }),
    chunk({ tool_calls: [{ index: 1, function: { name: "g", arguments: "" } }] }, "tool_calls"),
  ];
  const first = toolCallsOf((await read(...data)).message());
  const again = toolCallsOf((await read(...data)).message());
  assert.deepEqual(first, again);
  assert.equal(new Set(first.map((call) => call.id)).size, 2);
  assert.equal(first[0]!.arguments, '{"x":1}');
});

Deno.test("createChatProvider() separates think tags and thinking parts from the answer", async () => {
  const tags = await read(
    chunk({ content: "<think>hm</th" }),
    chunk({ content: "ink>\n\nyes" }),
    chunk({}, "stop"),
  );
  assert.deepEqual(tags.message().content, [
    { type: "reasoning", text: "hm" },
    { type: "text", text: "yes" },
  ]);
  const parts = await read(
    chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
    chunk({ content: [{ type: "text", text: "yes" }] }, "stop"),
  );
  assert.equal(messageText(parts.message()), "yes");
  const held = await read(chunk({ content: "<th" }), chunk({}, "stop"));
  assert.equal(messageText(held.message()), "<th");
  assert.ok(held.events.some((event) => event.type === "text_delta" && event.text === "<th"));
});

Deno.test("createChatProvider() joins streamed reasoning details and sends them back", async () => {
  const detail = (fields: unknown) => chunk({ reasoning: "x", reasoning_details: [fields] });
  const trial = await read(
    detail({ type: "reasoning.text", index: 0, text: "Let " }),
    detail({ type: "reasoning.text", index: 0, text: "me see", signature: "S" }),
    detail({ type: "reasoning.encrypted", index: 1, data: "E" }),
    chunk({ content: "ok" }, "stop"),
  );
  const next = await tryWire(createChatProvider, {
    request: { messages: [user("hi"), trial.message()] },
    options: { quirks: { reasoningEcho: "echo" } },
  });
  assert.deepEqual(next.body.messages[2].reasoning_details, [
    { type: "reasoning.text", index: 0, text: "Let me see", signature: "S" },
    { type: "reasoning.encrypted", index: 1, data: "E" },
  ]);
});

Deno.test("createChatProvider() sends reasoning as each provider wants it", async () => {
  const call = { type: "tool_call", id: "a", name: "f", arguments: "{}" } as const;
  const opaque = { format: "chat", field: "reasoning_content" };
  const own = assistant([{ type: "reasoning", text: "hm", opaque }, call]);
  const foreign = assistant([{ type: "reasoning", text: "hm", opaque }, call], "other");
  const send = async (reasoningEcho?: "echo" | "require") => {
    const trial = await tryWire(createChatProvider, {
      request: { messages: [own, foreign] },
      options: { quirks: reasoningEcho === undefined ? {} : { reasoningEcho } },
    });
    return trial.body.messages.slice(1).map((message: Record<string, unknown>) =>
      message["reasoning_content"]
    );
  };
  assert.deepEqual(await send(), [undefined, undefined]);
  assert.deepEqual(await send("echo"), ["hm", undefined]);
  assert.deepEqual(await send("require"), ["hm", " "]);
});

Deno.test("createChatProvider() returns signatures that belong to tool calls", async () => {
  const extra = { google: { thought_signature: "T" } };
  const trial = await read(
    chunk({
      tool_calls: [{
        index: 0,
        id: "a",
        extra_content: extra,
        function: { name: "f", arguments: "{}" },
      }],
    }),
    chunk({}, "stop"),
  );
  const next = await tryWire(createChatProvider, { request: { messages: [trial.message()] } });
  assert.deepEqual(next.body.messages[1].tool_calls[0].extra_content, extra);
});

Deno.test("createChatProvider() follows the quirks of the provider", async () => {
  const request = {
    reasoningEffort: "high",
    maxOutputTokens: 9,
    outputSchema: { type: "object" },
  } as const;
  const plain = (await tryWire(createChatProvider, { request })).body;
  assert.deepEqual(
    [plain.max_tokens, plain.reasoning_effort, plain.reasoning, plain.response_format],
    [9, undefined, undefined, undefined],
  );
  const openai = (await tryWire(createChatProvider, {
    request,
    options: {
      quirks: { effort: "reasoning_effort", maxCompletionTokens: true, jsonSchema: true },
    },
  })).body;
  assert.deepEqual([openai.max_tokens, openai.max_completion_tokens, openai.reasoning_effort], [
    undefined,
    9,
    "high",
  ]);
  assert.deepEqual(openai.response_format.json_schema.schema, { type: "object" });
  const router = await tryWire(createChatProvider, {
    request,
    options: { quirks: { effort: "reasoning", headers: { "x-title": "hermes" } } },
  });
  assert.deepEqual(router.body.reasoning, { effort: "high" });
  const none = (await tryWire(createChatProvider, {
    request: { reasoningEffort: "none" },
    options: { quirks: { effort: "reasoning_effort" } },
  })).body;
  assert.equal(none.reasoning_effort, "none");
  assert.equal(router.headers["x-title"], "hermes");
});

Deno.test("createChatProvider() marks the system prompt and the last two messages for the cache", async () => {
  const { body } = await tryWire(createChatProvider, {
    request: { messages: [user("1"), assistant([{ type: "text", text: "2" }]), user("3")] },
    options: { quirks: { cacheMarkers: true } },
  });
  const marked = body.messages.map((message: { content: unknown }) =>
    JSON.stringify(message.content).includes("ephemeral")
  );
  assert.deepEqual(marked, [true, false, true, true]);
});

Deno.test("createChatProvider() sends {} for arguments that never were an object", async () => {
  const { body } = await tryWire(createChatProvider, {
    request: {
      messages: [assistant([{ type: "tool_call", id: "a", name: "f", arguments: '{"cut": ' }])],
    },
  });
  assert.equal(body.messages[1].tool_calls[0].function.arguments, "{}");
  assert.equal(body.messages[1].content, null);
});

Deno.test("createChatProvider() takes DeepSeek's cached tokens and OpenRouter's cost", async () => {
  const trial = await read(chunk({ content: "x" }, "stop"), {
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 6, cost: 0.25 },
  });
  assert.equal(trial.message().usage?.cachedInputTokens, 6);
  assert.equal(trial.message().usage?.costUsd, 0.25);
  const odd = await read(chunk({ content: "x" }, "stop"), {
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: 2, cost: -1 },
  });
  assert.equal(odd.message().usage?.costUsd, undefined);
});
