/** What only the docker environment promises: its walls, its containers' lives, its refusals. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import {
  createDockerEnvironment,
  openDocker,
} from "../../environments/docker/docker_environment.ts";
import type { EnvironmentOptions } from "../../environments/options.ts";
import { busyboxArchive } from "../../scripts/services/_image.ts";
import { type DockerService, holdDocker } from "../../scripts/services/docker.ts";
import { EnvironmentError, UsageError } from "../../src/protocol/error.ts";
import { dockerTestOptions } from "../support/docker_environment.ts";
import { serveImage } from "../support/image_registry.ts";
import { holdOrSkip } from "./environment_live.ts";

const held = await holdOrSkip("docker", holdDocker);
if (held) Deno.test.afterAll(() => held.release());

/** A test that needs the daemon; without one the reason has been told. */
function live(name: string, run: (service: DockerService) => Promise<void>): void {
  if (held) Deno.test(`docker ${name}`, () => run(held.running));
}

/** The test daemon with other settings, a home and a directory of its own. */
async function setup(service: DockerService, changes: Record<string, unknown> = {}) {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-docker-test-" }));
  await Deno.mkdir(`${dir}/project`);
  await Deno.chmod(`${dir}/project`, 0o777);
  const base = dockerTestOptions(service);
  const lines: string[] = [];
  const options: EnvironmentOptions = {
    ...base,
    cwd: `${dir}/project`,
    home: dir,
    dataDir: `${dir}/.hermes`,
    settings: { ...base.settings, container_persistent: false, ...changes },
    onProgress: (line: string) => lines.push(line),
  };
  const { host } = await openDocker({ ...options, settings: base.settings ?? {} });
  return {
    dir,
    lines,
    options,
    engine: host.engine,
    /** Containers of this test alone. */
    async containers() {
      const own = (await openDocker(options)).host;
      const all = await own.engine.list();
      return all.filter(({ profile }) => profile === own.profile);
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(dir, { recursive: true });
    },
  };
}

live("gives a container nothing it does not need", async (service) => {
  await using context = await setup(service);
  const env = await createDockerEnvironment(context.options);
  equal(env.sharesHost, false);
  const sh = async (command: string) => (await env.exec(command)).output.trim();
  equal(await sh("id -u"), "1000");
  equal(
    await sh("grep -E '^Cap(Eff|Prm|Bnd)' /proc/self/status | tr -d '\\t'"),
    ["CapPrm", "CapEff", "CapBnd"].map((name) => `${name}:0000000000000000`).join("\n"),
  );
  match(await sh("grep NoNewPrivs /proc/self/status"), /1$/);
  match(await sh("touch /etc/x"), /Read-only file system/);
  match(await sh("touch /bin/x"), /Read-only file system/);
  equal(await sh("ls /var/run/docker.sock /run/docker.sock 2>&1 | grep -vc 'No such'"), "0");
  equal(await sh("ls /sys/class/net"), "lo");
  equal(await sh("touch /tmp/x /workspace/x ~/x && echo fine"), "fine");
  const [container] = await context.containers();
  const { stdout } = await context.engine.call([
    "inspect",
    "--format",
    "{{json .HostConfig}}",
    container!.name,
  ]);
  const host = JSON.parse(stdout);
  deepEqual(
    [host.PidsLimit, host.Memory, host.NanoCpus, host.ReadonlyRootfs, host.Privileged],
    [256, 5120 * 2 ** 20, 1e9, true, false],
  );
  deepEqual([host.NetworkMode, host.PidMode, host.Binds], ["none", "", null]);
  await env.close();
});

live("removes an ephemeral container when it is closed", async (service) => {
  await using context = await setup(service);
  const env = await createDockerEnvironment(context.options);
  equal((await context.containers()).length, 1);
  await env.close();
  deepEqual(await context.containers(), []);
});

