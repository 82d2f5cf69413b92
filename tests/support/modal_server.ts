/**
 * A small Modal: the control plane and the command router that the SDK talks to, on loopback.
 * Sandboxes are private directories with real processes; snapshots are copies of them. Run as
 * a program it prints its address and one that answers when nobody is connected, and serves
 * until its input ends.
 */
import { type HostProcess, HostSandbox } from "./cloud_host.ts";
import { MESSAGES } from "./modal_server_messages.ts";
import type { Http2Server } from "./modal_server_http2.ts";
import { ModalOutput } from "./modal_server_output.ts";
import {
  type Call,
  GrpcError,
  type Message,
  type Method,
  startGrpcServer,
  STATUS,
} from "./modal_server_wire.ts";

/** The credentials it accepts. */
export const MODAL_TOKEN = { id: "ak-loopback", secret: "as-loopback" } as const;
/** No image with this name can be built. */
export const BROKEN_IMAGE = "registry.invalid/broken";

const SUCCESS = 1;
const FAILURE = 2;
const TERMINATED = 3;
const CONTROL = "/modal.client.ModalClient/";
const ROUTER = "/modal.task_command_router.TaskCommandRouter/";

/** What a sandbox was asked to be. */
export interface ModalSandboxFacts {
  id: string;
  imageId: string;
  tags: Record<string, string>;
  definition: Message;
  running: boolean;
}

interface BuiltImage {
  commands: string[];
  /** A copy of a sandbox's directory, and where that was. */
  copy?: string;
  root?: string;
}

interface Exec {
  process: HostProcess;
  output: ModalOutput;
  received: number;
}

interface Sandbox extends ModalSandboxFacts {
  host: HostSandbox;
  createdAt: number;
  execs: Map<string, Exec>;
  idleTimer: ReturnType<typeof setTimeout> | undefined;
}

export class ModalServer {
  readonly #base: string;
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #images = new Map<string, BuiltImage>();
  #grpc!: Http2Server;
  #ids = 0;

  private constructor(base: string) {
    this.#base = base;
  }

  static async start(): Promise<ModalServer> {
    const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-modal-" }));
    const server = new ModalServer(base);
    server.#grpc = startGrpcServer(server.#methods());
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#grpc.port}`;
  }

