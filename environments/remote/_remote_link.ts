/**
 * The way to a place that is reached through a client program: connects, sets up the private
 * directory, opens shells and keeps some waiting. Finds out when the place or the directory is
 * gone and brings it back; runs nothing that could be repeated.
 */
import { EnvironmentError } from "../../src/protocol/error.ts";
import { randomId } from "../../src/util/id.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import { Channel, ChannelRefused } from "./channel.ts";
import { lastLine } from "../../src/process/run_program.ts";
import { isOwnerGone, thisOwner } from "../../src/process/owner.ts";
import type { TerminalSize } from "../../src/process/pty.ts";
import type { RemoteHost } from "./remote_host.ts";
import { bootScript } from "./_remote_protocol.ts";
import { endCommand, ownScript, type RemoteFacts } from "./_remote_script.ts";
import { parseSetup, type SetupResult, setupScript } from "./_remote_setup.ts";

export interface RemoteLinkOptions {
  host: RemoteHost;
  /** Exports every task starts from. */
  exports: Readonly<Record<string, string>>;
  /** Take over what a login shell exports. */
  login?: boolean;
  onProgress?: ((line: string) => void) | undefined;
}

export interface Setup {
  facts: RemoteFacts;
  /** Begins the markers of all commands. */
  id: string;
}

const OPEN_MS = 60_000;
/** Commands that follow each other faster than this find two shells waiting. */
const BURST_MS = 500;

export class RemoteLink {
  readonly #options: RemoteLinkOptions;
  readonly #host: RemoteHost;
  #setup: Promise<Setup> | undefined;
  #reconnecting: Promise<void> | undefined;
  /** Grows whenever the place had to be brought back. */
  #generation = 0;
  readonly #generations = new WeakMap<Channel, number>();
  /** How often it was set up; whether again since `check()` was last asked. */
  #setups = 0;
  #renewed = false;
  /** Shells that wait, or will; the next one to be taken first. */
  readonly #spares: Promise<Channel>[] = [];
  #takenAt = -Infinity;
  #closing = false;
  readonly #leaving = new Set<Promise<void>>();

  constructor(options: RemoteLinkOptions) {
    this.#options = options;
    this.#host = options.host;
  }

