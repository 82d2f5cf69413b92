import assert from "node:assert/strict";
import type { Message } from "../protocol/message.ts";
import type { ModelRequest } from "../protocol/provider.ts";
import { assistant, tryWire, user } from "../../tests/support/fake_wire.ts";
import { createAnthropicProvider } from "./anthropic_messages.ts";

const TOOLS = ["a", "b"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object" },
}));

async function sent(request: Partial<ModelRequest>, model = "claude-sonnet-4-5") {
  const info = { id: model, contextTokens: 1000, reasoning: true, maxOutputTokens: 10_000 };
  return (await tryWire(createAnthropicProvider, { request, options: { model: info } })).body;
}

function result(toolCallId: string, content = "ok"): Message {
  return { role: "tool", toolCallId, name: "a", content, isError: false };
}

Deno.test("createAnthropicProvider() puts at most four cache markers, at the ends of stable parts", async () => {
  const call = { type: "tool_call", id: "c1", name: "a", arguments: "{}" } as const;
  const body = await sent({
    tools: TOOLS,
    messages: [
      user("1"),
      assistant([call]),
      result("c1"),
      assistant([{ type: "text", text: "2" }]),
      user("3"),
    ],
  });
  assert.equal(JSON.stringify(body).match(/ephemeral/g)?.length, 4);
  assert.equal("cache_control" in body.tools[0], false);
  assert.ok(body.tools[1].cache_control && body.system[0].cache_control);
  assert.deepEqual(
    body.messages.map((turn: { content: { cache_control?: unknown }[] }) =>
      Boolean(turn.content.at(-1)!.cache_control)
    ),
    [false, false, true, false, true],
  );
});

Deno.test("createAnthropicProvider() merges neighbours and drops what the API refuses", async () => {
  const body = await sent({
    messages: [
      user("1"),
      user("   "),
      user("2"),
      assistant([{ type: "text", text: "" }, {
        type: "tool_call",
        id: "x.1|y",
        name: "a",
        arguments: "oops",
      }]),
      result("x.1|y", ""),
      user("3"),
    ],
  });
  assert.deepEqual(body.messages.map((turn: { role: string }) => turn.role), [
    "user",
    "assistant",
    "user",
  ]);
  assert.equal(body.messages[0].content.length, 2);
  assert.deepEqual(body.messages[1].content, [{
    type: "tool_use",
    id: "x_1_y",
    name: "a",
    input: {},
  }]);
  assert.equal(body.messages[2].content[0].tool_use_id, "x_1_y");
  assert.equal(body.messages[2].content[0].content, "(no output)");
});

Deno.test("createAnthropicProvider() asks for thinking as the model's generation wants it", async () => {
  const older = await sent({ reasoningEffort: "high" });
  assert.deepEqual(older.thinking, { type: "enabled", budget_tokens: 16_384 });
  assert.ok(older.max_tokens >= 16_384 + 4096);
  for (const model of ["claude-opus-4-6", "claude-sonnet-5", "claude-opus-5-5"]) {
    const newer = await sent({ reasoningEffort: "minimal" }, model);
    assert.deepEqual(newer.thinking, { type: "adaptive" }, model);
    assert.deepEqual(newer.output_config, { effort: "low" });
  }
  assert.equal("thinking" in await sent({}), false);
  assert.equal("thinking" in await sent({ reasoningEffort: "none" }, "claude-sonnet-5"), false);
  assert.equal((await sent({}, "claude-sonnet-4-20250514")).max_tokens, 10_000);
});

Deno.test("createAnthropicProvider() does not think over a tool call of another model", async () => {
  const call = { type: "tool_call", id: "c1", name: "a", arguments: "{}" } as const;
  const messages = [user("1"), assistant([call], "openai"), result("c1")];
  assert.equal("thinking" in await sent({ reasoningEffort: "high", messages }), false);
});

Deno.test("createAnthropicProvider() round-trips redacted thinking", async () => {
  const trial = await tryWire(createAnthropicProvider, {
    data: [
      { type: "message_start", message: {} },
      {
        type: "content_block_start",
        index: 0,
        content_block: { type: "redacted_thinking", data: "R" },
      },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "hi" } },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn" },
        usage: { input_tokens: 5, output_tokens: 1 },
      },
      { type: "message_stop" },
    ],
  });
  assert.equal(trial.message().usage?.inputTokens, 5);
  const body = await sent({ messages: [user("1"), trial.message()] });
  assert.deepEqual(body.messages[1].content[0], { type: "redacted_thinking", data: "R" });
});

Deno.test("createAnthropicProvider() keeps the path of a base URL with and without /v1", async () => {
  for (const baseUrl of ["http://h/anthropic", "http://h/anthropic/v1"]) {
    const trial = await tryWire(createAnthropicProvider, { options: { baseUrl } });
    assert.equal(trial.url, "http://h/anthropic/v1/messages");
  }
});
