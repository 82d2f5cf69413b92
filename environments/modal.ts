/**
 * Commands and files in a sandbox of Modal, through its SDK. The sandbox lives as long as the
 * session; what stays is a snapshot of its file system, which the next one begins with.
 */
import type { Environment } from "../src/protocol/environment.ts";
import { EnvironmentError, UsageError } from "../src/protocol/error.ts";
import type { Image, ModalClient, Sandbox } from "../src/deps/modal.ts";
import { type Cloud, CloudHost, type CloudSandbox, reasonOf } from "./_cloud_host.ts";
import { CloudLedger } from "./_cloud_ledger.ts";
import {
  cloudCredentials,
  type CloudSettings,
  cloudSettings,
  cloudVariable,
} from "./_cloud_settings.ts";
import { startModalShell } from "./_cloud_modal_shell.ts";
import { createRemoteEnvironment } from "./_remote_environment.ts";
import type { RemoteCommandLine } from "./_remote_host.ts";
import type { EnvironmentOptions } from "./manifest.ts";

/**
 * Not a literal in the import: Deno would follow it and fetch the whole SDK for every command of
 * everybody. `scripts/build_app.ts` knows this text and bundles the module.
 */
const SDK_MODULE: string = "../src/deps/modal.ts";

const APP = "hermes-agent";
const SERVER = "https://api.modal.com:443";
/** The longest Modal lets a sandbox live. */
const LIFETIME_MS = 24 * 3_600_000;
/** How much later than hermes itself Modal ends a sandbox that nobody uses. */
const LATER_MS = 120_000;
const SNAPSHOT_MS = 60_000;
const CREDENTIALS = ["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"] as const;

/** Makes the sandbox. @throws UsageError without credentials or with ones that Modal refuses. */
export async function createModalEnvironment(options: EnvironmentOptions): Promise<Environment> {
  if (options.settings?.modal_mode === "managed") {
    throw new UsageError("A managed Modal is not part of hermes", {
      hint: "Set terminal.modal_mode to direct and use a Modal token of your own",
    });
  }
  const keys = cloudCredentials(options, {
    names: CREDENTIALS,
    cloud: "Modal",
    from: "https://modal.com/settings/tokens",
  });
  const settings = cloudSettings("modal", options);
  const sdk: typeof import("../src/deps/modal.ts") = await import(SDK_MODULE);
  const access = sdk.createModalClient({
    tokenId: keys.MODAL_TOKEN_ID,
    tokenSecret: keys.MODAL_TOKEN_SECRET,
    serverUrl: cloudVariable(options, "MODAL_SERVER_URL") ?? SERVER,
    environment: cloudVariable(options, "MODAL_ENVIRONMENT"),
  });
  const onProgress = options.onProgress ?? (() => {});
  const cloud = new ModalCloud({ sdk, ...access, settings, onProgress });
  return await createRemoteEnvironment({
    name: "modal",
    sharesHost: false,
    host: new CloudHost(cloud, { idleMs: settings.idleMs, onProgress }),
    cwd: settings.cwd ?? "~",
    exports: settings.exports,
    settings: options.settings,
  });
}

interface ModalOptions {
  sdk: typeof import("../src/deps/modal.ts");
  client: ModalClient;
  close(): void;
  settings: CloudSettings;
  onProgress: (line: string) => void;
}

class ModalCloud implements Cloud {
  readonly name = "modal";
  readonly #options: ModalOptions;
  readonly #ledger: CloudLedger;
  /** What the next sandbox begins with. */
  #snapshot: string | undefined;
  #opened = false;
  #reaping: Promise<void> = Promise.resolve();

  constructor(options: ModalOptions) {
    this.#options = options;
    this.#ledger = new CloudLedger(options.settings.ledgerDir);
  }

