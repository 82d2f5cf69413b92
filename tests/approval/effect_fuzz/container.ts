/**
 * The machine's side of the throw-away container: starts it in fresh namespaces (or in docker),
 * hands commands to the driver inside and reads what they did. Runs no command by itself.
 */
import { ServiceUnavailable } from "../../../scripts/services/_service.ts";
import { holdDocker } from "../../../scripts/services/docker.ts";
import type { HostFacts, Observation, Ready, Refused, RunRequest } from "./protocol.ts";

/** No real user: nothing on the machine belongs to it. */
const USER_ID = 61_723;
const DRIVER_DIR = new URL(".", import.meta.url).pathname;
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const NAMESPACES = ["mnt", "pid", "net", "ipc", "uts"];
/** Longer than any command may take together with its aftermath and the comparison. */
const ANSWER_MS = 60_000;

export interface CommandRunner {
  /** How the walls are made, for people. */
  readonly how: string;
  run(command: string, cwd: string): Promise<Observation>;
}

/** What makes the walls: the kernel's namespaces directly, or a docker daemon. */
export type Runtime = "namespaces" | "docker";

export interface ContainerOptions {
  /** Default namespaces: they need no daemon and start in a third of a second. */
  runtime?: Runtime;
  /** A path that must not exist inside; default a new file of the machine. */
  marker?: string;
}

/** How to start `enter.sh`, and what to give back afterwards. */
interface Launch {
  argv: string[];
  env: Record<string, string>;
  release(): Promise<void>;
}

/** A running container; one command at a time. */
export class Container implements CommandRunner {
  readonly how: string;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncIterator<string>;
  readonly #release: () => Promise<void>;
  #nextId = 1;

  private constructor(how: Runtime, child: Deno.ChildProcess, release: () => Promise<void>) {
    this.how = how;
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#lines = readLines(child.stdout);
    this.#release = release;
  }

  /** @throws ServiceUnavailable with the reason when this machine cannot make one. */
  static async start(options: ContainerOptions = {}): Promise<Container> {
    const { runtime = "namespaces" } = options;
    if (Deno.build.os !== "linux") throw new ServiceUnavailable("the container needs Linux");
    const box = await Deno.makeTempDir({ prefix: "hermes-effects-" });
    await Deno.writeTextFile(`${box}.marker`, "a file of the machine");
    const facts: HostFacts = { marker: options.marker ?? `${box}.marker`, namespaces: {} };
    for (const name of NAMESPACES) {
      facts.namespaces[name] = await Deno.readLink(`/proc/self/ns/${name}`);
    }
    const clean = async () => {
      await Deno.remove(box, { recursive: true });
      await Deno.remove(`${box}.marker`);
    };
    let launch: Launch;
    try {
      launch = await (runtime === "docker" ? launchDocker : launchNamespaces)(box, facts);
    } catch (error) {
      await clean();
      throw error;
    }
    const child = new Deno.Command(launch.argv[0]!, {
      args: launch.argv.slice(1),
      clearEnv: true,
      env: { PATH, ...launch.env },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const container = new Container(runtime, child, async () => {
      await launch.release();
      await clean();
    });
    try {
      const first = await container.#answer() as Ready | Refused;
      if ("refused" in first) throw new ServiceUnavailable(`not isolated: ${first.refused}`);
      return container;
    } catch (error) {
      await container[Symbol.asyncDispose]();
      throw error;
    }
  }

  async run(
    command: string,
    cwd: string,
    options: Pick<RunRequest, "limitMs"> = {},
  ): Promise<Observation> {
    const request: RunRequest = { id: this.#nextId++, command, cwd, ...options };
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(request)}\n`));
    const observation = await this.#answer() as Observation;
    if (observation.id !== request.id) throw new Error("the driver answered another command");
    return observation;
  }

  async #answer(): Promise<unknown> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("the driver does not answer")), ANSWER_MS);
    });
    try {
      const { value, done } = await Promise.race([this.#lines.next(), late]);
      if (done) throw new ServiceUnavailable("the container ended; its errors are above");
      return JSON.parse(value);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the container; its memory file systems go with it. */
  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.#writer.close();
    } catch {
      // It has ended already.
    }
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await this.#child.status;
    await this.#lines.return?.();
    await this.#release();
  }
}

async function launchNamespaces(box: string, facts: HostFacts): Promise<Launch> {
  if (Deno.uid() !== 0) throw new ServiceUnavailable("making the namespaces needs root");
  const argv = [
    ...["unshare", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork"],
    ...["--kill-child=SIGKILL", "--propagation", "private", "/bin/sh", `${DRIVER_DIR}enter.sh`],
    ...[box, await Deno.realPath(Deno.execPath()), DRIVER_DIR, `${USER_ID}`],
    JSON.stringify(facts),
  ];
  return { argv, env: {}, release: () => Promise.resolve() };
}

/** Programs and libraries come from the machine, read-only; `enter.sh` drops what it is given here. */
async function launchDocker(_box: string, facts: HostFacts): Promise<Launch> {
  const held = await holdDocker();
  const mounts = {
    "/usr": "/usr",
    "/usr/bin": "/bin",
    "/usr/sbin": "/sbin",
    "/usr/lib": "/lib",
    "/usr/lib64": "/lib64",
    "/etc/alternatives": "/etc/alternatives",
    [await Deno.realPath(Deno.execPath())]: "/deno",
    [DRIVER_DIR]: "/driver",
  };
  const argv = [
    ...["docker", "run", "-i", "--rm", "--network", "none", "--pids-limit", "512"],
    ...["--cap-add", "SYS_ADMIN", "--cap-add", "NET_ADMIN"],
    ...["--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined"],
    ...Object.entries(mounts).flatMap(([from, to]) => ["-v", `${from}:${to}:ro`]),
    ...[held.running.image, "/bin/sh", "/driver/enter.sh", "/tmp/box", "/deno", "/driver"],
    ...[`${USER_ID}`, JSON.stringify(facts)],
  ];
  const env: Record<string, string> = held.running.host ? { DOCKER_HOST: held.running.host } : {};
  return { argv, env, release: () => held.release() };
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
