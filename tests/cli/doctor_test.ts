/** `hermes doctor`: says what is broken, exits 1 only then, never shows a key. */
import assert from "node:assert/strict";
import type { Finding } from "../../src/cli/commands/doctor/finding.ts";
import type { SyscallName } from "../../src/process/launcher/syscalls_data.ts";
import { runHermes, tempHome } from "../support/hermes.ts";
import { LACKS, runOnLesserKernel } from "../support/lesser_kernel.ts";
import { linuxTest } from "../support/linux.ts";

/** `lacks`: system calls that the kernel refuses. */
async function doctor(
  home: string,
  env: Record<string, string> = {},
  lacks: readonly SyscallName[] = [],
) {
  const run = {
    home,
    args: ["doctor", "--json"],
    env: { OLLAMA_HOST: "127.0.0.1:9", LM_BASE_URL: "http://127.0.0.1:9/v1", ...env },
  };
  const { code, stdout, stderr } = lacks.length === 0
    ? await runHermes(run)
    : await runOnLesserKernel(lacks, run);
  assert.equal(stderr, "");
  const report = JSON.parse(stdout) as { ok: boolean; checks: Finding[] };
  assert.equal(report.ok, code === 0);
  const find = (name: string) => report.checks.filter((check) => check.name === name);
  return { code, stdout, find };
}

Deno.test("hermes doctor finds nothing broken in an empty home", async () => {
  await using home = await tempHome();
  const { code, find } = await doctor(home.path);
  assert.equal(code, 0);
  assert.equal(find("home")[0]?.status, "ok");
  assert.equal(find("model")[0]?.status, "warn");
  assert.match(find("model")[0]!.fix!, /hermes config set OPENROUTER_API_KEY/);
  assert.equal(find("bash")[0]?.status, "ok");
});

Deno.test("hermes doctor reports every problem of the configuration with its fix", async () => {
  await using home = await tempHome();
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.writeTextFile(
    `${home.path}/.hermes/config.yaml`,
    "agent: { max_turns: x }\nmodle: y\n",
  );
  await Deno.writeTextFile(`${home.path}/.hermes/.env`, "OPENAI_API_KEY=sk-s3cret\n");
  await Deno.chmod(`${home.path}/.hermes/.env`, 0o644);
  const { code, stdout, find } = await doctor(home.path);
  assert.equal(code, 1);
  assert.deepEqual(find("config.yaml").map((check) => check.status), ["fail", "warn"]);
  assert.match(find("config.yaml")[0]!.detail, /config\.yaml:1:10: agent\.max_turns must be/);
  assert.match(find(".env")[0]!.fix!, /^chmod 600 /);
  assert.doesNotMatch(stdout, /s3cret/);
});

Deno.test("hermes doctor reaches a local server and fails for one that is gone", async () => {
  await using home = await tempHome();
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => Response.json({ data: [{ id: "tiny" }] }),
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const running = await doctor(home.path, { OLLAMA_HOST: host });
  assert.match(running.find("ollama")[0]!.detail, /^1 models at/);
  assert.equal(running.find("model")[0]?.status, "ok");
  assert.match(running.find("model")[0]!.detail, /^tiny at ollama/);

  const gone = await doctor(home.path, {
    HERMES_BASE_URL: "http://127.0.0.1:2/v1",
    HERMES_MODEL: "m",
  });
  assert.equal(gone.code, 1);
  assert.match(gone.find("model")[0]!.detail, /http:\/\/127\.0\.0\.1:2\/v1 does not answer/);
});

Deno.test("hermes doctor fails for a configured backend that is not installed", async () => {
  await using home = await tempHome();
  const { code, find } = await doctor(home.path, { TERMINAL_ENV: "docker", PATH: "/nowhere" });
  assert.equal(code, 1);
  assert.deepEqual(find("docker").map((check) => check.status), ["fail"]);
  assert.equal(find("ssh")[0]?.status, "note");
});

