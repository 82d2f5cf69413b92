/**
 * The container engine behind `docker` or `podman`: finds the program, makes, finds, restarts
 * and removes containers. Knows nothing of commands and files inside.
 */
import { EnvironmentError } from "../../src/protocol/error.ts";
import { which } from "../../src/util/which.ts";
import { type ChildEnvironment, clientEnvironment } from "../../src/process/child_environment.ts";
import { lastLine, type ProgramEnd } from "../../src/process/run_program.ts";
import { runClient } from "../remote/run_client.ts";
import { type ContainerPlan, hasQuota, runArgs } from "./_docker_args.ts";
import { isOwnerGone } from "../../src/process/owner.ts";

export const LABEL = {
  /** On every container hermes makes. */
  agent: "hermes.agent",
  /** What it was made from; the same key means the same container. */
  key: "hermes.key",
  /** The profile it belongs to. */
  profile: "hermes.profile",
  /** The process that will remove it; only on those that are not kept. */
  owner: "hermes.owner",
} as const;

export interface ContainerInfo {
  name: string;
  running: boolean;
  /** Labels; empty where there is none. */
  key: string;
  profile: string;
  owner: string;
}

const PULL_MS = 30 * 60_000;
const NO_IMAGE = /no such image|image not known|unable to find image/i;
const NO_QUOTA = /storage-opt|storage option|quota/i;

export class DockerEngine {
  readonly program: string;
  /** The environment of the client: what any command gets, and the settings of docker. */
  readonly env: ChildEnvironment;

  constructor(program: string, env: ChildEnvironment) {
    this.program = program;
    this.env = env;
  }

  /** @throws EnvironmentError when neither docker nor podman is installed. */
  static async find(
    options: { binary: string; env: Readonly<Record<string, string>>; home: string },
  ): Promise<DockerEngine> {
    const { env, home } = options;
    const wanted = options.binary || env.HERMES_DOCKER_BINARY;
    for (const name of wanted ? [wanted] : ["docker", "podman"]) {
      const program = await which(name, env.PATH);
      const pass = Object.keys(env).filter((key) => /^(?:DOCKER|CONTAINER|CONTAINERS)_/.test(key));
      if (program) return new DockerEngine(program, clientEnvironment(env, { pass, home }));
    }
    throw new EnvironmentError(
      wanted
        ? `There is no program ${wanted} (terminal.docker_binary)`
        : "Neither docker nor podman is installed. Install one, or run commands with --env local",
    );
  }

  /** Runs the client. */
  call(
    args: readonly string[],
    options: { timeoutMs?: number; onLine?: (line: string) => void } = {},
  ): Promise<ProgramEnd> {
    return runClient([this.program, ...args], { env: this.env, ...options });
  }

  /** The version of the engine. @throws EnvironmentError when it does not answer. */
  async version(): Promise<string> {
    const result = await this.call(["version", "--format", "{{.Server.Version}}"], {
      timeoutMs: 10_000,
    });
    if (result.code !== 0) throw this.failure("does not answer", result);
    return result.stdout.trim();
  }

  /** Undefined when there is no such container. */
  async inspect(name: string): Promise<ContainerInfo | undefined> {
    return (await this.#inspectAll([name]))[0];
  }

  /** The containers among `names` that still exist. */
  async #inspectAll(names: readonly string[]): Promise<ContainerInfo[]> {
    const label = (key: string) => `{{index .Config.Labels "${key}"}}`;
    const labels = [LABEL.key, LABEL.profile, LABEL.owner].map(label);
    const fields = ["{{.Name}}", "{{.State.Running}}", ...labels];
    const format = ["container", "inspect", "--format", fields.join("|")];
    const result = await this.call([...format, ...names]);
    if (result.code !== 0 && !/no such|not found/i.test(result.stderr)) {
      throw this.failure("cannot look at a container", result);
    }
    const lines = result.stdout.replaceAll("<no value>", "").split("\n");
    return lines.filter((line) => line.includes("|")).map((line) => {
      const [name = "", running, key = "", profile = "", owner = ""] = line.split("|");
      return { name: name.replace(/^\//, ""), running: running === "true", key, profile, owner };
    });
  }

  /** All containers of hermes. */
  async list(): Promise<ContainerInfo[]> {
    const found = await this.call(["ps", "--all", "--quiet", `--filter=label=${LABEL.agent}`]);
    if (found.code !== 0) throw this.failure("cannot list containers", found);
    const ids = found.stdout.split("\n").filter((id) => id !== "");
    return ids.length === 0 ? [] : await this.#inspectAll(ids);
  }

  /** Makes the container, pulling its image first when it is missing. */
  async run(plan: ContainerPlan, onProgress: (line: string) => void): Promise<void> {
    const { image } = plan.settings;
    let result = await this.call(runArgs(plan));
    if (result.code !== 0 && NO_IMAGE.test(result.stderr)) {
      await this.pull(image, onProgress);
      result = await this.call(runArgs(plan));
    }
    if (result.code !== 0 && hasQuota(plan) && NO_QUOTA.test(result.stderr)) {
      onProgress("this engine cannot limit the disk of a container; running without that limit");
      result = await this.call(runArgs({ ...plan, quota: false }));
    }
    if (result.code === 0) return;
    // Another hermes was faster.
    if (/already in use/i.test(result.stderr) && await this.inspect(plan.name)) return;
    throw this.failure(`cannot start a container of ${image}`, result);
  }

  async pull(image: string, onProgress: (line: string) => void): Promise<void> {
    onProgress(`pulling ${image}`);
    const result = await this.call(["pull", image], { timeoutMs: PULL_MS, onLine: onProgress });
    if (result.code !== 0) throw this.failure(`cannot pull ${image}`, result);
  }

  async start(name: string): Promise<void> {
    const result = await this.call(["start", name]);
    if (result.code !== 0) throw this.failure(`cannot start ${name}`, result);
  }

  async remove(name: string): Promise<void> {
    const result = await this.call(["rm", "--force", "--volumes", name]);
    if (result.code !== 0 && !/no such|in progress/i.test(result.stderr)) {
      throw this.failure(`cannot remove ${name}`, result);
    }
  }

  /** True when anything but the container's own first process runs there. */
  async isBusy(name: string): Promise<boolean> {
    const count = "set -- /proc/[0-9]*; echo $#";
    const { code, stdout } = await this.call(["exec", name, "/bin/sh", "-c", count]);
    // The first process, its `sleep`, and the shell that counts.
    return code === 0 && Number(stdout) > 3;
  }

  /** Removes containers whose hermes has ended without doing so; returns their names. */
  async reap(): Promise<string[]> {
    const removed: string[] = [];
    for (const { name, owner } of await this.list()) {
      if (owner === "" || !await isOwnerGone(owner)) continue;
      await this.remove(name);
      removed.push(name);
    }
    return removed;
  }

  failure(what: string, result: ProgramEnd): EnvironmentError {
    const name = this.program.slice(this.program.lastIndexOf("/") + 1);
    // The client ends many complaints with advice about itself; the reason stands before it.
    const said = result.stderr.replaceAll(/^(?:Run|See) '[^'\n]*--help'[^\n]*$/gm, "");
    const reason = (lastLine(said) || `exit code ${result.code}`)
      .replace(/\.? Is the docker daemon running\?$/, "");
    const hint = /cannot connect|connection refused|is the docker daemon running/i.test(reason)
      ? ". Start the daemon, or run commands with --env local"
      : "";
    return new EnvironmentError(`${name} ${what}: ${reason}${hint}`);
  }
}
