import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { SandboxPolicy } from "../../src/protocol/sandbox.ts";
import { runHermes, tempHome } from "../support/hermes.ts";

async function explain(home: string, args: readonly string[], cwd = home) {
  return await runHermes({ home, args: ["sandbox", "explain", ...args], cwd });
}

Deno.test("hermes sandbox explain says in words what is changed, hidden and reached", async () => {
  await using home = await tempHome();
  const project = `${home.path}/project`;
  await Deno.mkdir(`${project}/.git`, { recursive: true });
  await Deno.mkdir(`${home.path}/.ssh`);
  const { code, stdout } = await explain(home.path, [], project);
  equal(code, 0);
  match(stdout, /^Sandbox {2}workspace-write: commands and file tools change the work alone$/m);
  match(stdout, /^Network {2}on: every host$/m);
  match(
    stdout,
    /^Caches {3}private: the project has its own in ~\/\.cache\/hermes\/walls\/project-/m,
  );
  match(stdout, /^ {2}~\/project$/m);
  match(stdout, /^ {2}~\/\.ssh$/m);
  const still = await explain(home.path, ["--sandbox", "read-only"], project);
  match(still.stdout, /^May change: nothing$/m);
  match(still.stdout, /^Network {2}off/m);
});

Deno.test("hermes sandbox explain names a level of the work that takes no new entries", async () => {
  await using home = await tempHome();
  await Deno.mkdir(`${home.path}/.ssh`);
  const { stdout } = await explain(home.path, []);
  match(stdout, /but nothing new directly in ~, because something in it is not to be changed/);
});

Deno.test("hermes sandbox explain --json gives the policy and what the kernel is told", async () => {
  await using home = await tempHome();
  await Deno.mkdir(`${home.path}/p`);
  const args = ["--json", "-C", `${home.path}/p`, "--network", "Example.com,*.b.org:8443"];
  const { code, stdout } = await explain(home.path, args);
  equal(code, 0);
  const { mode, policy, grants }: {
    mode: string;
    policy: SandboxPolicy;
    grants: { path: string; access: string }[];
  } = JSON.parse(stdout);
  equal(mode, "workspace-write");
  deepEqual(policy.network, { hosts: ["example.com", "*.b.org:8443"] });
  const work = await Deno.realPath(`${home.path}/p`);
  deepEqual(policy.workspace, [work]);
  ok(grants.some(({ path, access }) => path === work && access === "tree-work"));
});

Deno.test("hermes sandbox explain refuses words it does not know with one line and exit code 2", async () => {
  await using home = await tempHome();
  const wrong: [string[], RegExp][] = [
    [["--sandbox", "open"], /--sandbox does not know "open"/],
    [["--network", "a b"], /--network: "a b" is not a host name/],
    [["--network", "https://a.com/"], /write its host alone/],
    [["--network", "off", "--sandbox", "off"], /--network off needs the sandbox, and it is off/],
    [["-C", "/nowhere/at/all"], /nowhere/],
  ];
  for (const [args, message] of wrong) {
    const { code, stderr, stdout } = await explain(home.path, args);
    equal(code, 2, args.join(" "));
    match(stderr, message);
    equal(stdout, "");
  }
});

Deno.test("hermes sandbox explain says that no walls stand", async () => {
  await using home = await tempHome();
  match((await explain(home.path, ["--sandbox", "off"])).stdout, /The sandbox is off/);
  const off = await explain(home.path, ["--sandbox", "off", "--json"]);
  equal(JSON.parse(off.stdout).mode, "off");
  await Deno.mkdir(`${home.path}/.hermes`, { recursive: true });
  await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, "terminal: { backend: docker }\n");
  match(
    (await explain(home.path, [])).stdout,
    /Commands run in docker: the place itself is the wall/,
  );
});

Deno.test("hermes run refuses walls that mean nothing before it asks a model", async () => {
  await using home = await tempHome();
  const run = (args: string[]) => runHermes({ home: home.path, args: ["run", ...args, "go"] });
  const wrong: [string[], RegExp][] = [
    [["--network", "x y"], /is not a host name/],
    [["--network", "off", "--sandbox", "off"], /needs the sandbox/],
    [["--sandbox", "read-only", "--env", "docker"], /on this machine, not in docker/],
  ];
  for (const [args, message] of wrong) {
    const { code, stderr } = await run(["--base-url", "http://127.0.0.1:9/v1", ...args]);
    equal(code, 2, stderr);
    match(stderr, message);
  }
  await Deno.mkdir(`${home.path}/.hermes`, { recursive: true });
  await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, 'terminal: { network: "a b" }\n');
  const { code, stderr } = await run(["--base-url", "http://127.0.0.1:9/v1"]);
  equal(code, 2);
  match(stderr, /terminal\.network: "a b" is not a host name/);
});
