/**
 * A small Modal behind the interface of its client: sandboxes are private directories with real
 * processes, snapshots are copies of them. All of it is kept on disk, so that another process
 * that opens the same directory finds the sandboxes of one that was killed.
 */
import type {
  ModalAccess,
  ModalClient,
  ModalConnection,
  ModalExecParams,
  ModalImage,
  ModalProcess,
  ModalSandbox,
  ModalSandboxParams,
} from "../../environments/cloud/_modal_client.ts";
import { type HostProcess, HostSandbox } from "./cloud_host.ts";

/** The credentials it accepts. */
export const MODAL_TOKEN = { id: "ak-fake", secret: "as-fake" } as const;
/** No image with this name can be built. */
export const BROKEN_IMAGE = "registry.invalid/broken";

/** Status codes as the SDK's errors have them. */
const NOT_FOUND = 5;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;
const KILLED = 137;
const TERMINAL = { columns: 80, rows: 24 };

class ModalError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

interface ImageFacts {
  /** What it was built from; absent for a snapshot. */
  tag?: string;
  /** Where the directory of a snapshot was. */
  root?: string;
}

interface SandboxFacts {
  number: number;
  imageId: string;
  root: string;
  params: ModalSandboxParams;
}

/** What a sandbox was asked to be, and whether it runs now. */
export interface FakeSandbox extends SandboxFacts {
  id: string;
  readonly running: boolean;
}

export class FakeModal {
  readonly #base: string;
  /** Processes that this process has started, by sandbox. */
  readonly #processes = new Map<string, Set<FakeProcess>>();

  /** `base` is a directory that exists; its owner removes it. */
  constructor(base: string) {
    this.#base = base;
    for (const kind of ["images", "sandboxes"]) Deno.mkdirSync(`${base}/${kind}`, RECURSIVE);
  }

  /** Every sandbox ever made, oldest first. */
  sandboxes(): FakeSandbox[] {
    return [...Deno.readDirSync(`${this.#base}/sandboxes`)].map(({ name }) => this.#sandbox(name))
      .sort((a, b) => a.number - b.number);
  }

  /** The name an image was built from, "" for a snapshot; undefined once it is deleted. */
  imageTag(imageId: string): string | undefined {
    const facts = readJson<ImageFacts>(`${this.#image(imageId)}/facts`);
    return facts && (facts.tag ?? "");
  }

  connect = ({ tokenId, tokenSecret }: ModalAccess): Promise<ModalConnection> => {
    const isKnown = tokenId === MODAL_TOKEN.id && tokenSecret === MODAL_TOKEN.secret;
    return Promise.resolve({
      client: this.#client(isKnown),
      isRefusal: (error) => (error as ModalError).code === UNAUTHENTICATED,
      isMissing: (error) => (error as ModalError).code === NOT_FOUND,
    });
  };

  /** Ends a sandbox as a machine that is switched off. */
  async terminate(sandboxId: string): Promise<void> {
    const { running, root } = this.#sandbox(sandboxId);
    if (!running) return;
    // First: what reads from its processes sees why they end.
    Deno.removeSync(`${this.#base}/sandboxes/${sandboxId}/running`);
    await this.#host(sandboxId, root).kill();
    const own = this.#processes.get(sandboxId) ?? [];
    await Promise.all([...own].map((process) => process.ended));
    await Deno.remove(root, RECURSIVE);
  }

  /** Ends every sandbox. */
  async close(): Promise<void> {
    for (const { id } of this.sandboxes()) await this.terminate(id);
  }

  #client(isKnown: boolean): ModalClient {
    return {
      apps: {
        fromName: (name) =>
          isKnown
            ? Promise.resolve({ appId: `ap-${name}` })
            : Promise.reject(new ModalError(UNAUTHENTICATED, "Token ID is malformed or unknown")),
      },
      images: {
        fromRegistry: (tag) => ({ imageId: `im-${tag.replaceAll(/[^a-z0-9]+/gi, "-")}`, tag }),
        fromId: (imageId) => {
          if (this.imageTag(imageId) !== undefined) return Promise.resolve({ imageId });
          return Promise.reject(new ModalError(NOT_FOUND, `There is no image ${imageId}`));
        },
        delete: (imageId) => Deno.remove(this.#image(imageId), RECURSIVE),
      },
      sandboxes: {
        create: (_app, image, params) => this.#create(image, params),
        fromId: (id) => Promise.resolve(this.#handle(id)),
      },
    };
  }

  async #create(image: ModalImage, params: ModalSandboxParams): Promise<ModalSandbox> {
    const { imageId, tag } = image as ModalImage & { tag?: string };
    if (tag === BROKEN_IMAGE) throw new Error("Image build for im-broken failed: no such image");
    if (tag !== undefined) writeJson(this.#image(imageId), { tag } satisfies ImageFacts);
    const { root: first } = readJson<ImageFacts>(`${this.#image(imageId)}/facts`) ?? {};
    const all = this.sandboxes();
    const id = `sb-${crypto.randomUUID()}`;
    // Paths in a snapshot stay what they were, unless their first owner still lives.
    const isTaken = all.some(({ running, root }) => running && root === first);
    const root = first === undefined || isTaken ? `${this.#base}/${id}` : first;
    if (first === undefined) await Deno.mkdir(root);
    else await copyTree(`${this.#image(imageId)}/copy`, root);
    const facts: SandboxFacts = { number: all.length, imageId, root, params };
    writeJson(`${this.#base}/sandboxes/${id}`, facts);
    Deno.writeTextFileSync(`${this.#base}/sandboxes/${id}/running`, "");
    return this.#handle(id);
  }

  #handle(sandboxId: string): ModalSandbox {
    return {
      sandboxId,
      exec: (command, params) => this.#exec(sandboxId, command, params),
      poll: () => this.#try(() => this.#sandbox(sandboxId).running ? null : KILLED),
      terminate: () => this.terminate(sandboxId),
      detach() {},
      snapshotFilesystem: async () => {
        const { root } = this.#sandbox(sandboxId);
        const imageId = `im-${crypto.randomUUID()}`;
        writeJson(this.#image(imageId), { root } satisfies ImageFacts);
        await copyTree(root, `${this.#image(imageId)}/copy`);
        return { imageId };
      },
    };
  }

  #exec(
    sandboxId: string,
    argv: readonly string[],
    { pty }: ModalExecParams,
  ): Promise<ModalProcess> {
    return this.#try(() => {
      const sandbox = this.#sandbox(sandboxId);
      if (!sandbox.running) throw gone();
      const host = this.#host(sandboxId, sandbox.root);
      const started = host.start({ argv, ...(pty && { terminal: TERMINAL }) });
      const process = new FakeProcess(started, () => !sandbox.running);
      const own = this.#processes.get(sandboxId) ?? new Set();
      this.#processes.set(sandboxId, own.add(process));
      process.ended.then(() => own.delete(process));
      return process;
    });
  }

  #host(id: string, root: string): HostSandbox {
    return new HostSandbox({ id: `${this.#base}/${id}`, root });
  }

  #sandbox(id: string): FakeSandbox {
    const place = `${this.#base}/sandboxes/${id}`;
    const facts = readJson<SandboxFacts>(`${place}/facts`);
    if (!facts) throw new ModalError(NOT_FOUND, `There is no sandbox ${id}`);
    return {
      ...facts,
      id,
      get running() {
        return isFile(`${place}/running`);
      },
    };
  }

  #image(id: string): string {
    return `${this.#base}/images/${id}`;
  }

  /** Rejects where `work` throws. */
  async #try<T>(work: () => T): Promise<T> {
    return await Promise.resolve().then(work);
  }
}

