/** The life of an instance, with a program that plays singularity on this machine. */
import { onlyVariables } from "../../src/process/child_environment.ts";
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { thisOwner } from "../../src/process/owner.ts";
import type { EnvironmentOptions } from "../options.ts";
import { createSingularityEnvironment, findSingularity } from "./singularity_environment.ts";

/** Keeps instances as files, runs commands here, writes down how it was called. */
const FAKE = `#!/bin/sh
dir=$(dirname "$0")
for last; do :; done
case "$1 $2" in
  "--version "*) echo "apptainer version 1.3.0";;
  "instance start")
    echo "$*" >>"$dir/calls"
    case $* in *--memory*) echo "FATAL: cgroups are not available" >&2; exit 255;; esac
    touch "$dir/instance-$last";;
  "instance list") [ -e "$dir/instance-$last" ] && echo "{\\"instances\\":[{\\"instance\\":\\"$last\\"}]}";;
  "instance stop") echo "$*" >>"$dir/calls"; rm -f "$dir/instance-$last";;
  exec*)
    name=\${7#instance://}
    [ -e "$dir/instance-$name" ] || { echo "FATAL: no instance found" >&2; exit 255; }
    shift 7; cd "$dir" && exec env -i PATH=/usr/bin:/bin HOME="$dir" TMPDIR="$dir" "$@";;
  *) exit 1;;
esac
`;

async function setup(settings: Record<string, unknown> = {}) {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-singularity-" }));
  await Deno.writeTextFile(`${dir}/apptainer`, FAKE, { mode: 0o755 });
  const lines: string[] = [];
  const options: EnvironmentOptions = {
    cwd: "/",
    home: dir,
    dataDir: `${dir}/data`,
    env: { PATH: `${dir}:/usr/bin:/bin` },
    settings: { singularity_image: "image.sif", cwd: dir, ...settings },
    onProgress: (line) => lines.push(line),
  };
  return {
    dir,
    lines,
    options,
    async calls() {
      return (await Deno.readTextFile(`${dir}/calls`)).trim().split("\n");
    },
    async instances() {
      const entries = await Array.fromAsync(Deno.readDir(dir));
      return entries.map(({ name }) => name).filter((name) => name.startsWith("instance-"));
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(dir, { recursive: true });
    },
  };
}

Deno.test("createSingularityEnvironment() starts an instance, without limits where there can be none", async () => {
  await using fake = await setup({ container_persistent: false });
  const env = await createSingularityEnvironment(fake.options);
  equal(env.sharesHost, false);
  equal((await env.exec("echo $((6*7)); export A=1")).output, "42\n");
  equal((await env.exec("echo $A")).output, "1\n");
  const [name] = (await fake.instances()).map((file) => file.replace("instance-", ""));
  const scratch = `${fake.dir}/data/sandboxes/singularity/instances/${name}/scratch`;
  const start = "instance start --containall --no-home --no-privs --writable-tmpfs " +
    `--workdir ${scratch} --scratch /workspace`;
  deepEqual(await fake.calls(), [
    `${start} --memory 5120M --cpus 1 image.sif ${name}`,
    `${start} image.sif ${name}`,
  ]);
  ok(fake.lines.some((line) => /cannot limit memory and CPUs/.test(line)));
  await env.close();
  deepEqual(await fake.instances(), []);
  equal((await fake.calls()).at(-1), `instance stop --timeout 10 ${name}`);
  await rejects(Deno.stat(scratch), Deno.errors.NotFound);
});

Deno.test("createSingularityEnvironment() starts the instance again when it is gone", async () => {
  await using fake = await setup({ container_memory: 0, container_cpu: 0 });
  const env = await createSingularityEnvironment(fake.options);
  const [file] = await fake.instances();
  await Deno.remove(`${fake.dir}/${file}`);
  // The shell that waits belongs to the instance that is gone.
  await env.exec("true").catch(() => {});
  equal((await env.exec("echo back")).output, "back\n");
  await env.close();
});

Deno.test("createSingularityEnvironment() shares no overlay and stops what a killed hermes left", async () => {
  await using fake = await setup({ container_memory: 0, container_cpu: 0 });
  const instances = `${fake.dir}/data/sandboxes/singularity/instances`;
  const owner = await thisOwner();
  await Deno.mkdir(`${instances}/hermes-dead`, { recursive: true });
  const dead = owner.split("/").with(4, "1").join("/");
  await Deno.writeTextFile(`${instances}/hermes-dead/owner`, dead);
  const first = await createSingularityEnvironment(fake.options);
  ok(fake.lines.includes("stopped hermes-dead"));
  const second = await createSingularityEnvironment(fake.options);
  ok(fake.lines.some((line) => /another hermes uses the kept root/.test(line)));
  const starts = (await fake.calls()).filter((line) => line.startsWith("instance start"));
  deepEqual(starts.map((line) => line.includes("--overlay")), [true, false]);
  await first.close();
  await second.close();
});

Deno.test("findSingularity() does not take the game for the program", async () => {
  await using fake = await setup();
  await Deno.rename(`${fake.dir}/apptainer`, `${fake.dir}/singularity`);
  const game = '#!/bin/sh\necho "Endgame: Singularity 1.0"\n';
  await Deno.writeTextFile(`${fake.dir}/singularity`, game);
  await rejects(findSingularity(onlyVariables({ PATH: fake.dir })), { name: "EnvironmentError" });
});
