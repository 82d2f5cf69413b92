/** Every wire format against the same cases, over real HTTP to the fake model server. */
import assert from "node:assert/strict";
import { createAnthropicProvider } from "../../src/providers/anthropic_messages.ts";
import type { ProviderOptions } from "../../src/providers/exchange.ts";
import { createChatProvider } from "../../src/providers/openai_chat.ts";
import { createResponsesProvider } from "../../src/providers/openai_responses.ts";
import { networkFetch } from "../../src/providers/wire_fetch.ts";
import type { AssistantMessage, Message } from "../../src/protocol/message.ts";
import { messageText, toolCallsOf } from "../../src/protocol/message.ts";
import type {
  ModelRequest,
  Provider,
  ProviderEvent,
  ProviderFailure,
} from "../../src/protocol/provider.ts";
import { type FakeModel, type Reply, startFakeModel } from "../support/fake_model_server.ts";
import type { WireName } from "../support/fake_model_server_wire.ts";

const CREATE: Record<WireName, (options: ProviderOptions) => Provider> = {
  chat: createChatProvider,
  responses: createResponsesProvider,
  anthropic: createAnthropicProvider,
};
const WIRES = Object.keys(CREATE) as WireName[];
const KEY = "sk-test-0123456789abcdef";
const TOOL = {
  name: "read_file",
  description: "Reads a file",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

interface Case {
  name: string;
  replies: Reply[];
  options?: Partial<ProviderOptions>;
  run(context: CaseContext): Promise<void>;
}

interface CaseContext {
  wire: WireName;
  provider: Provider;
  server: FakeModel;
}

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function ask(request: Partial<ModelRequest> = {}): ModelRequest {
  return { system: "Be brief.", messages: [user("Hello")], tools: [], ...request };
}

async function collect(
  provider: Provider,
  request: ModelRequest = ask(),
  signal: AbortSignal = new AbortController().signal,
): Promise<ProviderEvent[]> {
  return await Array.fromAsync(provider.stream(request, signal));
}

function ended(events: ProviderEvent[]): AssistantMessage {
  const last = events.at(-1);
  assert.equal(last?.type, "end", JSON.stringify(last));
  const finals = events.filter((event) => event.type === "end" || event.type === "failure");
  assert.equal(finals.length, 1);
  return (last as { message: AssistantMessage }).message;
}

function failed(events: ProviderEvent[]): ProviderFailure {
  const last = events.at(-1);
  assert.equal(last?.type, "failure", JSON.stringify(last));
  const { failure } = last as { failure: ProviderFailure };
  assert.ok(!failure.message.includes("\n") && !failure.message.includes(KEY), failure.message);
  return failure;
}

function deltas(events: ProviderEvent[], type: "text_delta" | "reasoning_delta"): string {
  return events.map((event) => event.type === type ? event.text : "").join("");
}

const CASES: Case[] = [
  {
    name: "streams text and ends with it",
    replies: [{ text: ["Hel", "lo ", "there"] }],
    async run({ provider, server, wire }) {
      const events = await collect(provider);
      const message = ended(events);
      assert.equal(messageText(message), "Hello there");
      assert.equal(deltas(events, "text_delta"), "Hello there");
      assert.ok(events.filter((event) => event.type === "text_delta").length >= 3);
      assert.equal(message.stopReason, "end");
      assert.equal(message.provider, "test");
      assert.equal(message.model, "model-1");
      const { headers, body } = server.requests[0]!;
      assert.equal(
        wire === "anthropic" ? headers["x-api-key"] : headers["authorization"]?.slice(7),
        KEY,
      );
      assert.equal(body.stream, true);
      assert.ok(JSON.stringify(body).includes("Be brief."));
    },
  },
  {
    name: "assembles one tool call from split arguments",
    replies: [{
      text: "Let me look.",
      toolCalls: [{ id: "call_a", name: "read_file", arguments: { path: "a.ts" } }],
    }],
    async run({ provider }) {
      const events = await collect(provider, ask({ tools: [TOOL] }));
      const message = ended(events);
      assert.equal(message.stopReason, "tool_calls");
      assert.equal(messageText(message), "Let me look.");
      assert.deepEqual(toolCallsOf(message), [
        { type: "tool_call", id: "call_a", name: "read_file", arguments: '{"path":"a.ts"}' },
      ]);
      const pieces = events.filter((event) => event.type === "tool_call_delta");
      assert.ok(pieces.length >= 2);
      assert.equal(pieces.map((piece) => piece.arguments).join(""), '{"path":"a.ts"}');
      assert.ok(pieces.every((piece) => piece.index === 0 && piece.id === "call_a"));
    },
  },
  {
    name: "keeps parallel tool calls apart and in order",
    replies: [{
      toolCalls: [
        { id: "call_a", name: "read_file", arguments: { path: "a" } },
        { id: "call_b", name: "read_file", arguments: { path: "b" } },
        { id: "call_c", name: "terminal", arguments: { command: "ls" } },
      ],
    }],
    async run({ provider }) {
      const message = ended(await collect(provider, ask({ tools: [TOOL] })));
      assert.deepEqual(
        toolCallsOf(message).map((call) => [call.id, call.name, call.arguments]),
        [
          ["call_a", "read_file", '{"path":"a"}'],
          ["call_b", "read_file", '{"path":"b"}'],
          ["call_c", "terminal", '{"command":"ls"}'],
        ],
      );
    },
  },
  {
    name: "sends tool calls and their results back",
    replies: [
      { toolCalls: [{ id: "call_a", name: "read_file", arguments: { path: "a" } }] },
      { text: "done" },
    ],
    async run({ provider, server, wire }) {
      const first = ended(await collect(provider, ask({ tools: [TOOL] })));
      const result: Message = {
        role: "tool",
        toolCallId: "call_a",
        name: "read_file",
        content: "RESULT",
        isError: true,
      };
      await collect(provider, ask({ tools: [TOOL], messages: [user("Hello"), first, result] }));
      const { body } = server.requests[1]!;
      if (wire === "chat") {
        assert.equal(body.messages[2].tool_calls[0].function.arguments, '{"path":"a"}');
        assert.deepEqual(body.messages[3], {
          role: "tool",
          tool_call_id: "call_a",
          content: "RESULT",
        });
      } else if (wire === "responses") {
        assert.equal(body.input[1].type, "function_call");
        assert.deepEqual(body.input[2], {
          type: "function_call_output",
          call_id: "call_a",
          output: "RESULT",
        });
      } else {
        assert.deepEqual(body.messages[1].content[0].input, { path: "a" });
        const { tool_use_id, content, is_error } = body.messages[2].content[0];
        assert.deepEqual([tool_use_id, content, is_error], ["call_a", "RESULT", true]);
      }
    },
  },
  {
    name: "round-trips reasoning with what the provider wants back",
    replies: [
      { reasoning: "Think hard.", signature: "SIG", text: "Yes" },
      { text: "ok" },
      { text: "ok" },
    ],
    async run({ provider, server, wire }) {
      const events = await collect(provider);
      const message = ended(events);
      assert.equal(deltas(events, "reasoning_delta"), "Think hard.");
      assert.equal(messageText(message), "Yes");
      const [part] = message.content;
      assert.ok(part?.type === "reasoning" && part.text === "Think hard." && part.opaque);
      // Through the store and back.
      const stored = JSON.parse(JSON.stringify(message)) as AssistantMessage;
      await collect(provider, ask({ messages: [user("Hello"), stored, user("Go on")] }));
      const sent = JSON.stringify(server.requests[1]!.body);
      assert.ok(sent.includes('"SIG"'), sent);
      if (wire !== "responses") assert.ok(sent.includes("Think hard."), sent);
      const foreign = { ...stored, provider: "somebody-else" };
      await collect(provider, ask({ messages: [user("Hello"), foreign, user("Go on")] }));
      const other = JSON.stringify(server.requests[2]!.body);
      assert.ok(!other.includes("SIG") && !other.includes("Think hard."), other);
    },
  },
  {
    name: "tries once without reasoning when the server no longer accepts it",
    replies: [
      { reasoning: "Think.", signature: "OLD", text: "Yes" },
      { status: 400, error: "Invalid `signature` in `thinking` block: thinking signature invalid" },
      { text: "fine" },
    ],
    async run({ provider, server }) {
      const message = ended(await collect(provider));
      const messages = [user("Hello"), message, user("Go on")];
      assert.equal(messageText(ended(await collect(provider, ask({ messages })))), "fine");
      assert.equal(server.requests.length, 3);
      assert.ok(!JSON.stringify(server.requests[2]!.body).includes("OLD"));
    },
  },
  {
    name: "ends in an aborted failure and closes the connection when aborted mid-stream",
    replies: [{ text: ["one ", "two ", "three ", "four"], stall: true }],
    async run({ provider, server }) {
      const controller = new AbortController();
      const events: ProviderEvent[] = [];
      for await (const event of provider.stream(ask(), controller.signal)) {
        events.push(event);
        if (event.type === "text_delta") controller.abort();
      }
      assert.equal(failed(events).kind, "aborted");
      await server.requests[0]!.disconnected;
    },
  },
  {
    name: "sends nothing when the signal is already aborted",
    replies: [],
    async run({ provider, server }) {
      assert.equal(failed(await collect(provider, ask(), AbortSignal.abort())).kind, "aborted");
      assert.equal(server.requests.length, 0);
    },
  },
  {
    name: "closes the connection when the consumer stops early",
    replies: [{ text: ["one ", "two ", "three ", "four"], stall: true }],
    async run({ provider, server }) {
      for await (const event of provider.stream(ask(), new AbortController().signal)) {
        if (event.type === "text_delta") break;
      }
      await server.requests[0]!.disconnected;
    },
  },
  {
    name: "reads characters that are split across chunks",
    replies: [{ text: ["naïve ", "🦊 漢字", " ünïcödé"], chunkBytes: 11 }],
    async run({ provider }) {
      assert.equal(messageText(ended(await collect(provider))), "naïve 🦊 漢字 ünïcödé");
    },
  },
  {
    name: "ends with an empty message when the model says nothing",
    replies: [{}],
    async run({ provider }) {
      const message = ended(await collect(provider));
      assert.equal(messageText(message), "");
      assert.deepEqual(toolCallsOf(message), []);
      assert.equal(message.stopReason, "end");
    },
  },
  {
    name: "maps a cut by the output limit to length",
    replies: [{ text: "and then", finish: "length" }],
    async run({ provider }) {
      assert.equal(ended(await collect(provider)).stopReason, "length");
    },
  },
  {
    name: "maps a refusal to content_filter",
    replies: [{ text: "I cannot", finish: "content_filter" }, {
      status: 400,
      error: { code: "content_filter", message: "The prompt was flagged" },
    }],
    async run({ provider }) {
      assert.equal(ended(await collect(provider)).stopReason, "content_filter");
      const failure = failed(await collect(provider));
      assert.deepEqual([failure.kind, failure.action], ["content_filter", "fallback"]);
    },
  },
  {
    name: "classifies an overflow",
    replies: [{ status: 400, error: "prompt is too long: 210000 tokens > 200000 maximum" }],
    async run({ provider }) {
      const failure = failed(await collect(provider));
      assert.deepEqual([failure.kind, failure.action, failure.status], [
        "overflow",
        "overflow",
        400,
      ]);
    },
  },
  {
    name: "classifies 429 and reads Retry-After",
    replies: [{ status: 429, headers: { "retry-after": "7" }, error: "slow down" }],
    async run({ provider }) {
      const failure = failed(await collect(provider));
      assert.deepEqual(
        [failure.kind, failure.action, failure.status, failure.retryAfterMs],
        ["rate_limit", "retry", 429, 7000],
      );
    },
  },
  {
    name: "classifies 500 and 529 as worth a retry",
    replies: [{ status: 500 }, { status: 529 }],
    async run({ provider }) {
      for (const status of [500, 529]) {
        const failure = failed(await collect(provider));
        assert.deepEqual([failure.kind, failure.action, failure.status], [
          "overloaded",
          "retry",
          status,
        ]);
      }
    },
  },
  {
    name: "classifies a refused key and does not repeat it",
    replies: [{ status: 401, error: `Incorrect API key provided: ${KEY}` }],
    async run({ provider }) {
      const failure = failed(await collect(provider));
      assert.deepEqual([failure.kind, failure.action], ["auth", "auth"]);
      assert.match(failure.message, /127\.0\.0\.1:\d+ .*TEST_API_KEY/);
    },
  },
  {
    name: "classifies an error inside the stream",
    replies: [{
      text: ["one ", "two"],
      inlineError: { code: "overloaded_error", message: "Overloaded" },
    }],
    async run({ provider }) {
      const failure = failed(await collect(provider));
      assert.deepEqual([failure.kind, failure.action], ["overloaded", "retry"]);
    },
  },
  {
    name: "takes a stream that ends without a finish for a network failure",
    replies: [{ text: ["one ", "two ", "three"], cut: "end" }, {
      text: ["one ", "two"],
      cut: "reset",
    }],
    async run({ provider }) {
      for (let i = 0; i < 2; i++) {
        const events = await collect(provider);
        assert.ok(deltas(events, "text_delta").startsWith("one"));
        const failure = failed(events);
        assert.deepEqual([failure.kind, failure.action], ["network", "retry"]);
      }
    },
  },
  {
    name: "calls garbage malformed",
    replies: [
      { garbage: "<html><body>Welcome to the proxy</body></html>" },
      { garbage: "data: {not json}\n\n" },
      { garbage: '{"hello": "world"}' },
      { garbage: '{"choices": 7, "output": 7, "content": 7}' },
    ],
    async run({ provider }) {
      for (let i = 0; i < 4; i++) {
        const failure = failed(await collect(provider));
        assert.deepEqual([failure.kind, failure.status], ["malformed", 200]);
      }
    },
  },
  {
    name: "gives up on a stream that stalls, and on a slow first byte",
    replies: [{ text: ["one ", "two ", "three"], stall: true }, { text: "late", delayMs: 60_000 }],
    options: { timeouts: { firstByteMs: 800, idleMs: 200 } },
    async run({ provider, server }) {
      for (const wait of ["0.2 s", "0.8 s"]) {
        const failure = failed(await collect(provider));
        assert.deepEqual([failure.kind, failure.action], ["timeout", "retry"]);
        assert.ok(failure.message.includes(wait), failure.message);
      }
      await Promise.all(server.requests.map((request) => request.disconnected));
    },
  },
  {
    name: "waits for a first byte within its limit",
    replies: [{ text: "late", delayMs: 400 }],
    options: { timeouts: { firstByteMs: 10_000, idleMs: 300 } },
    async run({ provider }) {
      assert.equal(messageText(ended(await collect(provider))), "late");
    },
  },
  {
    name: "reads a plain JSON answer to a stream request",
    replies: [{
      plainJson: true,
      text: "whole",
      reasoning: "hm",
      toolCalls: [{ id: "call_a", name: "read_file", arguments: { path: "a" } }],
      usage: { input: 10, output: 2 },
    }],
    async run({ provider }) {
      const message = ended(await collect(provider, ask({ tools: [TOOL] })));
      assert.equal(messageText(message), "whole");
      assert.equal(message.stopReason, "tool_calls");
      assert.equal(toolCallsOf(message)[0]!.arguments, '{"path":"a"}');
      assert.equal(message.usage?.inputTokens, 10);
    },
  },
  {
    name: "counts usage, cached tokens and cost",
    replies: [{ text: "hi", usage: { input: 1000, output: 200, cached: 600 } }],
    async run({ provider }) {
      const { usage } = ended(await collect(provider));
      assert.ok(usage);
      assert.deepEqual(
        [usage.inputTokens, usage.outputTokens, usage.cachedInputTokens, usage.cacheWriteTokens],
        [1000, 200, 600, 0],
      );
      // 400 fresh at 10, 600 cached at 1, 200 out at 50 dollars per million.
      assert.equal(usage.costUsd, (400 * 10 + 600 * 1 + 200 * 50) / 1e6);
    },
  },
  {
    name: "takes nonsense in the usage for nothing",
    replies: [{ text: "hi", usage: { input: 10.4, output: 1e308, cached: -5 } }],
    async run({ provider }) {
      const { usage } = ended(await collect(provider));
      assert.ok(usage);
      const { costUsd, ...counts } = usage;
      for (const [name, count] of Object.entries(counts)) {
        assert.ok(Number.isSafeInteger(count) && count >= 0, `${name} is ${count}`);
      }
      assert.deepEqual([counts.outputTokens, counts.cachedInputTokens], [0, 0]);
      assert.ok(costUsd !== undefined && costUsd < 1);
    },
  },
  {
    name: "sends images inline, by URL, or as a note when neither is there",
    replies: [{ text: "a cat" }],
    async run({ provider, server, wire }) {
      const message: Message = {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image", mediaType: "image/png", ref: "sha256:00", data: "QUJD" },
          { type: "image", mediaType: "image/png", ref: "https://example.com/cat.png" },
          { type: "image", mediaType: "image/png", ref: "sha256:11" },
        ],
      };
      await collect(provider, ask({ messages: [message] }));
      const { body } = server.requests[0]!;
      const parts = wire === "responses" ? body.input[0].content : body.messages.at(-1).content;
      assert.equal(parts.length, 4);
      const inline = JSON.stringify(parts[1]);
      assert.ok(
        wire === "anthropic"
          ? inline.includes('"data":"QUJD"')
          : inline.includes("data:image/png;base64,QUJD"),
      );
      assert.ok(JSON.stringify(parts[2]).includes("https://example.com/cat.png"));
      assert.match(parts[3].text, /no longer available/);
    },
  },
  {
    name: "forbids tools without changing their list, and passes limits on",
    replies: [{ text: "ok" }, { text: "ok" }],
    async run({ provider, server, wire }) {
      await collect(provider, ask({ tools: [TOOL] }));
      await collect(provider, ask({ tools: [TOOL], toolChoice: "none", maxOutputTokens: 77 }));
      const [auto, none] = server.requests.map((request) => request.body);
      assert.deepEqual(none.tools, auto.tools);
      assert.deepEqual(none.tool_choice, wire === "anthropic" ? { type: "none" } : "none");
      assert.equal(wire === "responses" ? none.max_output_tokens : none.max_tokens, 77);
    },
  },
  {
    name: "does not follow a redirect, so the key stays with its host",
    replies: [{ status: 307, headers: { location: "http://127.0.0.1:9/v1/elsewhere" } }],
    async run({ provider, server }) {
      const failure = failed(await collect(provider));
      assert.deepEqual([failure.kind, failure.action], ["invalid_request", "fatal"]);
      assert.match(failure.message, /redirects to http:\/\/127\.0\.0\.1:9/);
      assert.equal(server.requests.length, 1);
    },
  },
];

for (const wire of WIRES) {
  for (const { name, replies, options, run } of CASES) {
    Deno.test(`${wire} provider ${name}`, async () => {
      await using server = startFakeModel({ replies });
      const provider = CREATE[wire]({
        name: "test",
        model: {
          id: "model-1",
          contextTokens: 100_000,
          inputPrice: 10,
          outputPrice: 50,
          cachedInputPrice: 1,
          reasoning: true,
        },
        baseUrl: server.url,
        apiKey: KEY,
        keyName: "TEST_API_KEY",
        wireFetch: networkFetch,
        quirks: { reasoningEcho: "echo" },
        ...options,
      });
      await run({ wire, provider, server });
    });
  }
}

Deno.test("chat provider names the cause when nothing listens", async () => {
  const server = startFakeModel({ replies: [] });
  await server.close();
  const provider = createChatProvider({
    name: "test",
    model: { id: "m", contextTokens: 1000 },
    baseUrl: server.url,
    wireFetch: networkFetch,
  });
  const failure = failed(await collect(provider));
  assert.equal(failure.kind, "network");
  assert.match(failure.message, /^cannot talk to 127\.0\.0\.1:\d+: connection refused; check/);
});
