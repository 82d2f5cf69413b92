/**
 * State that outlives one tool call and that tools reach by interface only. Session
 * composition supplies the implementations.
 */
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import type { BackgroundProcess, Environment, SpawnOptions } from "./environment.ts";
import type { SandboxPolicy } from "./sandbox.ts";
import type { Sandbox } from "./script.ts";
import type { TodoList } from "./todo.ts";

export interface ClarifyQuestion {
  id: string;
  question: string;
  choices: string[];
  multiSelect: boolean;
}

/** Asks the person at the surface, who has only so much time for an answer. */
export interface Clarifier {
  /** Undefined when no person is present or the person declines, `expired` when no answer came in time. */
  ask(
    questions: ClarifyQuestion[],
    signal: AbortSignal,
  ): Promise<string[][] | "expired" | undefined>;
}

export interface ManagedProcess {
  readonly id: string;
  readonly command: string;
  readonly taskId: string;
  readonly process: BackgroundProcess;
  /** Where it was started. */
  readonly cwd: string;
  readonly notifyOnComplete: boolean;
  /** Empty when nothing is watched (any more). */
  readonly watchPatterns: readonly string[];
  /** Undefined while it runs. */
  readonly endedBy: "exit" | "kill" | undefined;
  /** Ends the whole tree; resolves when it is gone. */
  kill(): Promise<void>;
  /** The caller has seen the end: no completion notice for it. */
  acknowledge(): void;
}

export interface StartProcessOptions extends SpawnOptions {
  notifyOnComplete?: boolean;
  watchPatterns?: string[];
}

/** Background processes of a session, by id. */
export interface ProcessTable {
  start(env: Environment, command: string, options: StartProcessOptions): Promise<ManagedProcess>;
  /** By id, or by a beginning of it (4 characters or more, `proc_` optional) that fits only one. */
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
  /**
   * A one-line warning when writing `path` would overwrite what the task has not seen.
   * An `edit` names the text it replaces, so having read little or nothing is no reason to warn.
   */
  staleness(
    taskId: string,
    path: string,
    mtimeMs: number | undefined,
    kind?: "overwrite" | "edit",
  ): string | undefined;
  /** How often this read was answered before while `path` stayed at `version`; 0 the first time. */
  noteShown(taskId: string, path: string, request: { key: string; version: string }): number;
  /** Forgets what was shown (the context was compressed): everything may be read again. */
  forgetShown(taskId?: string): void;
  /** Counts failed edits of a file in a row; a success sets it back to 0. */
  noteEdit(taskId: string, path: string, succeeded: boolean): number;
  /** Runs `work` while no other writer holds any of these paths. */
  exclusive<T>(paths: readonly string[], work: () => Promise<T>): Promise<T>;
}

/** Where large results go. Returns the path the model can read. */
export interface SpillStore {
  write(name: string, text: string): Promise<string>;
  /** True for a real path below the directory that this session's results go to. */
  holds?(path: string): Promise<boolean>;
}

/** Where the bytes of images go. Returns the reference that stands for them in messages. */
export interface BlobSink {
  put(bytes: Uint8Array<ArrayBuffer>): Promise<string>;
}

export interface ToolServices {
  readonly todo: TodoList;
  readonly clarifier: Clarifier;
  readonly processes: ProcessTable;
  readonly files: FileLedger;
  readonly spill: SpillStore;
  readonly blobs: BlobSink;
  /** Absent where no script can run. */
  readonly sandbox?: Sandbox;
  /** Files that are never shown or written; absent where only the environment's own are known. */
  readonly protectedPlaces?: () => Promise<ProtectedPlaces>;
  /** The walls around commands, which file tools keep to; undefined where none stand. */
  readonly sandboxPolicy?: () => Promise<SandboxPolicy | undefined>;
}

/** A service by name; a part that is still to come is added to `ToolServices`, not to a map. */
export type ServiceName = keyof ToolServices;