  async open(): Promise<CloudSandbox> {
    try {
      if (!this.#opened && this.#options.settings.persistent) {
        this.#snapshot = await this.#ledger.snapshot();
      }
      const sandbox = await this.#create();
      if (!this.#opened) this.#reaping = this.#reap();
      this.#opened = true;
      return new ModalSandbox(sandbox, {
        save: () => this.#save(sandbox),
        end: () => this.#end(sandbox),
        abandon: () => this.#abandon(sandbox),
        persistent: this.#options.settings.persistent,
      });
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async close(): Promise<void> {
    await this.#reaping;
    if (!this.#options.settings.persistent && this.#snapshot !== undefined) {
      await this.#forgetImage(this.#snapshot);
    }
    this.#options.close();
  }

  async #create(): Promise<Sandbox> {
    const { client, settings } = this.#options;
    const app = await client.apps.fromName(APP, { createIfMissing: true });
    const sandbox = await client.sandboxes.create(app, await this.#image(), {
      command: ["sleep", "infinity"],
      timeoutMs: LIFETIME_MS,
      tags: { [APP]: "1" },
      ...(settings.idleMs > 0 ? { idleTimeoutMs: settings.idleMs + LATER_MS } : {}),
      ...(settings.cpus > 0 ? { cpu: settings.cpus } : {}),
      ...(settings.memoryMb > 0 ? { memoryMiB: settings.memoryMb } : {}),
    });
    await this.#ledger.add(sandbox.sandboxId);
    return sandbox;
  }

  /** The last snapshot; the plain image when there is none or it has gone. */
  async #image(): Promise<Image> {
    const { sdk, client, settings, onProgress } = this.#options;
    if (this.#snapshot !== undefined) {
      try {
        return await client.images.fromId(this.#snapshot);
      } catch (error) {
        if (!(error instanceof sdk.NotFoundError)) throw error;
        onProgress(`the snapshot ${this.#snapshot} has gone; starting from ${settings.image}`);
        this.#snapshot = undefined;
        await this.#ledger.setSnapshot(undefined);
      }
    }
    return client.images.fromRegistry(settings.image);
  }

  /** Keeps the files of a sandbox; the snapshot before is of no use any more. */
  async #save(sandbox: Sandbox): Promise<void> {
    const before = this.#snapshot;
    const image = await sandbox.snapshotFilesystem({ timeoutMs: SNAPSHOT_MS, ttlMs: null });
    this.#snapshot = image.imageId;
    if (this.#options.settings.persistent) await this.#ledger.setSnapshot(image.imageId);
    if (before !== undefined) await this.#forgetImage(before);
  }

  async #end(sandbox: Sandbox): Promise<void> {
    await sandbox.terminate();
    sandbox.detach();
    await this.#ledger.remove(sandbox.sandboxId);
  }

  /** What cannot be ended now is an orphan for a later hermes. */
  async #abandon(sandbox: Sandbox): Promise<void> {
    try {
      await this.#end(sandbox);
    } catch {
      sandbox.detach();
    }
  }

  async #forgetImage(imageId: string): Promise<void> {
    try {
      await this.#options.client.images.delete(imageId);
    } catch (error) {
      this.#options.onProgress(`cannot delete the snapshot ${imageId}: ${reasonOf(error)}`);
    }
  }

  /** Ends what a killed hermes left running; never in the way of this one. */
  async #reap(): Promise<void> {
    const { sdk, client, onProgress } = this.#options;
    try {
      for (const id of await this.#ledger.orphans()) {
        await this.#end(await client.sandboxes.fromId(id)).catch(async (error) => {
          if (!(error instanceof sdk.NotFoundError) && !isMissing(error)) throw error;
          await this.#ledger.remove(id);
        });
        onProgress(`ended the sandbox ${id} of a hermes that was killed`);
      }
    } catch (error) {
      onProgress(`cannot end old sandboxes: ${reasonOf(error)}`);
    }
  }

  #explain(error: unknown): Error {
    if (this.#options.sdk.isModalRefusal(error)) {
      return new UsageError(`Modal refuses the token: ${reasonOf(error)}`, {
        hint: `Check ${CREDENTIALS.join(" and ")}`,
        cause: error,
      });
    }
    return new EnvironmentError(`Modal gives no sandbox: ${reasonOf(error)}`, { cause: error });
  }
}

/** gRPC's NOT_FOUND, which the SDK does not translate everywhere. */
function isMissing(error: unknown): boolean {
  return (error as { code?: unknown }).code === 5;
}

/** What the cloud does with one of its sandboxes. */
interface ModalLife {
  save(): Promise<void>;
  end(): Promise<void>;
  abandon(): Promise<void>;
  persistent: boolean;
}

class ModalSandbox implements CloudSandbox {
  readonly id: string;
  readonly #sandbox: Sandbox;
  readonly #life: ModalLife;

  constructor(sandbox: Sandbox, life: ModalLife) {
    this.id = sandbox.sandboxId;
    this.#sandbox = sandbox;
    this.#life = life;
  }

  start(command: RemoteCommandLine) {
    return startModalShell(this.#sandbox, command);
  }

  async isRunning(): Promise<boolean> {
    return await this.#sandbox.poll() === null;
  }

  async sleep(): Promise<void> {
    await this.#life.save();
    await this.#life.end();
  }

  async close(): Promise<void> {
    try {
      if (this.#life.persistent) await this.#life.save();
    } finally {
      await this.#life.end();
    }
  }

  abandon(): Promise<void> {
    return this.#life.abandon();
  }
}
