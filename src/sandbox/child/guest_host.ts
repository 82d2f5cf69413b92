/**
 * The inside of a plugin's process: connects, raises the walls that leave the plugin
 * exactly what it was granted, and lets the guest module in. What guest and host say to each
 * other is theirs; frames only pass through here.
 */
import type { BootSpec, GuestBoot } from "./contract.ts";
import { keepNoFiles } from "../walls/descriptors.ts";
import { type ImportRules, makeImportHooks } from "../walls/import_hooks.ts";
import { changedModules, hideInternalsAtUse, makeStrip } from "../walls/internals.ts";
import { FrameWriter, readFrames } from "./frames.ts";
import { openLibc } from "../../process/launcher/libc.ts";
import type { PluginProfile } from "../walls/seccomp.ts";
import { dropPrivileges } from "../walls/drop_privileges.ts";
import { limitResources, raiseSeccomp, revokePermissions, tryWall } from "../walls/walls.ts";

/** How a guest module talks to its host; it finds one at `Symbol.for("hermes.channel")` while it is evaluated. */
export interface GuestChannel {
  send(frame: unknown): void;
  receive(listener: (frame: unknown) => void): void;
}

interface GuestOutlet {
  writer: FrameWriter;
  /** Raises the walls; the plugin itself comes only after the greeting. */
  raise: () => void;
  hidesInternals: boolean;
}

interface LocalOutlet extends GuestOutlet {
  /** The kinds of permission that stay; undefined keeps all. */
  keep: string[] | undefined;
}

const CHANNEL_KEY = Symbol.for("hermes.channel");
const { exit } = Deno;

/** Resolves when the guest listens; the process ends with its parent. */
export async function hostGuest(boot: BootSpec, guest: GuestBoot): Promise<void> {
  const connection = await Deno.connect({ transport: "unix", path: boot.socket });
  const writer = new FrameWriter(connection);
  const walls = [...boot.standing ?? []];
  const raise = () => {
    if (raiseCallFilter(boot, guest)) walls.push("seccomp");
  };
  const hidesInternals = !boot.without.includes("internals");
  const permitted = boot.without.includes("permissions");
  const deliver = boot.checksImports || permitted
    ? await loadHere(guest, {
      writer,
      raise,
      hidesInternals: hidesInternals && boot.checksImports,
      keep: permitted ? undefined : keptKinds(boot, guest),
    })
    : await loadInWorker(guest, { writer, raise, hidesInternals });
  if (!permitted) walls.push("permissions");
  writer.send({ t: "hello", token: boot.token, walls });
  serve(connection, deliver).finally(() => exit(1));
}

async function serve(connection: Deno.Conn, deliver: (line: string) => void): Promise<void> {
  for await (const lines of readFrames(connection)) lines.forEach((line) => deliver(line));
}

function raiseCallFilter(boot: BootSpec, guest: GuestBoot): boolean {
  if (Deno.build.os !== "linux") return false;
  const libc = openLibc();
  dropPrivileges(libc, boot.parentPid);
  // Closes the status file.
  limitResources(libc, { ...boot.limits, status: boot.statusDescriptor });
  keepNoFiles(libc);
  const profile = profileOf(guest);
  const raised = !boot.without.includes("seccomp") && tryWall(() => raiseSeccomp(libc, profile));
  libc.close();
  return raised;
}

function profileOf(guest: GuestBoot): PluginProfile {
  const { net, run } = guest.permissions;
  if (net.length === 0) return run.length > 0 ? "plugin_run" : "plugin";
  return run.length === 0
    ? "plugin_net"
    : needsStreamsOnly(guest)
    ? "plugin_tcp_run"
    : "plugin_net_run";
}

/**
 * True when programs of the plugin could send datagrams where the plugin has declared nothing:
 * Deno's permissions bind the plugin itself, Landlock knows ports of TCP only. Names are then
 * asked for over TCP.
 */
export function needsStreamsOnly({ permissions, ports }: GuestBoot): boolean {
  return permissions.run.length > 0 && permissions.net.length > 0 && ports !== "any";
}

