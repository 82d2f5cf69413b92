/** A plugin's process with test code in the place of the trusted module, and what the kernel says of it. */
import type { GuestPermissions } from "../../src/sandbox/child/contract.ts";
import {
  type ChildHandle,
  type ChildSpec,
  startChild,
} from "../../src/sandbox/child/child_handle.ts";

export interface GuestOptions extends Partial<Omit<ChildSpec, "guest">> {
  tempDir: string;
  permissions?: Partial<GuestPermissions>;
  paths?: NonNullable<ChildSpec["guest"]>["paths"];
  ports?: NonNullable<ChildSpec["guest"]>["ports"];
}

/** Starts a guest that runs `code` after the greeting, as a plugin does; `send` speaks to the test. */
export async function startGuest(code: string, options: GuestOptions): Promise<ChildHandle> {
  const { permissions, paths = [], ports = [], ...spec } = options;
  const source = `const { send } = globalThis[Symbol.for("hermes.channel")];
setTimeout(async () => {${code}}, 10);`;
  return await startChild({
    mode: "deno",
    memoryMb: 256,
    cpuSeconds: 60,
    without: [],
    ...spec,
    guest: {
      module: `data:text/javascript,${encodeURIComponent(source)}`,
      modulesUrl: `file://${options.tempDir}/modules/`,
      permissions: { read: [], write: [], net: [], env: [], run: [], ...permissions },
      env: {},
      paths,
      ports,
    },
  });
}

/** What a program needs to run. */
export function programPaths(program: string): NonNullable<GuestOptions["paths"]> {
  const trees = ["/lib", "/lib64", "/usr/lib"].map((path) => ({ path, access: "tree" }) as const);
  return [{ path: program, access: "run" }, ...trees];
}

/** Starts a guest that starts a program for a minute, sends its number and does what comes `after`. */
export async function startProgram(
  program: string,
  { tempDir, after }: { tempDir: string; after: string },
): Promise<ChildHandle> {
  return await startGuest(
    `const { pid } = new Deno.Command(${JSON.stringify(program)}, {
       args: ["60"], stdin: "null", stdout: "null", stderr: "null",
     }).spawn();
     send(pid);
     ${after}`,
    {
      tempDir,
      permissions: { run: [program] },
      paths: programPaths(program),
    },
  );
}

/** The first thing the guest sends. */
export async function firstFrame(child: ChildHandle): Promise<unknown> {
  const { value } = await child.frames.next();
  return JSON.parse(value![0]!);
}

/** Processes that work below a directory, as those of a guest do. */
export function processesIn(directory: string): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    try {
      return Deno.readLinkSync(`/proc/${pid}/cwd`).startsWith(directory);
    } catch {
      return false; // No process, or gone by now.
    }
  });
}

/** The status of each thread. */
export function threadsOf(pid: number): string[] {
  return [...Deno.readDirSync(`/proc/${pid}/task`)]
    .map(({ name }) => Deno.readTextFileSync(`/proc/${pid}/task/${name}/status`));
}

/** What the descriptors of a process stand for. */
export function openFilesOf(pid: number): string[] {
  return [...Deno.readDirSync(`/proc/${pid}/fd`)]
    .map(({ name }) => Deno.readLinkSync(`/proc/${pid}/fd/${name}`));
}
