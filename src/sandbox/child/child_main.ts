/**
 * The trusted bootstrap of every script and plugin, the body of `hermes __sandbox`. Connects,
 * takes authority from its own process, and only then lets foreign code in, by a computed
 * specifier (a main module's imports would not be checked). Python replaces it by `execve`.
 */
import { type RunFrame, ToolClient } from "./child_rpc.ts";
import { hostGuest } from "./guest_host.ts";
import { hideInternalsAtUse, hideInternalsNow } from "../walls/internals.ts";
import { keepNoFiles } from "../walls/descriptors.ts";
import { compileFilter } from "../walls/seccomp.ts";
import type { BootSpec, Wall } from "./contract.ts";
import {
  architecture,
  cString,
  type Libc,
  openLibc,
  pointerArray,
  unixAddress,
} from "../../process/launcher/libc.ts";
import {
  limitResources,
  raiseKernelWalls,
  refuseImports,
  revokePermissions,
} from "../walls/walls.ts";
import { dropPrivileges } from "../walls/drop_privileges.ts";

/** Where the stub module finds the way out while it is evaluated. */
const CALL_KEY = Symbol.for("hermes.call");
/** What a script does instead of reaching out itself. */
const OUTSIDE_HINT = "scripts reach files, network and programs through hermes_tools only";
/** Address space of the interpreter itself and the libraries a script may load. */
const INTERPRETER_BYTES = 256 * 1024 * 1024;
/** Without it every thread would reserve 64 MB of address space. The prelude takes it out again. */
const INTERPRETER_ENV = ["MALLOC_ARENA_MAX=1"];
const BROKEN = 70;
const { exit, stderr } = Deno;

/**
 * Becomes a script child. Resolves when it listens; the process then ends by itself, when the
 * script is done, so the caller must neither exit nor keep a top-level `await` open.
 */
export async function runChild(): Promise<void> {
  try {
    const boot = JSON.parse(readLine()) as BootSpec;
    if (boot.guest) await hostGuest(boot, boot.guest);
    else if (boot.python) execPython(boot, boot.python);
    else await hostScript(boot);
  } catch (error) {
    print(`sandbox: ${error instanceof Error ? error.message : error}\n`);
    exit(BROKEN);
  }
}

/** Reads standard input synchronously: an asynchronous read would start a thread before the walls stand. */
function readLine(): string {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  while (!text.endsWith("\n")) {
    const count = Deno.stdin.readSync(buffer);
    if (count === null) throw new Error("no boot line on standard input");
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  return text;
}

function print(text: string): void {
  stderr.writeSync(new TextEncoder().encode(text));
}

function prepareProcess(boot: BootSpec): Libc | undefined {
  if (Deno.build.os !== "linux") return undefined;
  const libc = openLibc();
  keepNoFiles(libc);
  dropPrivileges(libc, boot.parentPid);
  limitResources(libc, boot.limits);
  return libc;
}

async function hostScript(boot: BootSpec): Promise<void> {
  const connection = await Deno.connect({ transport: "unix", path: boot.socket });
  const client = new ToolClient(connection);
  if (!boot.checksImports) await refuseImports();
  // The local time zone is read from a file at first use.
  new Date().getTimezoneOffset();
  const libc = prepareProcess(boot);
  const walls: Wall[] = libc === undefined
    ? []
    : raiseKernelWalls(libc, { profile: "script", grants: [], without: boot.without });
  libc?.close();
  if (!boot.without.includes("permissions")) {
    revokePermissions();
    walls.push("permissions");
  }
  if (!boot.without.includes("internals")) {
    if (boot.checksImports) hideInternalsAtUse();
    else hideInternalsNow();
  }
  client.send({ t: "hello", token: boot.token, walls });
  const script = new ScriptHost(client);
  client.serve((frame) => script.run(frame)).catch(() => {
    // A reset is a hang-up too.
  }).then(() => {
    print("Agent process disconnected\n");
    exit(1);
  });
}

/** Evaluates scripts and reports how they ended. */
class ScriptHost {
  #client: ToolClient;
  #session = false;
  #failed = false;

  constructor(client: ToolClient) {
    this.#client = client;
    globalThis.addEventListener("unhandledrejection", (event) => {
      event.preventDefault();
      this.#fail(event.reason);
    });
    globalThis.addEventListener("error", (event) => {
      event.preventDefault();
      this.#fail(event.error);
    });
  }

  async run(frame: RunFrame): Promise<void> {
    this.#session = frame.session;
    this.#failed = false;
    // From here on the connection alone does not keep the process: a session's run does.
    if (!frame.session) this.#client.release();
    try {
      await this.#import(frame);
    } catch (error) {
      this.#fail(error);
    }
    if (!frame.session) return;
    await this.#client.idle();
    this.#client.send({ t: "done", ok: !this.#failed });
  }

  async #import(frame: RunFrame): Promise<void> {
    const client = this.#client;
    const call = (tool: string, args: unknown, full?: boolean) => client.call(tool, args, full);
    Object.defineProperty(globalThis, CALL_KEY, { value: call, configurable: true });
    await import(frame.stub);
    Reflect.deleteProperty(globalThis, CALL_KEY);
    await import(frame.main);
  }

  #fail(reason: unknown): void {
    this.#failed = true;
    print(describeFailure(reason));
    if (!this.#session) exit(1);
  }
}

/** The error as the script's author wants it: own lines only, `script.ts` for the encoded module. */
function describeFailure(reason: unknown): string {
  const text = reason instanceof Error
    ? reason.stack ?? `${reason.name}: ${reason.message}`
    : `Uncaught ${Deno.inspect(reason)}`;
  const lines = text
    .replace(/data:application\/javascript;base64,[\w+/=.]+/g, "script.ts")
    .replace(/, run again with the --[\w-]+ flag/, `: ${OUTSIDE_HINT}`)
    .split("\n")
    .filter((line) => !/^ {4}at .*(data:text\/javascript|\bfile:\/\/|\bext:)/.test(line));
  return `${lines.join("\n")}\n`;
}

/** Becomes the interpreter, behind the walls. Returns only by throwing. */
function execPython(boot: BootSpec, python: NonNullable<BootSpec["python"]>): never {
  const libc = prepareProcess(boot);
  if (libc === undefined) throw new Error("Python needs the walls of a Linux kernel");
  const socket = libc.call("socket", 1, 1, 0); // AF_UNIX, SOCK_STREAM, kept across execve
  const address = unixAddress(boot.socket);
  if (socket < 0 || libc.call("connect", socket, address, address.length) !== 0) {
    throw new Error("cannot connect to the parent");
  }
  const filter = compileFilter("python", { arch: architecture(), pid: Deno.pid });
  const { executable, prelude, scratch } = python;
  const { memoryBytes } = boot.limits;
  const strings = [executable, "-I", "-S", "-B", "-X", "utf8", "-c", prelude]
    .concat(`${socket}`, scratch, filter.toHex(), `${memoryBytes}`)
    .concat(`${memoryBytes + INTERPRETER_BYTES}`).map(cString);
  const path = cString(executable);
  const walls = raiseKernelWalls(libc, {
    profile: "python_start",
    grants: python.grants,
    without: boot.without,
  });
  const hello = cString(`${JSON.stringify({ t: "hello", token: boot.token, walls })}\n`);
  libc.call("write", socket, hello, hello.length - 1);
  libc.call("execve", path, pointerArray(strings), pointerArray(INTERPRETER_ENV.map(cString)));
  throw new Error(`cannot execute ${executable}`);
}

if (import.meta.main) runChild();
