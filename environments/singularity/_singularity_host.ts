/** One instance of singularity or apptainer: started, looked after, stopped. */
import type { ChildEnvironment } from "../../src/process/child_environment.ts";
import { EnvironmentError } from "../../src/protocol/error.ts";
import type { ClientCommand } from "../remote/channel.ts";
import { lastLine, type ProgramEnd } from "../../src/process/run_program.ts";
import { type ClientOptions, runClient } from "../remote/run_client.ts";
import { namesIn, removeIfThere } from "../remote/host_files.ts";
import { isOwnerGone, thisOwner } from "../../src/process/owner.ts";
import type { RemoteCommandLine, RemoteHost } from "../remote/remote_host.ts";
import {
  execInstanceArgs,
  hasLimits,
  type InstancePlan,
  listArgs,
  startArgs,
  stopArgs,
} from "./_singularity_args.ts";

export interface SingularityOptions {
  /** Absolute path of the program. */
  program: string;
  env: ChildEnvironment;
  plan: InstancePlan;
  /** Where every instance has a directory that names its owner. */
  instancesDir: string;
  onProgress(line: string): void;
}

/** Starting may have to fetch and convert an image. */
const START_MS = 30 * 60_000;
/** Failures are told once, in other words. */
const NO_PROGRESS = /^(?:FATAL|ERROR|INFO: +instance)\b/i;
const NO_LIMITS = /cgroup|systemd/i;

export class SingularityHost implements RemoteHost {
  readonly label: string;
  readonly #options: SingularityOptions;
  #plan: InstancePlan;

  constructor(options: SingularityOptions) {
    this.#options = options;
    this.#plan = options.plan;
    this.label = `instance ${options.plan.name}`;
  }

  async connect(): Promise<void> {
    if (await this.isAlive()) return;
    await this.#claim();
    let result = await this.#start();
    if (result.code !== 0 && hasLimits(this.#plan) && NO_LIMITS.test(result.stderr)) {
      this.#options.onProgress("this machine cannot limit memory and CPUs; running without limits");
      this.#plan = { ...this.#plan, limits: false };
      result = await this.#start();
    }
    if (result.code === 0) return;
    throw new EnvironmentError(
      `Cannot start ${this.#plan.image}: ${lastLine(result.stderr) || `exit code ${result.code}`}`,
    );
  }

  client(command: RemoteCommandLine): ClientCommand {
    const { program, env } = this.#options;
    return { argv: [program, ...execInstanceArgs(this.#plan.name, command)], env };
  }

  async isAlive(): Promise<boolean> {
    const { code, stdout } = await this.#run(listArgs(this.#plan.name));
    return code === 0 && stdout.includes(`"${this.#plan.name}"`);
  }

  async close(): Promise<void> {
    await this.#run(stopArgs(this.#plan.name));
    await removeIfThere(`${this.#options.instancesDir}/${this.#plan.name}`);
  }

  /** Stops instances whose hermes has ended without doing so; returns their names. */
  async reap(): Promise<string[]> {
    const { instancesDir } = this.#options;
    const removed: string[] = [];
    for (const name of await namesIn(instancesDir)) {
      const owner = await Deno.readTextFile(`${instancesDir}/${name}/owner`).catch(() => "");
      if (!await isOwnerGone(owner)) continue;
      await this.#run(stopArgs(name));
      await removeIfThere(`${instancesDir}/${name}`);
      removed.push(name);
    }
    return removed;
  }

  /** Writes down whose instance it is. An overlay serves one instance at a time. */
  async #claim(): Promise<void> {
    const { instancesDir, onProgress } = this.#options;
    for (const name of await this.reap()) onProgress(`stopped ${name}`);
    const { name, overlayDir, scratchDir } = this.#plan;
    for (const other of overlayDir === undefined ? [] : await namesIn(instancesDir)) {
      if (other === name) continue;
      onProgress("another hermes uses the kept root; changes to this one are not kept");
      this.#plan = { ...this.#plan, overlayDir: undefined };
      break;
    }
    for (const dir of [`${instancesDir}/${name}`, scratchDir, this.#plan.overlayDir]) {
      if (dir !== undefined) await Deno.mkdir(dir, { recursive: true, mode: 0o700 });
    }
    await Deno.writeTextFile(`${instancesDir}/${name}/owner`, await thisOwner());
  }

  #start(): Promise<ProgramEnd> {
    const { onProgress } = this.#options;
    return this.#run(startArgs(this.#plan), {
      timeoutMs: START_MS,
      onLine(line) {
        if (!NO_PROGRESS.test(line)) onProgress(line);
      },
    });
  }

  #run(args: readonly string[], options: Omit<ClientOptions, "env"> = {}): Promise<ProgramEnd> {
    const { program, env } = this.#options;
    return runClient([program, ...args], { env, ...options });
  }
}
