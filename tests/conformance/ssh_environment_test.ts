/** What only the ssh environment promises: host keys, errors, links that break, synced files. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { EnvironmentOptions } from "../../environments/options.ts";
import { createSshEnvironment } from "../../environments/ssh/ssh_environment.ts";
import { holdSsh, type SshService } from "../../scripts/services/ssh.ts";
import type { Environment } from "../../src/protocol/environment.ts";
import { EnvironmentError } from "../../src/protocol/error.ts";
import { sshTestOptions } from "../support/ssh_environment.ts";
import { holdOrSkip } from "./environment_live.ts";
import { countProcesses, uniqueNap, untilOutput } from "./environment_suite.ts";

const held = await holdOrSkip("ssh", holdSsh);
if (held) Deno.test.afterAll(() => held.release());

/** A test that needs the server; without one the reason has been told. */
function live(name: string, run: (service: SshService) => Promise<void>): void {
  if (held) Deno.test(`ssh ${name}`, () => run(held.running));
}

/** The test server with other settings and files of its own. */
async function setup(service: SshService, changes: Record<string, unknown> = {}) {
  const dir = await Deno.makeTempDir({ prefix: "hermes-ssh-test-" });
  const options = sshTestOptions(service);
  const lines: string[] = [];
  return {
    dir,
    lines,
    options: {
      ...options,
      cwd: dir,
      settings: { ...options.settings, ...changes },
      onProgress: (line: string) => lines.push(line),
    },
    async [Symbol.asyncDispose]() {
      await Deno.remove(dir, { recursive: true });
    },
  };
}

async function wantRefusal(options: EnvironmentOptions, reason: RegExp): Promise<void> {
  await rejects(createSshEnvironment(options), (error) => {
    ok(error instanceof EnvironmentError, `${error}`);
    match(error.message, reason);
    return true;
  });
}

/** Kills the server's end of the connection. */
async function cutLink(env: Environment): Promise<void> {
  const { output } = await env.exec("cut -d' ' -f4 /proc/$PPID/stat", { taskId: "cut" });
  Deno.kill(Number(output), "SIGKILL");
}

async function knownHosts(service: SshService, dir: string, content: string): Promise<string> {
  await Deno.writeTextFile(`${dir}/known_hosts`, content.replace("PORT", String(service.port)));
  await Deno.writeTextFile(`${dir}/config`, `UserKnownHostsFile ${dir}/known_hosts\n`);
  return `${dir}/config`;
}

live("refuses a host whose key is not known, and learns it only when told to", async (service) => {
  await using context = await setup(service);
  const { dir, options } = context;
  const config = await knownHosts(service, dir, "");
  const settings = { ...options.settings, "ssh_config": config };
  await wantRefusal({ ...options, settings }, /key is not known.*ssh_unknown_hosts: accept/);
  equal(await Deno.readTextFile(`${dir}/known_hosts`), "");
  const env = await createSshEnvironment({
    ...options,
    settings: { ...settings, ssh_unknown_hosts: "accept" },
  });
  await env.close();
  match(await Deno.readTextFile(`${dir}/known_hosts`), /ssh-ed25519/);
  const again = await createSshEnvironment({ ...options, settings });
  await again.close();
});

live("refuses a host whose key has changed, whatever the configuration says", async (service) => {
  await using context = await setup(service, { ssh_unknown_hosts: "accept" });
  const { dir, options } = context;
  const made = await new Deno.Command("ssh-keygen", {
    args: ["-q", "-t", "ed25519", "-N", "", "-f", `${dir}/other`],
  }).output();
  ok(made.success);
  const key = (await Deno.readTextFile(`${dir}/other.pub`)).split(" ").slice(0, 2).join(" ");
  const config = await knownHosts(service, dir, `[127.0.0.1]:PORT ${key}\n`);
  await Deno.writeTextFile(config, "StrictHostKeyChecking no\n", { append: true });
  const settings = { ...options.settings, "ssh_config": config };
  await wantRefusal({ ...options, settings }, /not the one that is known/);
});

