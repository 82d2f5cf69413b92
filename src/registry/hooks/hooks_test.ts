import assert from "node:assert/strict";
import { FakeTime } from "../../../tests/support/fake_time.ts";
import type { HookPayload } from "../../protocol/hook.ts";
import { Bench, FixedGate, parsed } from "../../../tests/registry/support.ts";
import { Hooks, parseDirective } from "./hooks.ts";

const SIGNAL = new AbortController().signal;
const PAYLOAD: HookPayload = { sessionId: "s", toolName: "t", args: { a: 1 } };

function quiet(): { hooks: Hooks; lines: string[] } {
  const lines: string[] = [];
  return { hooks: new Hooks({ log: (line) => lines.push(line), timeoutMs: 50 }), lines };
}

Deno.test("preToolCall() accumulates changes and stops at the first verdict", async () => {
  const { hooks } = quiet();
  const seen: unknown[] = [];
  hooks.on("pre_tool_call", () => ({ action: "modify", args: { a: 2 } }));
  hooks.on("pre_tool_call", (payload) => {
    seen.push(payload.args);
    return { action: "modify", args: { b: 3 } };
  });
  hooks.on("pre_tool_call", () => ({ action: "block", message: "no" }));
  hooks.on("pre_tool_call", () => assert.fail("a verdict was given already"));
  assert.deepEqual(await hooks.preToolCall(PAYLOAD, SIGNAL), [
    { action: "modify", args: { a: 2 } },
    { action: "modify", args: { b: 3 } },
    { action: "block", message: "no" },
  ]);
  assert.deepEqual(seen, [{ a: 2 }]);
});

Deno.test("a hook that throws, answers nonsense or hangs harms nobody", async () => {
  const { hooks, lines } = quiet();
  hooks.on("pre_tool_call", () => {
    throw new Error("boom");
  }, { owner: "plugin x" });
  hooks.on("pre_tool_call", () => 42);
  hooks.on("pre_tool_call", () => ({ action: "modify", args: [] }));
  hooks.on("pre_tool_call", () => new Promise(() => {}));
  hooks.on("pre_tool_call", () => ({ action: "approve", rule: "r" }));
  assert.deepEqual(await hooks.preToolCall(PAYLOAD, SIGNAL), [{ action: "approve", rule: "r" }]);
  assert.deepEqual(lines, [
    "Hook pre_tool_call of plugin x failed: boom",
    "Hook pre_tool_call failed: its answer is no directive: 42",
    'Hook pre_tool_call failed: its answer is no directive: {"action":"modify","args":[]}',
    "Hook pre_tool_call failed: timed out after 0.05 s",
  ]);
});

Deno.test("preTurn() takes secrets out of what is added", async () => {
  const hooks = new Hooks({ log() {}, redact: (text) => text.replaceAll("hush", "***") });
  hooks.on("pre_turn", () => "it is hush");
  assert.equal(await hooks.preTurn(PAYLOAD, SIGNAL), "it is ***");
});

Deno.test("preTurn() joins texts and contexts and bounds them", async () => {
  const { hooks } = quiet();
  assert.equal(await hooks.preTurn(PAYLOAD, SIGNAL), "");
  hooks.on("pre_turn", () => "one");
  hooks.on("pre_turn", () => ({ context: "two" }));
  hooks.on("pre_turn", () => undefined);
  assert.equal(await hooks.preTurn(PAYLOAD, SIGNAL), "one\n\ntwo");
  hooks.on("pre_turn", () => "x".repeat(20_000));
  const bounded = await hooks.preTurn(PAYLOAD, SIGNAL);
  assert.ok(bounded.length < 1_200);
  assert.match(bounded, /19010 characters of hook output left out/);
});

Deno.test("on() can be undone and has() follows", async () => {
  const { hooks } = quiet();
  let calls = 0;
  const off = hooks.on("post_tool_call", () => void calls++);
  assert.equal(hooks.has("post_tool_call"), true);
  await hooks.notify("post_tool_call", PAYLOAD);
  off();
  assert.equal(hooks.has("post_tool_call"), false);
  await hooks.notify("post_tool_call", PAYLOAD);
  assert.equal(calls, 1);
});

