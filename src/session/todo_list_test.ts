import assert from "node:assert/strict";
import type { Message, ToolMessage } from "../protocol/message.ts";
import type { TodoItem } from "../protocol/todo.ts";
import { createTodoList } from "./todo_list.ts";

const FIRST: TodoItem = { id: "1", content: "first", status: "completed" };
const SECOND: TodoItem = { id: "2", content: "second", status: "pending" };

function result(more: Partial<ToolMessage>): Message {
  return { role: "tool", toolCallId: "c", name: "todo", content: "{}", isError: false, ...more };
}

Deno.test("createTodoList() begins with the last list of the transcript", () => {
  const transcript: Message[] = [
    result({ details: { kind: "todo", items: [FIRST] } }),
    result({ details: { kind: "todo", items: [FIRST, SECOND] } }),
    result({ name: "terminal", content: JSON.stringify({ todos: [FIRST] }) }),
    result({ isError: true, content: JSON.stringify({ todos: [], error: "no" }) }),
  ];
  assert.deepEqual(createTodoList(transcript).read(), [FIRST, SECOND]);
  assert.deepEqual(createTodoList([]).read(), []);
});

Deno.test("createTodoList() reads the lists of sessions that older versions stored", () => {
  const content = JSON.stringify({ todos: [SECOND], summary: { total: 1 } });
  const cut = result({ content: "<persisted-output>" });
  assert.deepEqual(createTodoList([result({ content }), cut]).read(), [SECOND]);
  const odd = result({ content: JSON.stringify({ todos: [{ id: 1 }] }) });
  assert.deepEqual(createTodoList([odd]).read(), []);
  const foreign = result({ details: { kind: "todo", items: "x" } as never });
  assert.deepEqual(createTodoList([foreign]).read(), []);
});

Deno.test("createTodoList() gives out copies", () => {
  const list = createTodoList();
  const items = [{ ...FIRST }];
  list.write(items);
  items[0]!.content = "changed";
  list.read()[0]!.content = "changed too";
  assert.deepEqual(list.read(), [FIRST]);
});