class FakeProcess implements ModalProcess {
  readonly stdin: WritableStream<Uint8Array>;
  readonly stdout: ReadableStream<Uint8Array>;
  /** Settles when it is gone and nothing of it is held any more. */
  readonly ended: Promise<void>;
  readonly #host: HostProcess;
  readonly #isLost: () => boolean;

  constructor(host: HostProcess, isLost: () => boolean) {
    this.#host = host;
    this.#isLost = isLost;
    this.stdin = new WritableStream({
      write: (chunk) => host.write(chunk),
      close: () => host.closeInput(),
    });
    const output = Promise.withResolvers<void>();
    this.stdout = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { value, done } = await host.output.read();
        if (!done) return controller.enqueue(value);
        output.resolve();
        if (isLost()) controller.error(gone());
        else controller.close();
      },
      // A process goes on when nobody reads any more.
      cancel: () => void drain(host.output).then(output.resolve),
    }, { highWaterMark: 0 });
    this.ended = host.exited.then(async () => {
      await host.closeInput().catch(() => {
        // Closed before, or broken with the process.
      });
      // What a terminated sandbox printed last may never be read.
      if (isLost()) await host.dispose();
      else await output.promise;
    });
  }

  async closeStdin(): Promise<void> {
    await this.#host.closeInput();
  }

  async _wait(signal?: AbortSignal): Promise<number> {
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal!.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      const { code } = await Promise.race([this.#host.exited, aborted.promise]);
      if (this.#isLost()) throw gone();
      return code;
    } finally {
      signal?.removeEventListener("abort", onAbort);
    }
  }
}

const RECURSIVE = { recursive: true };

function gone(): ModalError {
  return new ModalError(UNAVAILABLE, "The worker is gone");
}

async function drain(output: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  while (!(await output.read()).done);
}

function readJson<T>(path: string): T | undefined {
  return isFile(path) ? JSON.parse(Deno.readTextFileSync(path)) : undefined;
}

function writeJson(directory: string, value: unknown): void {
  Deno.mkdirSync(directory, RECURSIVE);
  Deno.writeTextFileSync(`${directory}/facts`, JSON.stringify(value));
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false; // Not there.
  }
}

async function copyTree(from: string, to: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("/bin/cp", { args: ["-a", from, to] })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
