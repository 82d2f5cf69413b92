import { deepEqual, equal, ok, rejects, throws } from "node:assert/strict";
import { TERMINAL_BACKENDS } from "../src/config/choices_data.ts";
import { UsageError } from "../src/protocol/error.ts";
import { ADMINS } from "./admin.ts";
import { createEnvironment, environmentOverrides, ENVIRONMENTS } from "./manifest.ts";

const OPTIONS = { cwd: "/", env: {}, home: "/" };

Deno.test("ENVIRONMENTS has what terminal.backend may be", () => {
  for (const name of Object.keys(ENVIRONMENTS)) {
    ok((TERMINAL_BACKENDS as readonly string[]).includes(name), name);
  }
});

Deno.test("ADMINS looks after every environment", () => {
  deepEqual(Object.keys(ADMINS), Object.keys(ENVIRONMENTS));
});

Deno.test("environmentOverrides() chooses an environment, and which one, for one task", () => {
  deepEqual(environmentOverrides("local"), { "terminal.backend": "local" });
  deepEqual(environmentOverrides("docker:reg:5000/img:1"), {
    "terminal.backend": "docker",
    "terminal.docker_image": "reg:5000/img:1",
  });
  const ssh = (host: string, user: string, port: number) => ({
    "terminal.backend": "ssh",
    "terminal.ssh_host": host,
    "terminal.ssh_user": user,
    "terminal.ssh_port": port,
  });
  deepEqual(environmentOverrides("ssh:build"), ssh("build", "", 22));
  deepEqual(environmentOverrides("ssh:me@build.example.org:2222"), {
    ...ssh("build.example.org", "me", 2222),
  });
});

Deno.test("environmentOverrides() refuses what is no environment", () => {
  for (const text of ["local:x", "docker:", "ssh:", "ssh:a:b", "nowhere:x", "vercel", ":x", ""]) {
    throws(() => environmentOverrides(text), UsageError, text);
  }
});

Deno.test("createEnvironment() makes an environment of the manifest by name", async () => {
  const env = await createEnvironment("local", OPTIONS);
  equal(env.name, "local");
  equal(env.sharesHost, true);
  await env.close();
});

Deno.test("createEnvironment() suggests the nearest name for a wrong one", async () => {
  await rejects(createEnvironment("locla", OPTIONS), (error) => {
    equal((error as UsageError).exitCode, 2);
    equal((error as Error).message, 'Unknown environment "locla". Did you mean "local"?');
    return true;
  });
  await rejects(createEnvironment("constructor", OPTIONS), UsageError);
});

Deno.test("createEnvironment() says what to use instead of a retired name", async () => {
  await rejects(createEnvironment("vercel_sandbox", OPTIONS), {
    name: "UsageError",
    message: 'The environment "vercel_sandbox" is not part of hermes',
    hint: `Set terminal.backend (or --env) to one of: ${Object.keys(ENVIRONMENTS).join(", ")}`,
  });
});

Deno.test("createEnvironment() reads the settings of the local environment", async () => {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-manifest-" }));
  await Deno.writeTextFile(`${dir}/rc`, "export FROM_RC=1\n");
  const env = await createEnvironment("local", {
    cwd: dir,
    home: dir,
    env: { PATH: "/usr/bin:/bin", TMPDIR: dir },
    settings: { shell_init_files: ["~/rc"], persistent_shell: false },
  });
  try {
    equal((await env.exec("echo $FROM_RC; cd /; export FROM_RC=2")).output, "1\n");
    equal((await env.exec("echo $FROM_RC; pwd")).output, `1\n${dir}\n`);
  } finally {
    await env.close();
    await Deno.remove(dir, { recursive: true });
  }
});
