/**
 * State that outlives one tool call and that tools reach by interface only. Session
 * composition supplies the implementations.
 */
import type { BackgroundProcess, Environment, SpawnOptions } from "./environment.ts";

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

export interface ClarifyQuestion {
  id: string;
  question: string;
  choices: string[];
  multiSelect: boolean;
}

/** Asks the person at the surface; undefined when nobody is there. */
export interface Clarifier {
  ask(questions: ClarifyQuestion[], signal: AbortSignal): Promise<string[][] | undefined>;
}

export interface ManagedProcess {
  readonly id: string;
  readonly command: string;
  readonly taskId: string;
  readonly process: BackgroundProcess;
}

export interface StartProcessOptions extends SpawnOptions {
  notifyOnComplete?: boolean;
  watchPatterns?: string[];
}

/** Background processes of a session, by id. */
export interface ProcessTable {
  start(env: Environment, command: string, options: StartProcessOptions): Promise<ManagedProcess>;
  get(id: string): ManagedProcess | undefined;
  list(taskId?: string): ManagedProcess[];
  /** Completion notices and watch matches since the last call, in order. */
  drainNotices(): string[];
  closeAll(): Promise<void>;
}

/** What the session has read, so that a write over unseen changes can warn. */
export interface FileLedger {
  noteRead(taskId: string, path: string, mtimeMs: number, partial: boolean): void;
  noteWrite(taskId: string, path: string, mtimeMs: number): void;
  /** A one-line warning when writing `path` would overwrite what the task has not seen. */
  staleness(taskId: string, path: string, mtimeMs: number | undefined): string | undefined;
  /** Counts identical reads in a row; resets on any other call. */
  noteRepeat(taskId: string, key: string): number;
}

/** Where large results go. Returns the path the model can read. */
export interface SpillStore {
  write(name: string, text: string): Promise<string>;
}

export interface ToolServices {
  readonly todo: TodoList;
  readonly clarifier: Clarifier;
  readonly processes: ProcessTable;
  readonly files: FileLedger;
  readonly spill: SpillStore;
  /** Later parts (memory, session search, browser, sub-agents) by name. */
  readonly extra: ReadonlyMap<string, unknown>;
}
