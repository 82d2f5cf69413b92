/**
 * A sandbox in a cloud as a place for remote shells: made when needed, put to sleep
 * when it is unused, brought back for the next command, and given up when it is lost. Knows
 * no SDK; each cloud is a `Cloud`.
 */
import { ChannelRefused, type DirectClient } from "../remote/channel.ts";
import { CloudClient, type CloudTransport } from "./_cloud_client.ts";
import type { RemoteCommandLine, RemoteHost } from "../remote/remote_host.ts";

export interface CloudSandbox {
  readonly id: string;
  start(command: RemoteCommandLine): Promise<CloudTransport>;
  isRunning(): Promise<boolean>;
  /** Called every minute while commands run, where the cloud counts calls as use. */
  touch?(): Promise<void>;
  /** Ends it, so that it costs nothing; `Cloud.open()` brings it back with its files. */
  sleep(): Promise<void>;
  /** For good; whether its files are kept for the next session is a setting. */
  close(options: { asleep: boolean }): Promise<void>;
  /** Releases what is left of a lost sandbox. Never rejects. */
  abandon?(): Promise<void>;
}

export interface Cloud {
  readonly name: string;
  /** Brings back the sandbox that sleeps or was kept, else makes a new one. @throws UsageError, EnvironmentError */
  open(): Promise<CloudSandbox>;
  /** Ends the sandboxes of processes that were killed; a line for each. */
  reap(): Promise<string[]>;
  /** Closes the connection, after the last sandbox. */
  close(): Promise<void>;
}

export interface CloudHostOptions {
  /** Without commands for this long, it goes to sleep; 0 is never. */
  idleMs: number;
  onProgress: (line: string) => void;
}

const TOUCH_MS = 60_000;
/** What a shell that waits outlives a hermes that was killed. */
const WAIT_SECONDS = 600;

export class CloudHost implements RemoteHost {
  readonly waitSeconds = WAIT_SECONDS;
  readonly #cloud: Cloud;
  readonly #options: CloudHostOptions;
  readonly #clients = new Set<CloudClient>();
  #sandbox: CloudSandbox | undefined;
  #asleep: CloudSandbox | undefined;
  #lost = false;
  #sleeping: Promise<void> | undefined;
  #reaping: Promise<void> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #touchTimer: ReturnType<typeof setInterval> | undefined;

  constructor(cloud: Cloud, options: CloudHostOptions) {
    this.#cloud = cloud;
    this.#options = options;
  }

  get label(): string {
    return `${this.#cloud.name} sandbox${this.#sandbox ? ` ${this.#sandbox.id}` : ""}`;
  }

  get dormant(): boolean {
    return this.#sandbox === undefined || this.#lost;
  }

  async connect(): Promise<void> {
    await this.#sleeping;
    if (this.#sandbox && await this.isAlive()) return;
    if (this.#sandbox) this.#options.onProgress(`the ${this.label} is gone`);
    await this.#sandbox?.abandon?.();
    this.#sandbox = undefined;
    this.#sandbox = await this.#cloud.open();
    this.#asleep = undefined;
    this.#reaping ??= this.#reap();
    this.#lost = false;
  }

  async client(command: RemoteCommandLine): Promise<DirectClient> {
    try {
      if (!this.#sandbox) throw new Error("it sleeps");
      return this.#track(await this.#sandbox.start(command));
    } catch (error) {
      throw new ChannelRefused(reasonOf(error));
    }
  }

  async isAlive(): Promise<boolean> {
    if (this.#lost || !this.#sandbox) return false;
    try {
      return await this.#sandbox.isRunning();
    } catch {
      return false; // The cloud itself does not answer, or does not know it.
    }
  }

  async close(): Promise<void> {
    await this.#sleeping;
    await this.#reaping;
    this.#stopTimers();
    try {
      await this.#sandbox?.close({ asleep: false });
      await this.#asleep?.close({ asleep: true });
    } finally {
      this.#sandbox = undefined;
      this.#asleep = undefined;
      await this.#cloud.close();
    }
  }

  /** What others left behind must not stop this one. */
  async #reap(): Promise<void> {
    try {
      for (const line of await this.#cloud.reap()) this.#options.onProgress(line);
    } catch (error) {
      this.#options.onProgress(`cannot end old sandboxes: ${reasonOf(error)}`);
    }
  }

  #track(transport: CloudTransport): CloudClient {
    const client = new CloudClient(transport, {
      onBusy: () => this.#stir(),
      onEnd: () => {
        this.#clients.delete(client);
        this.#stir();
      },
      onLost: () => this.#lost = true,
    });
    this.#clients.add(client);
    return client;
  }

  /** Something began or ended: counts the idle time anew. */
  #stir(): void {
    this.#stopTimers();
    if (!this.#sandbox) return;
    const { idleMs } = this.#options;
    if ([...this.#clients].some((client) => client.busy)) {
      this.#touchTimer = setInterval(() => this.#touch(), TOUCH_MS);
      Deno.unrefTimer(this.#touchTimer);
    } else if (idleMs > 0) {
      this.#idleTimer = setTimeout(() => this.#sleeping = this.#sleep(), idleMs);
      Deno.unrefTimer(this.#idleTimer);
    }
  }

  #stopTimers(): void {
    clearTimeout(this.#idleTimer);
    clearInterval(this.#touchTimer);
  }

  #touch(): void {
    this.#sandbox?.touch?.().catch(() => {
      // Should it be stopped after all, the running command says so.
    });
  }

  async #sleep(): Promise<void> {
    const sandbox = this.#sandbox;
    if (!sandbox) return;
    this.#sandbox = undefined;
    for (const client of this.#clients) client.kill();
    try {
      await sandbox.sleep();
      this.#asleep = sandbox;
    } catch (error) {
      this.#sandbox = sandbox;
      this.#options.onProgress(`cannot put the ${this.label} to sleep: ${reasonOf(error)}`);
    } finally {
      this.#sleeping = undefined;
    }
  }
}

/** One line of whatever an SDK throws, without the name of the remote procedure. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/^\/[\w./]+ [A-Z_]+: /, "").trim().split("\n")[0]!.slice(0, 300);
}
