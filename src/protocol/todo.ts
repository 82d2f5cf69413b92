/** The list of tasks that the `todo` tool keeps for a session. */

export type TodoStatus = "pending" | "in_progress" | "completed" | "cancelled";

export interface TodoItem {
  id: string;
  content: string;
  status: TodoStatus;
}

export interface TodoList {
  read(): TodoItem[];
  write(items: TodoItem[]): void;
}
