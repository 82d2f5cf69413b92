import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { Environment } from "../../src/protocol/environment.ts";
import { EnvironmentError, type UsageError } from "../../src/protocol/error.ts";
import { BROKEN_IMAGE, FakeModal, MODAL_TOKEN } from "../../tests/support/fake_modal.ts";
import { modalAdmin } from "./admin.ts";
import type { EnvironmentOptions } from "../options.ts";
import { createModalEnvironment } from "./modal_environment.ts";

interface World {
  modal: FakeModal;
  home: string;
  /** What hermes told meanwhile. */
  told: string[];
  options: EnvironmentOptions;
  open(settings?: Record<string, unknown>): Promise<Environment>;
}

async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-modal-" }));
  const modal = new FakeModal(base);
  const home = await Deno.makeTempDir({ prefix: "hermes-modal-home-" });
  const told: string[] = [];
  const options: EnvironmentOptions = {
    cwd: "/",
    home,
    env: {
      MODAL_TOKEN_ID: MODAL_TOKEN.id,
      PASSED: "passed on",
      KEPT_BACK: "not passed on",
    },
    credential: (name) => name === "MODAL_TOKEN_SECRET" ? MODAL_TOKEN.secret : undefined,
    passEnv: ["PASSED"],
    onProgress: (line) => told.push(line),
  };
  const open = (settings: Record<string, unknown> = {}) =>
    createModalEnvironment(
      { ...options, settings: { modal_image: "debian:12", ...settings } },
      modal.connect,
    );
  try {
    await run({ modal, home, told, options, open });
  } finally {
    await modal.close();
    for (const dir of [base, home]) await Deno.remove(dir, { recursive: true });
  }
}

async function output(env: Environment, command: string): Promise<string> {
  return (await env.exec(command)).output.trimEnd();
}

