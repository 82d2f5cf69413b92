import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { collectTurn, FakeDispatcher, loopDeps } from "../../tests/support/loop_deps.ts";
import { ScriptedProvider } from "../../tests/support/scripted_provider.ts";
import type { Message } from "../protocol/message.ts";
import type { ProviderFailure } from "../protocol/provider.ts";
import { BudgetExceeded } from "./budget.ts";
import { runTurn } from "./loop.ts";

function roles(messages: Message[]): string[] {
  return messages.map((message) => message.role);
}

Deno.test("runTurn() answers and stores the user and the assistant message", async () => {
  const provider = new ScriptedProvider([{ text: "hello" }]);
  const { deps, messages } = loopDeps({ provider });
  const { events, result } = await collectTurn(deps, "hi");
  deepStrictEqual(result, { reason: "done", text: "hello", iterations: 1 });
  deepStrictEqual(roles(messages), ["user", "assistant"]);
  deepStrictEqual(events.map((event) => event.type), [
    "message_start",
    "message_delta",
    "message_end",
    "usage",
  ]);
});

Deno.test("runTurn() stores a message before it reports it", async () => {
  const provider = new ScriptedProvider([{ calls: [{ name: "probe", arguments: {} }] }, {
    text: "ok",
  }]);
  const { deps, messages } = loopDeps({ provider });
  const stored: number[] = [];
  for await (const event of runTurn({ content: [{ type: "text", text: "go" }] }, deps)) {
    if (event.type === "message_end" || event.type === "tool_end") stored.push(messages.length);
  }
  deepStrictEqual(stored, [2, 3, 4]);
});

Deno.test("runTurn() runs tool calls and sends their results back", async () => {
  const provider = new ScriptedProvider([
    { calls: [{ name: "probe", arguments: { a: 1 } }] },
    { text: "done" },
  ]);
  const dispatcher = new FakeDispatcher(() => Promise.resolve({ content: '{"x":1}' }));
  const { deps, messages } = loopDeps({ provider, dispatcher });
  const { result } = await collectTurn(deps, "go");
  strictEqual(result.text, "done");
  deepStrictEqual(roles(messages), ["user", "assistant", "tool", "assistant"]);
  deepStrictEqual(provider.requests[1]!.messages.at(-1), {
    role: "tool",
    toolCallId: "call_1_0",
    name: "probe",
    content: '{"x":1}',
    isError: false,
  });
});

Deno.test("runTurn() continues an answer that was cut by length and stitches it", async () => {
  const provider = new ScriptedProvider([
    { text: "one ", stop: "length" },
    { text: "two ", stop: "length" },
    { text: "three" },
  ]);
  const { deps } = loopDeps({ provider });
  const { result } = await collectTurn(deps, "count");
  strictEqual(result.text, "one two three");
  const nudge = provider.requests[1]!.messages.at(-1)!;
  ok(nudge.role === "user" && nudge.synthetic);
});

Deno.test("runTurn() never runs a tool call that was cut by length", async () => {
  const provider = new ScriptedProvider([
    { calls: [{ name: "probe", arguments: '{"a":' }], stop: "length" },
    { calls: [{ name: "probe", arguments: { a: 1 } }] },
    { text: "done" },
  ]);
  const dispatcher = new FakeDispatcher(() => Promise.resolve({}));
  const { deps } = loopDeps({ provider, dispatcher });
  const { result } = await collectTurn(deps, "go");
  strictEqual(result.reason, "done");
  strictEqual(dispatcher.log.length, 2);
  ok(provider.requests[1]!.maxOutputTokens! > 4096);
});

Deno.test("runTurn() asks again after an empty answer and gives up with the provider named", async () => {
  const provider = new ScriptedProvider([{}, {}, {}]);
  const { deps, messages } = loopDeps({ provider });
  const { result } = await collectTurn(deps, "hi");
  strictEqual(result.reason, "provider");
  match(result.detail!, /scripted.*empty answer/);
  strictEqual(provider.requests.length, 3);
  deepStrictEqual(roles(messages), ["user"]);
});

Deno.test("runTurn() counts what unusable answers cost", async () => {
  const tokens = { input: 5, output: 1 };
  const provider = new ScriptedProvider([{ tokens }, { text: "ok", tokens }]);
  const { deps, messages, discarded } = loopDeps({ provider });
  const { events } = await collectTurn(deps, "hi");
  const totals = events.flatMap((event) => event.type === "usage" ? [event.total.inputTokens] : []);
  deepStrictEqual(totals, [5, 10]);
  deepStrictEqual([roles(discarded), roles(messages)], [["assistant"], ["user", "assistant"]]);
});