  /** Every sandbox ever made, oldest first. */
  sandboxes(): ModalSandboxFacts[] {
    return [...this.#sandboxes.values()];
  }

  /** Commands by which an image was built; undefined once it is deleted. */
  imageCommands(imageId: string): readonly string[] | undefined {
    return this.#images.get(imageId)?.commands;
  }

  async terminate(sandboxId: string): Promise<void> {
    const sandbox = this.#sandbox(sandboxId);
    if (!sandbox.running) return;
    sandbox.running = false;
    clearTimeout(sandbox.idleTimer);
    for (const { output } of sandbox.execs.values()) output.fail(gone());
    await sandbox.host.kill();
    for (const { process } of sandbox.execs.values()) await process.dispose();
    await Deno.remove(sandbox.host.root, { recursive: true });
  }

  dropConnections(): void {
    this.#grpc.dropConnections();
  }

  sendGoAway(lastStream?: number): void {
    this.#grpc.sendGoAway(lastStream);
  }

  /** Resolves when no client is connected. */
  async whenQuiet(): Promise<void> {
    await this.#grpc.whenQuiet();
  }

  async close(): Promise<void> {
    for (const id of this.#sandboxes.keys()) await this.terminate(id);
    await this.#grpc.close();
    await Deno.remove(this.#base, { recursive: true });
  }

  #methods(): Record<string, Method> {
    const methods: Record<string, Method> = {};
    const add = (
      prefix: string,
      handlers: Partial<Record<keyof typeof MESSAGES, (call: Call) => ReturnType<Method["run"]>>>,
    ) => {
      for (const [name, handler] of Object.entries(handlers)) {
        const [request, response] = MESSAGES[name as keyof typeof MESSAGES];
        const run = (call: Call) => {
          if (prefix === CONTROL) checkToken(call);
          else this.#checkJwt(call);
          return handler.call(this, call);
        };
        methods[prefix + name] = { request, response, run };
      }
    };
    add(CONTROL, {
      AuthTokenGet: () => reply({ token: jwt("client") }),
      AppGetOrCreate: ({ request }) => reply({ appId: `ap-${request.appName}` }),
      EnvironmentGetOrCreate: () =>
        reply({
          environmentId: "en-1",
          metadata: { name: "main", settings: { imageBuilderVersion: "2024.10" } },
        }),
      ImageGetOrCreate: this.#buildImage,
      ImageFromId: ({ request }) => reply({ imageId: this.#image(request.imageId).id }),
      ImageDelete: this.#deleteImage,
      SandboxCreateV2: this.#create,
      SandboxTerminateV2: async ({ request }) => {
        await this.terminate(String(request.sandboxId));
        return {};
      },
      SandboxWaitV2: ({ request }) => {
        const { running } = this.#sandbox(request.sandboxId);
        return reply(running ? {} : { result: { status: TERMINATED, exitcode: 137 } });
      },
      SandboxGetTaskIdV2: ({ request }) => {
        const { running, id } = this.#sandbox(request.sandboxId);
        if (running) return reply({ taskId: taskOf(id) });
        return reply({ taskResult: { status: TERMINATED, exception: "Sandbox was terminated" } });
      },
      SandboxGetCommandRouterAccess: ({ request }) =>
        reply(this.#access(this.#sandbox(request.sandboxId).id)),
      SandboxGetFromNameV2: ({ request }) => {
        const found = this.#named(String(request.sandboxName));
        if (!found) throw new GrpcError(STATUS.notFound, "No sandbox has this name");
        return reply({ sandboxId: found.id });
      },
      SandboxListV2: this.#list,
    });
    add(ROUTER, {
      TaskExecStart: this.#execStart,
      TaskExecStdioRead: ({ request, signal }) =>
        this.#exec(request).output.read(Number(request.offset ?? 0), signal),
      TaskExecStdinWrite: this.#execInput,
      TaskExecWait: ({ request }) => exitOf(this.#exec(request)),
      TaskExecPoll: ({ request }) => Promise.race([exitOf(this.#exec(request)), reply({})]),
      TaskSnapshotFilesystem: this.#snapshot,
    });
    return methods;
  }

  #buildImage({ request }: Call): Promise<Message> {
    const commands = (request.image as { dockerfileCommands: string[] }).dockerfileCommands;
    if (commands[0] === `FROM ${BROKEN_IMAGE}`) {
      const exception = "Skopeo could not find the image";
      return reply({ imageId: "im-broken", result: { status: FAILURE, exception } });
    }
    const imageId = `im-${commands.join("|").replaceAll(/[^a-z0-9]+/gi, "-")}`;
    this.#images.set(imageId, { commands });
    return reply({ imageId, result: { status: SUCCESS } });
  }

  #deleteImage({ request }: Call): Promise<Message> {
    const { id, copy } = this.#image(request.imageId);
    this.#images.delete(id);
    if (copy !== undefined) Deno.removeSync(copy, { recursive: true });
    return reply({});
  }

  async #create({ request }: Call): Promise<Message> {
    const definition = request.definition as Message;
    const image = this.#image(definition.imageId);
    if (definition.name !== undefined && this.#named(String(definition.name))) {
      throw new GrpcError(STATUS.alreadyExists, `The name ${definition.name} is taken`);
    }
    const id = `sb-loopback-${++this.#ids}`;
    const root = await this.#makeRoot(id, image);
    const sandbox: Sandbox = {
      id,
      imageId: image.id,
      definition,
      tags: Object.fromEntries(
        (request.tags as { tagName: string; tagValue: string }[] ?? [])
          .map(({ tagName, tagValue }) => [tagName, tagValue]),
      ),
      host: new HostSandbox({ id: `${this.#base}/${id}`, root, env: variables(request) }),
      running: true,
      createdAt: Date.now() / 1000,
      execs: new Map(),
      idleTimer: undefined,
    };
    this.#sandboxes.set(id, sandbox);
    this.#touch(sandbox);
    return { sandboxId: id, taskId: taskOf(id), commandRouterAccess: this.#access(id) };
  }

  /** Paths in a snapshot stay what they were, unless their first owner still lives. */
  async #makeRoot(id: string, { copy, root }: BuiltImage): Promise<string> {
    const taken = [...this.#sandboxes.values()].some(({ running, host }) =>
      running && host.root === root
    );
    const made = root === undefined || taken ? `${this.#base}/${id}` : root;
    if (copy === undefined) await Deno.mkdir(made);
    else await copyTree(copy, made);
    return made;
  }

  #list({ request }: Call): Promise<Message> {
    const wanted = request.tags as { tagName: string; tagValue: string }[] ?? [];
    const before = Number(request.beforeTimestamp ?? Infinity);
    const sandboxes = [...this.#sandboxes.values()]
      .filter(({ running, createdAt }) => running && createdAt < before)
      .filter(({ tags }) => wanted.every(({ tagName, tagValue }) => tags[tagName] === tagValue))
      .sort((a, b) => b.createdAt - a.createdAt);
    return reply({ sandboxes: sandboxes.map(({ id, createdAt }) => ({ id, createdAt })) });
  }

  #execStart({ request }: Call): Promise<Message> {
    const sandbox = this.#task(request.taskId);
    clearTimeout(sandbox.idleTimer);
    const pty = request.ptyInfo as { winszRows: number; winszCols: number } | undefined;
    const process = sandbox.host.start({
      argv: request.commandArgs as string[],
      env: variables(request),
      ...(pty ? { terminal: { rows: pty.winszRows, columns: pty.winszCols } } : {}),
    });
    const output = new ModalOutput(process.output);
    sandbox.execs.set(String(request.execId), { process, output, received: 0 });
    process.exited.then(() => this.#touch(sandbox));
    return reply({});
  }

  async #execInput({ request }: Call): Promise<Message> {
    const exec = this.#exec(request);
    const data = request.data as Uint8Array | undefined ?? new Uint8Array();
    const offset = Number(request.offset ?? 0);
    if (offset > exec.received) throw new GrpcError(STATUS.invalidArgument, "Input has a gap");
    // A repeated request brings bytes that are here already.
    const fresh = data.subarray(exec.received - offset);
    exec.received += fresh.length;
    try {
      if (fresh.length > 0) await exec.process.write(fresh);
      if (request.eof) await exec.process.closeInput();
    } catch {
      throw new GrpcError(STATUS.failedPrecondition, "The process takes no input");
    }
    return {};
  }

  async #snapshot({ request }: Call): Promise<Message> {
    const sandbox = this.#task(request.taskId);
    const imageId = `im-snapshot-${++this.#ids}`;
    const copy = `${this.#base}/${imageId}`;
    await copyTree(sandbox.host.root, copy);
    this.#images.set(imageId, { commands: [], copy, root: sandbox.host.root });
    return { imageId };
  }

  /** Begins to count the idle time when nothing runs. */
  #touch(sandbox: Sandbox): void {
    const seconds = sandbox.definition.idleTimeoutSecs as number | undefined;
    clearTimeout(sandbox.idleTimer);
    if (!sandbox.running || seconds === undefined || sandbox.host.processes.size > 0) return;
    sandbox.idleTimer = setTimeout(() => void this.terminate(sandbox.id), seconds * 1000);
  }

  #sandbox(id: unknown): Sandbox {
    const sandbox = this.#sandboxes.get(String(id));
    if (!sandbox) throw new GrpcError(STATUS.notFound, `There is no sandbox ${id}`);
    return sandbox;
  }

  #named(name: string): Sandbox | undefined {
    return [...this.#sandboxes.values()]
      .find(({ running, definition }) => running && definition.name === name);
  }

  #task(id: unknown): Sandbox {
    const sandbox = this.#sandboxes.get(String(id).replace(/^ta-/, ""));
    if (!sandbox?.running) throw new GrpcError(STATUS.notFound, `There is no task ${id}`);
    return sandbox;
  }

  #exec(request: Message): Exec {
    const exec = this.#task(request.taskId).execs.get(String(request.execId));
    if (!exec) throw new GrpcError(STATUS.notFound, `There is no exec ${request.execId}`);
    return exec;
  }

