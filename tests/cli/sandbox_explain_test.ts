import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { SandboxPolicy } from "../../src/protocol/sandbox.ts";
import { runHermes, tempHome } from "../support/hermes.ts";
import { LACKS, runOnLesserKernel } from "../support/lesser_kernel.ts";
import { linuxTest } from "../support/linux.ts";

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

linuxTest(
  "hermes sandbox explain names the walls that stand, and what a system lacks",
  async (home) => {
    const { stdout } = await explain(home, []);
    match(stdout, /^On this machine:\n {2}(?:stands |missing) {2}files: /m);
    match(stdout, /^ {2}stands {3}system calls: /m);
    await Deno.mkdir(`${home}/.ssh`);
    const container = await runOnLesserKernel(LACKS.namespaces!, {
      home,
      args: ["sandbox", "explain", "--network", "loopback"],
    });
    match(container.stdout, /^ {2}missing {2}view of the file system: none/m);
    match(container.stdout, /^ {2}missing {2}network loopback: cannot be kept here/m);
    // Without a view, a directory that holds something closed is granted entry by entry.
    match(
      container.stdout,
      /but nothing new directly in ~, because something in it is not to be changed/,
    );
  },
);

linuxTest("hermes env check local names the walls around commands", async (home) => {
  const check = (env: Record<string, string>) =>
    runHermes({ home, args: ["env", "check", "local"], env });
  const { code, stdout } = await check({});
  equal(code, 0);
  match(stdout, /^local works: /);
  match(stdout, /^sandbox workspace-write, network on\n {2}\w+ +files: /m);
  match((await check({ TERMINAL_SANDBOX: "off" })).stdout, /^sandbox off: commands may do/m);
});

Deno.test("hermes sandbox explain --macos-profile prints the policy and applies nothing", async () => {
  await using home = await tempHome();
  await Deno.mkdir(`${home.path}/.ssh`);
  const { code, stdout } = await explain(home.path, ["--macos-profile"]);
  equal(code, 0);
  match(stdout, /^\(version 1\)\n\(allow default\)\n\(deny file-write\*\)\n/);
  match(stdout, /\(deny file-read\* file-write\* \(subpath "[^"]*\/\.ssh"\)\)/);
  const hosts = await explain(home.path, ["--macos-profile", "--network", "example.com"]);
  deepEqual([hosts.code, hosts.stdout], [2, ""]);
  match(hosts.stderr, /--macos-profile cannot hold a list of hosts/);
});

Deno.test("hermes sandbox explain --json gives the policy and what the kernel is told", async () => {
  await using home = await tempHome();
  await Deno.mkdir(`${home.path}/p`);
  const args = ["--json", "-C", `${home.path}/p`, "--network", "Example.com,*.b.org:8443"];
  const { code, stdout } = await explain(home.path, args);
  equal(code, 0);
  const { mode, policy, grants, walls }: {
    mode: string;
    walls: { standing: { landlock: number } | null; lines: { stands: boolean; text: string }[] };
    policy: SandboxPolicy;
    grants: { path: string; access: string }[];
  } = JSON.parse(stdout);
  equal(mode, "workspace-write");
  deepEqual(policy.network, { hosts: ["example.com", "*.b.org:8443"] });
  const work = await Deno.realPath(`${home.path}/p`);
  deepEqual(policy.workspace, [work]);
  ok(walls.lines.length > 0 && walls.lines.every(({ text }) => text !== ""));
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
  match(
    (await explain(home.path, ["--sandbox", "off"])).stdout,
    /^Sandbox {2}off: commands may do whatever you may$/m,
  );
  const off = await explain(home.path, ["--sandbox", "off", "--json"]);
  equal(JSON.parse(off.stdout).mode, "off");
  await Deno.mkdir(`${home.path}/.hermes`, { recursive: true });
  await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, "terminal: { backend: docker }\n");
  match(
    (await explain(home.path, [])).stdout,
    /^Sandbox {2}docker: the place itself is the wall/,
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
