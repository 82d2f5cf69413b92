/**
 * What a tool call came to, as typed data for surfaces and observers. Told apart by `kind`, so
 * that a reader need not know a tool's name or read the text that was written for the model. Texts
 * in it are bounded by the tool; the whole result is what the model reads.
 */
import type { TodoItem } from "./todo.ts";

/** A shell command that ran, or was left running in the background. */
export interface CommandDetails {
  kind: "command";
  exitCode: number;
  /** The beginning and the end of what it printed. */
  output: string;
  timedOut?: boolean;
  /** The directory afterwards, when the command changed it. */
  cwd?: string;
  /** The words for what the walls around the command stopped or undid. */
  sandbox?: string;
  /** Set for a background process: its id for the `process` tool. */
  processId?: string;
  /** Who said yes, when a person was asked. */
  approvedBy?: string;
}

export interface ScriptDetails {
  kind: "script";
  status: "success" | "error" | "timeout" | "interrupted";
  output: string;
  /** Standard error, or why the script was stopped. */
  errors: string;
  toolCalls: number;
}

export interface ProcessState {
  id: string;
  command: string;
  running: boolean;
  exitCode?: number;
}

/** A look at background processes, or something done to one of them. */
export interface ProcessDetails {
  kind: "process";
  action: string;
  processes: ProcessState[];
  output: string;
}

export interface ReadDetails {
  kind: "read";
  path: string;
  firstLine: number;
  lines: number;
  totalLines?: number;
  bytes: number;
  /** The beginning of what was read. */
  preview: string;
  /** The model has it from an earlier call; nothing was read again. */
  unchanged?: boolean;
}

export interface EditedFile {
  path: string;
  change: "created" | "modified" | "deleted" | "moved";
  added: number;
  removed: number;
}

/** Files that were changed. */
export interface EditDetails {
  kind: "edit";
  files: EditedFile[];
  /** A unified diff; empty where none was made. */
  diff: string;
  /** Problems that a checker found in what was written. */
  problems: string[];
}

export interface SearchDetails {
  kind: "search";
  target: "content" | "files";
  /** Matching lines, or files. */
  total: number;
  /** The first of them, one line each. */
  rows: string[];
}

export interface TodoDetails {
  kind: "todo";
  items: TodoItem[];
}

/** Questions to the person. */
export interface AnswersDetails {
  kind: "answers";
  answers: { question: string; answer: string }[];
  /** False when no person answered. */
  answered: boolean;
}

/** What a plugin's tool says about its result, in a shape of its own. */
export interface DataDetails {
  kind: "data";
  data: unknown;
}

export type ToolDetails =
  | CommandDetails
  | ScriptDetails
  | ProcessDetails
  | ReadDetails
  | EditDetails
  | SearchDetails
  | TodoDetails
  | AnswersDetails
  | DataDetails;