Deno.test("runTurn() does what each class of failure calls for", async () => {
  const cases: [ProviderFailure["kind"], ProviderFailure["action"], "again" | "next" | "end"][] = [
    ["rate_limit", "retry", "again"],
    ["overloaded", "retry", "again"],
    ["network", "retry", "again"],
    ["timeout", "retry", "again"],
    ["malformed", "retry", "again"],
    ["auth", "auth", "next"],
    ["billing", "fallback", "next"],
    ["not_found", "fallback", "next"],
    ["content_filter", "fallback", "next"],
    ["invalid_request", "fallback", "next"],
    ["overflow", "overflow", "next"],
    ["invalid_request", "fatal", "end"],
  ];
  for (const [kind, action, expected] of cases) {
    const failure: ProviderFailure = { kind, action, message: "m", status: 400 };
    const provider = new ScriptedProvider([{ failure }, { text: "again" }]);
    const second = new ScriptedProvider([{ text: "next" }], "second");
    const { deps } = loopDeps({ provider, fallbacks: [second] });
    const { events, result } = await collectTurn(deps, "hi");
    const name = `${kind} ${action}`;
    strictEqual(result.reason === "provider" ? "end" : result.text, expected, name);
    strictEqual(deps.providers.fallbacks.length, expected === "next" ? 0 : 1, name);
    const [error] = events.filter((event) => event.type === "error");
    deepStrictEqual([error!.kind, error!.fatal], [kind, expected === "end"], name);
  }
});

Deno.test("runTurn() takes a refusal of the content for a reason to ask somebody else", async () => {
  const provider = new ScriptedProvider([{ text: "I cannot", stop: "content_filter" }]);
  const second = new ScriptedProvider([{ text: "I can" }], "second");
  const { deps, messages } = loopDeps({ provider, fallbacks: [second] });
  strictEqual((await collectTurn(deps, "hi")).result.text, "I can");
  deepStrictEqual(roles(messages), ["user", "assistant"]);
});

Deno.test("runTurn() retries by error class and honours Retry-After", async () => {
  const provider = new ScriptedProvider([
    {
      failure: { kind: "rate_limit", action: "retry", message: "slow down", retryAfterMs: 3 },
    },
    { failure: { action: "retry", kind: "overloaded", message: "busy" } },
    { text: "hello" },
  ]);
  const { deps } = loopDeps({ provider });
  const { events, result } = await collectTurn(deps, "hi");
  strictEqual(result.reason, "done");
  const waits = events.flatMap((event) => event.type === "error" ? [event.retryInMs] : []);
  deepStrictEqual(waits, [3, 1]);
});

Deno.test("runTurn() moves to the fallback when the provider keeps failing", async () => {
  const down: ProviderFailure = { action: "retry", kind: "network", message: "down" };
  const provider = new ScriptedProvider([{ failure: down }, { failure: down }, { failure: down }]);
  const second = new ScriptedProvider([{ text: "from second" }], "second");
  const { deps } = loopDeps({ provider, fallbacks: [second] });
  const { result } = await collectTurn(deps, "hi");
  strictEqual(result.text, "from second");
  strictEqual(deps.providers.active, second);
});

Deno.test("runTurn() goes to the fallback at once on auth, and ends without one", async () => {
  const denied: ProviderFailure = { action: "auth", kind: "auth", message: "bad key" };
  const second = new ScriptedProvider([{ text: "ok" }], "second");
  const first = loopDeps({
    provider: new ScriptedProvider([{ failure: denied }]),
    fallbacks: [second],
  });
  strictEqual((await collectTurn(first.deps, "hi")).result.text, "ok");
  const alone = loopDeps({ provider: new ScriptedProvider([{ failure: denied }]) });
  const { result } = await collectTurn(alone.deps, "hi");
  deepStrictEqual([result.reason, result.detail], ["provider", "bad key"]);
});

Deno.test("runTurn() shrinks what is sent after an overflow and keeps the transcript whole", async () => {
  const big = "x".repeat(5000);
  const provider = new ScriptedProvider([
    { calls: [{ name: "probe", arguments: {} }] },
    { failure: { action: "overflow", kind: "overflow", message: "too long" } },
    { text: "fits" },
  ]);
  const dispatcher = new FakeDispatcher(() => Promise.resolve({ content: big }));
  const { deps, messages } = loopDeps({ provider, dispatcher });
  const { result } = await collectTurn(deps, "go");
  strictEqual(result.text, "fits");
  const sent = provider.requests[2]!.messages.at(-1)!;
  ok(sent.role === "tool" && sent.content.length < 1000);
  const kept = messages[2]!;
  ok(kept.role === "tool" && kept.content === big);
});

