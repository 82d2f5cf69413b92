import { deepEqual, equal, match } from "node:assert/strict";
import type { TodoItem } from "../src/protocol/todo.ts";
import { createTempEnvironment } from "../tests/support/memory_environment.ts";
import { createTestContext, createTestServices, runTool } from "../tests/support/tool_context.ts";
import "./todo.ts";

function item(id: string, status = "pending", content = `do ${id}`) {
  return { id, content, status };
}

async function session() {
  const env = await createTempEnvironment();
  const ctx = createTestContext(env, { services: createTestServices() });
  async function call(args: Record<string, unknown>): Promise<TodoItem[]> {
    return (await runTool("todo", args, ctx)).todos as TodoItem[];
  }
  return { ctx, call, [Symbol.asyncDispose]: () => env.close() };
}

function order(items: readonly TodoItem[]): string {
  return items.map(({ id }) => id).join();
}

Deno.test("todo reads an empty list and what was written", async () => {
  await using t = await session();
  deepEqual(await runTool("todo", {}, t.ctx), {
    todos: [],
    summary: { total: 0, pending: 0, in_progress: 0, completed: 0, cancelled: 0 },
  });
  await t.call({ todos: [item("a", "completed"), item("b")] });
  const reply = await runTool("todo", {}, t.ctx);
  deepEqual(reply.todos, [item("a", "completed"), item("b")]);
  deepEqual(reply.summary, { total: 2, pending: 1, in_progress: 0, completed: 1, cancelled: 0 });
});

Deno.test("todo replaces the list; of one id the last item stays at its place", async () => {
  await using t = await session();
  await t.call({ todos: [item("x")] });
  const items = await t.call({ todos: [item("a"), item("b"), item("a", "cancelled")] });
  deepEqual(items, [item("b"), item("a", "cancelled")]);
});

Deno.test("todo merges by id, ignores bad statuses and items without id", async () => {
  await using t = await session();
  await t.call({ todos: [item("a"), item("b")] });
  const items = await t.call({
    merge: true,
    todos: [
      { id: "a", status: "completed" },
      { id: "b", content: "new words", status: "nonsense" },
      { content: "no id" },
      item("c"),
      "junk",
    ],
  });
  deepEqual(items, [item("a", "completed"), item("b", "pending", "new words"), item("c")]);
});

Deno.test("todo normalises what models send", async () => {
  await using t = await session();
  const items = await t.call({
    todos: [
      { id: 7, content: " x ", status: "done" },
      { content: "", status: "pending" },
      "words",
      { id: "l", content: "y".repeat(5000), status: "pending" },
    ],
  });
  deepEqual(items[0], { id: "7", content: "x", status: "pending" });
  deepEqual(items.at(-1)?.content, `${"y".repeat(4000)}… [truncated]`);
  // Both nameless ones have the id "?": the last stays.
  deepEqual(items[1], { id: "?", content: "(invalid item)", status: "pending" });
});

Deno.test("todo keeps at most 256 items", async () => {
  await using t = await session();
  const todos = Array.from({ length: 300 }, (_, i) => item(String(i)));
  equal((await t.call({ todos })).length, 256);
});

Deno.test("todo moves the first item in progress before the first pending one", async () => {
  await using t = await session();
  const todos = [item("a", "completed"), item("b"), item("c", "in_progress"), item("d")];
  equal(order(await t.call({ todos })), "a,c,b,d");
  equal(order(await t.call({ todos: [item("x", "in_progress"), item("y")] })), "x,y");
});

Deno.test("todo takes one item for a list, and keeps the list when nothing is an item", async () => {
  await using t = await session();
  equal(order(await t.call({ todos: item("a") })), "a");
  for (const todos of ["oops", ["[oops"], 5]) {
    match((await runTool("todo", { todos }, t.ctx)).error, /must be an array/);
  }
  equal(order(await t.call({})), "a");
});
