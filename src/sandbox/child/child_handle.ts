/**
 * One child as a thing of the operating system: private directory, socket, process, output and
 * its end. Knows nothing of scripts or plugins; `../script/script_run.ts` and `src/plugins` do.
 */
import { onlyVariables } from "../../process/child_environment.ts";
import { signalGroup } from "../../process/group.ts";
import { spawnChild } from "../../process/spawn.ts";
import { randomId } from "../../util/id.ts";
import { makePlace, type Place, removePlace } from "./child_place.ts";
import { type ChildProgram, childProgram } from "./child_program.ts";
import {
  CHILD_ENV,
  childCommand,
  guestCommand,
  programGrants,
  programName,
  refuseProgramWrites,
} from "./child_command.ts";
import type { BootSpec, ChildMode, GuestBoot, Wall } from "./contract.ts";
import { needsStreamsOnly } from "./guest_host.ts";
import type { PathGrant } from "../walls/landlock.ts";
import { launch, type Launched } from "../walls/launch.ts";
import { FrameWriter, parseFrame } from "./frames.ts";
import { acceptChild, type Greeted } from "./handshake.ts";
import { type Captures, OutputPump } from "./output_pump.ts";
import type { PythonRuntime } from "../script/python.ts";
import { PYTHON_PRELUDE } from "../script/python_prelude_data.ts";

export interface ChildSpec {
  mode: ChildMode;
  memoryMb: number;
  cpuSeconds: number;
  /** The largest file it may write; default 64 MiB. */
  fileBytes?: number | undefined;
  /** Walls left down, for tests. */
  without: readonly Wall[];
  python?: PythonRuntime | undefined;
  guest?: GuestSpec | undefined;
  /** Where the private directory is made; default the system's place. */
  tempDir?: string | undefined;
}

/** A plugin's process: what it runs and what it is left with. */
export interface GuestSpec extends GuestBoot {
  /** Its whole environment. */
  env: Readonly<Record<string, string>>;
  /** What the kernel lets it open; follows from the permissions. */
  paths: readonly PathGrant[];
}

/** Makes the C library ask for names over TCP. */
const RESOLVE_BY_STREAM = { RES_OPTIONS: "use-vc" } as const;
const PYTHON_DID_NOT_START = "Python did not start";
const BOOT_TIMEOUT_MS = 60_000;
const KILL_GRACE_MS = 5_000;
const TOKEN_CHARS = 32;
const FILE_BYTES = 64 * 1024 * 1024;
/** The runtime needs some; Python could hold that many removed files open. */
const OPEN_FILES = { script: 256, python: 32 } as const;

export class ChildHandle {
  /** What the child says, after its greeting. */
  readonly frames: AsyncGenerator<string[], void, void>;
  readonly writer: FrameWriter;
  /** The walls it stands behind. */
  readonly walls: readonly Wall[];
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<Deno.CommandStatus>;
  readonly #connection: Deno.UnixConn;
  readonly #process: Deno.ChildProcess;
  readonly #output: OutputPump;
  readonly #place: Place;
  #killTimer: ReturnType<typeof setTimeout> | undefined;
  #disposing: Promise<Deno.CommandStatus> | undefined;