live("says what is wrong with the key, the port and the name", async (service) => {
  await using context = await setup(service);
  const { dir, options } = context;
  await new Deno.Command("ssh-keygen", {
    args: ["-q", "-t", "ed25519", "-N", "", "-f", `${dir}/stranger`],
  }).output();
  const using = (changes: Record<string, unknown>): EnvironmentOptions => ({
    ...options,
    settings: { ...options.settings, ...changes },
  });
  await wantRefusal(using({ ssh_key: `${dir}/stranger` }), /Permission denied.*ssh_key/);
  await wantRefusal(using({ ssh_port: 1 }), /refused/);
  await wantRefusal(using({ ssh_host: "no-such-host.invalid" }), /[Cc]ould not resolve/);
});

live("takes the key of an agent", async (service) => {
  await using context = await setup(service, { ssh_key: "" });
  const { dir, options } = context;
  await wantRefusal(options, /Permission denied.*agent/);
  const socket = `${dir}/agent`;
  await using _agent = new Deno.Command("ssh-agent", {
    args: ["-D", "-a", socket],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const env = { ...options.env, SSH_AUTH_SOCK: socket };
  const add = () => new Deno.Command("ssh-add", { args: ["-q", service.key], env }).output();
  let added = await add();
  // Code 2: nobody answers, because the agent has not started to listen yet.
  for (let left = 1000; added.code === 2 && left > 0; left--) added = await add();
  ok(added.success, new TextDecoder().decode(added.stderr));
  const there = await createSshEnvironment({ ...options, env });
  // The agent stays here: commands there could use every key in it.
  equal((await there.exec("echo ${SSH_AUTH_SOCK-none}")).output, "none\n");
  await there.close();
});

live("goes through a jump host", async (service) => {
  await using context = await setup(service);
  const { dir, options } = context;
  const { port, user, key } = service;
  const known = (await Deno.readTextFile(service.config)).split("\n")[0];
  await Deno.writeTextFile(
    `${dir}/config`,
    `${known}\nHost gate\n  HostName 127.0.0.1\n  Port ${port}\n  User ${user}\n  IdentityFile ${key}\n`,
  );
  const env = await createSshEnvironment({
    ...options,
    settings: { ...options.settings, ssh_config: `${dir}/config`, ssh_jump: "gate" },
  });
  equal((await env.exec("echo through")).output, "through\n");
  await env.close();
});

live("keeps a background process and all of its output when the link breaks", async (service) => {
  await using context = await setup(service);
  const { dir, options } = context;
  const env = await createSshEnvironment(options);
  const mark = `${dir}/mark`;
  await Deno.writeTextFile(mark, "0");
  const process = await env.spawn(
    `i=0; while [ ! -e ${dir}/stop ]; do i=$((i+1)); echo "line $i $(cat ${dir}/mark)"; ` +
      `sleep 0.01; done; read answer; echo "last $i $answer"; exit 9`,
  );
  await untilOutput(process, "line 5 0\n");
  for (let cut = 1; cut <= 3; cut++) {
    await cutLink(env);
    // What is written from now on can only come over a new link.
    await Deno.writeTextFile(mark, `${cut}`);
    await untilOutput(process, ` ${cut}\n`);
  }
  await Deno.writeTextFile(`${dir}/stop`, "");
  await process.write("heard\n");
  equal(await process.exited, 9);
  const lines = process.output().text.trimEnd().split("\n");
  const count = lines.length - 1;
  equal(lines[count], `last ${count} heard`);
  lines.slice(0, -1).forEach((line, i) => ok(line.startsWith(`line ${i + 1} `), line));
  await env.close();
});

live("keeps a process on a terminal when the link breaks", async (service) => {
  await using context = await setup(service);
  const { dir, options } = context;
  const env = await createSshEnvironment(options);
  const process = await env.spawn("sh -i", { pty: true, env: { PS1: "ready> ", ENV: "" } });
  await untilOutput(process, "ready> ");
  await process.write(
    `X=41; echo up''; while [ ! -e ${dir}/cut ]; do sleep 0.05; done; echo he''re\n`,
  );
  await untilOutput(process, "up\r");
  await cutLink(env);
  // What is written from now on can only come over a new link.
  await Deno.writeTextFile(`${dir}/cut`, "");
  await untilOutput(process, "here\r");
  await process.write("echo $((X+1)) ye''s; test -t 0 && echo $TERM on a termi''nal\n");
  await untilOutput(process, "42 yes\r");
  await untilOutput(process, "xterm-256color on a terminal\r");
  process.resize({ columns: 77, rows: 22 });
  await process.write("stty size; exit 5\n");
  equal(await process.exited, 5);
  match(process.output().text, /22 77\r\n/);
  await env.close();
});

live("learns the exit code of a process that ended while the link was down", async (service) => {
  await using context = await setup(service);
  const env = await createSshEnvironment(context.options);
  const process = await env.spawn("read x; echo bye; exit 4");
  await process.write("\n");
  await cutLink(env);
  equal(await process.exited, 4);
  equal(process.output().text, "bye\n");
  await env.close();
});

live("ends a command whose hermes lost the link for good", async (service) => {
  await using context = await setup(service);
  const env = await createSshEnvironment(context.options);
  const nap = uniqueNap();
  let up = () => {};
  const started = new Promise<void>((resolve) => up = resolve);
  const running = env.exec(`echo up; sleep ${nap}`, { onOutput: () => up() });
  await started;
  await cutLink(env);
  await rejects(running, EnvironmentError);
  // The other side notices by itself and takes a second to be sure.
  const deadline = performance.now() + 15_000;
  while (await countProcesses(env, `sleep ${nap}`) > 0) {
    ok(performance.now() < deadline, "it still runs");
  }
  await env.close();
});

live("brings files there and back, and loses no change of either side", async (service) => {
  await using context = await setup(service, { ssh_sync: ["work:synced"] });
  const { dir, options, lines } = context;
  const work = `${dir}/work`;
  await Deno.mkdir(`${work}/sub`, { recursive: true });
  const binary = Uint8Array.from({ length: 256 }, (_, i) => i);
  await Deno.writeTextFile(`${work}/same`, "same\n");
  await Deno.writeTextFile(`${work}/both`, "one\n");
  await Deno.writeTextFile(`${work}/gone`, "x\n");
  await Deno.writeFile(`${work}/sub/bin ary`, binary, { mode: 0o755 });
  const env = await createSshEnvironment(options);
  const sh = async (command: string) => (await env.exec(`cd ~/synced && ${command}`)).output;
  equal(
    await sh("find . -type f | sort; test -x 'sub/bin ary' && wc -c <'sub/bin ary'"),
    "./both\n./gone\n./same\n./sub/bin ary\n256\n",
  );
  await sh("echo two >both; echo new >sub/new; rm gone; cat sub/bin* sub/bin* >twice");
  await Deno.writeTextFile(`${work}/both`, "here\n");
  await env.close();
  const names: string[] = [];
  for await (const { name } of Deno.readDir(work)) names.push(name);
  deepEqual(names.sort(), ["both", "both.remote", "same", "sub", "twice"]);
  equal(await Deno.readTextFile(`${work}/both`), "here\n");
  equal(await Deno.readTextFile(`${work}/both.remote`), "two\n");
  equal(await Deno.readTextFile(`${work}/sub/new`), "new\n");
  deepEqual([...await Deno.readFile(`${work}/twice`)], [...binary, ...binary]);
  ok(lines.some((line) => /both changed on both sides/.test(line)), lines.join("\n"));
  await new Deno.Command("rm", { args: ["-rf", `${service.home}/synced`] }).output();
});

live("passes variables by name only, and starts from the login shell's", async (service) => {
  await using context = await setup(service);
  const { options } = context;
  const env = await createSshEnvironment({
    ...options,
    env: { ...options.env, NAMED_TOKEN: "it's $secret", OTHER: "no" },
    passEnv: ["NAMED_TOKEN", "MISSING"],
  });
  equal(
    (await env.exec("echo $NAMED_TOKEN; echo ${OTHER-none}")).output,
    "it's $secret\nnone\n",
  );
  await env.close();
});