Deno.test("runTurn() makes no more calls than allowed; the last one sums up without tools", async () => {
  const call = { calls: [{ name: "probe", arguments: {} }] };
  const ends: [steps: ConstructorParameters<typeof ScriptedProvider>[0], string, string][] = [
    [[call, { text: "Unfinished: half done" }], "budget", "Unfinished: half done"],
    [[call, { text: "all done" }], "done", "all done"],
    [[call, call], "budget", ""],
  ];
  for (const [steps, reason, text] of ends) {
    const provider = new ScriptedProvider(steps);
    const { deps } = loopDeps({ provider, limits: { maxIterations: 2 } });
    const { result } = await collectTurn(deps, "go");
    deepStrictEqual([result.reason, result.text], [reason, text]);
    deepStrictEqual(provider.requests.map(({ toolChoice }) => toolChoice), ["auto", "none"]);
  }
  const single = new ScriptedProvider([{ text: "at once" }]);
  const { deps } = loopDeps({ provider: single, limits: { maxIterations: 1 } });
  deepStrictEqual((await collectTurn(deps, "go")).result.reason, "done");
  strictEqual(single.requests[0]!.messages.length, 1);
});

Deno.test("runTurn() goes back to the first provider at the next turn, when it has rested", async () => {
  const failing = (kind: "network" | "rate_limit", retryAfterMs?: number) => ({
    failure: {
      kind,
      action: "fallback" as const,
      message: "no",
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    },
  });
  const first = new ScriptedProvider([failing("network"), { text: "first again" }], "first");
  const second = new ScriptedProvider([{ text: "second" }, { text: "no" }], "second");
  const { deps } = loopDeps({ provider: first, fallbacks: [second] });
  strictEqual((await collectTurn(deps, "one")).result.text, "second");
  const { result, events } = await collectTurn(deps, "two");
  strictEqual(result.text, "first again");
  ok(events.some((event) => event.type === "notice" && /trying first.* again/.test(event.text)));
  strictEqual(deps.providers.fallbacks[0], second);

  const limited = new ScriptedProvider([failing("rate_limit", 3_600_000), { text: "no" }]);
  const other = new ScriptedProvider([{ text: "one" }, { text: "two" }]);
  const resting = loopDeps({ provider: limited, fallbacks: [other] });
  await collectTurn(resting.deps, "one");
  strictEqual((await collectTurn(resting.deps, "two")).result.text, "two");
});

Deno.test("runTurn() does not wait for a server that asks for more time than there is", async () => {
  const limited = (retryAfterMs: number) => ({
    failure: {
      kind: "rate_limit" as const,
      action: "retry" as const,
      message: "slow",
      retryAfterMs,
    },
  });
  const cases: [asked: number, timeLeft: number | undefined, says: RegExp][] = [
    [3_600_000, undefined, /^slow; come back in 60 minutes$/],
    [30_000, 10_000, /^slow; come back in 30 seconds$/],
    [8 * 3_600_000, undefined, /; come back in 8 hours$/],
  ];
  for (const [asked, left, says] of cases) {
    const provider = new ScriptedProvider([limited(asked), { text: "never" }]);
    const { deps } = loopDeps({ provider });
    if (left !== undefined) deps.budget.startClock(left);
    const { result } = await collectTurn(deps, "go");
    deepStrictEqual([result.reason, provider.requests.length], ["provider", 1]);
    match(result.detail!, says);
  }
  const soon = new ScriptedProvider([limited(1), { text: "in time" }]);
  strictEqual((await collectTurn(loopDeps({ provider: soon }).deps, "go")).result.text, "in time");
});

Deno.test("runTurn() stops on a token and on a cost budget", async () => {
  const call = { calls: [{ name: "probe", arguments: {} }] };
  const tokens = loopDeps({
    provider: new ScriptedProvider([{ ...call, tokens: { input: 90, output: 20 } }, call]),
    limits: { maxTokens: 100 },
  });
  match((await collectTurn(tokens.deps, "go")).result.detail!, /token budget/);
  const cost = loopDeps({
    provider: new ScriptedProvider([{ ...call, tokens: { input: 1, output: 1, costUsd: 2 } }]),
    limits: { maxCostUsd: 1 },
  });
  const { result } = await collectTurn(cost.deps, "go");
  deepStrictEqual([result.reason, /cost budget/.test(result.detail!)], ["budget", true]);
});