  constructor(parts: {
    greeted: Greeted<Deno.UnixConn>;
    process: Deno.ChildProcess;
    output: OutputPump;
    place: Place;
  }) {
    this.#connection = parts.greeted.connection;
    this.frames = parts.greeted.frames;
    this.walls = parts.greeted.walls;
    this.writer = new FrameWriter(this.#connection);
    this.exited = parts.process.status;
    this.#process = parts.process;
    this.#output = parts.output;
    this.#place = parts.place;
  }

  /** The only place where the child may write files. */
  get scratch(): string {
    return this.#place.scratch;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Sends what is printed from now on there. */
  capture(captures: Captures): void {
    this.#output.captures = captures;
  }

  /** Asks the process group to end, and makes it end after a grace period. */
  terminate(): void {
    signalGroup(this.#process, "SIGTERM");
    this.#killTimer ??= setTimeout(() => signalGroup(this.#process, "SIGKILL"), KILL_GRACE_MS);
  }

  /** Waits for the end of the process and of its output, then frees everything. Safe to call twice. */
  dispose(): Promise<Deno.CommandStatus> {
    return this.#disposing ??= this.#dispose();
  }

  async #dispose(): Promise<Deno.CommandStatus> {
    const status = await this.exited;
    clearTimeout(this.#killTimer);
    // What it has started does not outlive it.
    signalGroup(this.#process, "SIGKILL");
    await this.#output.finished;
    this.#connection.close();
    await removePlace(this.#place);
    return status;
  }

  /** Ends it now. */
  async kill(): Promise<void> {
    signalGroup(this.#process, "SIGKILL");
    await this.dispose();
  }
}

/** Starts a child and waits until it stands behind its walls. @throws when it does not start. */
export async function startChild(spec: ChildSpec): Promise<ChildHandle> {
  if (spec.guest !== undefined) refuseProgramWrites(spec.guest.paths);
  const place = makePlace({ tempDir: spec.tempDir });
  try {
    return await startIn(place, spec);
  } catch (error) {
    await removePlace(place);
    throw error;
  }
}

async function startIn(place: Place, spec: ChildSpec): Promise<ChildHandle> {
  const listener = listenPrivately(place.socket);
  try {
    return await meet(listener, place, spec);
  } finally {
    closeQuietly(listener);
  }
}

/** The directory is private already; so is the socket, should anybody get into it. */
function listenPrivately(path: string): Deno.UnixListener {
  const listener = Deno.listen({ transport: "unix", path });
  Deno.chmodSync(path, 0o600);
  return listener;
}

/** Spawns the child and waits for its greeting; a child that dies or takes too long ends the wait. */
async function meet(
  listener: Deno.UnixListener,
  place: Place,
  spec: ChildSpec,
): Promise<ChildHandle> {
  const token = randomId(TOKEN_CHARS);
  const program = await childProgram(programName(spec.mode), place.directory);
  const { process, ...born } = spawn({ ...place, program }, spec);
  const output = new OutputPump(process);
  const timer = setTimeout(() => signalGroup(process, "SIGKILL"), BOOT_TIMEOUT_MS);
  process.status.then(() => closeQuietly(listener));
  let greeted: Greeted<Deno.UnixConn> | undefined;
  try {
    await sendBoot(process, { ...bootSpec(spec, { ...place, token }), ...born });
    greeted = await acceptChild(listener, token);
    if (spec.python) await interpreterReady(greeted.frames);
    return new ChildHandle({ greeted, process, output, place });
  } catch (error) {
    greeted?.connection.close();
    signalGroup(process, "SIGKILL");
    await process.status;
    await output.finished;
    throw new Error(startFailure(error as Error, { early: output.early, spec }), { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** What the child said itself; an interpreter may be gone before its greeting was read. */
function startFailure(
  error: Error,
  { early, spec }: { early: string; spec: ChildSpec },
): string {
  if (early !== "") return early.trim();
  return spec.python ? PYTHON_DID_NOT_START : error.message;
}

/** The bootstrap greets; the interpreter it becomes says when its last wall stands. */
async function interpreterReady(frames: AsyncGenerator<string[]>): Promise<void> {
  const { value, done } = await frames.next();
  if (done || parseFrame(value[0] ?? "").t !== "ready") throw new Error(PYTHON_DID_NOT_START);
}

function closeQuietly(listener: Deno.UnixListener): void {
  try {
    listener.close();
  } catch {
    // Closed already, after the child was let in.
  }
}

/** Where a child is started, and with what. */
interface Start extends Place {
  program: ChildProgram;
}

function spawn(start: Start, spec: ChildSpec): Launched {
  const { guest } = spec;
  if (guest !== undefined && Deno.build.os === "linux") {
    return launchGuest(start, { ...spec, guest });
  }
  const { command, args } = finalCommand(start, spec);
  const process = spawnChild({
    argv: [command, ...args],
    env: onlyVariables({ ...guest?.env, ...CHILD_ENV }),
    cwd: start.scratch,
    group: "session",
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  return { process, standing: [] };
}

function finalCommand({ socket, program }: Start, spec: ChildSpec) {
  const { mode, without, memoryMb: heapMb, guest } = spec;
  const options = { mode, program: program.url, socket, heapMb, without };
  if (guest === undefined) return childCommand(options);
  return guestCommand({ ...options, permissions: guest.permissions });
}

function launchGuest(start: Start, spec: ChildSpec & { guest: GuestSpec }): Launched {
  const { env, paths, ports } = spec.guest;
  return launch({
    ...finalCommand(start, spec),
    env: { ...env, ...CHILD_ENV, ...(needsStreamsOnly(spec.guest) && RESOLVE_BY_STREAM) },
    cwd: start.scratch,
    directory: start.directory,
    grants: { paths: [...programGrants(start.program), ...paths], ports },
    without: spec.without,
  });
}

function bootSpec(spec: ChildSpec, place: Place & { token: string }): BootSpec {
  const boot: BootSpec = {
    socket: place.socket,
    token: place.token,
    parentPid: Deno.pid,
    without: [...spec.without],
    checksImports: spec.mode === "deno",
    limits: {
      memoryBytes: spec.memoryMb * 1024 * 1024,
      cpuSeconds: spec.cpuSeconds,
      fileBytes: spec.fileBytes ?? FILE_BYTES,
      openFiles: spec.python ? OPEN_FILES.python : OPEN_FILES.script,
    },
  };
  if (spec.guest !== undefined) {
    const { module, permissions, modulesUrl, ports } = spec.guest;
    return { ...boot, guest: { module, permissions, modulesUrl, ports } };
  }
  if (spec.python === undefined) return boot;
  const { executable, grants } = spec.python;
  const scratch = place.scratch;
  return {
    ...boot,
    python: {
      executable,
      prelude: PYTHON_PRELUDE,
      scratch,
      grants: [...grants, { path: scratch, access: "work" }],
    },
  };
}

async function sendBoot(process: Deno.ChildProcess, boot: BootSpec): Promise<void> {
  const writer = process.stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(`${JSON.stringify(boot)}\n`));
    await writer.close();
  } catch {
    // The child died at once; the wait for its greeting ends and tells why.
  }
}
