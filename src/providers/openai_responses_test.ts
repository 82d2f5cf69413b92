import assert from "node:assert/strict";
import { messageText, toolCallsOf } from "../protocol/message.ts";
import { assistant, tryWire, user } from "../../tests/support/fake_wire.ts";
import { createResponsesProvider } from "./openai_responses.ts";

const OPAQUE = { format: "responses", encrypted: "E", summary: [] };

Deno.test("createResponsesProvider() stores nothing and asks for encrypted reasoning", async () => {
  const { body } = await tryWire(createResponsesProvider, {
    request: { reasoningEffort: "minimal", outputSchema: { type: "object" } },
  });
  assert.equal(body.store, false);
  assert.equal(body.instructions, "s");
  assert.deepEqual(body.include, ["reasoning.encrypted_content"]);
  assert.deepEqual(body.reasoning, { summary: "auto", effort: "low" });
  assert.deepEqual(body.text.format.schema, { type: "object" });
  assert.equal("tools" in body || "tool_choice" in body, false);
});

Deno.test("createResponsesProvider() asks for no reasoning in the word that the model knows", async () => {
  const words: [model: string, reasoning: unknown][] = [
    ["gpt-5.1", { effort: "none" }],
    ["gpt-5-mini", { summary: "auto", effort: "minimal" }],
    ["o3", { summary: "auto", effort: "low" }],
  ];
  for (const [id, reasoning] of words) {
    const { body } = await tryWire(createResponsesProvider, {
      request: { reasoningEffort: "none" },
      options: { model: { id, contextTokens: 1000, reasoning: true } },
    });
    assert.deepEqual(body.reasoning, reasoning, id);
  }
});

Deno.test("createResponsesProvider() does not ask a plain model for reasoning", async () => {
  const { body } = await tryWire(createResponsesProvider, {
    options: { model: { id: "gpt-4.1", contextTokens: 1000, reasoning: false } },
  });
  assert.equal("include" in body || "reasoning" in body, false);
});

Deno.test("createResponsesProvider() drops reasoning that nothing follows", async () => {
  const { body } = await tryWire(createResponsesProvider, {
    request: {
      messages: [
        assistant([{ type: "reasoning", text: "", opaque: OPAQUE }]),
        assistant([{ type: "reasoning", text: "", opaque: OPAQUE }, { type: "text", text: "x" }]),
        user("go"),
      ],
    },
  });
  assert.deepEqual(
    body.input.map((item: { type?: string; role?: string }) => item.type ?? item.role),
    [
      "reasoning",
      "message",
      "user",
    ],
  );
});

Deno.test("createResponsesProvider() reads an answer that comes only in the last event", async () => {
  const output = [
    { type: "reasoning", summary: [{ text: "hm" }], encrypted_content: "E" },
    { type: "message", content: [{ type: "output_text", text: "hello" }] },
    { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' },
  ];
  const trial = await tryWire(createResponsesProvider, {
    data: [{ type: "response.completed", response: { status: "completed", output } }],
  });
  const message = trial.message();
  assert.equal(messageText(message), "hello");
  assert.equal(toolCallsOf(message)[0]!.arguments, '{"x":1}');
  assert.deepEqual(message.content[0], {
    type: "reasoning",
    text: "hm",
    opaque: { format: "responses", encrypted: "E", summary: [{ text: "hm" }] },
  });
});

Deno.test("createResponsesProvider() maps a refusal and a failed response", async () => {
  const refusal = await tryWire(createResponsesProvider, {
    data: [
      { type: "response.refusal.delta", output_index: 0, delta: "No." },
      { type: "response.completed", response: { status: "completed" } },
    ],
  });
  assert.equal(refusal.message().stopReason, "content_filter");
  const failed = await tryWire(createResponsesProvider, {
    data: [{
      type: "response.failed",
      response: { status: "failed", error: { code: "rate_limit_exceeded", message: "slow" } },
    }],
  });
  const last = failed.events.at(-1)!;
  assert.ok(last.type === "failure" && last.failure.kind === "rate_limit");
});