Deno.test("runTurn() keeps partial text and says interrupted when aborted mid-answer", async () => {
  const abort = new AbortController();
  const provider = new ScriptedProvider([{ text: "partial", hang: true }]);
  const { deps, messages } = loopDeps({ provider, signal: abort.signal });
  const turn = runTurn({ content: [{ type: "text", text: "go" }] }, deps);
  await turn.next();
  await turn.next();
  const last = turn.next();
  abort.abort(new Error("stop"));
  const step = await last;
  ok(step.done && step.value.reason === "interrupted" && step.value.text === "partial");
  const kept = messages.at(-1)!;
  ok(kept.role === "assistant" && kept.stopReason === "aborted");
});

Deno.test("runTurn() leaves no unpaired tool call after an abort between two calls", async () => {
  const abort = new AbortController();
  const provider = new ScriptedProvider([{
    calls: [{ name: "probe", arguments: {} }, { name: "probe", arguments: {} }],
  }]);
  const dispatcher = new FakeDispatcher(() => {
    abort.abort(new Error("stop"));
    return Promise.resolve({ content: "cancelled" });
  });
  const { deps, messages } = loopDeps({ provider, dispatcher, signal: abort.signal });
  const { result } = await collectTurn(deps, "go");
  strictEqual(result.reason, "interrupted");
  deepStrictEqual(roles(messages), ["user", "assistant", "tool", "tool"]);
  strictEqual(dispatcher.log.length, 2);
});

Deno.test("runTurn() tells a time-out from an interrupt", async () => {
  const abort = new AbortController();
  const provider = new ScriptedProvider([{ hang: true }]);
  const { deps } = loopDeps({ provider, signal: abort.signal });
  const pending = collectTurn(deps, "go");
  abort.abort(new BudgetExceeded("time budget spent"));
  const { result } = await pending;
  deepStrictEqual([result.reason, result.detail], ["budget", "time budget spent"]);
});

Deno.test("runTurn() puts steering before the model at its next call", async () => {
  const provider = new ScriptedProvider([
    { calls: [{ name: "probe", arguments: {} }] },
    { text: "ok" },
  ]);
  const { deps } = loopDeps({ provider, inbox: [[], [], ["use b instead"]] });
  await collectTurn(deps, "go");
  const last = provider.requests[1]!.messages.at(-1)!;
  deepStrictEqual(last, {
    role: "user",
    content: [{ type: "text", text: "use b instead" }],
    synthetic: true,
  });
});

Deno.test("runTurn() puts what waited before the new input: the model reads the input last", async () => {
  const provider = new ScriptedProvider([{ text: "ok" }]);
  const { deps } = loopDeps({ provider, inbox: [["a process ended", "b"], ["came just now"]] });
  await collectTurn(deps, "go");
  deepStrictEqual(provider.requests[0]!.messages.map(({ content }) => content), [
    [{ type: "text", text: "a process ended" }, { type: "text", text: "b" }],
    [{ type: "text", text: "go" }],
    [{ type: "text", text: "came just now" }],
  ]);
});

Deno.test("runTurn() stops when approval is missing and goes on with the pending calls", async () => {
  const provider = new ScriptedProvider([
    { calls: [{ name: "probe", arguments: {} }, { name: "probe", arguments: {} }] },
    { text: "finished" },
  ]);
  let allowed = false;
  const dispatcher = new FakeDispatcher((call) =>
    Promise.resolve({ content: call.id, ...(allowed ? {} : { needsApproval: true }) })
  );
  const { deps, messages } = loopDeps({ provider, dispatcher });
  const first = await collectTurn(deps, "go");
  strictEqual(first.result.reason, "needs_approval");
  deepStrictEqual(roles(messages), ["user", "assistant"]);
  allowed = true;
  const second = await collectTurn(deps, undefined);
  strictEqual(second.result.text, "finished");
  deepStrictEqual(roles(messages), ["user", "assistant", "tool", "tool", "assistant"]);
});

Deno.test("runTurn() ends when the model keeps calling tools that do not exist", async () => {
  const call = { calls: [{ name: "nope", arguments: {} }] };
  const provider = new ScriptedProvider([call, call, call, call]);
  const dispatcher = new FakeDispatcher(() => Promise.resolve({ unknownTool: true }));
  const { deps } = loopDeps({ provider, dispatcher });
  const { result } = await collectTurn(deps, "go");
  deepStrictEqual([result.reason, provider.requests.length], ["failed", 3]);
});
