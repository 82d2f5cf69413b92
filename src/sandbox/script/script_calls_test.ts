import assert from "node:assert/strict";
import { MAX_IN_FLIGHT, parseCall, ScriptCalls } from "./script_calls.ts";
import type { ScriptRequest } from "../../protocol/script.ts";

function runFor(overrides: Partial<ScriptRequest> = {}): ScriptCalls {
  return new ScriptCalls({
    code: "",
    language: "javascript",
    tools: [{ name: "read_file", description: "", parameters: {} }],
    otherTools: ["todo"],
    signal: new AbortController().signal,
    limits: {
      timeoutMs: 1000,
      maxToolCalls: 100,
      maxStdoutBytes: 1,
      maxStderrBytes: 1,
      memoryMb: 1,
    },
    callTool: () => Promise.resolve({ content: "ok", isError: false }),
    ...overrides,
  });
}

Deno.test("parseCall() takes only a proper call", () => {
  const call = { t: "call", id: 1, tool: "x", args: {} };
  assert.deepEqual(parseCall(call), { id: 1, tool: "x", args: {} });
  const wrong = [{ t: "run" }, { id: "1" }, { id: 1.5 }, { tool: 1 }, { args: [] }, { args: null }];
  for (const change of wrong) assert.equal(parseCall({ ...call, ...change }), undefined);
});

Deno.test("handle() counts what it dispatches, not what it refuses", async () => {
  const run = runFor();
  assert.equal((await run.handle({ id: 1, tool: "read_file", args: {} })).content, "ok");
  assert.match((await run.handle({ id: 2, tool: "todo", args: {} })).content, /normal tool call/);
  assert.match((await run.handle({ id: 3, tool: "nope", args: {} })).content, /Unknown tool: nope/);
  assert.equal(run.callsMade, 1);
});

Deno.test("ready() holds the reader back while too many calls are in flight", async () => {
  const finish: (() => void)[] = [];
  const run = runFor({
    callTool: () =>
      new Promise((resolve) => finish.push(() => resolve({ content: "", isError: false }))),
  });
  const calls = Array.from(
    { length: MAX_IN_FLIGHT },
    (_, id) => run.handle({ id, tool: "read_file", args: {} }),
  );
  let ready = false;
  const waiting = run.ready().then(() => ready = true);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(ready, false);
  finish[0]!();
  await waiting;
  finish.forEach((go) => go());
  await Promise.all(calls);
});

Deno.test("close() cancels calls in flight and lets the reader go", async () => {
  let cancelled = 0;
  const run = runFor({
    callTool: (_name, _args, signal) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          cancelled++;
          resolve({ content: "cancelled", isError: true });
        })
      ),
  });
  const calls = Array.from(
    { length: MAX_IN_FLIGHT },
    (_, id) => run.handle({ id, tool: "read_file", args: {} }),
  );
  const waiting = run.ready();
  run.close();
  await waiting;
  await Promise.all(calls);
  assert.equal(cancelled, MAX_IN_FLIGHT);
});
