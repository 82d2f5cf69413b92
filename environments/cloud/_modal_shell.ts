/** A shell in a sandbox of Modal: one remote process with its three streams. */
import type { CloudTransport } from "./_cloud_client.ts";
import type { ModalProcess, ModalSandbox } from "./_modal_client.ts";
import { END_OF_INPUT, type TerminalSize } from "../../src/process/pty.ts";
import type { RemoteCommandLine } from "../remote/remote_host.ts";

const NEWLINE = 10;

export async function startModalShell(
  sandbox: ModalSandbox,
  { shell, script, tty, terminal }: RemoteCommandLine,
): Promise<CloudTransport> {
  // The SDK knows one size only.
  const size = terminal ? `stty rows ${terminal.rows} cols ${terminal.columns}; ` : "";
  // On a terminal the first line says which one it is, to change its size later.
  const process = await sandbox.exec([shell, "-c", tty ? `tty; ${size}${script}` : script], {
    mode: "binary",
    stderr: "ignore",
    pty: tty,
  });
  const transport = new ModalShell(process);
  if (!tty) return transport;
  try {
    return new ModalTerminal(transport, { sandbox, tty: await transport.readLine() });
  } catch (error) {
    await transport.close();
    throw error;
  }
}

class ModalShell implements CloudTransport {
  readonly exited: Promise<number>;
  readonly #process: ModalProcess;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #closing = new AbortController();
  #rest: Uint8Array | undefined;
  #inputEnded = false;

  constructor(process: ModalProcess) {
    this.#process = process;
    this.#reader = process.stdout.getReader();
    this.#writer = process.stdin.getWriter();
    this.exited = process._wait(this.#closing.signal);
  }

  async read(): Promise<Uint8Array | undefined> {
    const rest = this.#rest;
    this.#rest = undefined;
    return rest ?? (await this.#reader.read()).value;
  }

  /** The output up to the first line end. */
  async readLine(): Promise<string> {
    let line = "";
    for (let chunk; (chunk = await this.read());) {
      const end = chunk.indexOf(NEWLINE);
      line += new TextDecoder().decode(chunk.subarray(0, end < 0 ? undefined : end));
      if (end >= 0) {
        this.#rest = chunk.subarray(end + 1);
        break;
      }
    }
    return line.trim();
  }

  async write(data: Uint8Array): Promise<void> {
    await this.#writer.write(data);
  }

  async closeStdin(): Promise<void> {
    this.#inputEnded = true;
    await this.#writer.close();
  }

  async close(): Promise<void> {
    // Input that is stuck there must not keep us; the end of it overtakes the rest.
    const end = this.#inputEnded ? undefined : this.#process.closeStdin();
    this.#inputEnded = true;
    this.#closing.abort();
    // Both calls fail only when the process or the sandbox is gone, which is what is wanted.
    await Promise.allSettled([end, this.#reader.cancel()]);
  }
}

class ModalTerminal implements CloudTransport {
  readonly exited: Promise<number>;
  readonly #shell: ModalShell;
  readonly #place: { sandbox: ModalSandbox; tty: string };

  constructor(shell: ModalShell, place: { sandbox: ModalSandbox; tty: string }) {
    this.exited = shell.exited;
    this.#shell = shell;
    this.#place = place;
  }

  read(): Promise<Uint8Array | undefined> {
    return this.#shell.read();
  }

  write(data: Uint8Array): Promise<void> {
    return this.#shell.write(data);
  }

  closeStdin(): Promise<void> {
    return this.#shell.write(END_OF_INPUT);
  }

  async resize({ columns, rows }: TerminalSize): Promise<void> {
    const { sandbox, tty } = this.#place;
    const size = ["rows", String(rows), "cols", String(columns)];
    const process = await sandbox.exec(["stty", "-F", tty, ...size], {
      mode: "binary",
      stderr: "ignore",
      pty: false,
    });
    await process.stdout.cancel();
    await process._wait();
  }

  close(): Promise<void> {
    return this.#shell.close();
  }
}
