/**
 * Commands, and hermes' own small programs, in a place that is reached through a client
 * program. A command is sent once: when the place goes away in the middle of it, that is told,
 * and the next call finds a working place.
 */
import { EnvironmentError } from "../../src/protocol/error.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import type { Channel } from "./channel.ts";
import { lastLine } from "../../src/process/run_program.ts";
import type { RawProcess } from "../../src/process/raw_process.ts";
import { DetachedProcess, settleScript, supervisorScript } from "./_remote_detached.ts";
import type { RemoteHost } from "./remote_host.ts";
import { RemoteLink, type RemoteLinkOptions } from "./_remote_link.ts";
import {
  commandScript,
  endCommand,
  type OwnOptions,
  type OwnResult,
  ownScript,
  type RemoteFacts,
  type TreeToEnd,
} from "./_remote_script.ts";
import { checkInput, type Shell, type Started, type StartOptions } from "../shell.ts";

const TAIL_CHARS = 4_000;

export class RemoteShell implements Shell {
  readonly #host: RemoteHost;
  readonly #link: RemoteLink;
  #dir = "";
  #count = 0;
  #closed = false;

  constructor(options: RemoteLinkOptions) {
    this.#host = options.host;
    this.#link = new RemoteLink(options);
  }

  /** What is known of the other side; connects when nothing is yet. */
  async facts(): Promise<RemoteFacts> {
    return (await this.#link.setup()).facts;
  }

  async ready(): Promise<boolean> {
    this.#checkOpen();
    const renewed = await this.#link.check();
    this.#dir = (await this.facts()).dir;
    return renewed;
  }

  newFile(): string {
    return `${this.#dir}/${++this.#count}`;
  }

  async start(command: string, options: StartOptions): Promise<Started> {
    checkInput(command, options.env);
    const number = ++this.#count;
    if (options.background && this.#host.survivesLink) {
      const detached = await this.#detach(command, options, number);
      if (detached) return detached;
    }
    let marker = "";
    const { channel } = await this.#link.deliver(({ token }, { facts, id }) => {
      marker = `${id}.${number}`;
      return commandScript({ ...options, command, marker, token }, facts);
    }, options.terminal);
    if (options.background) await channel.record("started");
    return {
      process: this.#asProcess(channel),
      kill: (how) => this.#endTree(channel, { ...how, marker, leaders: [channel.pid] }),
      left: () => {
        const [whole, ...cwd] = channel.seen("state")?.split(" ") ?? [];
        // A terminal turns a line end in a name into two characters.
        const left = whole === "1" ? cwd.join(" ").replaceAll("\r\n", "\n") : undefined;
        return Promise.resolve(left);
      },
      release: () => Promise.resolve(),
    };
  }

  /** Runs one of hermes' own programs. @throws EnvironmentError when the place is gone. */
  async run(script: string, options: OwnOptions = {}): Promise<OwnResult> {
    this.#checkOpen();
    return await this.#run(script, options);
  }

  async endAll(leaders: readonly number[]): Promise<void> {
    this.#closed = true;
    this.#link.beginClosing();
    const setup = await this.#link.latest?.catch(() => undefined);
    if (setup === undefined || this.#host.dormant) return;
    const end = endCommand(setup.facts, { marker: `${setup.id}.`, leaders });
    try {
      await this.#run(`${end}; rm -rf ${shellQuote(setup.facts.dir)}`, {});
    } catch (error) {
      // A place that is gone has nothing left to end.
      if (!(error instanceof EnvironmentError)) throw error;
    }
  }

  clean(): Promise<void> {
    return this.#link.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new EnvironmentError(`The ${this.#host.label} is closed`);
  }

  async #run(script: string, options: OwnOptions): Promise<OwnResult> {
    options.signal?.throwIfAborted();
    const { channel } = await this.#link.deliver(() => ownScript(script));
    const onAbort = () => this.#link.abandonWriter(channel);
    options.signal?.addEventListener("abort", onAbort, { once: true });
    if (options.stdin) feed(channel, options.stdin);
    const decoder = new TextDecoder();
    let tail = "";
    for (let chunk; (chunk = await channel.read());) {
      options.onChunk?.(chunk);
      const text = decoder.decode(chunk.subarray(-TAIL_CHARS), { stream: true });
      tail = (tail + text).slice(-TAIL_CHARS);
    }
    options.signal?.removeEventListener("abort", onAbort);
    this.#link.abandonWriter(channel);
    options.signal?.throwIfAborted();
    const code = await channel.ended;
    if (code === undefined) throw this.#gone(channel);
    return { code, tail };
  }

  #gone(channel: Channel): EnvironmentError {
    const reason = channel.messages === "" ? "" : ` (${lastLine(channel.messages)})`;
    return new EnvironmentError(
      `The ${this.#host.label} went away in the middle of a command${reason}. ` +
        "The command was not repeated; the next one runs in a fresh shell",
    );
  }

  #asProcess(channel: Channel): RawProcess {
    return {
      pid: channel.pid,
      exited: this.#exitCode(channel),
      read: () => channel.read(),
      write: (data) => channel.write(data),
      closeStdin: () => channel.closeStdin(),
      ...(channel.resize ? { resize: channel.resize } : {}),
      dispose: () => Promise.resolve(this.#link.abandonWriter(channel)),
    };
  }

  async #exitCode(channel: Channel): Promise<number> {
    const told = await channel.ended;
    if (told !== undefined) return told;
    // Both shells were killed, or all is lost.
    const code = await channel.exited;
    if (await this.#link.isAlive(channel)) return code;
    throw this.#gone(channel);
  }

  /** `after` runs there when the tree is gone. */
  async #endTree(channel: Channel, tree: TreeToEnd, after = ":"): Promise<void> {
    const facts = await this.facts();
    try {
      await this.#run(`${endCommand(facts, tree)}; ${after}`, {});
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
      // Out of reach: whoever waits for it learns that from the channel.
      this.#link.abandonWriter(channel);
    }
  }

  /** Starts a process that a broken link does not end; undefined where there is no terminal for it. */
  async #detach(
    command: string,
    options: StartOptions,
    number: number,
  ): Promise<Started | undefined> {
    let marker = "";
    let dir = "";
    const { channel } = await this.#link.deliver(({ token }, { facts, id }) => {
      marker = `${id}.${number}`;
      dir = `${facts.dir}/${number}`;
      return supervisorScript({ ...options, command, marker, token, dir }, facts);
    });
    const started = await channel.record("started");
    this.#link.abandonWriter(channel);
    if (started === undefined) throw this.#gone(channel);
    if (started === "") return undefined;
    const [pid, supervisor] = started.split(" ").map(Number) as [number, number];
    const onTerminal = options.terminal !== undefined;
    const process = new DetachedProcess({ pid, dir, supervisor, onTerminal }, {
      deliver: async (script) => (await this.#link.deliver(script)).channel,
      run: (script, options = {}) => this.#run(script, options),
      abandonWriter: (one) => this.#link.abandonWriter(one),
    });
    const settle = settleScript({ dir, supervisor });
    return {
      process,
      kill: (how) => this.#endTree(channel, { ...how, marker, leaders: [pid] }, settle),
      left: () => Promise.resolve(undefined),
      release: () => this.#forget(dir),
    };
  }

  /** Removes what is no longer needed; on a broken link that happens at the end. */
  async #forget(dir: string): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#run(`rm -rf ${shellQuote(dir)}`, {});
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
    }
  }
}

/** Input that the program does not want is dropped. */
async function feed(channel: Channel, data: Uint8Array): Promise<void> {
  try {
    await channel.write(data);
    await channel.closeStdin();
  } catch {
    // The command ended without reading everything.
  }
}