Deno.test("hermes doctor prints a line per finding for people", async () => {
  await using home = await tempHome();
  const env = { OLLAMA_HOST: "127.0.0.1:9", LM_BASE_URL: "http://127.0.0.1:9/v1" };
  const { code, stdout } = await runHermes({ home: home.path, args: ["doctor"], env });
  assert.equal(code, 0);
  assert.match(stdout, /^ok {3}version: hermes /);
  assert.match(stdout, /^warn model: .*\n {5}→ Set a key/m);
  assert.match(stdout, /\nNothing is broken\.\n$/);
});

Deno.test("hermes doctor says one thing about a profile that is not there", async () => {
  await using home = await tempHome();
  const { code, stdout } = await runHermes({
    home: home.path,
    args: ["-p", "nope", "doctor"],
  });
  assert.equal(code, 1);
  assert.match(stdout, /^FAIL home: there is no profile "nope" in .*\n {5}→ Create it: mkdir -p /m);
  assert.equal(stdout.match(/FAIL/g)?.length, 1);
  assert.doesNotMatch(stdout, /made when first needed|config\.yaml: |sessions: /);
});

Deno.test("hermes doctor fails where temporary files cannot be made", async () => {
  await using home = await tempHome();
  const { code, find } = await doctor(home.path, { TMPDIR: `${home.path}/none` });
  assert.equal(code, 1);
  const [found] = find("temporary files");
  assert.match(found!.detail, /\/none cannot be written: No such file/);
  assert.match(found!.fix!, /Set TMPDIR/);
});

linuxTest("hermes doctor names every wall that stands around commands", async (home) => {
  const { code, find } = await doctor(home);
  assert.equal(code, 0);
  assert.deepEqual(find("sandbox").map(({ status, detail }) => [status, detail]), [
    ["ok", "workspace-write, network on"],
  ]);
  const walls = find("walls");
  assert.ok(walls.length >= 5, JSON.stringify(walls));
  const names = walls.map(({ detail }) => detail.split(":")[0]);
  for (const name of ["files", "view of the file system", "system calls", "other programs"]) {
    assert.ok(names.includes(name), `${name} is not among ${names}`);
  }
});

linuxTest("hermes doctor warns of a wall that a container does not allow", async (home) => {
  const { code, find } = await doctor(home, { TERMINAL_NETWORK: "loopback" }, LACKS.namespaces);
  assert.equal(code, 0);
  const missing = find("walls").filter(({ status }) => status === "warn").map(({ detail }) =>
    detail
  );
  assert.match(missing[0]!, /^view of the file system: none, the system allows no namespaces/);
  assert.match(missing.join("\n"), /^network loopback: cannot be kept here/m);
});

linuxTest("hermes doctor fails where walls are required and none can be raised", async (home) => {
  const lacks = LACKS["namespaces and Landlock"];
  const told = await doctor(home, {}, lacks);
  assert.equal(told.code, 0);
  assert.match(told.find("walls").at(-1)!.detail, /^commands run without walls around files/);
  await Deno.mkdir(`${home}/.hermes`);
  await Deno.writeTextFile(`${home}/.hermes/config.yaml`, "terminal: { sandbox_required: true }\n");
  const { code, find } = await doctor(home, {}, lacks);
  assert.equal(code, 1);
  const failed = find("walls").filter(({ status }) => status === "fail");
  assert.equal(failed.length, 1);
  assert.match(failed[0]!.detail, /sandbox_required forbids that, so no command runs$/);
});

Deno.test("hermes doctor says when no walls are wanted, or the place is the wall", async () => {
  await using home = await tempHome();
  const off = await doctor(home.path, { TERMINAL_SANDBOX: "off" });
  assert.deepEqual(off.find("sandbox").map(({ status, fix }) => [status, fix]), [
    ["warn", "hermes config set terminal.sandbox workspace-write"],
  ]);
  assert.deepEqual(off.find("walls"), []);
  const docker = await doctor(home.path, { TERMINAL_ENV: "docker", PATH: "/nowhere" });
  assert.deepEqual(docker.find("sandbox").map(({ detail }) => detail), [
    "docker: the place itself is the wall, and no other is raised",
  ]);
});
