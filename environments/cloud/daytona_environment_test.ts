import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { Environment } from "../../src/protocol/environment.ts";
import { EnvironmentError, type UsageError } from "../../src/protocol/error.ts";
import "../../src/deps/daytona.ts"; // Resolved with the lock file, before the tests run.
import { BROKEN_IMAGE, DAYTONA_KEY, DaytonaServer } from "../../tests/support/daytona_server.ts";
import { DAYTONA_ADMIN } from "./admin.ts";
import { createDaytonaEnvironment } from "./daytona_environment.ts";
import type { EnvironmentOptions } from "../options.ts";

interface World {
  server: DaytonaServer;
  home: string;
  /** What hermes told meanwhile. */
  told: string[];
  options: EnvironmentOptions;
  open(settings?: Record<string, unknown>): Promise<Environment>;
}

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const server = await DaytonaServer.start();
  const home = await Deno.makeTempDir({ prefix: "hermes-daytona-home-" });
  const told: string[] = [];
  const options: EnvironmentOptions = {
    cwd: "/",
    home,
    env: { DAYTONA_API_URL: server.url, DAYTONA_TARGET: "eu", PASSED: "passed on", OTHER: "not" },
    credential: (name) => name === "DAYTONA_API_KEY" ? DAYTONA_KEY : undefined,
    passEnv: ["PASSED"],
    onProgress: (line) => told.push(line),
  };
  const open = (settings: Record<string, unknown> = {}) =>
    createDaytonaEnvironment({ ...options, settings: { daytona_image: "debian:12", ...settings } });
  try {
    await run({ server, home, told, options, open });
  } finally {
    await server.close();
    await Deno.remove(home, { recursive: true });
  }
}

async function output(env: Environment, command: string): Promise<string> {
  return (await env.exec(command)).output.trimEnd();
}