live("reuses a kept container by its label, files included", async (service) => {
  await using context = await setup(service, { container_persistent: true });
  const first = await createDockerEnvironment(context.options);
  await first.exec("echo kept >/workspace/file; echo home >~/file");
  const second = await createDockerEnvironment(context.options);
  equal((await second.exec("cat /workspace/file ~/file")).output, "kept\nhome\n");
  const [container, ...others] = await context.containers();
  deepEqual(others, []);
  await first.close();
  equal(await context.engine.isBusy(container!.name), true);
  await second.close();
  equal(await context.engine.isBusy(container!.name), false);
  const different = await createDockerEnvironment({
    ...context.options,
    settings: { ...context.options.settings, container_memory: 256 },
  });
  equal((await different.exec("cat /workspace/file")).output, "kept\n");
  await different.close();
  const all = await context.containers();
  equal(all.length, 2);
  await Promise.all(all.map(({ name }) => context.engine.remove(name)));
});

live("leaves nothing in a kept container, however fast it is closed", async (service) => {
  await using context = await setup(service, { container_persistent: true });
  for (let i = 0; i < 3; i++) {
    const env = await createDockerEnvironment(context.options);
    // Shells that are started ahead are still on their way when the end comes.
    for (let k = 0; k <= i; k++) await env.exec("true");
    await env.close();
  }
  const [container] = await context.containers();
  const { stdout } = await context.engine.call(["exec", container!.name, "ls", "-A", "/tmp"]);
  equal(stdout, "");
  await context.engine.remove(container!.name);
});

live("never takes somebody else's container for its own", async (service) => {
  await using context = await setup(service, { container_persistent: true });
  const { host } = await openDocker(context.options);
  const name = host.label.replace("container ", "");
  const rest = ["--network=none", service.image, "sleep", "1000"];
  await context.engine.call(["run", "-d", `--name=${name}`, ...rest]);
  await rejects(createDockerEnvironment(context.options), {
    name: "EnvironmentError",
    message: `The container ${name} is not one of hermes. Rename or remove it`,
  });
  await context.engine.remove(name);
});

live("removes a container that is not to be reused, and keeps its files", async (service) => {
  await using context = await setup(service, {
    container_persistent: true,
    docker_persist_across_processes: false,
  });
  const env = await createDockerEnvironment(context.options);
  await env.exec("echo kept >file");
  await env.close();
  deepEqual(await context.containers(), []);
  const kept = `${context.dir}/.hermes/sandboxes/docker/workspace/file`;
  equal(await Deno.readTextFile(kept), "kept\n");
});

live("removes what a killed hermes left, and nobody else's", async (service) => {
  await using context = await setup(service);
  const label = (owner: string) => [`--label=hermes.agent=1`, `--label=hermes.owner=${owner}`];
  const { thisOwner } = await import("../../src/process/owner.ts");
  const own = await thisOwner();
  const dead = own.split("/").with(4, "1").join("/");
  const run = async (name: string, owner: string) => {
    const rest = ["--network=none", service.image, "sleep", "1000"];
    await context.engine.call(["run", "-d", `--name=${name}`, ...label(owner), ...rest]);
  };
  await run("hermes-test-dead", dead);
  await run("hermes-test-alive", own);
  await run("hermes-test-elsewhere", "elsewhere/b/p/1/2");
  const env = await createDockerEnvironment(context.options);
  await env.close();
  ok(context.lines.includes("removed hermes-test-dead"), context.lines.join("\n"));
  equal(await context.engine.inspect("hermes-test-dead"), undefined);
  for (const name of ["hermes-test-alive", "hermes-test-elsewhere"]) {
    equal((await context.engine.inspect(name))?.running, true);
    await context.engine.remove(name);
  }
});

live(
  "mounts the working directory only when asked, and then keeps approvals on",
  async (service) => {
    await using context = await setup(service, { docker_mount_cwd_to_workspace: true });
    await Deno.writeTextFile(`${context.dir}/project/here`, "mine\n");
    const env = await createDockerEnvironment(context.options);
    equal(env.sharesHost, true);
    equal((await env.exec("cat /workspace/here; echo back >made")).output, "mine\n");
    await env.close();
    equal(await Deno.readTextFile(`${context.dir}/project/made`), "back\n");
  },
);