  #image(id: unknown): BuiltImage & { id: string } {
    const image = this.#images.get(String(id));
    if (!image) throw new GrpcError(STATUS.notFound, `Could not find image with ID ${id}`);
    return { id: String(id), ...image };
  }

  #access(sandboxId: string): Message {
    return { jwt: jwt(taskOf(sandboxId)), url: this.url.replace("http:", "https:") };
  }

  #checkJwt({ metadata, request }: Call): void {
    if (metadata.authorization !== `Bearer ${jwt(String(request.taskId))}`) {
      throw new GrpcError(STATUS.unauthenticated, "The task's token is wrong");
    }
  }
}

function checkToken({ metadata }: Call): void {
  const { "x-modal-token-id": id, "x-modal-token-secret": secret } = metadata;
  if (id !== MODAL_TOKEN.id || secret !== MODAL_TOKEN.secret) {
    throw new GrpcError(STATUS.unauthenticated, "Token ID is malformed or unknown");
  }
}

function taskOf(sandboxId: string): string {
  return `ta-${sandboxId}`;
}

function gone(): GrpcError {
  return new GrpcError(STATUS.unavailable, "The worker is gone");
}

/** Unsigned, but with an end far away: the SDK reads that. */
function jwt(subject: string): string {
  return ["{}", JSON.stringify({ exp: 4_000_000_000, sub: subject }), "none"].map(btoa).join(".");
}

function reply(message: Message): Promise<Message> {
  return Promise.resolve(message);
}

function variables(request: Message): Record<string, string> {
  type Source = { env?: { contents?: { key: string; value?: string }[] } };
  const sources = request.secretSources as Source[] | undefined ?? [];
  return Object.fromEntries(
    sources.flatMap(({ env }) => env?.contents ?? []).map(({ key, value }) => [key, value ?? ""]),
  );
}

async function exitOf({ process }: Exec): Promise<Message> {
  const { code, signal } = await process.exited;
  return signal === null ? { code } : { signal: code - 128 };
}

async function copyTree(from: string, to: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("/bin/cp", { args: ["-a", from, to] })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

if (import.meta.main) {
  const server = await ModalServer.start();
  const quiet = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async () => {
    await server.whenQuiet();
    return new Response();
  });
  console.log(`${server.url} http://127.0.0.1:${quiet.addr.port}`);
  for await (const _ of Deno.stdin.readable) { /* Serves until its parent is gone. */ }
  await quiet.shutdown();
  await server.close();
}
