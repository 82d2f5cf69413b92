/** Answers that no model gives: without end, too deep, with names that every object has. */
import assert from "node:assert/strict";
import { toolCallsOf } from "../protocol/message.ts";
import type { Provider, ProviderFailure } from "../protocol/provider.ts";
import { tryWire, type WireTrial } from "../../tests/support/fake_wire.ts";
import { createAnthropicProvider } from "./anthropic_messages.ts";
import { AnswerStream } from "./answer_stream.ts";
import { listModels } from "./endpoint.ts";
import type { ProviderOptions } from "./exchange.ts";
import { modelInfo } from "./model_info.ts";
import { createChatProvider } from "./openai_chat.ts";
import { createResponsesProvider } from "./openai_responses.ts";

type Create = (options: ProviderOptions) => Provider;

const MEGABYTE = 1024 * 1024;

function failureOf({ events }: WireTrial): ProviderFailure {
  const last = events.at(-1);
  assert.ok(last?.type === "failure", `${last?.type}`);
  return last.failure;
}

/** Events of each format that carry a text again and again, by what they carry it as. */
const ENDLESS: readonly [string, Create, (text: string) => unknown][] = [
  ["chat text", createChatProvider, (content) => ({ choices: [{ delta: { content } }] })],
  ["chat reasoning", createChatProvider, (reasoning) => ({ choices: [{ delta: { reasoning } }] })],
  ["chat details", createChatProvider, (data) => ({
    choices: [{ delta: { reasoning_details: [{ type: "x", data }] } }],
  })],
  ["messages text", createAnthropicProvider, (text) => ({
    type: "content_block_delta",
    delta: { type: "text_delta", text },
  })],
  ["messages redacted thinking", createAnthropicProvider, (data) => ({
    type: "content_block_start",
    content_block: { type: "redacted_thinking", data },
  })],
  ["responses text", createResponsesProvider, (delta) => ({
    type: "response.output_text.delta",
    delta,
  })],
  ["responses reasoning", createResponsesProvider, (encrypted_content) => ({
    type: "response.output_item.done",
    item: { type: "reasoning", encrypted_content },
  })],
];

for (const [name, create, event] of ENDLESS) {
  Deno.test(`an answer without end is given up: ${name}`, async () => {
    const piece = event("x".repeat(2 * MEGABYTE));
    const trial = await tryWire(create, { data: Array.from({ length: 12 }, () => piece) });
    assert.equal(failureOf(trial).kind, "malformed");
    assert.match(failureOf(trial).message, /too long/);
  });
}

Deno.test("AnswerStream.push() gives up a stream of events that say nothing", () => {
  const reader = { event: () => [], whole: () => [], result: () => undefined };
  const stream = new AnswerStream(reader, { maxChars: 1000 });
  const chunk = new TextEncoder().encode(`data: {"a":"${"x".repeat(100)}"}\n\n`);
  const pushAll = () => Array.from({ length: 20 }, () => [...stream.push(chunk)]);
  assert.throws(pushAll, /too long/);
});

Deno.test("a call without end goes on as one that was cut", async () => {
  const piece = (text: string) => ({
    choices: [{
      delta: { tool_calls: [{ index: 0, id: "a", function: { name: "f", arguments: text } }] },
    }],
  });
  const data = [
    piece('{"x":"'),
    ...Array.from({ length: 8 }, () => piece("x".repeat(MEGABYTE / 2))),
    { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
  ];
  const trial = await tryWire(createChatProvider, { data });
  const [call] = toolCallsOf(trial.message());
  assert.equal(call!.arguments.length, 2 * MEGABYTE);
});

const TOO_DEEP: readonly [string, Create, string][] = [
  ["details", createChatProvider, `{"choices":[{"delta":{"reasoning_details":[DEEP]}}]}`],
  [
    "call",
    createChatProvider,
    `{"choices":[{"delta":{"tool_calls":[{"extra_content":DEEP,"function":{"name":"f"}}]}}]}`,
  ],
  [
    "input",
    createAnthropicProvider,
    `{"type":"content_block_start","content_block":{"type":"tool_use","input":{"a":DEEP}}}`,
  ],
  [
    "summary",
    createResponsesProvider,
    `{"type":"response.output_item.done","item":{"type":"reasoning","encrypted_content":"a","summary":[DEEP]}}`,
  ],
];

for (const [name, create, text] of TOO_DEEP) {
  Deno.test(`an answer that is nested too deep is refused: ${name}`, async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`;
    const body = `data: ${text.replace("DEEP", deep)}\n\n`;
    const wireFetch = () => Promise.resolve(new Response(body));
    const trial = await tryWire(create, { options: { wireFetch } });
    assert.equal(failureOf(trial).kind, "malformed");
  });
}

Deno.test("names that every object has stand for nothing", async () => {
  for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
    const chat = await tryWire(createChatProvider, {
      data: [{ choices: [{ delta: { content: "a" }, finish_reason: name }] }],
    });
    assert.equal(chat.message().stopReason, "end", name);
    const inline = await tryWire(createChatProvider, {
      data: [{ error: { code: name, message: "no" } }],
    });
    assert.equal(failureOf(inline).status, 500, name);
    assert.equal(modelInfo(name).contextTokens, modelInfo("nobody-knows-it").contextTokens);
  }
  assert.equal(modelInfo("7".repeat(1_000_000)).contextTokens, 128_000);
});

Deno.test("listModels() gives up a list without end, and names without end", async () => {
  const answer = (body: BodyInit) => ({
    fetch: () => Promise.resolve(new Response(body)),
    timeoutMs: 10_000,
  });
  const piece = new TextEncoder().encode('{"id":"a"},'.repeat(100_000));
  const endless = new ReadableStream({ pull: (controller) => controller.enqueue(piece) });
  assert.equal(await listModels("http://127.0.0.1", answer(endless)), "unlisted");
  const names = [{ id: "m".repeat(100_000) }, { id: "good" }, { id: "n".repeat(201) }];
  const listed = await listModels("http://127.0.0.1", answer(JSON.stringify({ data: names })));
  assert.deepEqual(listed, ["good"]);
});
