import { deepStrictEqual } from "node:assert/strict";
import { FakeDispatcher } from "../../tests/support/loop_deps.ts";
import type { CallPlan } from "../protocol/dispatch.ts";
import type { Message, ToolCallPart } from "../protocol/message.ts";
import { nextSegment, runToolCalls } from "./tool_calls.ts";

function call(id: string): ToolCallPart {
  return { type: "tool_call", id, name: "t", arguments: "{}" };
}

function plans(table: Record<string, CallPlan>): (call: ToolCallPart) => Promise<CallPlan> {
  return (one) => Promise.resolve(table[one.id] ?? { parallel: false, paths: [] });
}

function reader(path: string): CallPlan {
  return { parallel: true, paths: [{ path, write: false }] };
}

function writer(path: string): CallPlan {
  return { parallel: true, paths: [{ path, write: true }] };
}

Deno.test("nextSegment() groups neighbours that may run together", async () => {
  const free: CallPlan = { parallel: true, paths: [] };
  const cases: [string, Record<string, CallPlan>, string[][]][] = [
    ["read and read of one file", { a: reader("/f"), b: reader("/f") }, [["a", "b"]]],
    ["read and write of one file", { a: reader("/f"), b: writer("/f") }, [["a"], ["b"]]],
    ["writes of two files", { a: writer("/a"), b: writer("/b") }, [["a", "b"]]],
    ["a write below a searched folder", { a: writer("/d/a"), b: reader("/d") }, [["a"], ["b"]]],
    ["names that only share a prefix", { a: writer("/d"), b: reader("/dd") }, [["a", "b"]]],
    ["a barrier", { a: free, c: free, d: free }, [["a"], ["b"], ["c", "d"]]],
  ];
  for (const [name, table, expected] of cases) {
    const ids = name === "a barrier" ? ["a", "b", "c", "d"] : ["a", "b"];
    const segments: string[][] = [];
    for (let rest: readonly ToolCallPart[] = ids.map(call); rest.length > 0;) {
      const segment = await nextSegment(rest, plans(table));
      segments.push(segment.map((one) => one.id));
      rest = rest.slice(segment.length);
    }
    deepStrictEqual(segments, expected, name);
  }
});

Deno.test("runToolCalls() runs side by side and reports in source order", async () => {
  const first = Promise.withResolvers<void>();
  const dispatcher = new FakeDispatcher(async (one) => {
    if (one.id === "a") await first.promise;
    else first.resolve();
    return { content: one.id };
  }, () => ({ parallel: true, paths: [] }));
  const messages: Message[] = [];
  const ended: string[] = [];
  const history = { messages: () => messages, append: (m: Message) => void messages.push(m) };
  const signal = new AbortController().signal;
  for await (
    const event of runToolCalls([call("a"), call("b")], { dispatcher, history, signal })
  ) {
    if (event.type === "tool_end") ended.push(event.callId);
  }
  deepStrictEqual(dispatcher.log, ["start a", "start b", "end b", "end a"]);
  deepStrictEqual(ended, ["a", "b"]);
  deepStrictEqual(messages.map((m) => m.role === "tool" && m.toolCallId), ["a", "b"]);
});

Deno.test("runToolCalls() keeps the results of neighbours when one needs approval", async () => {
  const dispatcher = new FakeDispatcher(
    (one) => Promise.resolve(one.id === "a" ? { needsApproval: true } : { content: "kept" }),
    () => ({ parallel: true, paths: [] }),
  );
  const messages: Message[] = [];
  const history = { messages: () => messages, append: (m: Message) => void messages.push(m) };
  const calls = runToolCalls([call("a"), call("b")], {
    dispatcher,
    history,
    signal: new AbortController().signal,
  });
  await Array.fromAsync(calls);
  deepStrictEqual(messages.map((m) => m.role === "tool" && m.toolCallId), ["b"]);
});
