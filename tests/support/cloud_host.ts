/**
 * What the fake clouds run commands on: a private directory of this machine with real processes.
 * Every process carries the sandbox's id in its environment, so that a sandbox ends with all
 * of them. Knows nothing of any cloud's protocol.
 */
import { shellJoin } from "../../src/util/shell_quote.ts";

const ID_VARIABLE = "FAKE_CLOUD_SANDBOX";

export interface HostProcessOptions {
  argv: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
  /** Runs it on a pseudo-terminal of this size. */
  terminal?: { columns: number; rows: number };
}

/** A running sandbox. */
export class HostSandbox {
  readonly id: string;
  /** Stands for its file system; also the home directory. */
  readonly root: string;
  readonly #env: Record<string, string>;
  readonly processes = new Set<HostProcess>();

  constructor(options: { id: string; root: string; env?: Record<string, string> }) {
    this.id = options.id;
    this.root = options.root;
    this.#env = {
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: options.root,
      LANG: "C.UTF-8",
      ...options.env,
      [ID_VARIABLE]: options.id,
    };
  }

  start(options: HostProcessOptions): HostProcess {
    const process = new HostProcess({
      ...options,
      cwd: options.cwd ?? this.root,
      env: { ...this.#env, ...options.env },
    });
    this.processes.add(process);
    process.exited.finally(() => this.processes.delete(process));
    return process;
  }

  /** Ends every process at once, as a machine does that is switched off. */
  async kill(): Promise<void> {
    for (let left = this.#pids(); left.length > 0; left = this.#pids()) {
      for (const pid of left) signal(pid, "SIGKILL");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all([...this.processes].map((process) => process.exited));
  }

  /** Who carries the id; zombies have no environment left. */
  #pids(): number[] {
    const found: number[] = [];
    for (const { name } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const environ = Deno.readTextFileSync(`/proc/${name}/environ`);
        if (`\0${environ}`.includes(`\0${ID_VARIABLE}=${this.id}\0`)) found.push(Number(name));
      } catch {
        // It ended while we looked.
      }
    }
    return found;
  }
}

/** One process of a sandbox. Errors and output share a stream unless it says otherwise. */
export class HostProcess {
  readonly pid: number;
  readonly exited: Promise<Deno.CommandStatus>;
  readonly output: ReadableStreamDefaultReader<Uint8Array>;
  readonly #child: Deno.ChildProcess;
  readonly #input: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  readonly #terminal: boolean;

  constructor(options: HostProcessOptions & { cwd: string; env: Record<string, string> }) {
    const argv = options.terminal
      ? onTerminal(options.argv, options.terminal)
      : ["setsid", ...options.argv];
    this.#terminal = options.terminal !== undefined;
    this.#child = new Deno.Command(`/usr/bin/${argv[0]}`, {
      args: argv.slice(1),
      cwd: options.cwd,
      clearEnv: true,
      env: options.env,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    this.pid = this.#child.pid;
    this.exited = this.#child.status;
    this.output = this.#child.stdout.getReader();
    this.#input = this.#child.stdin.getWriter();
  }

  async write(data: Uint8Array): Promise<void> {
    await this.#input.write(new Uint8Array(data));
  }

  async closeInput(): Promise<void> {
    await this.#input.close();
  }

  /** Changes the size of the terminal, which tells its programs. */
  async resize(size: { columns: number; rows: number }): Promise<void> {
    if (!this.#terminal) return;
    const [child] = await childrenOf(this.pid);
    const tty = await Deno.readLink(`/proc/${child}/fd/0`);
    const { columns, rows } = size;
    await new Deno.Command("/usr/bin/stty", {
      args: ["-F", tty, "rows", String(rows), "cols", String(columns)],
    }).output();
  }

  kill(): void {
    signal(this.pid, "SIGKILL");
  }

  /** Lets go of both ends, whoever holds the others. */
  async dispose(): Promise<void> {
    await Promise.allSettled([this.output.cancel(), this.#input.abort()]);
  }
}

function onTerminal(argv: readonly string[], size: { columns: number; rows: number }): string[] {
  const command = `stty rows ${size.rows} cols ${size.columns}; exec ${shellJoin(argv)}`;
  return ["script", "-qfec", command, "/dev/null"];
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
  return text.trim().split(" ").map(Number);
}

function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch {
    // It ended by itself.
  }
}
