/**
 * The environment contract over any place that has a POSIX shell. Every command is a fresh
 * shell; directory and exports travel from one to the next through a private file there.
 */
import type {
  BackgroundProcess,
  DirEntry,
  Environment,
  ExecOptions,
  ExecResult,
  FileInfo,
  ReadOptions,
  RemoveOptions,
  SpawnOptions,
  WriteOptions,
} from "../src/protocol/environment.ts";
import { resolvePath } from "../src/util/path.ts";
import { ShellProcess } from "./_background.ts";
import { HeadTail } from "../src/process/head_tail.ts";
import type { TerminalSize } from "../src/process/pty.ts";
import { type RunOutcome, runToEnd } from "../src/process/run_to_end.ts";
import type { Files, Shell, Started } from "./shell.ts";
import { ShellState } from "./_shell_state.ts";

export interface ShellEnvironmentOptions {
  name: string;
  sharesHost: boolean;
  /** Where commands start. */
  cwd: string;
  /** What `~` means. */
  home: string;
  shell: Shell;
  files: Files;
  search?: NonNullable<Environment["search"]>;
  identify?: NonNullable<Environment["identify"]>;
  /** False: every command begins in `cwd` with nothing of what earlier ones exported. */
  persistent?: boolean | undefined;
  /** Between SIGTERM and SIGKILL of a background process; default 1 s. */
  killGraceMs?: number | undefined;
}

/** A command at its end. */
interface Ran {
  outcome: RunOutcome;
  started?: Started;
}

const DEFAULT_TASK = "main";
const DEFAULT_OUTPUT_CHARS = 50_000;
const DEFAULT_SIZE: TerminalSize = { columns: 120, rows: 40 };

export class ShellEnvironment implements Environment {
  readonly name: string;
  readonly sharesHost: boolean;
  readonly search?: NonNullable<Environment["search"]>;
  readonly identify?: NonNullable<Environment["identify"]>;
  readonly #options: ShellEnvironmentOptions;
  readonly #shell: Shell;
  readonly #files: Files;
  readonly #tasks = new Map<string, ShellState>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #background = new Set<ShellProcess>();
  /** Notes about background processes that have ended. */
  readonly #lateNotes: string[] = [];
  #closing: Promise<void> | undefined;

  constructor(options: ShellEnvironmentOptions) {
    this.name = options.name;
    this.sharesHost = options.sharesHost;
    if (options.search) this.search = options.search;
    if (options.identify) this.identify = options.identify;
    this.#options = options;
    this.#shell = options.shell;
    this.#files = options.files;
  }

  cwd(taskId = DEFAULT_TASK): string {
    return this.#task(taskId).cwd;
  }

  async prepare(): Promise<void> {
    await this.#shell.prepare?.();
  }

  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const work = this.#exec(command, options);
    this.#running.add(work);
    return work.finally(() => this.#running.delete(work));
  }

