/**
 * One shell on the other side, reached through a client program (`docker exec`, `ssh`, …) that
 * hermes runs. Opened, it waits for its script; sent one, it runs it and ends. Knows nothing
 * about what the scripts do.
 */
import { EnvironmentError } from "../src/protocol/error.ts";
import { openPty, type TerminalSize } from "./_pty.ts";
import { type RawProcess, startOnTerminal, startPiped, throughScript } from "./_raw_process.ts";
import { READY, RecordScanner, scriptLine, STARTED } from "./_remote_protocol.ts";

/** How to start the client. */
export interface ClientCommand {
  /** Absolute path of the program and its arguments. */
  argv: readonly string[];
  /** The whole environment of the client; it does not reach the other side. */
  env: Record<string, string>;
}

/** A shell that no client program is needed for: a library talks to it. */
export interface DirectClient extends RawProcess {
  /** Gives it up at once: `read()` and `exited` come to their end. */
  kill(): void;
}

export interface OpenChannelOptions {
  setsid: string | undefined;
  /** Run on a terminal of this size. */
  terminal?: TerminalSize | undefined;
  timeoutMs: number;
}

/** The client ended or stayed silent before a shell was there: nothing has run. */
export class ChannelRefused extends EnvironmentError {
  override name = "ChannelRefused";
}

/** Characters of the client's own messages that are kept. */
const MAX_MESSAGES = 4_000;
/** How long a client may take to notice that its shell has ended. */
const LINGER_MS = 1_000;

export class Channel implements RawProcess {
  /** Process id of the shell, there. */
  pid = 0;
  /** The private directory was there when the shell started. */
  intact = true;
  /** Code of the client itself. */
  readonly exited: Promise<number>;
  readonly resize?: NonNullable<RawProcess["resize"]>;
  readonly #client: DirectClient;
  readonly #messages: { text: string };
  #scanner: RecordScanner | undefined;
  #rest: Uint8Array | undefined;
  readonly #ended = Promise.withResolvers<string | undefined>();
  #isOver = false;
  #clientGone = false;

  /** Use `open()`. */
  constructor(client: DirectClient, messages: { text: string }) {
    this.#client = client;
    this.#messages = messages;
    this.exited = client.exited.finally(() => this.#clientGone = true);
    if (client.resize) this.resize = (size) => client.resize!(size);
  }

  /** @throws ChannelRefused when no shell answers. */
  static async open(
    client: ClientCommand | DirectClient,
    options: OpenChannelOptions,
  ): Promise<Channel> {
    const messages = { text: "" };
    const started = "argv" in client ? startClient(client, options, messages) : client;
    const channel = new Channel(started, messages);
    const timer = setTimeout(() => channel.#kill(), options.timeoutMs);
    const ready = await channel.#awaitRecord(READY, (text) => keep(messages, text));
    clearTimeout(timer);
    if (ready === undefined) {
      const code = await channel.exited;
      await channel.dispose();
      throw new ChannelRefused(channel.messages || `the client ended with code ${code}`);
    }
    const [pid, intact] = ready.split(" ");
    channel.pid = Number(pid);
    channel.intact = intact === "1";
    return channel;
  }

  /** What the client itself had to say. */
  get messages(): string {
    return this.#messages.text.trim();
  }

  /** False when the client is gone: a script sent now would not run. */
  get usable(): boolean {
    return !this.#clientGone;
  }

  /** Sends the script; its output ends with the record `name`. */
  async send(script: string, name: string): Promise<void> {
    this.#scanner = new RecordScanner(name);
    await this.#client.write(scriptLine(script));
  }

  /** Waits until the script says that it has read its state; false when it ended before. */
  async started(marker: string): Promise<boolean> {
    const scanner = this.#scanner;
    const record = await this.#awaitRecord(`${STARTED} ${marker}`, () => {});
    this.#scanner = scanner;
    return record !== undefined;
  }

  /** The text of the last record when the output has ended; undefined when it ended without. */
  get ended(): Promise<string | undefined> {
    return this.#ended.promise;
  }

  async read(): Promise<Uint8Array | undefined> {
    while (!this.#isOver) {
      const chunk = this.#rest ?? await this.#client.read();
      this.#rest = undefined;
      if (chunk === undefined) {
        this.#end(undefined);
        const held = this.#scanner?.flush();
        return held && held.length > 0 ? held : undefined;
      }
      const { data, record } = this.#scanner!.push(chunk);
      if (record !== undefined) this.#end(record);
      if (data.length > 0) return data;
    }
    return undefined;
  }

  write(data: Uint8Array): Promise<void> {
    return this.#isOver ? Promise.reject(new Error("It has ended")) : this.#client.write(data);
  }

  closeStdin(): Promise<void> {
    return this.#client.closeStdin();
  }

  /** Closes both directions and waits for the client, but not for what its shell left running. */
  async dispose(): Promise<void> {
    this.#end(undefined);
    const timer = setTimeout(() => this.#kill(), LINGER_MS);
    const hungUp = this.#client.dispose();
    await this.exited;
    clearTimeout(timer);
    await hungUp;
  }

  #end(record: string | undefined): void {
    this.#isOver = true;
    this.#ended.resolve(record);
  }

  #kill(): void {
    if (!this.#clientGone) this.#client.kill();
  }

  /** Reads up to a record; what comes before it goes to `onNoise`, what follows stays. */
  async #awaitRecord(
    name: string,
    onNoise: (text: string) => void,
  ): Promise<string | undefined> {
    const scanner = new RecordScanner(name);
    const decoder = new TextDecoder();
    while (true) {
      const chunk = this.#rest ?? await this.#client.read();
      this.#rest = undefined;
      if (chunk === undefined) return undefined;
      const { data, record, rest } = scanner.push(chunk);
      onNoise(decoder.decode(data, { stream: true }));
      if (record === undefined) continue;
      if (rest!.length > 0) this.#rest = rest;
      return record;
    }
  }
}

function startClient(
  { argv, env }: ClientCommand,
  options: OpenChannelOptions,
  messages: { text: string },
): DirectClient {
  const { setsid, terminal } = options;
  const pty = terminal && openPty(terminal);
  if (pty) {
    const onPty = ["/bin/sh", "-c", 'exec <"$0" >"$0" 2>&1; exec "$@"', pty.path, ...argv];
    return killable(startOnTerminal({ argv: onPty, env, setsid, pty }));
  }
  const decoder = new TextDecoder();
  return killable(startPiped({
    argv: terminal ? throughScript(argv, terminal) : argv,
    env,
    setsid,
    stdin: "piped",
    onStderr: (chunk) => keep(messages, decoder.decode(chunk, { stream: true })),
  }));
}

function killable(client: RawProcess): DirectClient {
  return {
    ...client,
    kill() {
      try {
        Deno.kill(client.pid, "SIGKILL");
      } catch {
        // It ended by itself at this very moment.
      }
    },
  };
}

function keep(messages: { text: string }, text: string): void {
  messages.text = (messages.text + text).slice(-MAX_MESSAGES);
}