/** Waits for something that happens by itself. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

Deno.test("createDaytonaEnvironment() says that the key is missing and where to get it", async () => {
  await rejects(
    createDaytonaEnvironment({ cwd: "/", home: "/", env: {} }),
    (error: UsageError) => {
      equal(error.exitCode, 2);
      equal(error.message, "Daytona needs DAYTONA_API_KEY");
      match(error.hint!, /app\.daytona\.io/);
      return true;
    },
  );
});

Deno.test("createDaytonaEnvironment() says that the key is refused without telling it", async () => {
  await inWorld(async ({ options }) => {
    const credential = (name: string) => name === "DAYTONA_API_KEY" ? "dtn_wrong_key" : undefined;
    await rejects(createDaytonaEnvironment({ ...options, credential }), (error: UsageError) => {
      equal(error.name, "UsageError", error.message);
      equal(error.message, "Daytona refuses the key: Invalid credentials");
      equal(error.hint, "Check DAYTONA_API_KEY");
      return true;
    });
  });
});

Deno.test("createDaytonaEnvironment() says why there is no sandbox, and that nobody is there", async () => {
  await inWorld(async ({ open, options }) => {
    await rejects(open({ daytona_image: BROKEN_IMAGE }), (error) => {
      ok(error instanceof EnvironmentError);
      match(error.message, /^Daytona gives no sandbox: .*failed to pull the image/);
      return true;
    });
    // Nobody listens on port 1.
    const env = { ...options.env, DAYTONA_API_URL: "http://127.0.0.1:1/api" };
    await rejects(createDaytonaEnvironment({ ...options, env }), (error) => {
      ok(error instanceof EnvironmentError);
      match(error.message, /^Daytona gives no sandbox: .*ECONNREFUSED/);
      return true;
    });
  });
});

Deno.test("createDaytonaEnvironment() asks for what the configuration says and passes variables by name", async () => {
  await inWorld(async ({ server, open }) => {
    const env = await open({
      container_cpu: 2,
      container_memory: 3000,
      container_disk: 51_200,
      lifetime_seconds: 61,
    });
    const { request, labels } = server.sandboxes()[0]!;
    deepEqual(request.buildInfo, { dockerfileContent: "FROM debian:12\n" });
    deepEqual([request.cpu, request.memory, request.disk], [2, 3, 10]);
    deepEqual([request.autoStopInterval, request.target], [12, "eu"]);
    equal(labels["hermes-agent"], "1");
    equal(env.sharesHost, false);
    equal(env.cwd(), await output(env, "echo ~"));
    equal(await output(env, "echo $PASSED ${OTHER-none}"), "passed on none");
    equal(await output(env, "env | grep -c -e DAYTONA -e dtn_ || true"), "0");
    await env.close();
  });
});

Deno.test("createDaytonaEnvironment() stops a kept sandbox and finds it again", async () => {
  await inWorld(async ({ server, open, told }) => {
    const first = await open();
    await first.exec("echo x >~/kept");
    await first.close();
    deepEqual(server.sandboxes().map(({ state }) => state), ["stopped"]);
    const second = await open();
    equal(await output(second, "cat ~/kept"), "x");
    await second.close();
    deepEqual(server.sandboxes().map(({ state }) => state), ["stopped"]);
    deepEqual(told, []);
  });
});

Deno.test("sessions of one home share a kept sandbox, and the last one stops it", async () => {
  await inWorld(async ({ server, open, home, told }) => {
    const states = () => server.sandboxes().map(({ state }) => state);
    const users = () => {
      const { name } = server.sandboxes()[0]!;
      return [...Deno.readDirSync(`${home}/.hermes/sandboxes/daytona/users/${name}`)].length;
    };
    // Both make it at the same moment; whoever is idle first must not take it from the other.
    const [first, second] = await Promise.all([open({ lifetime_seconds: 0.3 }), open()]);
    await first.exec("echo x >~/shared");
    const running = await second.spawn("read x; cat ~/shared");
    await until(() => users() === 1);
    deepEqual(states(), ["started"]);
    await first.close();
    deepEqual(states(), ["started"]);
    await running.write("\n");
    equal(await running.exited, 0);
    equal(running.output().text, "x\n");
    await second.close();
    deepEqual(states(), ["stopped"]);
    // Both start it at the same moment.
    const again = await Promise.all([open(), open()]);
    deepEqual(await Promise.all(again.map((env) => output(env, "cat ~/shared"))), ["x", "x"]);
    await Promise.all(again.map((env) => env.close()));
    deepEqual(states(), ["stopped"]);
    deepEqual(told, []);
  });
});

Deno.test("createDaytonaEnvironment() deletes a sandbox that is not kept", async () => {
  await inWorld(async ({ server, open }) => {
    const env = await open({ container_persistent: false });
    await env.exec("true");
    await env.close();
    deepEqual(server.sandboxes().map(({ state }) => state), ["destroyed"]);
  });
});

Deno.test("createDaytonaEnvironment() deletes a kept sandbox that is broken and makes another", async () => {
  await inWorld(async ({ server, open }) => {
    await (await open()).close();
    server.sandboxes()[0]!.state = "error";
    const env = await open();
    equal(await output(env, "echo works"), "works");
    await env.close();
    deepEqual(server.sandboxes().map(({ state }) => state), ["destroyed", "stopped"]);
  });
});

Deno.test("an idle sandbox of Daytona is stopped and wakes up where it was", async () => {
  await inWorld(async ({ server, open, told }) => {
    const env = await open({ lifetime_seconds: 0.5, container_persistent: false });
    await env.exec("mkdir ~/here; cd ~/here; export STATE=kept");
    await (await env.spawn("sleep 1; echo done")).exited;
    // The background process kept it awake.
    equal(server.sandboxes()[0]!.state, "started");
    await until(() => server.sandboxes()[0]!.state === "stopped");
    equal(await output(env, "echo $STATE; basename $PWD"), "kept\nhere");
    await until(() => server.sandboxes()[0]!.state === "stopped");
    // It is not woken to be deleted.
    await env.close();
    deepEqual(server.sandboxes().map(({ state }) => state), ["destroyed"]);
    deepEqual(told, []);
  });
});

Deno.test("DAYTONA_ADMIN looks without connecting and deletes sandboxes of killed processes", async () => {
  await inWorld(async ({ server, options, home, open }) => {
    const looked = await DAYTONA_ADMIN.look({
      ...options,
      settings: { "daytona_image": "debian:12" },
    });
    equal(looked, "DAYTONA_API_KEY set, image debian:12");
    equal(server.sandboxes().length, 0);
    const env = await open({ container_persistent: false });
    const { id } = server.sandboxes()[0]!;
    deepEqual(await DAYTONA_ADMIN.clean(options), []);
    const owner = `${Deno.hostname().replace(/[^\w.:-]+/g, "")}/another boot/x/1/1`;
    await Deno.writeTextFile(`${home}/.hermes/sandboxes/daytona/running/${id}`, owner);
    const lines = await DAYTONA_ADMIN.clean(options);
    deepEqual(lines, [`ended the sandbox ${id} of a hermes that was killed`]);
    equal(server.sandboxes()[0]!.state, "destroyed");
    await env.close();
  });
});
