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
  SpawnOptions,
  WriteOptions,
} from "../src/protocol/environment.ts";
import { EnvironmentError } from "../src/protocol/error.ts";
import { randomId } from "../src/util/id.ts";
import { resolvePath } from "../src/util/path.ts";
import { childEnvironment } from "./_child_env.ts";
import {
  listLocal,
  readLocalFile,
  realLocalPath,
  removeLocal,
  renameLocal,
  statLocal,
  writeLocalFile,
} from "./_local_files.ts";
import { HeadTail } from "./_output.ts";
import { killTree } from "./_process_tree.ts";
import { type RawProcess, startPiped } from "./_raw_process.ts";
import { runToEnd } from "./_run_to_end.ts";
import { buildShellScript, isVariableName } from "./_shell_script.ts";
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
}

const DEFAULT_OUTPUT_CHARS = 50_000;
/** The kernel takes arguments of up to 128 KiB; a longer script goes through a file. */
const MAX_ARGUMENT = 100_000;

/** Found once, with the first command. */
interface Setup {
  shell: string;
  bash: boolean;
  setsid: string | undefined;
  dir: string;
}

interface Prepared {
  process: RawProcess;
  marker: string;
  stateOut: string;
}

export function createLocalEnvironment(options: LocalOptions): Environment {
  return new LocalEnvironment(options);
}

class LocalEnvironment implements Environment {
  readonly name = "local";
  readonly sharesHost = true;
  readonly #options: LocalOptions;
  readonly #childEnv: Record<string, string>;
  /** Begins every marker of this environment. */
  readonly #id = randomId(16);
  readonly #tasks = new Map<string, ShellState>();
  #setup: Promise<Setup> | undefined;
  #serial = 0;
  #closed = false;

  constructor(options: LocalOptions) {
    this.#options = options;
    this.#childEnv = childEnvironment(options.env, {
      pass: options.passEnv ?? [],
      home: options.home,
    });
  }

  cwd(taskId = "main"): string {
    return this.#task(taskId).cwd;
  }

  async exec(command: string, options: ExecOptions = {}): Promise<ExecResult> {
    const startedAt = performance.now();
    const task = this.#task(options.taskId ?? "main");
    const capture = new HeadTail(options.maxOutputChars ?? DEFAULT_OUTPUT_CHARS);
    let outcome = { exitCode: 130, timedOut: false, interrupted: true };
    if (!options.signal?.aborted) {
      const stateIn = task.begin();
      let stateOut: string | undefined;
      try {
        const started = await this.#start(command, { ...options, stateIn, save: true });
        stateOut = started.stateOut;
        outcome = await runToEnd(started.process, {
          tree: { leader: started.process.pid, marker: started.marker },
          timeoutMs: options.timeoutMs,
          signal: options.signal,
          stdin: toBytes(options.stdin),
          onChunk(chunk) {
            const text = capture.push(chunk);
            if (text !== "") options.onOutput?.(text);
          },
        });
      } finally {
        await task.end(stateOut, { keepCwd: options.cwd !== undefined });
      }
    }
    const { text, totalBytes, truncated } = capture.finish();
    const durationMs = performance.now() - startedAt;
    return { ...outcome, output: text, totalBytes, truncated, durationMs, cwd: task.cwd };
  }

  spawn(_command: string, _options: SpawnOptions = {}): Promise<BackgroundProcess> {
    throw new EnvironmentError("not yet");
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

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#setup === undefined) return;
    const { dir } = await this.#setup;
    await killTree({ marker: `${this.#id}.` });
    await Deno.remove(dir, { recursive: true });
  }

  #task(id: string): ShellState {
    let task = this.#tasks.get(id);
    if (task === undefined) {
      task = new ShellState(this.#options.cwd);
      this.#tasks.set(id, task);
    }
    return task;
  }

  async #start(
    command: string,
    options: ExecOptions & { stateIn: string | undefined; save: boolean },
  ): Promise<Prepared> {
    if (this.#closed) throw new EnvironmentError("The local environment is closed");
    if (command.includes("\0")) throw new EnvironmentError("A command cannot contain a NUL byte");
    const setup = await (this.#setup ??= findSetup(this.#options));
    const marker = `${this.#id}.${++this.#serial}`;
    const stateOut = `${setup.dir}/${this.#serial}`;
    const extra = options.env ?? {};
    const script = buildShellScript({
      command,
      cwd: options.cwd === undefined ? this.cwd(options.taskId) : this.resolve(options.cwd),
      strictCwd: options.cwd !== undefined,
      marker,
      env: Object.keys(extra).filter(isVariableName),
      stateIn: options.stateIn,
      stateOut: options.save ? stateOut : undefined,
      bash: setup.bash,
    });
    const argv = script.length < MAX_ARGUMENT
      ? [setup.shell, "-c", script, setup.bash ? "bash" : "sh"]
      : [setup.shell, await writeScript(`${stateOut}.sh`, script)];
    const env = options.stateIn === undefined ? { ...this.#childEnv, ...extra } : extra;
    try {
      const process = startPiped({
        argv,
        env,
        stdin: options.stdin === undefined ? "null" : "piped",
        setsid: setup.setsid,
      });
      return { process, marker, stateOut };
    } catch (error) {
      throw new EnvironmentError(`Cannot start ${setup.shell}: ${(error as Error).message}`);
    }
  }
}

function toBytes(data: string | Uint8Array | undefined): Uint8Array | undefined {
  return typeof data === "string" ? new TextEncoder().encode(data) : data;
}

async function writeScript(path: string, script: string): Promise<string> {
  await Deno.writeTextFile(path, script, { mode: 0o600, createNew: true });
  return path;
}

async function findSetup(options: LocalOptions): Promise<Setup> {
  const path = options.env.PATH?.split(":") ?? [];
  const [bash, setsid, dir] = await Promise.all([
    options.shell ?? firstExisting(["/bin/bash", ...path.map((entry) => `${entry}/bash`)]),
    firstExisting(["/usr/bin/setsid", "/bin/setsid"]),
    Deno.makeTempDir({
      prefix: "hermes-env-",
      dir: options.tempDir ?? options.env.TMPDIR ?? "/tmp",
    }),
  ]);
  const shell = bash ?? "/bin/sh";
  return { shell, bash: shell.endsWith("bash"), setsid, dir };
}

async function firstExisting(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    try {
      if ((await Deno.stat(path)).isFile) return path;
    } catch {
      // Not here; the next one may be.
    }
  }
  return undefined;
}
