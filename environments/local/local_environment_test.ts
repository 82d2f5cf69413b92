import { onlyVariables } from "../../src/process/child_environment.ts";
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { EnvironmentError } from "../../src/protocol/error.ts";
import {
  countProcesses,
  uniqueNap,
  untilOutput,
} from "../../tests/conformance/environment_suite.ts";
import { startPiped, throughScript } from "../../src/process/raw_process.ts";
import { createLocalEnvironment, type LocalOptions } from "./local_environment.ts";

/** A local environment in a directory of its own, with nothing inherited. */
async function open(
  options: Partial<LocalOptions> = {},
): Promise<AsyncDisposable & { env: ReturnType<typeof createLocalEnvironment>; dir: string }> {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-local-" }));
  const env = createLocalEnvironment({
    cwd: dir,
    home: dir,
    env: { PATH: "/usr/bin:/bin", TMPDIR: dir },
    ...options,
  });
  return {
    env,
    dir,
    async [Symbol.asyncDispose]() {
      await env.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

Deno.test("exec() keeps every credential of hermes from the command", async () => {
  await using opened = await open({
    env: {
      PATH: "/usr/bin:/bin",
      OPENAI_API_KEY: "sk-very-secret-value-0123456789",
      DATABASE_URL: "postgres://u:very-secret-value@db/x",
      PASSED_TOKEN: "passed-value",
      EDITOR: "vi",
    },
    passEnv: ["PASSED_TOKEN"],
  });
  const { output } = await opened.env.exec("env; cat /proc/$$/environ | tr '\\0' '\\n'");
  ok(!output.includes("very-secret-value"), output);
  ok(output.includes("PASSED_TOKEN=passed-value"));
  ok(output.includes("EDITOR=vi"));
  match(output, /^HERMES_AGENT=true$/m);
  const process = await opened.env.spawn("env");
  await process.exited;
  ok(!process.output().text.includes("very-secret-value"));
});

Deno.test("exec() is in a session of its own, without a terminal", async () => {
  await using opened = await open();
  const { output } = await opened.env.exec("cut -d' ' -f6,7 /proc/$$/stat; echo $$");
  const [session, terminal, pid] = output.trim().split(/\s+/);
  equal(session, pid);
  equal(terminal, "0");
});

Deno.test("exec() works with a plain sh", async () => {
  await using opened = await open({ shell: "/bin/sh" });
  await opened.env.exec("cd /usr; export A='x y'; exit 2");
  equal((await opened.env.exec("pwd; echo $A; exit 7")).exitCode, 7);
  equal((await opened.env.exec("pwd; echo $A")).output, "/usr\nx y\n");
});

Deno.test("exec() says clearly that the shell cannot be started", async () => {
  await using opened = await open({ shell: "/nowhere/bash" });
  await rejects(opened.env.exec("true"), (error) => {
    ok(error instanceof EnvironmentError);
    match(error.message, /^Cannot start \/nowhere\/bash: /);
    return true;
  });
});

Deno.test("exec() says clearly that it has no room for its state", async () => {
  await using opened = await open({ tempDir: "/nowhere/tmp" });
  await rejects(opened.env.exec("true"), {
    name: "EnvironmentError",
    message: /Cannot make a directory in \/nowhere\/tmp/,
  });
});

Deno.test("exec() starts over when its state was removed from under it", async () => {
  await using opened = await open();
  await opened.env.exec("export A=1");
  for (const { name } of await opened.env.list(".")) {
    await opened.env.remove(name, { recursive: true });
  }
  const { exitCode, output } = await opened.env.exec("echo ${A-gone}; export A=2");
  deepEqual([exitCode, output], [0, "gone\n"]);
  equal((await opened.env.exec("echo $A")).output, "2\n");
});

Deno.test("exec() keeps its private files to the user and few", async () => {
  await using opened = await open();
  for (let i = 0; i < 20; i++) await opened.env.exec(`export N=${i}`);
  const [dir] = await opened.env.list(".");
  equal((await opened.env.stat(dir!.name))?.mode, 0o700);
  const entries = await opened.env.list(dir!.name);
  ok(entries.filter(({ kind }) => kind === "file").length <= 3);
  for (const place of ["state", "given"]) {
    ok((await opened.env.list(`${dir!.name}/${place}`)).length <= 3);
  }
});

Deno.test("exec() sees exports, functions and aliases of the start-up files", async () => {
  await using opened = await open();
  const rc = `${opened.dir}/rc`;
  await Deno.writeTextFile(
    rc,
    "export FROM_RC='a b'\nhello() { echo \"hello $1\"; }\n_private() { :; }\nalias hi='hello you'\n" +
      'echo noise\ncd() { builtin cd "$@" && echo moved; }\n',
  );
  await using other = await open({ initFiles: [rc, "/nowhere/rc"] });
  const { output } = await other.env.exec("echo $FROM_RC; hello me; hi; type _private; cd /usr");
  match(output, /^a b\nhello me\nhello you\n.*_private: not found\nmoved\n$/);
  equal((await other.env.exec("pwd; hi; FROM_RC=2; export FROM_RC")).output, "/usr\nhello you\n");
  equal((await other.env.exec("echo $FROM_RC")).output, "2\n");
});

Deno.test("exec() runs without start-up files that end the shell", async () => {
  await using opened = await open();
  await Deno.writeTextFile(`${opened.dir}/rc`, "exit 3\n");
  await using other = await open({ initFiles: [`${opened.dir}/rc`] });
  equal((await other.env.exec("echo fine")).output, "fine\n");
});

Deno.test("exec() ends only the command whose time is up", async () => {
  await using opened = await open();
  await opened.env.exec("true");
  for (let round = 0; round < 5; round++) {
    const [slow, fine] = await Promise.all([
      opened.env.exec("sleep 30", { timeoutMs: 50 }),
      opened.env.exec("sleep 0.2; echo fine"),
    ]);
    equal(slow.exitCode, 124);
    deepEqual([fine.exitCode, fine.output], [0, "fine\n"]);
  }
});

Deno.test("exec() runs every command when they follow each other fast", async () => {
  await using opened = await open();
  for (let i = 0; i < 200; i++) {
    const { exitCode, output } = await opened.env.exec(`echo ${i}; exit ${i % 7}`);
    deepEqual([exitCode, output], [i % 7, `${i}\n`]);
  }
});

Deno.test("spawn() gives a process the configured time to end", async () => {
  await using opened = await open({ killGraceMs: 10_000 });
  const process = await opened.env.spawn(
    "trap 'sleep 1.2; echo cleaned; exit 0' TERM; echo up; while :; do read -t 0.05 x; done",
  );
  await untilOutput(process, "up");
  await process.kill();
  equal(process.exitCode, 0);
  equal(process.output().text, "up\ncleaned\n");
});

Deno.test("throughScript() lends a terminal where libc cannot make one", async () => {
  const process = startPiped({
    argv: throughScript(["/bin/sh", "-c", 'tty; stty size; read x; echo "got $x"; exit 5'], {
      columns: 90,
      rows: 30,
    }),
    env: onlyVariables({ PATH: "/usr/bin:/bin" }),
    stdin: "piped",
  });
  let output = "";
  for (let chunk; (chunk = await process.read());) {
    output += new TextDecoder().decode(chunk);
    if (output.endsWith("30 90\r\n")) await process.write(new TextEncoder().encode("it\n"));
  }
  equal(await process.exited, 5);
  match(output, /^\/dev\/pts\/\d+\r\n30 90\r\nit\r\ngot it\r\n$/);
  await process.dispose();
});

/** A hermes that has started processes of every kind in `dir` and was killed. */
async function killedHermes(dir: string, ...args: string[]): Promise<number> {
  const probe = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      new URL("./testdata/killed_probe.ts", import.meta.url).href,
      dir,
      ...args,
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = probe.stdout.getReader();
  await reader.read();
  probe.kill("SIGKILL");
  await probe.status;
  await reader.cancel();
  return probe.pid;
}

Deno.test("exec() and spawn() leave nothing running when hermes is killed", async () => {
  await using opened = await open();
  const nap = uniqueNap();
  await killedHermes(opened.dir, nap);
  // The watcher works on its own; a test that waits for ever is ended by the runner.
  while (await countProcesses(opened.env, nap) > 0);
});

Deno.test("close() tidies up after a hermes that was killed with its watcher", async () => {
  await using opened = await open();
  const nap = uniqueNap();
  const pid = await killedHermes(opened.dir, nap, "unwatched");
  ok(await countProcesses(opened.env, nap) >= 3);
  const left = (await opened.env.list(".")).map(({ name }) => name);
  equal(left.filter((name) => name.startsWith(`hermes-env-${pid}-`)).length, 1);
  await opened.env.close();
  await using other = await open();
  equal(await countProcesses(other.env, nap), 0);
  deepEqual(await other.env.list(opened.dir), []);
});

Deno.test("exec() does not wait for a stranger that holds its input open", async () => {
  await using opened = await open();
  const started = "exec 3<&0; env -u HERMES_EXEC setsid sh -c 'echo $$ >pid; exec sleep 60' & " +
    "while ! [ -s pid ]; do sleep 0.01; done; echo done";
  const { output } = await opened.env.exec(started, { stdin: "x".repeat(1_000_000) });
  equal(output, "done\n");
  Deno.kill(Number(await Deno.readTextFile(`${opened.dir}/pid`)), "SIGKILL");
});

/** A stand-in for sudo that does what the real one does with `-A`. */
const FAKE_SUDO = `#!/bin/sh
[ "$1" = -A ] || { echo "sudo: a terminal is required to read the password" >&2; exit 1; }
shift
[ "$("$SUDO_ASKPASS" "Password:")" = "open sesame's" ] || { echo "Sorry, try again." >&2; exit 1; }
exec "$@"
`;

async function openWithSudo(password: string) {
  const opened = await open();
  await Deno.mkdir(`${opened.dir}/bin`);
  await Deno.writeTextFile(`${opened.dir}/bin/sudo`, FAKE_SUDO, { mode: 0o755 });
  const env = createLocalEnvironment({
    cwd: opened.dir,
    home: opened.dir,
    env: { PATH: `${opened.dir}/bin:/usr/bin:/bin`, TMPDIR: opened.dir, SUDO_PASSWORD: password },
    sudoPassword: password,
  });
  return {
    env,
    dir: opened.dir,
    async [Symbol.asyncDispose]() {
      await env.close();
      await opened[Symbol.asyncDispose]();
    },
  };
}

Deno.test("exec() answers sudo, and keeps stdin for the command", async () => {
  await using opened = await openWithSudo("open sesame's");
  const result = await opened.env.exec("sudo cat; for i in 1 2 3; do sudo echo $i; done", {
    stdin: "mine\n",
  });
  equal(result.output, "mine\n1\n2\n3\n");
  equal((await opened.env.exec("echo $PATH")).output.split(":")[0], `${opened.dir}/bin`);
});

Deno.test("exec() shows the sudo password nowhere", async () => {
  await using opened = await openWithSudo("open sesame's");
  const look = "sudo true; env; cat /proc/$$/environ /proc/$$/cmdline | tr '\\0' '\\n'; " +
    "grep -rs 'open[ ]sesame' $(dirname $(command -v sudo)) /proc/[0-9]*/cmdline; ls $TMPDIR";
  const { output } = await opened.env.exec(look, { timeoutMs: 20_000 });
  ok(!output.includes("open sesame"), output);
});

Deno.test("exec() reports a refused sudo password", async () => {
  await using opened = await openWithSudo("wrong");
  const { exitCode, output } = await opened.env.exec("sudo true");
  equal(exitCode, 1);
  match(output, /Sorry, try again/);
});

Deno.test("spawn() answers sudo for as long as the process runs", async () => {
  await using opened = await openWithSudo("open sesame's");
  const process = await opened.env.spawn("read x; sudo echo late");
  await process.write("\n");
  equal(await process.exited, 0);
  equal(process.output().text, "late\n");
});