/** The kinds that flags have narrowed already; of these only what the bootstrap needed is taken back. */
function keptKinds({ socket }: BootSpec, { permissions }: GuestBoot): string[] {
  for (const name of ["write", "read"] as const) {
    // Revoking a path takes every grant that holds it: one the plugin has stays.
    const granted = permissions[name].some((one) => socket === one || socket.startsWith(`${one}/`));
    if (!granted) Deno.permissions.revokeSync({ name, path: socket });
  }
  return Object.entries(permissions).filter(([, list]) => list.length > 0).map(([kind]) => kind);
}

/** Lets the guest into this realm, behind the walls that `raise` raises. */
async function loadHere(
  guest: GuestBoot,
  { writer, raise, keep, hidesInternals }: LocalOutlet,
): Promise<(line: string) => void> {
  raise();
  if (keep !== undefined) revokePermissions(keep);
  let listener: (frame: unknown) => void = () => {};
  const channel: GuestChannel = {
    send: (frame) => writer.send(frame),
    receive: (given) => listener = given,
  };
  if (hidesInternals) hideInternalsAtUse();
  Object.defineProperty(globalThis, CHANNEL_KEY, { value: channel, configurable: true });
  await import(guest.module);
  Reflect.deleteProperty(globalThis, CHANNEL_KEY);
  return (line) => listener(JSON.parse(line));
}

/**
 * Lets the guest into a worker: a compiled build starts with every permission, and only a new
 * realm can begin with some of them. The process is still what is stopped. The walls are raised
 * behind it: a realm takes half a gigabyte of address space, which is not the plugin's to use.
 */
async function loadInWorker(
  guest: GuestBoot,
  { writer, raise, hidesInternals }: GuestOutlet,
): Promise<(line: string) => void> {
  const rules: ImportRules = {
    who: "plugin",
    changed: changedModules(),
    modulesUrl: guest.modulesUrl,
  };
  const hide = hidesInternals ? `(${makeStrip})()` : "() => {}";
  const hooks = `(${makeImportHooks})(${JSON.stringify(rules)})`;
  const source = `(${workerMain})(${JSON.stringify(guest.module)}, ${hooks}, ${hide});`;
  const root = `data:application/javascript;base64,${new TextEncoder().encode(source).toBase64()}`;
  const permissions = { ...guest.permissions, ffi: false, sys: false, import: false };
  const options = { type: "module", deno: { permissions } } as WorkerOptions;
  const worker = new Worker(root, options);
  worker.addEventListener("error", (event) => {
    Deno.stderr.writeSync(new TextEncoder().encode(`${event.message}\n`));
    exit(1);
  });
  await new Promise((resolve) => worker.addEventListener("message", resolve, { once: true }));
  worker.addEventListener("message", ({ data }) => {
    if (data === "") exit(0);
    writer.sendLine(data);
  });
  raise();
  revokePermissions();
  return (line) => worker.postMessage(line);
}

/** Runs in the worker, from its own text alone. Sends `ready`, then frames; an empty text means exit. */
async function workerMain(
  module: string,
  hooks: ReturnType<typeof makeImportHooks>,
  hide: ReturnType<typeof makeStrip>,
): Promise<void> {
  const scope = globalThis as unknown as {
    postMessage(line: string): void;
    onmessage: (event: { data: string }) => void;
  };
  const post = scope.postMessage.bind(scope);
  (await import("node:module")).registerHooks(hooks);
  for (const name of ["Worker", "caches", "localStorage", "sessionStorage"]) {
    Reflect.deleteProperty(globalThis, name);
  }
  Reflect.deleteProperty(Object.getPrototypeOf(navigator), "gpu");
  const runtime = Deno as unknown as { internal: symbol; exit: () => void };
  Reflect.deleteProperty(runtime, runtime.internal);
  // A worker's own exit would end its thread without a report.
  Object.defineProperty(runtime, "exit", { value: () => post("") });
  const key = Symbol.for("hermes.channel");
  const channel = {
    send: (frame: unknown) => post(JSON.stringify(frame)),
    receive(listener: (frame: unknown) => void) {
      scope.onmessage = ({ data }) => listener(JSON.parse(data));
    },
  };
  Object.defineProperty(globalThis, key, { value: channel, configurable: true });
  hide((globalThis as unknown as { process: Parameters<typeof hide>[0] }).process);
  await import(module);
  Reflect.deleteProperty(globalThis, key);
  post("ready");
}
