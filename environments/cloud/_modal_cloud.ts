/** Sandboxes of Modal: made from an image or a snapshot, saved as a snapshot, ended. */
import { EnvironmentError, UsageError } from "../../src/protocol/error.ts";
import { type Cloud, type CloudSandbox, reasonOf } from "./_cloud_host.ts";
import { CloudLedger } from "./_cloud_ledger.ts";
import type { ModalConnection, ModalImage, ModalSandbox } from "./_modal_client.ts";
import { startModalShell } from "./_modal_shell.ts";
import type { CloudSettings } from "./_cloud_settings.ts";
import type { RemoteCommandLine } from "../remote/remote_host.ts";

const APP = "hermes-agent";
/** The longest Modal lets a sandbox live. */
const LIFETIME_MS = 24 * 3_600_000;
/** How much later than hermes itself Modal ends an unused sandbox. */
const LATER_SECONDS = 120;
const SNAPSHOT_MS = 60_000;
export const MODAL_CREDENTIALS = ["MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET"] as const;

export interface ModalOptions extends ModalConnection {
  settings: CloudSettings;
  onProgress: (line: string) => void;
}

export class ModalCloud implements Cloud {
  readonly name = "modal";
  readonly #options: ModalOptions;
  readonly #ledger: CloudLedger;
  /** What the next sandbox begins with. */
  #snapshot: string | undefined;
  #opened = false;

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
      this.#opened = true;
      return new OpenModalSandbox(sandbox, {
        save: () => this.#save(sandbox),
        end: () => this.#end(sandbox),
        abandon: () => this.#abandon(sandbox),
        persistent: this.#options.settings.persistent,
      });
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async reap(): Promise<string[]> {
    return await this.#ledger.reap((id) => this.#endOrphan(id));
  }

  async close(): Promise<void> {
    if (!this.#options.settings.persistent && this.#snapshot !== undefined) {
      await this.#forgetImage(this.#snapshot);
    }
  }

  async #create(): Promise<ModalSandbox> {
    const { client, settings: { idleMs, cpus, memoryMb } } = this.#options;
    const app = await client.apps.fromName(APP, { createIfMissing: true });
    const sandbox = await client.sandboxes.create(app, await this.#image(), {
      command: ["sleep", "infinity"],
      timeoutMs: LIFETIME_MS,
      tags: { [APP]: "1" },
      ...(idleMs > 0 ? { idleTimeoutMs: (Math.ceil(idleMs / 1000) + LATER_SECONDS) * 1000 } : {}),
      ...(cpus > 0 ? { cpu: cpus } : {}),
      ...(memoryMb > 0 ? { memoryMiB: memoryMb } : {}),
    });
    await this.#ledger.add(sandbox.sandboxId);
    return sandbox;
  }

  /** The last snapshot; the plain image when there is none or it has gone. */
  async #image(): Promise<ModalImage> {
    const { client, settings, onProgress } = this.#options;
    if (this.#snapshot !== undefined) {
      try {
        return await client.images.fromId(this.#snapshot);
      } catch (error) {
        if (!this.#options.isMissing(error)) throw error;
        onProgress(`the snapshot ${this.#snapshot} has gone; starting from ${settings.image}`);
        this.#snapshot = undefined;
        await this.#ledger.setSnapshot(undefined);
      }
    }
    return client.images.fromRegistry(settings.image);
  }

  /** Keeps the files of a sandbox; the snapshot before is of no use any more. */
  async #save(sandbox: ModalSandbox): Promise<void> {
    const before = this.#snapshot;
    const image = await sandbox.snapshotFilesystem({ timeoutMs: SNAPSHOT_MS, ttlMs: null });
    this.#snapshot = image.imageId;
    if (this.#options.settings.persistent) await this.#ledger.setSnapshot(image.imageId);
    if (before !== undefined) await this.#forgetImage(before);
  }

  async #end(sandbox: ModalSandbox): Promise<void> {
    await sandbox.terminate();
    sandbox.detach();
    await this.#ledger.remove(sandbox.sandboxId);
  }

  /** What cannot be ended now is an orphan for a later hermes. */
  async #abandon(sandbox: ModalSandbox): Promise<void> {
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

  async #endOrphan(id: string): Promise<void> {
    const sandbox = await this.#options.client.sandboxes.fromId(id);
    try {
      await sandbox.terminate();
    } catch (error) {
      if (!this.#options.isMissing(error)) throw error;
    } finally {
      sandbox.detach();
    }
  }

  #explain(error: unknown): Error {
    if (this.#options.isRefusal(error)) {
      return new UsageError(`Modal refuses the token: ${reasonOf(error)}`, {
        hint: `Check ${MODAL_CREDENTIALS.join(" and ")}`,
        cause: error,
      });
    }
    return new EnvironmentError(`Modal gives no sandbox: ${reasonOf(error)}`, { cause: error });
  }
}

/** What the cloud does with one of its sandboxes. */
interface ModalLife {
  save(): Promise<void>;
  end(): Promise<void>;
  abandon(): Promise<void>;
  persistent: boolean;
}

class OpenModalSandbox implements CloudSandbox {
  readonly id: string;
  readonly #sandbox: ModalSandbox;
  readonly #life: ModalLife;

  constructor(sandbox: ModalSandbox, life: ModalLife) {
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

  /** Asleep, it is nothing but a snapshot. */
  async close({ asleep }: { asleep: boolean }): Promise<void> {
    if (asleep) return;
    try {
      // A sandbox that was ended elsewhere has no files left to keep.
      if (this.#life.persistent && await this.isRunning()) await this.#life.save();
    } finally {
      await this.#life.end();
    }
  }

  abandon(): Promise<void> {
    return this.#life.abandon();
  }
}
