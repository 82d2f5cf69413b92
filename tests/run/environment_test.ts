/** `hermes run --env …` and `hermes env …` end to end, on a real container, a real server and a fake cloud. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { startDirectory } from "../../environments/start_directory.ts";
import { holdDocker } from "../../scripts/services/docker.ts";
import { holdSingularity } from "../../scripts/services/singularity.ts";
import { holdSsh } from "../../scripts/services/ssh.ts";
import { holdOrSkip } from "../conformance/environment_live.ts";
import { startServerProcess } from "../support/cloud_server_process.ts";
import { DAYTONA_KEY } from "../support/daytona_server.ts";
import { dockerTestOptions } from "../support/docker_environment.ts";
import { type Job, type JobOptions, withJob } from "../support/run_job.ts";
import { sshTestOptions } from "../support/ssh_environment.ts";

const docker = await holdOrSkip("docker end to end", holdDocker);
const ssh = await holdOrSkip("ssh end to end", holdSsh);
const singularity = await holdOrSkip("singularity end to end", holdSingularity);
const daytona = await startServerProcess(new URL("../support/daytona_server.ts", import.meta.url));
Deno.test.afterAll(async () => {
  await docker?.release();
  await ssh?.release();
  await singularity?.release();
  await daytona.stop();
});

interface Place {
  name: string;
  settings: Record<string, unknown>;
  env: Record<string, string>;
}

const PLACES: Place[] = [];
if (docker) {
  const { settings, env } = dockerTestOptions(docker.running);
  const { DOCKER_HOST } = env;
  PLACES.push({
    name: "docker",
    settings: { ...settings, container_persistent: false },
    env: DOCKER_HOST === undefined ? {} : { DOCKER_HOST },
  });
}
if (ssh) {
  PLACES.push({ name: "ssh", settings: { ...sshTestOptions(ssh.running).settings }, env: {} });
}
if (singularity) {
  const { image } = singularity.running;
  PLACES.push({
    name: "singularity",
    settings: { singularity_image: image, container_persistent: false },
    env: {},
  });
}
PLACES.push({
  name: "daytona",
  settings: { container_persistent: false },
  env: { DAYTONA_API_KEY: DAYTONA_KEY, DAYTONA_API_URL: daytona.urls[0]! },
});

async function configure({ home }: Job, settings: Record<string, unknown>): Promise<void> {
  await Deno.mkdir(`${home}/.hermes`, { recursive: true });
  // JSON is YAML too.
  const config = JSON.stringify({ terminal: settings });
  await Deno.writeTextFile(`${home}/.hermes/config.yaml`, config);
}

function call(name: string, args: Record<string, unknown>) {
  return { toolCalls: [{ name, arguments: args }] };
}

const SCRIPT = `import { terminal, write_file, read_file } from "hermes_tools";
await write_file({ path: "DIR/by-script", content: "from the script\\n" });
const { output } = await terminal({ command: "cat DIR/by-script; touch DIR/by-terminal" });
const file = await read_file({ path: "DIR/by-script" });
console.log(JSON.stringify({ output, read: file.content.includes("from the script") }));`;

Deno.test("run --env modal says that Modal cannot be reached, through the real client", async () => {
  // Nothing listens there any more.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const env = {
    MODAL_TOKEN_ID: "ak-none",
    MODAL_TOKEN_SECRET: "as-none",
    MODAL_SERVER_URL: `http://127.0.0.1:${port}`,
  };
  await withJob([call("terminal", { command: "echo" }), { text: "done" }], async (job) => {
    await configure(job, {});
    const { stderr } = await job.run(["--env", "modal", "--approve", "always", "go"], { env });
    const told = JSON.stringify(job.model.requests.at(-1)?.body.messages.at(-1));
    match(told + stderr, /Modal gives no sandbox: No connection established/);
    ok(!(told + stderr).includes("as-none"));
  });
});

for (const { name, settings, env } of PLACES) {
  Deno.test(`run --env ${name} runs tools and scripts there and nothing here`, async () => {
    const dir = `/tmp/hermes-e2e-${crypto.randomUUID()}`;
    const replies = [
      call("terminal", { command: `mkdir ${dir}; cd ${dir}; pwd; export SEEN=yes` }),
      call("write_file", { path: "note.txt", content: "first\n" }),
      call("terminal", { command: "cat note.txt; echo $SEEN; pwd" }),
      call("execute_code", { code: SCRIPT.replaceAll("DIR", dir) }),
      call("terminal", { command: `ls ${dir}; rm -r ${dir}` }),
      { text: "done" },
    ];
    await withJob(replies, async (job) => {
      await configure(job, settings);
      const options: JobOptions = { env };
      const outcome = await job.run(["--env", name, "--approve", "always", "go"], options);
      deepEqual([outcome.code, outcome.stdout], [0, "done\n"], outcome.stderr);
      const system = job.model.requests[0]!.body.messages[0].content as string;
      const start = startDirectory(name);
      ok(
        system.includes(`\nWorking directory: ${start}\nCommands and files are in: ${name}\n`),
        system,
      );
      const results = job.model.requests.slice(1).map(({ body }) =>
        JSON.parse(body.messages.at(-1).content)
      );
      match(results[0].output, new RegExp(dir));
      equal(results[2].output.trim(), `first\nyes\n${dir}`);
      const printed = JSON.parse(results[3].output);
      deepEqual(printed, { output: "from the script", read: true }, JSON.stringify(results[3]));
      deepEqual(results[4].output.trim().split("\n"), ["by-script", "by-terminal", "note.txt"]);
      const here = await Array.fromAsync(Deno.readDir(job.home));
      const names = here.map((entry) => entry.name).filter((entry) => entry !== ".apptainer");
      deepEqual(names, [".hermes"]);
    });
  });

  Deno.test(`hermes env looks at ${name}, opens it and leaves nothing`, async () => {
    await withJob([], async (job) => {
      await configure(job, { ...settings, backend: name });
      const list = await job.hermes(["env"], { env });
      match(list.stdout, new RegExp(`^\\* ${name} +(?!not available)`, "m"));
      const report = JSON.parse((await job.hermes(["env", "list", "--json"], { env })).stdout);
      ok(
        report.some((row: { name: string; available: boolean }) =>
          row.name === name && row.available
        ),
      );
      const check = await job.hermes(["env", "check", name], { env });
      equal(check.code, 0, check.stderr);
      match(check.stdout, new RegExp(`^${name} works: Linux`));
      const shell = await job.hermes(["env", "shell", name], {
        env,
        stdin: 'echo $((6*7)); case $PWD in "$HOME"|/workspace) echo right; esac; exit 9\n',
      });
      deepEqual([shell.code, shell.stdout], [9, "42\nright\n"], shell.stderr);
      const doctor = await job.hermes(["doctor", "--json"], { env });
      const checks = JSON.parse(doctor.stdout).checks as { name: string; status: string }[];
      equal(checks.find((one) => one.name === name)?.status, "ok");
      // Tests that run beside this one kill hermes on purpose; what they leave may be found here.
      const clean = await job.hermes(["env", "clean", name], { env });
      equal(clean.code, 0, clean.stderr);
      match(clean.stdout, new RegExp(`^(nothing was left behind|${name}: )`));
    });
  });
}

if (docker) {
  const [{ settings, env }] = PLACES as [Place];

  Deno.test("hermes env clean removes kept containers and leaves their files", async () => {
    await withJob(
      [call("terminal", { command: "echo kept >file" }), { text: "ok" }],
      async (job) => {
        await configure(job, { ...settings, container_persistent: true });
        const outcome = await job.run(["--env", "docker", "go"], { env });
        equal(outcome.code, 0, outcome.stderr);
        const clean = await job.hermes(["env", "clean"], { env });
        match(clean.stdout, /^docker: removed hermes-[0-9a-f]{12}$/m);
        const [name] = /hermes-[0-9a-f]{12}/.exec(clean.stdout)!;
        const again = await job.hermes(["env", "clean"], { env });
        ok(!again.stdout.includes(name), again.stdout);
        const file = `${job.home}/.hermes/sandboxes/docker/workspace/file`;
        equal(await Deno.readTextFile(file), "kept\n");
      },
    );
  });

  Deno.test("run --env docker asks for approval where the host is mounted, and only there", async () => {
    const risky = call("terminal", { command: "rm -rf build" });
    for (const mounted of [false, true]) {
      await withJob([risky, { text: "ok" }], async (job) => {
        await configure(job, { ...settings, docker_mount_cwd_to_workspace: mounted });
        await Deno.mkdir(`${job.home}/work`);
        const outcome = await job.run(["--env", "docker", "--cwd", `${job.home}/work`, "go"], {
          env,
        });
        equal(outcome.code, 0, outcome.stderr);
        const result = job.model.requests[1]!.body.messages.at(-1).content;
        equal(/"exit_code":0/.test(result), !mounted, result);
      });
    }
  });

  Deno.test("run --env docker says in one line that a configuration gives the host away", async () => {
    await withJob([call("terminal", { command: "true" }), { text: "ok" }], async (job) => {
      await configure(job, { ...settings, docker_extra_args: ["--privileged"] });
      const outcome = await job.run(["--env", "docker", "go"], { env });
      ok(outcome.code !== 0);
      match(outcome.stderr, /would control this machine: docker_extra_args has "--privileged"/);
    });
  });
}

Deno.test("run says before the model is asked that the place for commands cannot be used", async () => {
  const places: [config: string, says: RegExp][] = [
    ["docker_binary: /no/docker", /^hermes: commands cannot run in docker: .*\/no\/docker/],
    ["ssh_host: ''", /^hermes: The ssh environment needs a host\n/],
  ];
  await withJob([], async (job) => {
    await Deno.mkdir(`${job.home}/.hermes`);
    for (const [config, says] of places) {
      const name = config.slice(0, config.indexOf("_"));
      await Deno.writeTextFile(`${job.home}/.hermes/config.yaml`, `terminal: { ${config} }\n`);
      const outcome = await job.run(["--env", name, "go"]);
      equal(outcome.code, 2);
      match(outcome.stderr, says);
    }
    equal(job.model.requests.length, 0);
  });
});
