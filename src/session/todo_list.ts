/** The task list of one session, in memory. */
import type { TodoItem, TodoList } from "../protocol/services.ts";

/** An empty list. */
export function createTodoList(): TodoList {
  let items: TodoItem[] = [];
  return {
    read: () => items.map((item) => ({ ...item })),
    write(next) {
      items = next.map((item) => ({ ...item }));
    },
  };
}