Deno.test("notify() waits no longer for observers when the turn is interrupted", async () => {
  using time = new FakeTime();
  const lines: string[] = [];
  const hooks = new Hooks({ log: (line) => lines.push(line) });
  const turn = new AbortController();
  let quick = 0;
  hooks.on("post_tool_call", () => void quick++);
  hooks.on("post_tool_call", () => {
    turn.abort();
    return new Promise(() => {});
  });
  await time.until(hooks.notify("post_tool_call", PAYLOAD, turn.signal));
  assert.deepEqual(lines, ["Hook post_tool_call failed: the turn was interrupted"]);
  await time.until(hooks.notify("post_tool_call", PAYLOAD, turn.signal));
  assert.equal(quick, 2, "one that is quick still hears of it");
});

Deno.test("an aborted turn runs no further hooks", async () => {
  const { hooks } = quiet();
  const controller = new AbortController();
  hooks.on("pre_tool_call", () => controller.abort());
  hooks.on("pre_tool_call", () => assert.fail("must not run"));
  assert.deepEqual(await hooks.preToolCall(PAYLOAD, controller.signal), []);
});

Deno.test("parseDirective() takes both spellings", () => {
  assert.deepEqual(parseDirective({ decision: "block", reason: "r" }), {
    action: "block",
    message: "r",
  });
  assert.deepEqual(parseDirective({ action: "block" }), {
    action: "block",
    message: "no reason given",
  });
  assert.deepEqual(parseDirective({ decision: "modify", "tool_input": { a: 1 } }), {
    action: "modify",
    args: { a: 1 },
  });
  assert.deepEqual(parseDirective({ action: "approve", "rule_key": "k", message: "m" }), {
    action: "approve",
    message: "m",
    rule: "k",
  });
  for (const nothing of [undefined, null, {}, { action: "continue" }]) {
    assert.equal(parseDirective(nothing), undefined);
  }
  for (const other of ["block", 42, { action: "deny" }, { action: "modify" }, { deny: true }]) {
    assert.throws(() => parseDirective(other), /its answer is no directive/);
  }
});

function benchWithTool(): Bench {
  return new Bench().add({
    name: "t",
    schema: { type: "object", properties: { n: { type: "integer" } } } as const,
    handler: ({ n }) => ({ n: n ?? null }),
  });
}

Deno.test("dispatch blocks when a hook says so and tells the model why", async () => {
  const bench = benchWithTool();
  bench.hooks.on("pre_tool_call", () => ({ action: "block", message: "not on Sundays" }));
  const result = await bench.dispatcher().run("t");
  assert.deepEqual(parsed(result), { error: "Blocked by a hook: not on Sundays" });
  assert.deepEqual(bench.types(), ["tool_start", "tool_end"]);
});

Deno.test("dispatch tells the model no secret that a hook knows", async () => {
  const key = `sk-${"a1b2".repeat(8)}`;
  for (
    const answer of [{ action: "block", message: key }, { action: "modify", args: { n: key } }]
  ) {
    const bench = benchWithTool();
    bench.hooks.on("pre_tool_call", () => answer);
    const result = await bench.dispatcher().run("t");
    assert.match(result.message.content, /hook/);
    assert.ok(!JSON.stringify([result, bench.events]).includes(key), result.message.content);
  }
});

Deno.test("dispatch runs with rewritten arguments and checks them", async () => {
  const bench = benchWithTool();
  let args: Record<string, unknown> = { n: "7" };
  bench.hooks.on("pre_tool_call", () => ({ action: "modify", args }));
  assert.deepEqual(parsed(await bench.dispatcher().run("t", { n: 1 })), { n: 7 });
  const start = bench.events[0]!;
  assert.ok(start.type === "tool_start");
  assert.deepEqual(start.arguments, { n: 7 });
  args = { n: "x" };
  assert.match(
    String(parsed(await bench.dispatcher().run("t")).error),
    /A hook rewrote.*"n" must be/,
  );
});

Deno.test("dispatch asks for the approval a hook wants", async () => {
  for (const answer of ["once", "deny"] as const) {
    const bench = benchWithTool();
    const gate = new FixedGate({ answer, by: "person" });
    bench.hooks.on("pre_tool_call", () => ({ action: "approve", message: "sure?", rule: "r" }));
    const result = await bench.dispatcher({ gate }).run("t", { n: 1 });
    const expected = answer === "once" ? { n: 1 } : { error: "t was not approved (person)." };
    assert.deepEqual(parsed(result), expected);
    assert.deepEqual(gate.requests, [{
      tool: "t",
      subject: 't {"n":1}',
      rule: "hook:r",
      description: "sure?",
      allowAlways: true,
    }]);
    assert.deepEqual(bench.types(), ["tool_start", "approval_start", "approval_end", "tool_end"]);
  }
});

