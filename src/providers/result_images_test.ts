/** Images of tool results on each wire, and what is not sent of a result. */
// deno-lint-ignore-file camelcase -- wire names
import assert from "node:assert/strict";
import type { ImagePart, Message, ToolMessage } from "../protocol/message.ts";
import type { ModelRequest } from "../protocol/provider.ts";
import { encodeAnthropic } from "./anthropic_messages_convert.ts";
import type { ProviderOptions } from "./exchange.ts";
import { createChatEncoder } from "./openai_chat_convert.ts";
import { encodeResponses } from "./openai_responses_convert.ts";
import { networkFetch } from "./wire_fetch.ts";

const IMAGE: ImagePart = { type: "image", mediaType: "image/png", ref: "sha256:0", data: "AAAA" };

function optionsFor(images: boolean): ProviderOptions {
  return {
    name: "test",
    baseUrl: "http://127.0.0.1:1/v1",
    model: { id: "m", contextTokens: 1000, reasoning: false, images },
    wireFetch: networkFetch,
  } as ProviderOptions;
}

function result(id: string, more: Partial<ToolMessage> = {}): ToolMessage {
  return { role: "tool", toolCallId: id, name: "look", content: "seen", isError: false, ...more };
}

/** A conversation with two calls and these results, and an answer after them. */
function request(...results: ToolMessage[]): ModelRequest {
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: "look" }] },
    {
      role: "assistant",
      content: results.map(({ toolCallId }) => ({
        type: "tool_call",
        id: toolCallId,
        name: "look",
        arguments: "{}",
      })),
      stopReason: "tool_calls",
      provider: "test",
      model: "m",
    },
    ...results,
  ];
  return { system: "", messages, tools: [] };
}

/** Everything after the assistant's message, as each wire has it. */
function sent(asked: ModelRequest, images = true) {
  const options = optionsFor(images);
  return {
    anthropic: (encodeAnthropic(asked, options).body as { messages: { content: unknown[] }[] })
      .messages.at(-1)!.content as Record<string, unknown>[],
    responses: (encodeResponses(asked, options).body as { input: Record<string, unknown>[] }).input
      .filter(({ type }) => type === "function_call_output"),
    chat: (createChatEncoder(options)(asked).body as { messages: Record<string, unknown>[] })
      .messages.slice(2),
  };
}

Deno.test("the Anthropic and Responses wires put images inside the result", () => {
  const { anthropic, responses } = sent(request(result("a", { images: [IMAGE] })));
  assert.deepEqual(anthropic[0]!.content, [
    { type: "text", text: "seen" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
  ]);
  assert.deepEqual(responses[0]!.output, [
    { type: "input_text", text: "seen" },
    { type: "input_image", image_url: "data:image/png;base64,AAAA" },
  ]);
});

Deno.test("the Chat wire sends images in one message below all results of the calls", () => {
  const { chat } = sent(
    request(result("a", { images: [IMAGE] }), result("b"), result("c", { images: [IMAGE] })),
  );
  assert.deepEqual(chat.map(({ role }) => role), ["tool", "tool", "tool", "user"]);
  assert.deepEqual(chat.slice(0, 3).map(({ content }) => content), ["seen", "seen", "seen"]);
  const picture = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
  assert.deepEqual(chat[3]!.content, [
    { type: "text", text: "[images of the result of a]" },
    picture,
    { type: "text", text: "[images of the result of c]" },
    picture,
  ]);
});

Deno.test("a model that sees only text reads a note in place of an image, on every wire", () => {
  const note = "[image omitted: this model sees only text]";
  const { anthropic, responses, chat } = sent(request(result("a", { images: [IMAGE] })), false);
  assert.deepEqual((anthropic[0]!.content as unknown[]).at(-1), { type: "text", text: note });
  assert.deepEqual((responses[0]!.output as unknown[]).at(-1), { type: "input_text", text: note });
  assert.deepEqual(chat, [{ role: "tool", tool_call_id: "a", content: `seen\n${note}` }]);
});

Deno.test("an image whose bytes are gone becomes a note, and an empty text stays valid", () => {
  const { data: _, ...lost } = IMAGE;
  const { anthropic, chat } = sent(request(result("a", { content: "", images: [lost] })));
  const note = "[image no longer available]";
  assert.deepEqual(anthropic[0]!.content, [{ type: "text", text: note }]);
  assert.equal(chat[0]!.content, note);
});

Deno.test("results without images are sent as they always were, details never", () => {
  const plain = sent(request(result("a")));
  const details = { kind: "command" as const, exitCode: 3, output: "SECRET-DETAIL" };
  const detailed = sent(request(result("a", { details, isError: true })));
  assert.deepEqual(detailed, plain, "a program that failed is no failed tool");
  assert.deepEqual(plain.anthropic, [{
    type: "tool_result",
    tool_use_id: "a",
    content: "seen",
    cache_control: { type: "ephemeral" },
  }]);
  assert.deepEqual(plain.chat, [{ role: "tool", tool_call_id: "a", content: "seen" }]);
  const failed = sent(request(result("a", { isError: true })));
  assert.equal(failed.anthropic[0]!.is_error, true);
});
