/**
 * Commands and files in a sandbox of Daytona, through its SDK. A kept sandbox is stopped when
 * nobody uses it and found again by its name; others are deleted with the session.
 */
import type { Environment } from "../src/protocol/environment.ts";
import { EnvironmentError, UsageError } from "../src/protocol/error.ts";
import type { Daytona, Sandbox } from "../src/deps/daytona.ts";
import { sha256Hex } from "../src/util/hash.ts";
import { randomId } from "../src/util/id.ts";
import { startDaytonaShell } from "./_cloud_daytona_shell.ts";
import { type Cloud, CloudHost, type CloudSandbox, reasonOf } from "./_cloud_host.ts";
import { CloudLedger } from "./_cloud_ledger.ts";
import {
  cloudCredentials,
  type CloudSettings,
  cloudSettings,
  cloudVariable,
} from "./_cloud_settings.ts";
import { createRemoteEnvironment } from "./_remote_environment.ts";
import type { RemoteCommandLine } from "./_remote_host.ts";
import type { EnvironmentOptions } from "./manifest.ts";

/**
 * Not a literal in the import: Deno would follow it and fetch the whole SDK for every command of
 * everybody. `scripts/build_app.ts` knows this text and bundles the module.
 */
const SDK_MODULE: string = "../src/deps/daytona.ts";

const SERVER = "https://app.daytona.io/api";
const LABEL = "hermes-agent";
const CREDENTIAL = "DAYTONA_API_KEY";
/** For building an image and starting a sandbox. */
const START_SECONDS = 300;
/** How much later than hermes itself Daytona stops a sandbox that nobody uses. */
const LATER_MINUTES = 10;
/** More than this is not given to anybody. */
const MAX_DISK_GB = 10;

/** Makes or finds the sandbox. @throws UsageError without a key or with one that is refused. */
export async function createDaytonaEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const keys = cloudCredentials(options, {
    names: [CREDENTIAL],
    cloud: "Daytona",
    from: "https://app.daytona.io/dashboard/keys",
  });
  const settings = cloudSettings("daytona", options);
  const sdk: typeof import("../src/deps/daytona.ts") = await import(SDK_MODULE);
  const target = cloudVariable(options, "DAYTONA_TARGET");
  const client = new sdk.Daytona({
    apiKey: keys[CREDENTIAL],
    apiUrl: cloudVariable(options, "DAYTONA_API_URL") ?? SERVER,
    ...(target === undefined ? {} : { target }),
    // Instead of a second connection for events, which would have to be kept open.
    useDeprecatedPolling: true,
  });
  const onProgress = options.onProgress ?? (() => {});
  const cloud = new DaytonaCloud({ sdk, client, settings, onProgress });
  return await createRemoteEnvironment({
    name: "daytona",
    sharesHost: false,
    host: new CloudHost(cloud, { idleMs: settings.idleMs, onProgress }),
    cwd: settings.cwd ?? "~",
    exports: settings.exports,
    settings: options.settings,
  });
}

interface DaytonaOptions {
  sdk: typeof import("../src/deps/daytona.ts");
  client: Daytona;
  settings: CloudSettings;
  onProgress: (line: string) => void;
}

class DaytonaCloud implements Cloud {
  readonly name = "daytona";
  readonly #options: DaytonaOptions;
  readonly #ledger: CloudLedger;
  #sandboxName: string | undefined;
  #reaping: Promise<void> = Promise.resolve();

  constructor(options: DaytonaOptions) {
    this.#options = options;
    this.#ledger = new CloudLedger(options.settings.ledgerDir);
  }

  async open(): Promise<CloudSandbox> {
    try {
      const first = this.#sandboxName === undefined;
      const name = this.#sandboxName ??= await sandboxName(this.#options.settings);
      const sandbox = await this.#find(name) ?? await this.#create(name);
      if (first) this.#reaping = this.#reap();
      const { persistent } = this.#options.settings;
      return new DaytonaSandbox(sandbox, {
        close: () => persistent ? sandbox.stop() : this.#delete(sandbox),
      });
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async close(): Promise<void> {
    await this.#reaping;
    await this.#options.client[Symbol.asyncDispose]();
  }

  /** One that can be used; what cannot be is deleted. */
  async #find(name: string): Promise<Sandbox | undefined> {
    const { sdk, client } = this.#options;
    try {
      const sandbox = await client.get(name);
      if (sandbox.state === "started") return sandbox;
      if (sandbox.state === "stopped" || sandbox.state === "archived") {
        await sandbox.start(START_SECONDS);
        return sandbox;
      }
      await this.#delete(sandbox);
    } catch (error) {
      if (!(error instanceof sdk.DaytonaNotFoundError)) throw error;
    }
    return undefined;
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
    await sandbox.delete(undefined, true);
    await this.#ledger.remove(sandbox.id);
  }

  /** Deletes what a killed hermes left; never in the way of this one. */
  async #reap(): Promise<void> {
    const { sdk, client, onProgress } = this.#options;
    try {
      for (const id of await this.#ledger.orphans()) {
        try {
          await this.#delete(await client.get(id));
          onProgress(`deleted the sandbox ${id} of a hermes that was killed`);
        } catch (error) {
          if (!(error instanceof sdk.DaytonaNotFoundError)) throw error;
          await this.#ledger.remove(id);
        }
      }
    } catch (error) {
      onProgress(`cannot delete old sandboxes: ${reasonOf(error)}`);
    }
  }

  #explain(error: unknown): Error {
    const { DaytonaAuthenticationError, DaytonaAuthorizationError } = this.#options.sdk;
    if (error instanceof DaytonaAuthenticationError || error instanceof DaytonaAuthorizationError) {
      return new UsageError(`Daytona refuses the key: ${reasonOf(error)}`, {
        hint: `Check ${CREDENTIAL}`,
        cause: error,
      });
    }
    return new EnvironmentError(`Daytona gives no sandbox: ${reasonOf(error)}`, { cause: error });
  }
}

/** The same for every session of a home of hermes, when it is kept. */
async function sandboxName({ persistent, ledgerDir, image }: CloudSettings): Promise<string> {
  if (!persistent) return `hermes-${randomId(16)}`;
  const key = await sha256Hex(JSON.stringify([Deno.hostname(), ledgerDir, image]));
  return `hermes-${key.slice(0, 16)}`;
}

class DaytonaSandbox implements CloudSandbox {
  readonly id: string;
  readonly #sandbox: Sandbox;
  readonly #life: { close(): Promise<void> };

  constructor(sandbox: Sandbox, life: { close(): Promise<void> }) {
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
    return this.#sandbox.stop();
  }

  close(): Promise<void> {
    return this.#life.close();
  }
}