  /** Proves that the place and the private directory are there; true when the directory is a new one. */
  async check(): Promise<boolean> {
    const spare = this.#spares[0];
    const channel = await spare?.catch(() => undefined);
    if (channel && !channel.usable) {
      this.#forget(spare!);
      this.abandonWriter(channel);
    }
    await (this.#spares[0] ?? this.#prepareSpare());
    const renewed = this.#renewed;
    this.#renewed = false;
    return renewed;
  }

  /** True when the place is still the one that this shell was in. */
  async isAlive(channel: Channel): Promise<boolean> {
    const isSame = () => this.#generations.get(channel) === this.#generation;
    return isSame() && await this.#host.isAlive() && isSame();
  }

  /** What was set up, if anything ever was. */
  get latest(): Promise<Setup> | undefined {
    return this.#setup;
  }

  /** No shell is started ahead any more. */
  beginClosing(): void {
    this.#closing = true;
  }

  /** Lets all shells go, then the place. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const spare of this.#spares.splice(0)) {
      const channel = await spare.catch(() => undefined);
      if (channel) this.abandonWriter(channel);
    }
    await Promise.all(this.#leaving);
    await this.#host.close();
  }

  /** Hermes does not wait for a client to find out that its shell has ended. */
  abandonWriter(channel: Channel): void {
    const leaving = channel.dispose().finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  /** What is known of the other side; connects when nothing is yet. */
  setup(): Promise<Setup> {
    if (this.#setup) return this.#setup;
    const setup = this.#setUp();
    this.#setup = setup;
    setup.catch(() => {
      if (this.#setup === setup) this.#setup = undefined;
    });
    return setup;
  }

  /** A shell that waits, or another. The next ones start while this one works. */
  async take(): Promise<Channel> {
    const now = performance.now();
    const wanted = now - this.#takenAt < BURST_MS ? 2 : 1;
    this.#takenAt = now;
    let channel = await this.#spares.shift()?.catch(() => undefined);
    if (channel && !channel.usable) {
      await channel.dispose();
      channel = undefined;
    }
    channel ??= await this.open();
    while (!this.#closing && this.#spares.length < wanted) {
      this.#prepareSpare().catch(() => {}); // The next call tries again and tells.
    }
    return channel;
  }

  /**
   * Hands a script to a shell, the one that waits or one on a terminal, and to another one when
   * the first was lost before it began.
   */
  async deliver(
    script: (channel: Channel, setup: Setup) => string,
    terminal?: TerminalSize,
  ): Promise<{ channel: Channel; setup: Setup }> {
    for (let attempt = 0;; attempt++) {
      const channel = await (terminal ? this.open(terminal) : this.take());
      try {
        const setup = await this.setup();
        await channel.send(script(channel, setup));
        return { channel, setup };
      } catch (error) {
        this.abandonWriter(channel);
        if (!(error instanceof ChannelRefused)) throw error;
        if (attempt > 0) throw this.#noShell(error.message);
        await this.#reconnect(true);
      }
    }
  }

  /** A new shell there, after bringing back the place or the private directory where needed. */
  async open(terminal?: TerminalSize): Promise<Channel> {
    let refused: ChannelRefused | undefined;
    for (let attempt = 0; attempt < 3; attempt++) {
      const setup = this.setup();
      const { facts } = await setup;
      try {
        const waitSeconds = facts.timedRead ? this.#host.waitSeconds : undefined;
        const { shell, dir } = facts;
        const channel = await this.#dial({ shell, dir, terminal, waitSeconds });
        if (channel.intact) return channel;
        await channel.dispose();
        // A shell that was on its way: its directory is no longer needed.
        if (this.#closing) break;
        if (this.#setup === setup) this.#setup = undefined;
      } catch (error) {
        if (!(error instanceof ChannelRefused)) throw error;
        if (refused) break;
        refused = error;
        await this.#reconnect();
      }
    }
    throw this.#noShell(refused?.message ?? "its temporary directory vanished");
  }

  #noShell(reason: string): EnvironmentError {
    return new EnvironmentError(
      `Cannot start a shell in the ${this.#host.label}: ${lastLine(reason)}`,
    );
  }

  #prepareSpare(): Promise<Channel> {
    const spare = this.open();
    this.#spares.push(spare);
    spare.catch(() => this.#forget(spare));
    return spare;
  }

  #forget(spare: Promise<Channel>): void {
    const at = this.#spares.indexOf(spare);
    if (at >= 0) this.#spares.splice(at, 1);
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
    const token = `hermes-${randomId(16)}`;
    const script = bootScript({ token, shell, dir, tty, waitSeconds });
    const client = await this.#host.client({ shell: "/bin/sh", script, tty, terminal });
    const generation = this.#generation;
    const channel = await Channel.open(client, { token, terminal, timeoutMs: OPEN_MS });
    this.#generations.set(channel, generation);
    return channel;
  }

  #reconnect(suspect = false): Promise<void> {
    if (!this.#reconnecting) this.#generation++;
    return this.#reconnecting ??= this.#host.connect({ suspect }).finally(() =>
      this.#reconnecting = undefined
    );
  }

  async #setUp(): Promise<Setup> {
    await this.#reconnect();
    const id = randomId(16);
    const owner = await thisOwner();
    const { exports, login = false } = this.#options;
    const channel = await this.#dial({ shell: "/bin/sh" }).catch((error) => {
      throw error instanceof ChannelRefused ? this.#noShell(error.message) : error;
    });
    const { token } = channel;
    const { waitSeconds } = this.#host;
    await channel.send(setupScript({ id, owner, exports, login, token, waitSeconds }));
    const found = await channel.record("setup") ?? channel.messages;
    const result = parseSetup(found);
    if (result === undefined) {
      await channel.dispose();
      throw new EnvironmentError(`Cannot use the ${this.#host.label}: ${lastLine(found)}`);
    }
    if (await channel.rearm()) this.#spares.unshift(Promise.resolve(channel));
    else this.abandonWriter(channel);
    this.#renewed = this.#setups++ > 0;
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