live("passes variables by name only and writes them nowhere", async (service) => {
  await using context = await setup(service, {
    docker_forward_env: ["FORWARDED", "MISSING"],
    docker_env: { PATH_LIKE: "a:b" },
  });
  const { options } = context;
  const env = await createDockerEnvironment({
    ...options,
    env: { ...options.env, FORWARDED: "f o'o", NAMED_TOKEN: "t-0-k", OTHER: "no" },
    passEnv: ["NAMED_TOKEN"],
  });
  const seen = await env.exec(
    "echo $FORWARDED $NAMED_TOKEN $PATH_LIKE ${OTHER-none} ${MISSING-none}",
  );
  equal(seen.output, "f o'o t-0-k a:b none none\n");
  const [container] = await context.containers();
  const { stdout } = await context.engine.call(["inspect", container!.name]);
  ok(!stdout.includes("t-0-k") && !stdout.includes("f o'o"));
  await env.close();
});

live("refuses a configuration that hands over the host unless forced", async (service) => {
  await using context = await setup(service);
  const using = (changes: Record<string, unknown>) => ({
    ...context.options,
    settings: { ...context.options.settings, ...changes },
  });
  await Deno.symlink("/", `${context.dir}/root-link`);
  const wrong: Record<string, unknown>[] = [
    { docker_extra_args: ["--privileged"] },
    { docker_extra_args: ["--pid=host"] },
    { docker_volumes: ["/:/host"] },
    { docker_volumes: [`${context.dir}/root-link:/host:ro`] },
    { docker_volumes: ["/var/run/docker.sock:/var/run/docker.sock"] },
  ];
  for (const changes of wrong) {
    await rejects(createDockerEnvironment(using(changes)), (error) => {
      ok(error instanceof UsageError);
      match(error.message, /would control this machine: /);
      match(error.hint!, /docker_allow_host_access/);
      return true;
    });
  }
  deepEqual(await context.containers(), []);
  const forced = await createDockerEnvironment(
    using({ docker_volumes: ["/:/host:ro"], docker_allow_host_access: true }),
  );
  equal(forced.sharesHost, true);
  equal((await forced.exec("ls -d /host/etc")).output, "/host/etc\n");
  await forced.close();
});

live("pulls a missing image and shows how far it is", async (service) => {
  await using context = await setup(service);
  const archive = await busyboxArchive(context.dir);
  const registry = await serveImage(archive as Uint8Array<ArrayBuffer>);
  const settings = { ...context.options.settings, "docker_image": registry.image };
  const env = await createDockerEnvironment({ ...context.options, settings });
  equal((await env.exec("echo from a registry")).output, "from a registry\n");
  await env.close();
  const begun = context.lines.indexOf(`pulling ${registry.image}`);
  const done = context.lines.findIndex((line) => /Pull complete$/.test(line));
  ok(begun >= 0 && begun < done, context.lines.join("\n"));
  await context.engine.call(["image", "rm", registry.image]);
  await registry.close();
});

live("says what is wrong with an image, a daemon or a program", async (service) => {
  await using context = await setup(service, { docker_image: "127.0.0.1:1/no/such:image" });
  await rejects(createDockerEnvironment(context.options), (error) => {
    ok(error instanceof EnvironmentError);
    match(error.message, /cannot pull 127\.0\.0\.1:1\/no\/such:image: /);
    return true;
  });
  ok(context.lines.includes("pulling 127.0.0.1:1/no/such:image"));
  const { options } = context;
  const nobody = { ...options.env, DOCKER_HOST: `unix://${context.dir}/no.sock` };
  await rejects(createDockerEnvironment({ ...options, env: nobody }), {
    name: "EnvironmentError",
    message: /Start the daemon, or run commands with --env local/,
  });
  await rejects(createDockerEnvironment({ ...options, env: { PATH: context.dir } }), {
    name: "EnvironmentError",
    message: /Neither docker nor podman is installed/,
  });
});
