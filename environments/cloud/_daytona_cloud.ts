/** Sandboxes of Daytona: found by name or made, stopped, deleted. */
import { EnvironmentError, UsageError } from "../../src/protocol/error.ts";
import type { Daytona, Sandbox } from "../../src/deps/daytona.ts";
import { sha256Hex } from "../../src/util/hash.ts";
import { randomId } from "../../src/util/id.ts";
import { startDaytonaShell } from "./_daytona_shell.ts";
import { type Cloud, type CloudSandbox, reasonOf } from "./_cloud_host.ts";
import { CloudLedger } from "./_cloud_ledger.ts";
import type { CloudSettings } from "./_cloud_settings.ts";
import type { RemoteCommandLine } from "../remote/remote_host.ts";

const LABEL = "hermes-agent";
/** For building an image and starting a sandbox. */
const START_SECONDS = 300;
/** How much later than hermes itself Daytona stops an unused sandbox. */
const LATER_MINUTES = 10;
/** More than this is not given to anybody. */
const MAX_DISK_GB = 10;
/** States of a sandbox; in any other one it is on its way to being started. */
const BROKEN: readonly string[] = ["error", "build_failed"];
const GONE: readonly string[] = ["destroying", "destroyed"];
const RESTING: readonly string[] = ["stopped", "archived", "paused"];
export const DAYTONA_CREDENTIAL = "DAYTONA_API_KEY";

export interface DaytonaOptions {
  sdk: typeof import("../../src/deps/daytona.ts");
  client: Daytona;
  settings: CloudSettings;
}

export class DaytonaCloud implements Cloud {
  readonly name = "daytona";
  readonly #options: DaytonaOptions;
  readonly #ledger: CloudLedger;
  #sandboxName: string | undefined;

  constructor(options: DaytonaOptions) {
    this.#options = options;
    this.#ledger = new CloudLedger(options.settings.ledgerDir);
  }

  async open(): Promise<CloudSandbox> {
    try {
      const name = this.#sandboxName ??= await sandboxName(this.#options.settings);
      const { persistent } = this.#options.settings;
      if (persistent) await this.#ledger.enter(name);
      const sandbox = await this.#obtain(name);
      return new DaytonaSandbox(sandbox, {
        release: async () => {
          if (await this.#ledger.leave(name)) await this.#unlessGone(() => sandbox.stop());
        },
        remove: persistent ? undefined : () => this.#delete(sandbox),
      });
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async reap(): Promise<string[]> {
    return await this.#ledger.reap((id) => this.#deleteOrphan(id));
  }

  async close(): Promise<void> {
    await this.#options.client[Symbol.asyncDispose]();
  }

  async #obtain(name: string): Promise<Sandbox> {
    try {
      return await this.#find(name) ?? await this.#create(name);
    } catch (error) {
      // Another hermes may have made or started it at the same moment.
      const sandbox = await this.#find(name).catch(() => undefined);
      if (sandbox === undefined) throw error;
      return sandbox;
    }
  }

  /** The sandbox of this name if it can be used; a broken one is deleted. */
  async #find(name: string): Promise<Sandbox | undefined> {
    return await this.#unlessGone(async () => {
      const sandbox = await this.#options.client.get(name);
      const state = sandbox.state ?? "";
      if (BROKEN.includes(state)) await this.#delete(sandbox);
      if (BROKEN.includes(state) || GONE.includes(state)) return undefined;
      await bringUp(sandbox);
      return sandbox;
    });
  }

  async #create(name: string): Promise<Sandbox> {
    const { client, settings } = this.#options;
    const { cpus, memoryMb, diskMb, idleMs, image, persistent } = settings;
    const sandbox = await client.create({
      name,
      image,
      labels: { [LABEL]: "1" },
      autoStopInterval: idleMs > 0 ? Math.ceil(idleMs / 60_000) + LATER_MINUTES : 0,
      resources: {
        ...(cpus > 0 ? { cpu: Math.ceil(cpus) } : {}),
        ...(memoryMb > 0 ? { memory: Math.ceil(memoryMb / 1024) } : {}),
        ...(diskMb > 0 ? { disk: Math.min(MAX_DISK_GB, Math.ceil(diskMb / 1024)) } : {}),
      },
    }, { timeout: START_SECONDS });
    if (!persistent) await this.#ledger.add(sandbox.id);
    return sandbox;
  }

  async #delete(sandbox: Sandbox): Promise<void> {
    await this.#unlessGone(() => sandbox.delete(undefined, true));
    await this.#ledger.remove(sandbox.id);
  }

  async #deleteOrphan(id: string): Promise<void> {
    await this.#unlessGone(async () => {
      await (await this.#options.client.get(id)).delete(undefined, true);
    });
  }

  /** Undefined when there is no such sandbox, or no longer. */
  async #unlessGone<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof this.#options.sdk.DaytonaNotFoundError) return undefined;
      throw error;
    }
  }

  #explain(error: unknown): Error {
    const { DaytonaAuthenticationError, DaytonaAuthorizationError } = this.#options.sdk;
    if (error instanceof DaytonaAuthenticationError || error instanceof DaytonaAuthorizationError) {
      return new UsageError(`Daytona refuses the key: ${reasonOf(error)}`, {
        hint: `Check ${DAYTONA_CREDENTIAL}`,
        cause: error,
      });
    }
    return new EnvironmentError(`Daytona gives no sandbox: ${reasonOf(error)}`, { cause: error });
  }
}

/** Another hermes may be starting or stopping it right now. */
async function bringUp(sandbox: Sandbox): Promise<void> {
  if (sandbox.state === "stopping") await sandbox.waitUntilStopped(START_SECONDS);
  if (RESTING.includes(sandbox.state ?? "")) await sandbox.start(START_SECONDS);
  else await sandbox.waitUntilStarted(START_SECONDS);
}

/** The same for every session of a home of hermes, when it is kept. */
async function sandboxName({ persistent, ledgerDir, image }: CloudSettings): Promise<string> {
  if (!persistent) return `hermes-${randomId(16)}`;
  const key = await sha256Hex(JSON.stringify([Deno.hostname(), ledgerDir, image]));
  return `hermes-${key.slice(0, 16)}`;
}

/** What the cloud does with one of its sandboxes. */
interface DaytonaLife {
  /** This session lets go of it, and stops it unless another one uses it. */
  release(): Promise<void>;
  /** For one that is not kept. */
  remove: (() => Promise<void>) | undefined;
}

class DaytonaSandbox implements CloudSandbox {
  readonly id: string;
  readonly #sandbox: Sandbox;
  readonly #life: DaytonaLife;

  constructor(sandbox: Sandbox, life: DaytonaLife) {
    this.id = sandbox.name;
    this.#sandbox = sandbox;
    this.#life = life;
  }

  start(command: RemoteCommandLine) {
    return startDaytonaShell(this.#sandbox, command);
  }

  async isRunning(): Promise<boolean> {
    await this.#sandbox.refreshData();
    return this.#sandbox.state === "started";
  }

  touch(): Promise<void> {
    return this.#sandbox.refreshActivity();
  }

  sleep(): Promise<void> {
    return this.#life.release();
  }

  async close({ asleep }: { asleep: boolean }): Promise<void> {
    if (this.#life.remove) await this.#life.remove();
    else if (!asleep) await this.#life.release();
  }
}
