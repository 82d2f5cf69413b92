/**
 * Commands and files on this machine, as the user hermes runs as. Every command is a fresh
 * shell in a session of its own; directory and exports travel from one to the next through a
 * private file. Credentials of hermes never reach a command.
 */
import type {
  BackgroundProcess,
  DirEntry,
  Environment,
  ExecOptions,
  ExecResult,
  FileInfo,
  ReadOptions,
  SearchQuery,
  SearchResult,
  SpawnOptions,
  WriteOptions,
} from "../src/protocol/environment.ts";
import { resolvePath } from "../src/util/path.ts";
import { LocalProcess } from "./_background.ts";
import {
  listLocal,
  readLocalFile,
  realLocalPath,
  removeLocal,
  renameLocal,
  statLocal,
  writeLocalFile,
} from "./_local_files.ts";
import { LocalShell } from "./_local_shell.ts";
import { HeadTail } from "./_output.ts";
import type { TerminalSize } from "./_pty.ts";
import { type RunOutcome, runToEnd } from "./_run_to_end.ts";
import { ShellState } from "./_shell_state.ts";

export interface LocalOptions {
  /** Where commands start. */
  cwd: string;
  /** The environment hermes was started with; credentials in it are kept from commands. */
  env: Readonly<Record<string, string>>;
  /** What `~` means. */
  home: string;
  /** Names of variables that reach commands although they look like credentials. */
  passEnv?: readonly string[];
  /** Absolute path of a POSIX shell; default bash, else sh. */
  shell?: string;
  /** Directory for private state; default `TMPDIR` or `/tmp`. */
  tempDir?: string;
  /** Start-up files whose exports, functions and aliases commands see (bash only). */
  initFiles?: readonly string[];
  /** Answers `sudo` when it asks. */
  sudoPassword?: string;
  /** False: every command begins in `cwd` with `env`, whatever earlier ones did. */
  persistent?: boolean;
  /** Between SIGTERM and SIGKILL of a background process; default 1 s. */
  killGraceMs?: number;
}

const DEFAULT_TASK = "main";
const DEFAULT_OUTPUT_CHARS = 50_000;
const DEFAULT_SIZE: TerminalSize = { columns: 120, rows: 40 };

export function createLocalEnvironment(options: LocalOptions): Environment {
  return new LocalEnvironment(options);
}

class LocalEnvironment implements Environment {
  readonly name = "local";
  readonly sharesHost = true;
  readonly #options: LocalOptions;
  readonly #shell: LocalShell;
  readonly #tasks = new Map<string, ShellState>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #background = new Set<LocalProcess>();
  #closing: Promise<void> | undefined;

  constructor(options: LocalOptions) {
    this.#options = options;
    this.#shell = new LocalShell(options);
  }

  cwd(taskId = DEFAULT_TASK): string {
    return this.#task(taskId).cwd;
  }

  exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const work = this.#exec(command, options);
    this.#running.add(work);
    return work.finally(() => this.#running.delete(work));
  }

  async #exec(command: string, options: ExecOptions): Promise<ExecResult> {
    const startedAt = performance.now();
    const capture = new HeadTail(options.maxOutputChars ?? DEFAULT_OUTPUT_CHARS);
    const outcome: RunOutcome = options.signal?.aborted
      ? { exitCode: 130, timedOut: false, interrupted: true }
      : await this.#run(command, options, capture);
    const { text, totalBytes, truncated } = capture.finish();
    return {
      ...outcome,
      output: text,
      totalBytes,
      truncated,
      durationMs: performance.now() - startedAt,
      cwd: this.cwd(options.taskId),
    };
  }

  async #run(command: string, options: ExecOptions, capture: HeadTail): Promise<RunOutcome> {
    const task = await this.#readyTask(options.taskId);
    const lease = task.begin();
    let marker = "";
    try {
      const started = await this.#shell.start(command, {
        ...this.#place(options),
        env: options.env ?? {},
        stdin: options.stdin === undefined ? "null" : "piped",
        terminal: options.pty ? DEFAULT_SIZE : undefined,
        stateIn: lease.input,
        stateOut: this.#options.persistent === false ? undefined : lease.output,
      });
      marker = started.marker;
      const outcome = await runToEnd(started.process, {
        tree: started.tree,
        timeoutMs: options.timeoutMs,
        signal: options.signal,
        stdin: toBytes(options.stdin),
        onChunk(chunk) {
          const text = capture.push(chunk);
          if (text !== "") options.onOutput?.(text);
        },
      });
      await started.release();
      return outcome;
    } finally {
      await task.end(lease, { marker, keepCwd: options.cwd !== undefined });
    }
  }

  async spawn(command: string, options: SpawnOptions = {}): Promise<BackgroundProcess> {
    const task = await this.#readyTask(options.taskId);
    const stateIn = await task.copy();
    const started = await this.#shell.start(command, {
      ...this.#place(options),
      // Programs that collect whole blocks when nobody watches would keep the log empty.
      env: { PYTHONUNBUFFERED: "1", ...options.env },
      stdin: "piped",
      terminal: options.pty ? options.size ?? DEFAULT_SIZE : undefined,
      stateIn,
    });
    const background = new LocalProcess(started.process, {
      tree: started.tree,
      graceMs: this.#options.killGraceMs,
      onEnd: async () => {
        this.#background.delete(background);
        if (stateIn !== undefined) await removeIfThere(stateIn);
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
    return realLocalPath(this.resolve(path));
  }

  readFile(path: string, options?: ReadOptions): Promise<Uint8Array> {
    return readLocalFile(this.resolve(path), options);
  }

  writeFile(path: string, data: Uint8Array, options?: WriteOptions): Promise<void> {
    return writeLocalFile(this.resolve(path), data, options);
  }

  stat(path: string): Promise<FileInfo | undefined> {
    return statLocal(this.resolve(path));
  }

  list(path: string): Promise<DirEntry[]> {
    return listLocal(this.resolve(path));
  }

  remove(path: string, options?: { recursive?: boolean }): Promise<void> {
    return removeLocal(this.resolve(path), options);
  }

  rename(from: string, to: string): Promise<void> {
    return renameLocal(this.resolve(from), this.resolve(to));
  }

  async search(query: SearchQuery): Promise<SearchResult> {
    return await (await import("./local_search.ts")).createLocalSearch()(query);
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

  #place(options: { cwd?: string; taskId?: string }): { cwd: string; strictCwd: boolean } {
    return options.cwd === undefined
      ? { cwd: this.cwd(options.taskId), strictCwd: false }
      : { cwd: this.resolve(options.cwd, options.taskId), strictCwd: true };
  }

  async #readyTask(id = DEFAULT_TASK): Promise<ShellState> {
    const lost = await this.#shell.ready();
    if (lost) { for (const task of this.#tasks.values()) task.forget(); }
    return this.#task(id);
  }

  #task(id: string): ShellState {
    let task = this.#tasks.get(id);
    if (task === undefined) {
      task = new ShellState(this.#options.cwd, () => this.#shell.newFile());
      this.#tasks.set(id, task);
    }
    return task;
  }
}

function toBytes(data: string | Uint8Array | undefined): Uint8Array | undefined {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}

/** The directory may have been cleaned by somebody else meanwhile. */
async function removeIfThere(path: string): Promise<void> {
  try {
    await Deno.remove(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