Deno.test("dispatch lets no demand for approval silence the hooks behind it", async () => {
  const bench = benchWithTool();
  const gate = new FixedGate({ answer: "once", by: "policy" });
  bench.hooks.on("pre_tool_call", () => ({ action: "approve", rule: "first" }));
  bench.hooks.on("pre_tool_call", () => ({ action: "modify", args: { n: 2 } }));
  bench.hooks.on("pre_tool_call", () => ({ action: "approve", rule: "second" }));
  const guard: { verdict?: unknown } = {};
  bench.hooks.on("pre_tool_call", () => guard.verdict);
  assert.deepEqual(parsed(await bench.dispatcher({ gate }).run("t", { n: 1 })), { n: 2 });
  assert.deepEqual(
    gate.requests.map(({ rule, subject }) => [rule, subject]),
    [["hook:first", 't {"n":2}'], ["hook:second", 't {"n":2}']],
  );
  guard.verdict = { action: "block", message: "the guard's no" };
  assert.deepEqual(parsed(await bench.dispatcher({ gate }).run("t", { n: 1 })), {
    error: "Blocked by a hook: the guard's no",
  });
  assert.equal(gate.requests.length, 2);
});

Deno.test("dispatch keeps demands of hooks without a rule apart by their reason", async () => {
  const bench = benchWithTool();
  const gate = new FixedGate({ answer: "session", by: "person" });
  let message = "first";
  bench.hooks.on("pre_tool_call", () => ({ action: "approve", message }));
  await bench.dispatcher({ gate }).run("t", { n: 1 });
  message = "second";
  await bench.dispatcher({ gate }).run("t", { n: 1 });
  assert.deepEqual(
    gate.requests.map(({ rule, allowAlways }) => [rule, allowAlways]),
    [["hook:t: first", false], ["hook:t: second", false]],
  );
});

Deno.test("dispatch tells observers what came of a call", async () => {
  const bench = benchWithTool();
  const seen: HookPayload[] = [];
  bench.hooks.on("post_tool_call", (payload) => void seen.push(payload));
  await bench.dispatcher().run("t", { n: 1 });
  const { durationMs, ...rest } = seen[0]!;
  assert.equal(typeof durationMs, "number");
  assert.deepEqual(rest, {
    sessionId: "s1",
    taskId: "main",
    callId: "c1",
    toolName: "t",
    args: { n: 1 },
    cwd: "/project/dir",
    result: '{"n":1}',
    status: "ok",
    isError: false,
  });
});

Deno.test("dispatch tells observers a call that was denied from one that failed", async () => {
  const bench = new Bench().add({
    name: "t",
    schema: { type: "object", properties: { command: { type: "string" } } } as const,
    approval: ({ command }) => ({ asks: command ? [{ command }] : [], plan: undefined }),
    handler: () => ({ error: "broken" }),
  });
  const statuses: unknown[] = [];
  bench.hooks.on("post_tool_call", ({ status }) => void statuses.push(status));
  await bench.dispatcher().run("t", { command: "rm x" });
  await bench.dispatcher().run("t", {});
  assert.deepEqual(statuses, ["blocked", "error"]);
});

Deno.test("Hooks.transform() hands the text from one listener to the next and takes secrets out", async () => {
  const log: string[] = [];
  const hooks = new Hooks({
    log: (line) => log.push(line),
    redact: (text) => text.replaceAll("hush", "[redacted]"),
  });
  const signal = new AbortController().signal;
  const payload = { sessionId: "s", result: "one" };
  const transform = () => hooks.transform("transform_tool_result", payload, signal);
  assert.equal(await transform(), undefined);
  hooks.on("transform_tool_result", () => undefined);
  hooks.on("transform_tool_result", ({ result }) => `${result} two`);
  hooks.on("transform_tool_result", () => ({ nonsense: true }));
  hooks.on("transform_tool_result", ({ result }) => ({ text: `${result} hush` }));
  assert.equal(await transform(), "one two [redacted]");
  assert.match(log.join(), /transform_tool_result failed: its answer has no text/);
});