  async #exec(command: string, options: ExecOptions): Promise<ExecResult> {
    const startedAt = performance.now();
    const capture = new HeadTail(options.maxOutputChars ?? DEFAULT_OUTPUT_CHARS);
    const { outcome, started }: Ran = options.signal?.aborted
      ? { outcome: { exitCode: 130, timedOut: false, interrupted: true } }
      : await this.#run(command, options, capture);
    const { text, totalBytes, truncated } = capture.finish();
    const notes = [
      ...this.#lateNotes.splice(0),
      ...started?.notes?.({ exitCode: outcome.exitCode, output: text }) ?? [],
    ];
    return {
      ...outcome,
      ...notes.length === 0 ? {} : { notes },
      output: text,
      totalBytes,
      truncated,
      durationMs: performance.now() - startedAt,
      cwd: this.cwd(options.taskId),
    };
  }

  async #run(command: string, options: ExecOptions, capture: HeadTail): Promise<Ran> {
    const task = await this.#readyTask(options.taskId);
    const lease = task.begin();
    let started: Started | undefined;
    try {
      started = await this.#shell.start(command, {
        ...this.#place(options),
        env: options.env ?? {},
        stdin: options.stdin === undefined ? "null" : "piped",
        background: false,
        outside: options.outside,
        terminal: options.pty ? DEFAULT_SIZE : undefined,
        timeoutMs: options.timeoutMs,
        stateIn: lease.input,
        stateOut: this.#options.persistent === false ? undefined : lease.output,
      });
      const { process, kill } = started;
      const outcome = await runToEnd(process, {
        kill,
        timeoutMs: options.timeoutMs,
        signal: options.signal,
        stdin: toBytes(options.stdin),
        onChunk(chunk) {
          const text = capture.push(chunk);
          if (text !== "") options.onOutput?.(text);
        },
      });
      await started.release();
      return { outcome, started };
    } finally {
      task.end(lease, { cwd: await started?.left(), keepCwd: options.cwd !== undefined });
    }
  }

  async spawn(command: string, options: SpawnOptions = {}): Promise<BackgroundProcess> {
    const task = await this.#readyTask(options.taskId);
    const started = await task.lend((stateIn) =>
      this.#shell.start(command, {
        ...this.#place(options),
        // Programs that collect whole blocks when nobody watches would keep the log empty.
        env: { PYTHONUNBUFFERED: "1", ...options.env },
        stdin: "piped",
        background: true,
        outside: options.outside,
        terminal: options.pty ? options.size ?? DEFAULT_SIZE : undefined,
        stateIn,
      })
    );
    const background = new ShellProcess(started, {
      graceMs: this.#options.killGraceMs,
      onEnd: async () => {
        this.#background.delete(background);
        // The caller has the result already: the next command's result carries the notes.
        this.#lateNotes.push(...started.notes?.({ exitCode: 0, output: "" }) ?? []);
        await started.release();
      },
    });
    this.#background.add(background);
    return background;
  }

  resolve(path: string, taskId?: string): string {
    const { home } = this.#options;
    const expanded = path === "~" || path.startsWith("~/") ? home + path.slice(1) : path;
    return resolvePath(this.cwd(taskId), expanded);
  }

  realPath(path: string): Promise<string> {
    return this.#files.realPath(this.resolve(path));
  }

  readFile(path: string, options?: ReadOptions): Promise<Uint8Array> {
    return this.#files.readFile(this.resolve(path), options);
  }

  writeFile(path: string, data: Uint8Array, options?: WriteOptions): Promise<void> {
    return this.#files.writeFile(this.resolve(path), data, options);
  }

  stat(path: string): Promise<FileInfo | undefined> {
    return this.#files.stat(this.resolve(path));
  }

  list(path: string): Promise<DirEntry[]> {
    return this.#files.list(this.resolve(path));
  }

  remove(path: string, options?: RemoveOptions): Promise<void> {
    return this.#files.remove(this.resolve(path), options);
  }

  rename(from: string, to: string, options?: { exact?: boolean }): Promise<void> {
    return this.#files.rename(this.resolve(from), this.resolve(to), options);
  }

  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    const background = [...this.#background];
    await this.#shell.endAll(background.map((process) => process.pid));
    await Promise.allSettled([...background.map((process) => process.exited), ...this.#running]);
    await this.#shell.clean();
  }

  #place({ cwd, taskId }: { cwd?: string; taskId?: string }): { cwd: string } {
    return { cwd: cwd === undefined ? this.cwd(taskId) : this.resolve(cwd, taskId) };
  }

  async #readyTask(id = DEFAULT_TASK): Promise<ShellState> {
    const lost = await this.#shell.ready();
    if (lost) { for (const task of this.#tasks.values()) task.forget(); }
    return this.#task(id);
  }

  #task(id: string): ShellState {
    let task = this.#tasks.get(id);
    if (task === undefined) {
      task = new ShellState(this.#options.cwd, this.#shell);
      this.#tasks.set(id, task);
    }
    return task;
  }
}

function toBytes(data: string | Uint8Array | undefined): Uint8Array | undefined {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}
