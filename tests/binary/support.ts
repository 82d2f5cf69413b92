/**
 * The artefact under test, the executable that `HERMES_BIN` names or a portable build of this
 * tree, and the bare machine it has to work on: neither Deno nor Node to be found.
 */
import assert from "node:assert/strict";
import { portableExecutable } from "../../scripts/portable.ts";
import { sha256Hex } from "../../src/util/hash.ts";

export const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
/** Looked in first: what a version manager puts before them does not run without its own setup. */
const SYSTEM_PATH = ["/usr/local/bin", "/usr/bin", "/bin"];
const RUNTIMES = ["deno", "node", "nodejs", "npm", "npx", "corepack", "bun", "tsx"];

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

let built: Promise<string> | undefined;

/** The executable under test. */
export async function artefact(): Promise<string> {
  return Deno.env.get("HERMES_BIN") || await (built ??= portableExecutable());
}

/** True for the self-extracting build, which the unpacking cases are about. */
export async function isPortable(path: string): Promise<boolean> {
  using file = await Deno.open(path);
  const head = new Uint8Array(9);
  await file.read(head);
  return new TextDecoder().decode(head) === "#!/bin/sh";
}

/** Where the suites share one unpacked copy. */
export const UNPACKED = `${ROOT}/dist/cache/unpacked`;

export interface Machine extends AsyncDisposable {
  /** An empty home. */
  home: string;
  /** A directory with every program of this machine but the JavaScript runtimes. */
  path: string;
  /** Its environment; there is nothing else in it. */
  env: Record<string, string>;
}

/** A user's account with an empty home and no runtime in reach; with programs it may change or not. */
export async function bareMachine(options: { ownPrograms?: boolean } = {}): Promise<Machine> {
  const root = await Deno.makeTempDir({ prefix: "hermes-binary-" });
  const home = `${root}/home`;
  await Deno.mkdir(home);
  const path = options.ownPrograms ? `${root}/bin` : await sharedPrograms();
  if (options.ownPrograms) await linkPrograms(await findPrograms(), path);
  return {
    home,
    path,
    env: { HOME: home, PATH: path, HERMES_BIN_CACHE: UNPACKED, NO_COLOR: "1", LANG: "C.UTF-8" },
    async [Symbol.asyncDispose]() {
      await Deno.remove(root, { recursive: true });
    },
  };
}

type Programs = ReadonlyMap<string, string>;

/** Every program in reach that is no runtime, by name. */
async function findPrograms(): Promise<Programs> {
  const programs = new Map<string, string>();
  for (const directory of [...SYSTEM_PATH, ...Deno.env.get("PATH")!.split(":")]) {
    for (const name of await listing(directory)) {
      if (!programs.has(name) && !RUNTIMES.includes(name)) {
        programs.set(name, `${directory}/${name}`);
      }
    }
  }
  return programs;
}

async function linkPrograms(programs: Programs, directory: string): Promise<void> {
  await Deno.mkdir(directory, { recursive: true });
  for (const [name, target] of programs) await Deno.symlink(target, `${directory}/${name}`);
}

/** Over a thousand links take a second: all machines share a directory that none of them changes. */
async function sharedPrograms(): Promise<string> {
  const programs = await findPrograms();
  const key = await sha256Hex(JSON.stringify([...programs].sort()));
  const shared = `${ROOT}/dist/cache/programs-${key.slice(0, 16)}`;
  if (await Deno.stat(shared).catch(() => undefined) !== undefined) return shared;
  const draft = `${shared}.${crypto.randomUUID()}`;
  await linkPrograms(programs, draft);
  try {
    await Deno.rename(draft, shared);
  } catch {
    await Deno.remove(draft, { recursive: true }); // Another test was faster.
  }
  return shared;
}

async function listing(directory: string): Promise<string[]> {
  try {
    return await Array.fromAsync(Deno.readDir(directory), ({ name }) => name);
  } catch {
    return []; // PATH may name directories that do not exist
  }
}

export interface Installed {
  machine: Machine;
  /** The executable. */
  path: string;
  hermes(args: readonly string[], options?: { stdin?: string; cwd?: string }): Promise<Outcome>;
}

/**
 * Copies a program in a process of its own: what this one writes is open in whatever another test
 * starts at that moment, and then the program is busy.
 */
export async function copyProgram(from: string, to: string): Promise<void> {
  const { success } = await new Deno.Command("cp", { args: [from, to] }).output();
  assert.ok(success, `cannot copy ${from} to ${to}`);
}

/** The same for a program that a test has made. */
export async function writeProgram(path: string, bytes: Uint8Array): Promise<void> {
  const part = `${path}.part`;
  await Deno.writeFile(part, bytes, { mode: 0o755 });
  await copyProgram(part, path);
  await Deno.remove(part);
}

/** The artefact on a bare machine, in a directory where nothing can be written. */
export async function withInstalled(body: (installed: Installed) => Promise<void>): Promise<void> {
  await using machine = await bareMachine();
  const directory = await Deno.makeTempDir({ prefix: "hermes-installed-" });
  const path = `${directory}/hermes`;
  try {
    await copyProgram(await artefact(), path);
    await Deno.chmod(path, 0o555);
    await Deno.chmod(directory, 0o555);
    const changedAt = () =>
      Promise.all([directory, path].map(async (file) => (await Deno.stat(file)).mtime));
    const before = await changedAt();
    const hermes: Installed["hermes"] = (args, options = {}) =>
      run([path, ...args], { env: machine.env, ...options });
    await body({ machine, path, hermes });
    // Root can write anywhere: the mode alone would prove nothing.
    assert.deepEqual(await changedAt(), before, "something was written beside the executable");
  } finally {
    await Deno.chmod(directory, 0o755);
    await Deno.remove(directory, { recursive: true });
  }
}

export interface RunOptions {
  env: Record<string, string>;
  cwd?: string;
  stdin?: string;
}

/** Runs a command with exactly this environment, to its end. */
export async function run(
  command: readonly string[],
  options: RunOptions,
): Promise<Outcome> {
  const child = new Deno.Command(command[0]!, {
    args: command.slice(1),
    cwd: options.cwd ?? options.env.HOME ?? "/",
    env: options.env,
    clearEnv: true,
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Says why a test does not run here. */
export function skip(reason: string): void {
  console.log(`not run: ${reason}`);
}
