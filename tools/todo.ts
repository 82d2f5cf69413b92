/** `todo`: the task list of the session, read or written by the model. */
import { ToolError } from "../src/protocol/error.ts";
import type { TodoItem, TodoStatus } from "../src/protocol/todo.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import type { TodoDetails } from "../src/protocol/tool_details.ts";
import type { ToolResult } from "../src/protocol/tool_result.ts";
import type { ViewItem } from "../src/protocol/tool_view.ts";
import { registry } from "../src/registry/registry.ts";
import { counted, joined } from "./_preview.ts";

const STATUSES: readonly TodoStatus[] = ["pending", "in_progress", "completed", "cancelled"];
const MAX_ITEMS = 256;
const MAX_CONTENT_CHARS = 4000;

registry.register({
  name: "todo",
  toolset: "todo",
  effects: [],
  description:
    "Task list for work of three or more steps. Keep one item in_progress, complete it " +
    "at once when done. Without todos it returns the list; todos replaces it, or with merge " +
    "updates items by id.",
  schema: {
    type: "object",
    properties: {
      todos: {
        type: "array",
        items: {
          type: "object",
          properties: {
            id: { type: "string" },
            content: { type: "string" },
            status: {
              type: "string",
              enum: ["pending", "in_progress", "completed", "cancelled"],
            },
          },
          required: ["id", "content", "status"],
        },
      },
      merge: { type: "boolean" },
    },
  },
  emoji: "📋",
  lenient: true,
  summary: ({ todos }) => Array.isArray(todos) ? counted(todos.length, "item") : "",
  handler: todo,
  view: {
    line: ({ details: { items } }) => {
      const done = items.filter(({ status }) => status === "completed").length;
      const active = items.find(({ status }) => status === "in_progress");
      return joined(`${done} of ${items.length} done`, active?.content);
    },
    expanded: ({ details: { items } }) => [{
      kind: "list",
      items: items.map(({ content, status }) => ({ text: content, state: STATES[status] })),
    }],
  },
});

/** How a status is shown. */
const STATES: Readonly<Record<TodoStatus, NonNullable<ViewItem["state"]>>> = {
  pending: "waiting",
  "in_progress": "active",
  completed: "done",
  cancelled: "dropped",
};

function todo(
  args: { todos?: unknown; merge?: boolean },
  ctx: ToolContext,
): ToolResult<TodoDetails> {
  const list = ctx.services.todo;
  if (args.todos !== undefined && args.todos !== null) {
    const given = [args.todos].flat();
    if (given.length > 0 && !given.some(isRecord)) {
      throw new ToolError("todos must be an array of {id, content, status}.");
    }
    const next = args.merge ? merge(list.read(), given) : replace(given);
    list.write(workFirst(next.slice(0, MAX_ITEMS)));
  }
  const todos = list.read();
  const counts = STATUSES.map((status) => [
    status,
    todos.filter((item) => item.status === status).length,
  ]);
  return {
    content: { todos, summary: { total: todos.length, ...Object.fromEntries(counts) } },
    details: { kind: "todo", items: todos },
  };
}

/** The given items; of several with one id the last stays, at its place. */
function replace(given: readonly unknown[]): TodoItem[] {
  const items = given.map(normalize);
  const last = new Map(items.map((item, i) => [item.id, i]));
  return items.filter((item, i) => last.get(item.id) === i);
}

/** Known ids are updated in the fields that are given and valid, new ones appended. */
function merge(known: readonly TodoItem[], given: readonly unknown[]): TodoItem[] {
  const items = known.map((item) => ({ ...item }));
  for (const raw of given) {
    if (!isRecord(raw)) continue;
    const id = textOf(raw.id);
    if (id === "") continue;
    const item = items.find((candidate) => candidate.id === id);
    if (item === undefined) {
      items.push(normalize(raw));
      continue;
    }
    if (textOf(raw.content) !== "") item.content = normalize(raw).content;
    if (isStatus(raw.status)) item.status = raw.status;
  }
  return items;
}

/** What is being done comes before what waits. */
function workFirst(items: readonly TodoItem[]): TodoItem[] {
  const waiting = items.findIndex((item) => item.status === "pending");
  const working = items.findIndex((item) => item.status === "in_progress");
  if (waiting < 0 || working < waiting) return [...items];
  const rest = items.filter((_, i) => i !== working);
  return rest.toSpliced(waiting, 0, items[working]!);
}

function normalize(raw: unknown): TodoItem {
  if (!isRecord(raw)) return { id: "?", content: "(invalid item)", status: "pending" };
  const content = textOf(raw.content) || "(no description)";
  return {
    id: textOf(raw.id) || "?",
    content: content.length > MAX_CONTENT_CHARS
      ? `${content.slice(0, MAX_CONTENT_CHARS)}… [truncated]`
      : content,
    status: isStatus(raw.status) ? raw.status : "pending",
  };
}

function isStatus(value: unknown): value is TodoStatus {
  return STATUSES.includes(value as TodoStatus);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return value === undefined || value === null ? "" : String(value).trim();
}
