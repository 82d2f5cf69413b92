/**
 * Commands in a place that is reached through a client program. Keeps one shell waiting there,
 * so that a command starts at once; finds out when the place is gone, has it back for the next
 * call, and never sends a command twice.
 */
import { EnvironmentError } from "../src/protocol/error.ts";
import { randomId } from "../src/util/id.ts";
import { shellQuote } from "../src/util/shell_quote.ts";
import { which } from "../src/util/which.ts";
import { Channel, ChannelRefused } from "./_channel.ts";
import { lastLine } from "./_cli.ts";
import { isOwnerGone, thisOwner } from "./_owner.ts";
import type { TerminalSize } from "./_pty.ts";
import type { RawProcess } from "./_raw_process.ts";
import type { RemoteHost } from "./_remote_host.ts";
import { bootScript } from "./_remote_protocol.ts";
import {
  DetachedProcess,
  type DetachedStart,
  settleScript,
  supervisorScript,
} from "./_remote_detached.ts";
import {
  commandScript,
  endCommand,
  ownScript,
  type RemoteFacts,
  type TreeToEnd,
} from "./_remote_script.ts";
import { parseSetup, type SetupResult, setupScript } from "./_remote_setup.ts";
import { checkInput, type Shell, type Started, type StartOptions } from "./_shell.ts";

export interface RemoteShellOptions {
  host: RemoteHost;
  /** Exports every task starts from. */
  exports: Readonly<Record<string, string>>;
  /** Take over what a login shell exports. */
  login?: boolean;
  onProgress?: ((line: string) => void) | undefined;
}

export interface OwnOptions {
  stdin?: Uint8Array | undefined;
  onChunk?: (chunk: Uint8Array) => void;
  signal?: AbortSignal | undefined;
}

/** One of hermes' own programs has run there. */
export interface OwnResult {
  code: number;
  /** The end of its output: the reason when it failed. */
  tail: string;
}

interface Setup {
  facts: RemoteFacts;
  /** Begins the markers of all commands. */
  id: string;
}

const OPEN_MS = 60_000;
const TAIL_CHARS = 4_000;

