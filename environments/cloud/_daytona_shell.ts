/**
 * A shell in a sandbox of Daytona over one of its terminals, which are the only way there that
 * takes and gives every byte as it comes. Without a terminal of its own the command sits behind
 * pipes, and input travels in frames: a line with a length, then as many bytes; 0 is the end.
 */
import type { PtyHandle, Sandbox } from "../../src/deps/daytona.ts";
import { randomId } from "../../src/util/id.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import type { CloudTransport } from "./_cloud_client.ts";
import { END_OF_INPUT, type TerminalSize } from "../../src/process/pty.ts";
import type { RemoteCommandLine } from "../remote/remote_host.ts";

const PLAIN_SIZE: TerminalSize = { columns: 80, rows: 24 };
const END_OF_FRAMES = frame(new Uint8Array());
/** Written before everything else: what comes earlier is the login shell talking. */
const BEGIN = 0x1e;

export async function startDaytonaShell(
  sandbox: Sandbox,
  command: RemoteCommandLine,
): Promise<CloudTransport> {
  const { columns, rows } = command.terminal ?? PLAIN_SIZE;
  const id = `hermes-${randomId(12)}`;
  const output = new OutputQueue();
  const handle = await sandbox.process.createPty({
    id,
    cols: columns,
    rows,
    onData: (data: Uint8Array) => output.push(data),
  });
  const shell = new DaytonaShell(handle, { output, framed: !command.tty });
  await handle.sendInput(`${typedLine(command, id)}\n`);
  return shell;
}

/** What is typed at the login shell; the space keeps it out of a history. */
export function typedLine({ shell, script, tty }: RemoteCommandLine, id: string): string {
  const program = `${shell} -c ${shellQuote(`printf '\\036'; ${script}`)}`;
  if (tty) return ` exec ${program}`;
  return ` stty raw -echo; exec sh -c ${shellQuote(behindPipes(program, id))}`;
}

/**
 * Runs a program behind pipes on a terminal that is used as a line for bytes. Its session is its
 * own, so that it has no terminal at all; its code comes back through descriptor 3.
 */
function behindPipes(program: string, id: string): string {
  const dir = `"\${TMPDIR:-/tmp}/${id}"`;
  const unframe =
    `while IFS= read -r n && [ "$n" -gt 0 ]; do dd bs="$n" count=1 iflag=fullblock; done`;
  return [
    // The shell would say on the terminal what ended the program.
    "exec 2>/dev/null 4>&1 5<&0",
    `mkdir -m 700 ${dir} && mkfifo ${dir}/in || exit`,
    // Both ends of the pipe are open when the first of these commands runs.
    `{ rm -rf ${dir}; ${unframe}; } <&5 >${dir}/in 4>&- 5<&- & f=$!`,
    `c=$({ { $(command -v setsid) ${program} <${dir}/in 3>&- 4>&- 5<&-; echo $? >&3; } | ` +
    `cat >&4 3>&- 5<&-; } 3>&1)`,
    "kill $f; exit $c",
  ].join("; ");
}

function frame(data: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(`${data.length}\n`);
  const out = new Uint8Array(head.length + data.length);
  out.set(head);
  out.set(data, head.length);
  return out;
}

class DaytonaShell implements CloudTransport {
  readonly exited: Promise<number>;
  readonly resize?: (size: TerminalSize) => Promise<void>;
  readonly #handle: PtyHandle;
  readonly #output: OutputQueue;
  readonly #framed: boolean;
  #over = false;

  constructor(handle: PtyHandle, options: { output: OutputQueue; framed: boolean }) {
    this.#handle = handle;
    this.#output = options.output;
    this.#framed = options.framed;
    this.exited = this.#wait();
    // Whoever reads learns of it first.
    this.exited.catch(() => {});
    if (!options.framed) this.resize = async (size) => await this.#resize(size);
  }

  read(): Promise<Uint8Array | undefined> {
    return this.#output.take();
  }

  async write(data: Uint8Array): Promise<void> {
    if (data.length > 0) await this.#handle.sendInput(this.#framed ? frame(data) : data);
  }

  async closeStdin(): Promise<void> {
    await this.#handle.sendInput(this.#framed ? END_OF_FRAMES : END_OF_INPUT);
  }

  async close(): Promise<void> {
    try {
      // The session would outlive the connection.
      if (!this.#over) await this.#handle.kill();
    } catch {
      // The process has ended meanwhile, or the sandbox has.
    }
    await this.#handle.disconnect();
    this.#output.end();
  }

  async #wait(): Promise<number> {
    try {
      const { exitCode, error } = await this.#handle.wait();
      if (exitCode === undefined) throw new Error(error ?? "the connection was cut");
      this.#over = true;
      this.#output.end();
      return exitCode;
    } catch (error) {
      this.#output.end(error as Error);
      throw error;
    }
  }

  async #resize({ columns, rows }: TerminalSize): Promise<void> {
    await this.#handle.resize(columns, rows);
  }
}

/** Bytes that came before they were asked for. */
class OutputQueue {
  readonly #chunks: Uint8Array[] = [];
  #begun = false;
  #end: { error: Error | undefined } | undefined;
  #changed = Promise.withResolvers<void>();

  push(data: Uint8Array): void {
    if (this.#end) return;
    const begin = this.#begun ? -1 : data.indexOf(BEGIN);
    if (begin < 0 && !this.#begun) return;
    this.#begun = true;
    this.#chunks.push(data.subarray(begin + 1));
    this.#wake();
  }

  /** What is there can still be taken. */
  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake();
  }

  async take(): Promise<Uint8Array | undefined> {
    while (this.#chunks.length === 0 && !this.#end) await this.#changed.promise;
    const chunk = this.#chunks.shift();
    if (chunk === undefined && this.#end?.error) throw this.#end.error;
    return chunk;
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
