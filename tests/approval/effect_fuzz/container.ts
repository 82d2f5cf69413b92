/**
 * The machine's side of the throw-away container: starts it in fresh namespaces (or in docker),
 * hands commands to the driver inside and reads what they did. Runs no command by itself.
 */
import { ServiceUnavailable } from "../../../scripts/services/_service.ts";
import type { HostFacts, Observation, Ready, Refused, RunRequest } from "./protocol.ts";

/** No real user: nothing on the machine belongs to it. */
const USER_ID = 61_723;
const DRIVER_DIR = new URL(".", import.meta.url).pathname;
const NAMESPACES = ["mnt", "pid", "net", "ipc", "uts"];
/** Longer than any command may take together with its aftermath and the comparison. */
const ANSWER_MS = 15_000;

export interface CommandRunner {
  /** How the walls are made, for people. */
  readonly how: string;
  run(command: string, cwd: string): Promise<Observation>;
}

/** A running container; one command at a time. */
export class Container implements CommandRunner {
  readonly how: string;
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: AsyncIterator<string>;
  readonly #box: string;
  #nextId = 1;

  private constructor(how: string, child: Deno.ChildProcess, box: string) {
    this.how = how;
    this.#child = child;
    this.#writer = child.stdin.getWriter();
    this.#lines = readLines(child.stdout);
    this.#box = box;
  }

  /**
   * @param options.marker a path that must not exist inside; default a new file of the machine.
   * @throws ServiceUnavailable with the reason when this machine cannot make one.
   */
  static async start(options: { marker?: string } = {}): Promise<Container> {
    if (Deno.build.os !== "linux") throw new ServiceUnavailable("namespaces need Linux");
    if (Deno.uid() !== 0) throw new ServiceUnavailable("making the namespaces needs root");
    const box = await Deno.makeTempDir({ prefix: "hermes-effects-" });
    await Deno.writeTextFile(`${box}.marker`, "a file of the machine");
    const facts: HostFacts = { marker: options.marker ?? `${box}.marker`, namespaces: {} };
    for (const name of NAMESPACES) {
      facts.namespaces[name] = await Deno.readLink(`/proc/self/ns/${name}`);
    }
    const child = new Deno.Command("unshare", {
      args: [
        ...["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child=SIGKILL"],
        ...["--propagation", "private", "/bin/sh", `${DRIVER_DIR}enter.sh`],
        ...[box, await Deno.realPath(Deno.execPath()), DRIVER_DIR, `${USER_ID}`],
        JSON.stringify(facts),
      ],
      clearEnv: true,
      env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
    const container = new Container("namespaces", child, box);
    try {
      const first = await container.#answer() as Ready | Refused;
      if ("refused" in first) throw new ServiceUnavailable(`not isolated: ${first.refused}`);
      return container;
    } catch (error) {
      await container[Symbol.asyncDispose]();
      throw error;
    }
  }

  async run(command: string, cwd: string): Promise<Observation> {
    const request: RunRequest = { id: this.#nextId++, command, cwd };
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
    await Deno.remove(this.#box, { recursive: true });
    await Deno.remove(`${this.#box}.marker`);
  }
}

async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}
