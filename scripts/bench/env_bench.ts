/**
 * Latency of one command over each live environment beside the raw tool: `docker exec` and the
 * like, and `ssh` over an open control master, measured in turns. Prints ratios; exits 1 over the
 * budget.
 * Usage: env_bench.ts [--runs N]
 */
import {
  createDockerEnvironment,
  openDocker,
} from "../../environments/docker/docker_environment.ts";
import type { EnvironmentOptions } from "../../environments/options.ts";
import {
  createSingularityEnvironment,
  openSingularity,
} from "../../environments/singularity/singularity_environment.ts";
import { createSshEnvironment, openSsh } from "../../environments/ssh/ssh_environment.ts";
import type { Environment } from "../../src/protocol/environment.ts";
import { sleep } from "../../src/util/sleep.ts";
import { dockerTestOptions, podmanTestOptions } from "../../tests/support/docker_environment.ts";
import { sshTestOptions } from "../../tests/support/ssh_environment.ts";
import { ServiceUnavailable } from "../services/_service.ts";
import { holdDocker } from "../services/docker.ts";
import { holdPodman } from "../services/podman.ts";
import { holdSingularity } from "../services/singularity.ts";
import { holdSsh } from "../services/ssh.ts";
import { median, runTimed, type Subject } from "./_process.ts";

const BUDGET = 1.3;
/** Commands one after the other, of which the later half counts. */
const BURST = 6;
/** A model thinks at least this long between two commands. */
const THINK_MS = 400;

interface Contest {
  name: string;
  raw: Subject;
  env: Environment;
  close(): Promise<void>;
}

async function dockerContest(): Promise<Contest> {
  const held = await holdDocker();
  return await engineContest("docker", held, dockerTestOptions(held.running));
}

async function podmanContest(): Promise<Contest> {
  const held = await holdPodman();
  const home = await Deno.makeTempDir({ prefix: "hermes-podman-" });
  async function release(): Promise<void> {
    await held.release();
    await Deno.remove(home, { recursive: true });
  }
  return await engineContest("podman", { release }, podmanTestOptions(held.running, home));
}

async function engineContest(
  name: string,
  held: { release(): Promise<void> },
  options: EnvironmentOptions,
): Promise<Contest> {
  const env = await createDockerEnvironment(options);
  const { host } = await openDocker(options);
  const { program, env: clientEnv } = host.engine;
  const container = host.label.replace("container ", "");
  const args = ["exec", "-i", container, "true"];
  return {
    name,
    raw: { name: `${name} exec`, command: program, args, env: clientEnv },
    env,
    async close() {
      await env.close();
      await host.engine.remove(container);
      await held.release();
    },
  };
}

async function singularityContest(): Promise<Contest> {
  const held = await holdSingularity();
  const { image, dataDir } = held.running;
  const options: EnvironmentOptions = {
    cwd: "/",
    home: dataDir,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin" },
    settings: { singularity_image: image, container_persistent: false },
  };
  const env = await createSingularityEnvironment(options);
  const host = await openSingularity(options);
  await host.connect();
  const client = host.client({ shell: "/bin/sh", script: "true", tty: false });
  const [command = "", ...args] = client.argv;
  return {
    name: "singularity",
    raw: { name: "singularity exec", command, args, env: client.env },
    env,
    async close() {
      await env.close();
      await host.close();
      await held.release();
    },
  };
}

async function sshContest(): Promise<Contest> {
  const held = await holdSsh();
  const options = sshTestOptions(held.running);
  const env = await createSshEnvironment(options);
  const host = await openSsh(options);
  await host.connect();
  // The connection is the host's own; the command is as bare as can be.
  const client = await host.client({ shell: "/bin/sh", script: "", tty: false });
  const [command = "", ...args] = client.argv;
  return {
    name: "ssh",
    raw: { name: "ssh true", command, args: [...args.slice(0, -1), "true"], env: client.env },
    env,
    async close() {
      await env.close();
      await host.close();
      await held.release();
    },
  };
}

async function compete(contest: Contest, runs: number) {
  const times = { raw: [] as number[], busy: [] as number[], idle: [] as number[] };
  const exec = async () => (await contest.env.exec("true")).durationMs;
  for (let i = 0; i < 3; i++) await exec();
  for (let i = 0; i < runs; i++) {
    // Shells that are started ahead must not slow the raw tool down.
    await sleep(THINK_MS);
    times.raw.push((await runTimed(contest.raw)).tookMs);
    // One after the other, as fast as they come; the first ones begin with a shell that waits.
    for (let k = 0; k < BURST; k++) {
      const took = await exec();
      if (k >= BURST / 2) times.busy.push(took);
    }
    await sleep(THINK_MS);
    times.idle.push(await exec());
  }
  return { raw: median(times.raw), busy: median(times.busy), idle: median(times.idle) };
}

if (import.meta.main) {
  const at = Deno.args.indexOf("--runs");
  const runs = at < 0 ? 20 : Number(Deno.args[at + 1]);
  let met = true;
  for (const open of [dockerContest, podmanContest, sshContest, singularityContest]) {
    try {
      const contest = await open();
      const { raw, busy, idle } = await compete(contest, runs);
      await contest.close();
      met &&= busy / raw <= BUDGET;
      const show = (ms: number) => `${ms.toFixed(1)} ms (${(ms / raw).toFixed(2)}×)`;
      console.log(
        `${contest.name}: ${contest.raw.name} ${raw.toFixed(1)} ms, one after the other ` +
          `${show(busy)}, after thinking ${show(idle)}, budget ≤ ${BUDGET}×`,
      );
    } catch (error) {
      if (!(error instanceof ServiceUnavailable)) throw error;
      console.log(`not measured: ${error.message}`);
    }
  }
  console.log(met ? "the budget is met" : "the budget is NOT met");
  Deno.exit(met ? 0 : 1);
}
