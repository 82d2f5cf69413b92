import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { isGone } from "../../tests/support/watchers.ts";
import { onlyVariables } from "./child_environment.ts";
import { lastLine, type ProgramOptions, runProgram } from "./run_program.ts";

const ENV = onlyVariables({ PATH: "/usr/bin:/bin", GIVEN: "yes" });

function run(script: string, options: Partial<ProgramOptions> = {}) {
  return runProgram(["/bin/sh", "-c", script], { env: ENV, ...options });
}

const onLinux = { ignore: Deno.build.os !== "linux" }; // elsewhere there is no /proc

Deno.test("runProgram() tells code and both streams", async () => {
  deepEqual(await run("cat; echo err >&2; exit 3", { stdin: "in" }), {
    code: 3,
    stdout: "in",
    stderr: "err\n",
    timedOut: false,
  });
});

Deno.test("runProgram() gives the variables it is told and no other", async () => {
  const { stdout } = await run("env");
  const names = stdout.trim().split("\n").map((line) => line.split("=")[0]!);
  // The shell itself makes these.
  const own = names.filter((name) => !["PWD", "SHLVL", "_", "OLDPWD"].includes(name));
  deepEqual(own.sort(), ["GIVEN", "PATH"]);
});

Deno.test("runProgram() leads a group and a session of its own", onLinux, async () => {
  const { stdout } = await run("cat /proc/$$/stat");
  const [pid, , , , group, session] = stdout.split(" ");
  deepEqual([group, session], [pid, pid]);
});

Deno.test("runProgram() keeps head and tail of a flood", async () => {
  const script = "echo first; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last";
  const { stdout } = await run(script, { maxBytes: 1_000 });
  ok(stdout.length < 1_200);
  ok(stdout.startsWith("first\n"));
  ok(stdout.endsWith("\nlast\n"));
  match(stdout, /\[… 2999012 bytes of output left out/);
});

Deno.test("runProgram() hands standard output over instead of keeping it", async () => {
  let bytes = 0;
  const { stdout } = await run("head -c 100000 /dev/zero", {
    maxBytes: 10,
    onStdout: (chunk) => bytes += chunk.length,
  });
  equal(bytes, 100_000);
  equal(stdout, "");
});

Deno.test("runProgram() tells lines of both streams as they come", async () => {
  const lines: string[] = [];
  await run("printf 'a\\nb 1\\rb 2\\n\\n'; echo c >&2; printf rest", {
    onLine: (line) => lines.push(line),
  });
  deepEqual(lines.toSorted(), ["a", "b 1", "b 2", "c", "rest"]);
});

Deno.test("runProgram() rejects when the program cannot start", async () => {
  await rejects(runProgram(["/no/such/program"], { env: ENV }), Deno.errors.NotFound);
});

Deno.test(
  "runProgram() ends a program at its deadline, with what it started",
  onLinux,
  async () => {
    const dir = await Deno.makeTempDir();
    try {
      const { code, timedOut, stdout } = await run("sleep 60 & echo $! >child; echo up; wait", {
        cwd: dir,
        timeoutMs: 300,
      });
      deepEqual({ code, timedOut, stdout }, { code: 124, timedOut: true, stdout: "up\n" });
      ok(await isGone(Number(await Deno.readTextFile(`${dir}/child`))));
    } finally {
      await Deno.remove(dir, { recursive: true });
    }
  },
);

Deno.test("runProgram() asks a client to end before it makes it", async () => {
  const { stdout } = await run("trap 'echo asked; exit 0' TERM; echo up; sleep 60 & wait", {
    timeoutMs: 300,
  });
  equal(stdout, "up\nasked\n");
});

Deno.test(
  "runProgram() rejects with the reason of an abort and leaves nothing",
  onLinux,
  async () => {
    const controller = new AbortController();
    let pid = 0;
    const running = run("echo $$; setsid sleep 60; echo never", {
      owned: true,
      signal: controller.signal,
      onLine: (line) => {
        pid = Number(line);
        controller.abort(new Error("enough"));
      },
    });
    await rejects(running, { message: "enough" });
    ok(await isGone(pid));
    await rejects(run("true", { signal: controller.signal }), { message: "enough" });
  },
);

Deno.test("runProgram() ends what an owned program left in its group", onLinux, async () => {
  const { stdout } = await run("sleep 60 & echo $!", { owned: true });
  ok(await isGone(Number(stdout)));
});

Deno.test("runProgram() leaves what a client left, and does not wait for it", onLinux, async () => {
  const startedAt = performance.now();
  const { stdout } = await run("sleep 60 & echo $!");
  ok(performance.now() - startedAt < 10_000);
  ok(!await isGone(Number(stdout)));
  Deno.kill(Number(stdout), "SIGKILL");
});

Deno.test("runProgram() leaves no owned program when hermes is killed", onLinux, async () => {
  const hermes = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", import.meta.resolve("./testdata/owned_probe.ts")],
    stdin: "null",
    stdout: "piped",
  }).spawn();
  const reader = hermes.stdout.getReader();
  const pid = Number(new TextDecoder().decode((await reader.read()).value));
  ok(!await isGone(pid));
  hermes.kill("SIGKILL");
  await hermes.status;
  await reader.cancel();
  while (!await isGone(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
});

Deno.test("lastLine() is the reason in what a program printed", () => {
  equal(lastLine("warning: a\nerror: b\n\n"), "error: b");
  equal(lastLine(""), "");
});
