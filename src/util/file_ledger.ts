/**
 * What the tasks of one session have seen of the disk, and who is writing now. Knows times
 * and names only, never content; the oldest files are forgotten first, so it cannot grow.
 */

const MAX_FILES = 4096;

interface TaskView {
  mtimeMs: number;
  partial: boolean;
}

interface FileRecord {
  /** How each task last saw the file. */
  views: Map<string, TaskView>;
  /** The last write of ours, whoever made it. */
  written: { taskId: string; mtimeMs: number } | undefined;
  /** Reads already answered: `task\0key` → version and how often. */
  shown: Map<string, { version: string; times: number }>;
  failedEdits: Map<string, number>;
}

export class SessionFileLedger {
  readonly #onWrite: (path: string) => void;
  #files = new Map<string, FileRecord>();
  #writers = new Map<string, Promise<void>>();

  /** `onWrite` hears of every file that a tool has written. */
  constructor(onWrite: (path: string) => void = () => {}) {
    this.#onWrite = onWrite;
  }

  noteRead(taskId: string, path: string, mtimeMs: number, partial: boolean): void {
    const { views } = this.#record(path);
    const seen = views.get(taskId);
    const stillWhole = seen !== undefined && !seen.partial && seen.mtimeMs === mtimeMs;
    views.set(taskId, { mtimeMs, partial: partial && !stillWhole });
  }

  noteWrite(taskId: string, path: string, mtimeMs: number): void {
    const record = this.#record(path);
    record.views.set(taskId, { mtimeMs, partial: false });
    record.written = { taskId, mtimeMs };
    record.shown.clear();
    this.#onWrite(path);
  }

  staleness(
    taskId: string,
    path: string,
    mtimeMs: number | undefined,
    kind: "overwrite" | "edit" = "overwrite",
  ): string | undefined {
    if (mtimeMs === undefined) return undefined;
    const record = this.#files.get(path);
    const view = record?.views.get(taskId);
    const written = record?.written;
    const byOther = written !== undefined && written.taskId !== taskId &&
      written.mtimeMs === mtimeMs;
    if (view === undefined) {
      if (byOther) return `${path} was written by another task and not read by this one.`;
      return kind === "edit" ? undefined : `${path} existed and was not read before this write.`;
    }
    if (view.mtimeMs !== mtimeMs) {
      return byOther
        ? `${path} was written by another task after it was last read here.`
        : `${path} changed on disk after it was last read here.`;
    }
    if (view.partial && kind === "overwrite") {
      return `${path} was only read in part before this write.`;
    }
    return undefined;
  }

  noteShown(taskId: string, path: string, request: { key: string; version: string }): number {
    const { shown } = this.#record(path);
    const id = `${taskId}\0${request.key}`;
    const known = shown.get(id);
    const times = known?.version === request.version ? known.times + 1 : 0;
    shown.set(id, { version: request.version, times });
    return times;
  }

  forgetShown(taskId?: string): void {
    for (const { shown } of this.#files.values()) {
      if (taskId === undefined) shown.clear();
      else for (const id of shown.keys()) if (id.startsWith(`${taskId}\0`)) shown.delete(id);
    }
  }

  noteEdit(taskId: string, path: string, succeeded: boolean): number {
    const { failedEdits } = this.#record(path);
    const failures = succeeded ? 0 : (failedEdits.get(taskId) ?? 0) + 1;
    failedEdits.set(taskId, failures);
    return failures;
  }

  async exclusive<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
    const names = [...new Set(paths)];
    // All names are claimed in one step without waiting in between, so no two callers can hold half each.
    const before = names.map((name) => this.#writers.get(name));
    const { promise: done, resolve: release } = Promise.withResolvers<void>();
    for (const name of names) this.#writers.set(name, done);
    await Promise.all(before);
    try {
      return await work();
    } finally {
      release();
      for (const name of names) {
        if (this.#writers.get(name) === done) this.#writers.delete(name);
      }
    }
  }

  #record(path: string): FileRecord {
    const record = this.#files.get(path) ?? {
      views: new Map(),
      written: undefined,
      shown: new Map(),
      failedEdits: new Map(),
    };
    this.#files.delete(path);
    this.#files.set(path, record);
    if (this.#files.size > MAX_FILES) this.#files.delete(this.#files.keys().next().value!);
    return record;
  }
}
