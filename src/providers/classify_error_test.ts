import assert from "node:assert/strict";
import type { FailureKind } from "../protocol/provider.ts";
import {
  CASSETTE_HEADER,
  classifyAnswer,
  classifyException,
  classifyInline,
  createFailure,
  isStaleReasoning,
} from "./classify_error.ts";

const CONTEXT = {
  host: "api.example.com",
  model: "big-1",
  keyName: "BIG_API_KEY",
  secrets: ["sk-very-secret"],
};

function answer(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers: new Headers(headers), body: text };
}

function kind(status: number, message: string, extra: Record<string, unknown> = {}): FailureKind {
  return classifyAnswer(answer(status, { error: { message, ...extra } }), CONTEXT).kind;
}

Deno.test("classifyAnswer() tells the kinds apart by status", () => {
  const kinds: [number, FailureKind][] = [
    [400, "invalid_request"],
    [401, "auth"],
    [402, "billing"],
    [403, "auth"],
    [404, "not_found"],
    [408, "timeout"],
    [413, "overflow"],
    [422, "invalid_request"],
    [429, "rate_limit"],
    [500, "overloaded"],
    [502, "overloaded"],
    [503, "overloaded"],
    [504, "timeout"],
    [529, "overloaded"],
  ];
  for (const [status, expected] of kinds) assert.equal(kind(status, "no details"), expected);
});