export class RemoteShell implements Shell {
  readonly #options: RemoteShellOptions;
  readonly #host: RemoteHost;
  #setup: Promise<Setup> | undefined;
  #dir = "";
  #reconnecting: Promise<void> | undefined;
  /** Set up again since `ready()` was last asked. */
  #renewed = false;
  #spare: Promise<Channel> | undefined;
  #setsid: Promise<string | undefined> | undefined;
  #count = 0;
  #closed = false;
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: RemoteShellOptions) {
    this.#options = options;
    this.#host = options.host;
  }

  /** What is known of the other side; connects when nothing is yet. */
  async facts(): Promise<RemoteFacts> {
    return (await this.#ready()).facts;
  }

  async ready(): Promise<boolean> {
    this.#checkOpen();
    // A shell that waits proves that the place and the private directory are there.
    const spare = await this.#spare?.catch(() => undefined);
    if (spare && !spare.usable) this.#spare = undefined;
    await this.#prepareSpare();
    const renewed = this.#renewed;
    this.#renewed = false;
    return renewed;
  }

  newFile(): string {
    return `${this.#dir}/${++this.#count}`;
  }

  async start(command: string, options: StartOptions): Promise<Started> {
    checkInput(command, options.env);
    const channel = options.terminal ? await this.#open(options.terminal) : await this.#take();
    const { facts, id } = await this.#ready();
    const marker = `${id}.${++this.#count}`;
    const { token } = channel;
    if (options.background && !options.terminal && this.#host.survivesLink) {
      const dir = `${facts.dir}/${this.#count}`;
      return await this.#detach(channel, { ...options, command, marker, token, dir });
    }
    await this.#send(channel, commandScript({ ...options, command, marker, token }, facts));
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
    const setup = await this.#setup?.catch(() => undefined);
    if (setup === undefined) return;
    const end = endCommand(setup.facts, { marker: `${setup.id}.`, leaders });
    try {
      await this.#run(`${end}; rm -rf ${shellQuote(setup.facts.dir)}`, {});
    } catch (error) {
      // A place that is gone has nothing left to end.
      if (!(error instanceof EnvironmentError)) throw error;
    }
  }

  async clean(): Promise<void> {
    const spare = await this.#spare?.catch(() => undefined);
    if (spare) this.#letGo(spare);
    await Promise.all(this.#leaving);
    await this.#host.close();
  }

  #checkOpen(): void {
    if (this.#closed) throw new EnvironmentError(`The ${this.#host.label} is closed`);
  }

  async #run(script: string, options: OwnOptions): Promise<OwnResult> {
    options.signal?.throwIfAborted();
    const channel = await this.#take();
    await this.#send(channel, ownScript(script));
    const onAbort = () => this.#letGo(channel);
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
    this.#letGo(channel);
    options.signal?.throwIfAborted();
    const code = await channel.ended;
    if (code === undefined) throw this.#gone(channel);
    return { code, tail };
  }

  async #send(channel: Channel, script: string): Promise<void> {
    try {
      await channel.send(script);
    } catch {
      // The pipe to the client is broken.
      this.#letGo(channel);
      throw this.#gone(channel);
    }
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
      // Nobody waits for a client to find out that its shell has ended.
      dispose: () => Promise.resolve(this.#letGo(channel)),
    };
  }

  async #exitCode(channel: Channel): Promise<number> {
    const told = await channel.ended;
    if (told !== undefined) return told;
    // Both shells were killed, or all is lost.
    const code = await channel.exited;
    if (await this.#host.isAlive()) return code;
    throw this.#gone(channel);
  }

  /** `after` runs there when the tree is gone. */
  async #endTree(channel: Channel, tree: TreeToEnd, after = ":"): Promise<void> {
    const { facts } = await this.#ready();
    try {
      await this.#run(`${endCommand(facts, tree)}; ${after}`, {});
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
      // Out of reach: whoever waits for it learns that from the channel.
      this.#letGo(channel);
    }
  }

  /** Starts a process that a broken link does not end. */
  async #detach(channel: Channel, start: DetachedStart): Promise<Started> {
    const { facts } = await this.#ready();
    const { marker, dir } = start;
    await this.#send(channel, supervisorScript(start, facts));
    const started = await channel.record("started");
    this.#letGo(channel);
    if (started === undefined) throw this.#gone(channel);
    const [pid, supervisor] = started.split(" ").map(Number) as [number, number];
    const process = new DetachedProcess({ pid, dir, supervisor }, {
      open: () => this.#take(),
      run: (script, options = {}) => this.#run(script, options),
      letGo: (one) => this.#letGo(one),
    });
    const settle = settleScript({ dir, supervisor });
    return {
      process,
      kill: (how) => this.#endTree(channel, { ...how, marker, leaders: [pid] }, settle),
      left: () => Promise.resolve(undefined),
      release: () => this.#forget(dir),
    };
  }

  /** Removes what nobody needs any more; on a broken link that happens at the end. */
  async #forget(dir: string): Promise<void> {
    if (this.#closed) return;
    try {
      await this.#run(`rm -rf ${shellQuote(dir)}`, {});
    } catch (error) {
      if (!(error instanceof EnvironmentError)) throw error;
    }
  }

  #letGo(channel: Channel): void {
    const leaving = channel.dispose().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  #prepareSpare(): Promise<Channel> {
    if (this.#spare) return this.#spare;
    const spare = this.#open();
    this.#spare = spare;
    spare.catch(() => {
      if (this.#spare === spare) this.#spare = undefined;
    });
    return spare;
  }

  /** The shell that waits, or another. The next one starts while this one works. */
  async #take(): Promise<Channel> {
    const spare = this.#spare;
    this.#spare = undefined;
    let channel = await spare?.catch(() => undefined);
    if (channel && !channel.usable) {
      await channel.dispose();
      channel = undefined;
    }
    channel ??= await this.#open();
    if (!this.#closed) this.#prepareSpare().catch(() => {}); // The next call tries again and tells.
    return channel;
  }

  /** A new shell there, after bringing back the place or the private directory where needed. */
  async #open(terminal?: TerminalSize): Promise<Channel> {
    let refused: ChannelRefused | undefined;
    for (let attempt = 0; attempt < 3; attempt++) {
      const setup = this.#ready();
      const { facts } = await setup;
      try {
        const waitSeconds = facts.timedRead ? this.#host.waitSeconds : undefined;
        const { shell, dir } = facts;
        const channel = await this.#dial({ shell, dir, terminal, waitSeconds });
        if (channel.intact) return channel;
        await channel.dispose();
        if (this.#setup === setup) this.#setup = undefined;
      } catch (error) {
        if (!(error instanceof ChannelRefused)) throw error;
        if (refused) break;
        refused = error;
        await this.#reconnect();
      }
    }
    const reason = refused ? lastLine(refused.message) : "its temporary directory keeps vanishing";
    throw new EnvironmentError(`Cannot start a shell in the ${this.#host.label}: ${reason}`);
  }

  async #dial(
    options: {
      shell: string;
      dir?: string;
      terminal?: TerminalSize | undefined;
      waitSeconds?: number | undefined;
    },
  ): Promise<Channel> {
    const { shell, dir, terminal, waitSeconds } = options;
    const tty = terminal !== undefined;
    const setsid = await (this.#setsid ??= which("setsid", "/usr/bin:/bin"));
    const token = `hermes-${randomId(16)}`;
    const script = bootScript({ token, shell, dir, tty, waitSeconds });
    const client = await this.#host.client({ shell: "/bin/sh", script, tty, terminal });
    return await Channel.open(client, { token, setsid, terminal, timeoutMs: OPEN_MS });
  }

  #reconnect(): Promise<void> {
    return this.#reconnecting ??= this.#host.connect().finally(() =>
      this.#reconnecting = undefined
    );
  }

  #ready(): Promise<Setup> {
    if (this.#setup) return this.#setup;
    const setup = this.#setUp();
    this.#setup = setup;
    setup.catch(() => {
      if (this.#setup === setup) this.#setup = undefined;
    });
    return setup;
  }

  async #setUp(): Promise<Setup> {
    await this.#reconnect();
    const id = randomId(16);
    const owner = await thisOwner();
    const { exports, login = false } = this.#options;
    const channel = await this.#dial({ shell: "/bin/sh" });
    await channel.send(ownScript(setupScript({ id, owner, exports, login })));
    let output = "";
    const decoder = new TextDecoder();
    for (let chunk; (chunk = await channel.read());) {
      output += decoder.decode(chunk, { stream: true });
    }
    const code = await channel.ended;
    await channel.dispose();
    const result = code === 0 ? parseSetup(output) : undefined;
    if (result === undefined) {
      throw new EnvironmentError(`Cannot use the ${this.#host.label}: ${lastLine(output)}`);
    }
    if (this.#dir !== "") this.#renewed = true;
    this.#dir = result.facts.dir;
    await this.#removeLeftovers(result);
    return { facts: result.facts, id };
  }

  /** Ends what a hermes that was killed left running there. */
  async #removeLeftovers({ facts, owners }: SetupResult): Promise<void> {
    const commands: string[] = [];
    for (const { id, dir, owner } of owners) {
      if (dir === facts.dir || !await isOwnerGone(owner)) continue;
      commands.push(`${endCommand(facts, { marker: `${id}.` })}; rm -rf ${shellQuote(dir)}`);
    }
    if (commands.length === 0) return;
    const channel = await this.#dial({ shell: facts.shell });
    await channel.send(ownScript(commands.join("; ")));
    while (await channel.read());
    await channel.dispose();
    this.#options.onProgress?.(`ended what a killed hermes left on the ${this.#host.label}`);
  }
}

/** Input that the program does not want is dropped. */
async function feed(channel: Channel, data: Uint8Array): Promise<void> {
  try {
    await channel.write(data);
    await channel.closeStdin();
  } catch {
    // It ended without reading everything.
  }
}
