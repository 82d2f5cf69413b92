/**
 * A service that tests and benchmarks share: the first who needs it starts it, the last one
 * stops it, and nobody minds when some were killed in between. Also installs Debian packages.
 */
import { isOwnerGone, thisOwner } from "../../src/process/owner.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";

/** The machine does not allow the service; the message says why. */
export class ServiceUnavailable extends Error {
  override name = "ServiceUnavailable";
}

export interface ServiceSpec<T> {
  name: string;
  /** True when what an earlier start described still works. */
  works(running: T): Promise<boolean>;
  /** Starts it in a fresh directory. @throws ServiceUnavailable */
  start(dir: string): Promise<T>;
  stop(running: T): Promise<void>;
}

export interface HeldService<T> {
  running: T;
  release(): Promise<void>;
}

/** Names the directory of the services of one run of the tests; without it they are shared. */
export const TEST_SERVICES = "HERMES_TEST_SERVICES";

const MARK = "state.json";
/** Daemons and their helpers are not always on a user's own. */
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Where services live: in a directory of the run of the tests, or of the user. */
function servicesPlace(): string {
  return Deno.env.get(TEST_SERVICES) ?? `/tmp/hermes-services-${Deno.uid()}`;
}

/** Holds the service until released; `T` must be plain JSON. */
export async function holdService<T>(
  spec: ServiceSpec<T>,
  place = servicesPlace(),
): Promise<HeldService<T>> {
  const base = `${place}/${spec.name}`;
  await Deno.mkdir(`${base}/holders`, { recursive: true, mode: 0o700 });
  const holder = `${base}/holders/${crypto.randomUUID()}`;
  const running = await locked(base, async () => {
    const found = await findRunning(base, spec) ?? await startFresh(base, spec);
    await Deno.writeTextFile(holder, await thisOwner());
    return found;
  });
  return {
    running,
    release: () =>
      locked(base, async () => {
        await Deno.remove(holder);
        if (await hasHolders(base)) return;
        await spec.stop(running);
        await Deno.remove(`${base}/${MARK}`);
        await Deno.remove(`${base}/run`, { recursive: true });
      }),
  };
}

async function findRunning<T>(base: string, spec: ServiceSpec<T>): Promise<T | undefined> {
  const text = await Deno.readTextFile(`${base}/${MARK}`).catch(() => undefined);
  if (text === undefined) return undefined;
  const running = JSON.parse(text) as T;
  return await spec.works(running) ? running : undefined;
}

async function startFresh<T>(base: string, spec: ServiceSpec<T>): Promise<T> {
  const dir = `${base}/run`;
  await run(["rm", "-rf", dir]);
  await Deno.mkdir(dir, { mode: 0o700 });
  const running = await spec.start(dir);
  await Deno.writeTextFile(`${base}/${MARK}`, JSON.stringify(running));
  return running;
}

async function hasHolders(base: string): Promise<boolean> {
  let found = false;
  for await (const { name } of Deno.readDir(`${base}/holders`)) {
    const file = `${base}/holders/${name}`;
    if (await isOwnerGone(await Deno.readTextFile(file))) await Deno.remove(file);
    else found = true;
  }
  return found;
}

async function locked<T>(base: string, work: () => Promise<T>): Promise<T> {
  using file = await Deno.open(`${base}/lock`, { create: true, write: true });
  await file.lock(true);
  return await work();
}

export interface RunResult {
  code: number;
  output: string;
}

/** Runs a program; its output and errors together. */
export async function run(
  argv: readonly string[],
  options: { env?: Record<string, string>; stdin?: Uint8Array } = {},
): Promise<RunResult> {
  const child = new Deno.Command(argv[0]!, {
    args: argv.slice(1),
    env: options.env ?? {},
    stdin: options.stdin ? "piped" : "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  if (options.stdin) {
    const writer = child.stdin.getWriter();
    await writer.write(options.stdin);
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** Absolute path of a program, installing the Debian package that has it where need be. */
export async function needProgram(name: string, debianPackage: string): Promise<string> {
  const find = async () => {
    const { code, output } = await run(["/bin/sh", "-c", `PATH=${PATH}; command -v ${name}`]);
    return code === 0 ? output.trim() : undefined;
  };
  const found = await find();
  if (found) return found;
  const root = Deno.uid() === 0 ? [] : ["sudo", "-n"];
  const install = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", debianPackage];
  console.error(`installing ${debianPackage}`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  try {
    if ((await run([...root, ...install], { env })).code !== 0) {
      await run([...root, "apt-get", "update", "-qq"]);
      await run([...root, ...install], { env });
    }
  } catch {
    // Neither apt-get nor sudo here; said below.
  }
  const installed = await find();
  if (installed) return installed;
  throw new ServiceUnavailable(
    `${name} is not installed and apt-get cannot install ${debianPackage}`,
  );
}

/**
 * Starts a program that outlives this process; its output goes to `log`. It gets no variable of
 * this process: `TMPDIR` names a directory that goes with a run of the tests.
 */
export async function startDaemon(argv: readonly string[], log: string): Promise<void> {
  const variables = [`PATH=${PATH}`, `HOME=${Deno.env.get("HOME") ?? "/"}`];
  const quoted = ["env", "-i", ...variables, ...argv].map(shellQuote).join(" ");
  const script = `PATH=${PATH}; cd /; setsid ${quoted} </dev/null >${shellQuote(log)} 2>&1 &`;
  await run(["/bin/sh", "-c", script]);
}

/** Asks until it is so. @throws ServiceUnavailable with the end of the log when it never is. */
export async function waitFor(
  what: string,
  options: { log: string; isSo: () => Promise<boolean>; limitMs?: number },
): Promise<void> {
  const deadline = performance.now() + (options.limitMs ?? 60_000);
  while (!await options.isSo()) {
    if (performance.now() > deadline) {
      const log = await Deno.readTextFile(options.log).catch(() => "");
      const line = log.trim().split("\n").findLast((text) => /error|fail|fatal/i.test(text));
      throw new ServiceUnavailable(`${what}: ${line?.slice(-300) ?? "it does not answer"}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Ends the process a pid file names, and waits for its end. */
export async function stopDaemon(pidFile: string): Promise<void> {
  const text = await Deno.readTextFile(pidFile).catch(() => "");
  const pid = Number(text.trim());
  if (!Number.isInteger(pid) || pid <= 1) return;
  try {
    Deno.kill(pid, "SIGTERM");
    await waitFor(`process ${pid} does not end`, {
      log: "/dev/null",
      isSo: async () => !await isAlive(pid),
    });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

async function isAlive(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  return stat !== "" && !/\) Z /.test(stat);
}