Deno.test("classifyAnswer() knows the overflow words of the vendors", () => {
  const messages: [number, string][] = [
    [
      400,
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
    ],
    [
      400,
      "Your input exceeds the context window of this model. Please adjust your input and try again.",
    ],
    [400, "prompt is too long: 214353 tokens > 200000 maximum"],
    [400, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"],
    [
      400,
      "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).",
    ],
    [400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens."],
    [400, "Please reduce the length of the messages or completion."],
    [400, "the request exceeds the available context size, try increasing it"],
    [400, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"],
    [400, "tokens to keep from the initial prompt is greater than the context length"],
    [500, "prompt too long; exceeded max context length by 12 tokens"],
    [400, "Input is too long for requested model."],
    [400, "invalid params, context window exceeds limit"],
    [400, "Your request exceeded model token limit: 262144"],
  ];
  for (const [status, message] of messages) {
    assert.equal(kind(status, message), "overflow", message);
  }
});

Deno.test("classifyAnswer() looks past the status where vendors misuse it", () => {
  const cases: [number, string, FailureKind][] = [
    [
      429,
      "You exceeded your current quota, please check your plan and billing details.",
      "billing",
    ],
    [400, "Your credit balance is too low to access the Anthropic API.", "billing"],
    [403, "Key limit exceeded (total limit).", "billing"],
    [429, "The engine is currently overloaded, please try again later", "overloaded"],
    [402, "usage limit reached, try again in 5 minutes", "rate_limit"],
    [400, "API key not valid. Please pass a valid API key.", "auth"],
    [400, "xyz is not a valid model ID", "not_found"],
    [403, "Your input was flagged by moderation", "content_filter"],
    [
      400,
      "The response was filtered due to the prompt triggering content management policy.",
      "content_filter",
    ],
  ];
  for (const [status, message, expected] of cases) {
    assert.equal(kind(status, message), expected, message);
  }
});

Deno.test("classifyAnswer() reads the wait from headers and words", () => {
  const waits: [Record<string, string>, string, number | undefined][] = [
    [{ "retry-after": "7" }, "x", 7000],
    [{ "retry-after": "0.5" }, "x", 500],
    [{ "retry-after-ms": "250", "retry-after": "9" }, "x", 250],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" }, "x", 30_000],
    [{ "retry-after": "soon" }, "Please try again in 1.5s.", 1500],
    [{}, "Please retry in 350ms", 350],
    [{}, "x", undefined],
  ];
  for (const [headers, message, expected] of waits) {
    const nowMs = Date.parse("2026-01-01T00:00:00Z");
    const input = { ...answer(429, { error: { message } }, headers), nowMs };
    assert.equal(classifyAnswer(input, CONTEXT).retryAfterMs, expected);
  }
  const google = answer(429, { error: { message: "x", details: [{ retryDelay: "17s" }] } });
  assert.equal(classifyAnswer(google, CONTEXT).retryAfterMs, 17_000);
});

Deno.test("classifyAnswer() writes one bounded line without secrets", () => {
  const body = {
    error: { message: `Bad\nkey sk-very-secret and sk-proj-abcdefghijklmnop ${"x".repeat(5000)}` },
  };
  const { message } = classifyAnswer(answer(401, body), CONTEXT);
  assert.match(
    message,
    /^api\.example\.com refuses the credentials \(401\): Bad key \[redacted\] and \[redacted\]/,
  );
  assert.match(message, /; check BIG_API_KEY$/);
  assert.ok(!message.includes("\n") && message.length < 500);
  const page = classifyAnswer(
    answer(502, "<html><style>a{}</style><h1>Bad  gateway</h1></html>"),
    CONTEXT,
  );
  assert.match(page.message, /\(502\): Bad gateway; /);
});

Deno.test("classifyAnswer() finds the message in every vendor's shape", () => {
  const shapes = [
    { error: { message: "boom" } },
    { error: "boom" },
    { message: "boom" },
    { detail: "boom" },
    { type: "error", error: { type: "x", message: "boom" } },
    [{ error: { message: "boom", status: "INVALID_ARGUMENT" } }],
    { error: { message: "Provider returned error", metadata: { raw: "boom" } } },
  ];
  for (const shape of shapes) {
    assert.match(
      classifyAnswer(answer(400, shape), CONTEXT).message,
      /boom/,
      JSON.stringify(shape),
    );
  }
});

Deno.test("classifyAnswer() makes redirects and cassette refusals fatal", () => {
  const moved = classifyAnswer(answer(302, "", { location: "https://other/" }), CONTEXT);
  assert.equal(moved.action, "fatal");
  const refused = classifyAnswer(answer(409, "no match", { [CASSETTE_HEADER]: "1" }), CONTEXT);
  assert.deepEqual(refused, {
    kind: "invalid_request",
    action: "fatal",
    message: "no match",
    status: 409,
  });
});

Deno.test("classifyInline() maps codes and types to the status they stand for", () => {
  const cases: [unknown, FailureKind][] = [
    [{ type: "error", error: { type: "overloaded_error", message: "x" } }, "overloaded"],
    [{ type: "error", error: { type: "rate_limit_error", message: "x" } }, "rate_limit"],
    [{ error: { code: 429, message: "x" } }, "rate_limit"],
    [{ error: { code: 502, message: "x" } }, "overloaded"],
    [{ type: "error", code: "context_length_exceeded", message: "x" }, "overflow"],
    [{ error: { code: "insufficient_quota", message: "x" } }, "billing"],
    [{ error: { code: "invalid_api_key", message: "x" } }, "auth"],
    [{ error: { code: "server_error", message: "x" } }, "overloaded"],
  ];
  for (const [body, expected] of cases) {
    assert.equal(
      classifyInline(JSON.stringify(body), CONTEXT).kind,
      expected,
      JSON.stringify(body),
    );
  }
});

Deno.test("classifyException() names the cause and keeps the URL's query out", () => {
  const cause = (text: string) =>
    classifyException(
      new TypeError(`error sending request for url (https://h/?key=K): ${text}`),
      CONTEXT,
    );
  assert.match(
    cause("tcp connect error: Connection refused (os error 111)").message,
    /connection refused/,
  );
  assert.match(cause("dns error: failed to lookup address").message, /name does not resolve/);
  assert.match(cause("connection closed before message completed").message, /connection was cut/);
  assert.ok(!cause("weird").message.includes("key=K"));
  const untrusted = cause("invalid peer certificate: UnknownIssuer");
  assert.deepEqual([untrusted.kind, untrusted.action], ["network", "fatal"]);
});

Deno.test("isStaleReasoning() recognises refused signatures only", () => {
  const about = (detail: string) =>
    createFailure("invalid_request", CONTEXT, { detail, status: 400 });
  assert.ok(
    isStaleReasoning(
      about("messages.1.content.0: Invalid `signature` in `thinking` block: thinking signature"),
    ),
  );
  assert.ok(isStaleReasoning(about("The encrypted content could not be verified")));
  assert.ok(!isStaleReasoning(about("Unknown parameter: foo")));
});
