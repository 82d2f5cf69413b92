/** The task list of one session. It lives in the transcript: a resumed session finds it there. */
import type { Message, ToolMessage } from "../protocol/message.ts";
import type { TodoItem, TodoList } from "../protocol/todo.ts";

/** The list as the transcript left it. */
export function createTodoList(transcript: readonly Message[] = []): TodoList {
  let items = lastList(transcript);
  return {
    read: () => items.map((item) => ({ ...item })),
    write(next) {
      items = next.map((item) => ({ ...item }));
    },
  };
}

function lastList(transcript: readonly Message[]): TodoItem[] {
  for (let i = transcript.length - 1; i >= 0; i--) {
    const message = transcript[i]!;
    const found = message.role === "tool" ? listOf(message) : undefined;
    if (found !== undefined) return found;
  }
  return [];
}

/** Sessions of older versions hold the list only in the text that `todo` wrote for the model. */
function listOf({ name, details, content, isError }: ToolMessage): TodoItem[] | undefined {
  if (details?.kind === "todo") return listFrom(details.items);
  if (name !== "todo" || isError || details !== undefined) return undefined;
  try {
    return listFrom((JSON.parse(content) as { todos?: unknown }).todos);
  } catch {
    // A text that was cut or replaced: an older one may be whole.
    return undefined;
  }
}

/** An imported session may hold anything. */
function listFrom(value: unknown): TodoItem[] | undefined {
  return Array.isArray(value) && value.every(isItem) ? value : undefined;
}

function isItem(value: unknown): value is TodoItem {
  if (typeof value !== "object" || value === null) return false;
  const { id, content, status } = value as Record<string, unknown>;
  return [id, content, status].every((text) => typeof text === "string");
}