/** Waits for something that happens by itself. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

Deno.test("createModalEnvironment() says which credential is missing and where to get it", async () => {
  const options = { cwd: "/", home: "/", env: { MODAL_TOKEN_ID: "ak-1" } };
  await rejects(createModalEnvironment(options), (error: UsageError) => {
    equal(error.exitCode, 2);
    equal(error.message, "Modal needs MODAL_TOKEN_SECRET");
    match(error.hint!, /modal\.com\/settings\/tokens/);
    return true;
  });
  await rejects(createModalEnvironment({ ...options, env: {} }), {
    name: "UsageError",
    message: "Modal needs MODAL_TOKEN_ID and MODAL_TOKEN_SECRET",
  });
});

Deno.test("createModalEnvironment() has no managed mode", async () => {
  const settings = { "modal_mode": "managed" };
  await rejects(createModalEnvironment({ cwd: "/", home: "/", env: {}, settings }), {
    name: "UsageError",
    message: "A managed Modal is not part of hermes",
  });
});

Deno.test("createModalEnvironment() says that the token is refused without telling it", async () => {
  await inWorld(async ({ modal, options }) => {
    const credential = () => undefined;
    const env = { ...options.env, MODAL_TOKEN_SECRET: "as-wrong-secret" };
    const opening = createModalEnvironment({ ...options, credential, env }, modal.connect);
    await rejects(opening, (error: UsageError) => {
      equal(error.name, "UsageError");
      match(error.message, /^Modal refuses the token: Token ID/);
      ok(!`${error.message}${error.hint}`.includes("wrong-secret"));
      return true;
    });
  });
});

Deno.test("createModalEnvironment() says why there is no sandbox", async () => {
  await inWorld(async ({ open }) => {
    await rejects(open({ modal_image: BROKEN_IMAGE }), (error) => {
      ok(error instanceof EnvironmentError);
      match(error.message, /^Modal gives no sandbox: Image build for im-broken failed/);
      return true;
    });
  });
});

Deno.test("createModalEnvironment() asks for what the configuration says and passes variables by name", async () => {
  await inWorld(async ({ modal, open }) => {
    const env = await open({ container_cpu: 2, container_memory: 4096, lifetime_seconds: 60 });
    const [sandbox] = modal.sandboxes();
    equal(modal.imageTag(sandbox!.imageId), "debian:12");
    const { tags, cpu, memoryMiB, idleTimeoutMs } = sandbox!.params;
    deepEqual(tags, { "hermes-agent": "1" });
    deepEqual({ cpu, memoryMiB, idleTimeoutMs }, {
      cpu: 2,
      memoryMiB: 4096,
      idleTimeoutMs: 180_000,
    });
    equal(env.sharesHost, false);
    equal(env.cwd(), await output(env, "echo ~"));
    equal(await output(env, "echo $PASSED ${KEPT_BACK-none}"), "passed on none");
    equal(await output(env, "env | grep -c -e MODAL -e fake$ || true"), "0");
    await env.close();
    equal(modal.sandboxes()[0]!.running, false);
  });
});

Deno.test("createModalEnvironment() keeps files between sessions and one snapshot of them", async () => {
  await inWorld(async ({ modal, open, told }) => {
    for (const expected of ["", "1", "1\n2"]) {
      const env = await open();
      equal(await output(env, "cat ~/log 2>/dev/null"), expected);
      await env.exec(`echo ${expected.split("\n").filter(Boolean).length + 1} >>~/log`);
      await env.close();
    }
    const images = modal.sandboxes().map(({ imageId }) => imageId);
    deepEqual(images.map((id) => modal.imageTag(id) !== undefined), [true, false, false]);
    ok(modal.sandboxes().every(({ running }) => !running));
    deepEqual(told, []);
  });
});

Deno.test("createModalEnvironment() keeps nothing when told so", async () => {
  await inWorld(async ({ open }) => {
    const first = await open({ container_persistent: false });
    await first.exec("touch ~/kept");
    await first.close();
    const second = await open();
    equal(await output(second, "ls -A ~"), "");
    await second.close();
  });
});

Deno.test("createModalEnvironment() begins with the image when the snapshot has gone", async () => {
  await inWorld(async ({ open, home, told }) => {
    await Deno.mkdir(`${home}/.hermes/sandboxes/modal`, { recursive: true });
    await Deno.writeTextFile(`${home}/.hermes/sandboxes/modal/snapshot`, "im-gone");
    const env = await open();
    equal(await output(env, "echo works"), "works");
    deepEqual(told, ["the snapshot im-gone has gone; starting from debian:12"]);
    await env.close();
  });
});

Deno.test("an idle sandbox of Modal goes to sleep and wakes up where it was", async () => {
  await inWorld(async ({ modal, open, told }) => {
    const env = await open({ lifetime_seconds: 0.5, container_persistent: false });
    await env.exec("mkdir ~/here; cd ~/here; export STATE=kept; echo x >file");
    const background = await env.spawn("sleep 1; echo done");
    const first = modal.sandboxes().at(-1)!;
    await background.exited;
    // The background process kept it awake.
    equal(first.running, true);
    await until(() => !first.running);
    equal(await output(env, "echo $STATE; cat ~/here/file"), "kept\nx");
    const second = modal.sandboxes().at(-1)!;
    ok(second !== first);
    await env.close();
    deepEqual(told, []);
    // The snapshot was for this session alone.
    equal(modal.imageTag(second.imageId), undefined);
  });
});

Deno.test("modalAdmin() looks without connecting and ends sandboxes of killed processes", async () => {
  await inWorld(async ({ modal, options, home, open }) => {
    const admin = modalAdmin(modal.connect);
    const looked = await admin.look({ ...options, settings: { modal_image: "debian:12" } });
    equal(looked, "MODAL_TOKEN_ID and MODAL_TOKEN_SECRET set, image debian:12");
    equal(modal.sandboxes().length, 0);
    const env = await open();
    const { id } = modal.sandboxes()[0]!;
    deepEqual(await admin.clean(options), []);
    const owner = `${Deno.hostname().replace(/[^\w.:-]+/g, "")}/another boot/x/1/1`;
    for (const orphan of [id, "sb-never-was"]) {
      await Deno.writeTextFile(`${home}/.hermes/sandboxes/modal/running/${orphan}`, owner);
    }
    const lines = await admin.clean(options);
    deepEqual(lines.sort(), [
      `ended the sandbox ${id} of a hermes that was killed`,
      "ended the sandbox sb-never-was of a hermes that was killed",
    ]);
    equal(modal.sandboxes()[0]!.running, false);
    await env.close();
  });
});
