/**
 * One shell on the other side, reached through a client program (`docker exec`, `ssh`, …) that
 * hermes runs. Opened, it waits for its script; sent one, it runs it and ends. Knows nothing
 * about what the scripts do.
 */
import type { ChildEnvironment } from "../../src/process/child_environment.ts";
import { EnvironmentError } from "../../src/protocol/error.ts";
import { openPty, type TerminalSize } from "../../src/process/pty.ts";
import {
  type RawProcess,
  startOnTerminal,
  startPiped,
  throughScript,
} from "../../src/process/raw_process.ts";
import { type RecordKind, RecordScanner, scriptLine } from "./_remote_protocol.ts";

/** How to start the client. */
export interface ClientCommand {
  /** Absolute path of the program and its arguments. */
  argv: readonly string[];
  /** The whole environment of the client; it does not reach the other side. */
  env: ChildEnvironment;
  /** Called when the client has ended. */
  onExit?: () => void;
}

/** A shell that no client program is needed for: a library talks to it. */
export interface DirectClient extends RawProcess {
  /** Gives it up at once: `read()` and `exited` come to their end. */
  kill(): void;
}

export interface OpenChannelOptions {
  /** Begins the records of the shell. */
  token: string;
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
/** How long a shell that waits may take to say that it has its script. */
const ANSWER_MS = 10_000;
const GO = new Uint8Array([10]);
/** How long a client may take to notice that its shell has ended. */
const LINGER_MS = 1_000;

export class Channel implements RawProcess {
  readonly token: string;
  /** Process id of the shell that leads the tree, there. */
  pid = 0;
  /** The private directory was there when the shell started. */
  intact = true;
  /** Code of the client itself. */
  readonly exited: Promise<number>;
  readonly resize?: NonNullable<RawProcess["resize"]>;
  readonly #client: DirectClient;
  readonly #messages: { text: string };
  readonly #scanner: RecordScanner;
  readonly #records = new Map<string, string>();
  #rest: Uint8Array | undefined;
  readonly #ended = Promise.withResolvers<number | undefined>();
  #isOver = false;
  #clientGone = false;

  /** Use `open()`. */
  constructor(client: DirectClient, context: { token: string; messages: { text: string } }) {
    this.token = context.token;
    this.#client = client;
    this.#messages = context.messages;
    this.#scanner = new RecordScanner(context.token);
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
    if ("argv" in client && client.onExit) started.exited.then(client.onExit);
    const channel = new Channel(started, { token: options.token, messages });
    const timer = setTimeout(() => channel.#kill(), options.timeoutMs);
    const ready = await channel.#becomeReady();
    clearTimeout(timer);
    if (!ready) {
      await channel.dispose();
      const code = await channel.exited;
      throw new ChannelRefused(channel.messages || `the client ended with code ${code}`);
    }
    return channel;
  }

  /** After a script that leaves the shell waiting for another: true when it does. */
  async rearm(): Promise<boolean> {
    this.#records.clear();
    return await this.#becomeReady();
  }

  /** What the client itself had to say. */
  get messages(): string {
    return this.#messages.text.trim();
  }

  /** The output has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** False when the client is gone: a script sent now would not run. */
  get usable(): boolean {
    return !this.#clientGone;
  }

  /** Hands the waiting shell its script. @throws ChannelRefused when it certainly does not run. */
  async send(script: string): Promise<void> {
    const timer = setTimeout(() => this.#kill(), ANSWER_MS);
    let got: string | undefined;
    try {
      await this.#client.write(scriptLine(script));
      got = await this.record("got");
      if (got !== undefined) await this.#client.write(GO);
    } catch {
      got = undefined; // The pipe to the client is broken.
    } finally {
      clearTimeout(timer);
    }
    if (got === undefined) throw new ChannelRefused(this.messages || "it does not answer");
  }

  /** Waits for a record that comes before all output; undefined when the shell ended without. */
  async record(kind: RecordKind): Promise<string | undefined> {
    const decoder = new TextDecoder();
    while (!this.#isOver && !this.#records.has(kind)) {
      const noise = await this.#next();
      // What start-up files print; of a terminal also what the client has to say.
      if (noise) keep(this.#messages, decoder.decode(noise, { stream: true }));
    }
    return this.#records.get(kind);
  }

  /** A record that has come; complete when the output has ended. */
  seen(kind: RecordKind): string | undefined {
    return this.#records.get(kind);
  }

  /** The exit code, once the output has ended; undefined when no process was left to report it. */
  get ended(): Promise<number | undefined> {
    return this.#ended.promise;
  }

  async read(): Promise<Uint8Array | undefined> {
    while (!this.#isOver) {
      const data = await this.#next();
      if (data) return data;
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

  async #becomeReady(): Promise<boolean> {
    const ready = await this.record("ready");
    const [pid, intact] = ready?.split(" ") ?? [];
    this.pid = Number(pid);
    this.intact = intact === "1";
    return ready !== undefined;
  }

  #end(code: number | undefined): void {
    this.#isOver = true;
    this.#ended.resolve(code);
  }

  #kill(): void {
    if (!this.#clientGone) this.#client.kill();
  }

  /** Takes one chunk: keeps its record, gives what comes before it, if anything. */
  async #next(): Promise<Uint8Array | undefined> {
    const chunk = this.#rest ?? await this.#client.read();
    this.#rest = undefined;
    if (chunk === undefined) {
      this.#end(undefined);
      return nonEmpty(this.#scanner.flush());
    }
    const { data, record, rest } = this.#scanner.push(chunk);
    if (record !== undefined) {
      const [kind = "", ...fields] = record.split(" ");
      this.#records.set(kind, fields.join(" "));
      this.#rest = nonEmpty(rest!);
      if (kind === "exit") this.#end(Number(fields[0]));
    }
    return nonEmpty(data);
  }
}

function nonEmpty(bytes: Uint8Array): Uint8Array | undefined {
  return bytes.length > 0 ? bytes : undefined;
}

function startClient(
  { argv, env }: ClientCommand,
  options: OpenChannelOptions,
  messages: { text: string },
): DirectClient {
  const { terminal } = options;
  const pty = terminal && openPty(terminal);
  if (pty) {
    const onPty = ["/bin/sh", "-c", 'exec <"$0" >"$0" 2>&1; exec "$@"', pty.path, ...argv];
    return killable(startOnTerminal({ argv: onPty, env, pty }));
  }
  const decoder = new TextDecoder();
  return killable(startPiped({
    argv: terminal ? throughScript(argv, terminal) : argv,
    env,
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
        // The client ended by itself at this very moment.
      }
    },
  };
}

function keep(messages: { text: string }, text: string): void {
  messages.text = (messages.text + text).slice(-MAX_MESSAGES);
}
