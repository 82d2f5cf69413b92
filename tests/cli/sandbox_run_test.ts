/** `hermes sandbox run`: a program behind the walls, as if it had been started directly. */
import { deepEqual, doesNotMatch, equal, match, ok } from "node:assert/strict";
import { hermesCommand, runHermes, type RunOptions, testEnv } from "../support/hermes.ts";
import { LACKS, runOnLesserKernel } from "../support/lesser_kernel.ts";
import { linuxTest } from "../support/linux.ts";
import { exists } from "../../src/util/exists.ts";
import { sleep } from "../../src/util/sleep.ts";

interface Place {
  home: string;
  /** A git work tree in the home. */
  project: string;
  /** The names left in the temporary directory that hermes was given. */
  left(): string[];
  run(args: readonly string[], options?: Partial<RunOptions>): ReturnType<typeof runHermes>;
  /** Hermes with its output piped, for a test that sends it signals. */
  start(args: readonly string[]): Deno.ChildProcess;
}

function placeTest(name: string, test: (place: Place) => Promise<void>): void {
  linuxTest(name, async (directory) => {
    const home = await Deno.realPath(directory);
    const [project, TMPDIR] = [`${home}/project`, `${home}/tmp`];
    await Deno.mkdir(`${project}/.git`, { recursive: true });
    await Deno.mkdir(TMPDIR);
    await test({
      home,
      project,
      left: () => [...Deno.readDirSync(TMPDIR)].map(({ name }) => name),
      run: (args, options = {}) =>
        runHermes({
          home,
          cwd: project,
          args: ["sandbox", "run", ...args],
          ...options,
          env: { TMPDIR, ...options.env },
        }),
      start(args) {
        const { command, args: words } = hermesCommand(["sandbox", "run", ...args]);
        return new Deno.Command(command, {
          args: words,
          cwd: project,
          env: { ...testEnv(home), TMPDIR },
          clearEnv: true,
          stdin: "null",
          stdout: "piped",
          stderr: "null",
        }).spawn();
      },
    });
  });
}

/** The first line a program prints. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  void reader.cancel();
  return text.trim();
}

/** Polls: the end of a process that is not a child is not announced. */
async function poll(isDone: () => boolean, what: string): Promise<void> {
  const until = performance.now() + 20_000;
  while (!isDone()) {
    ok(performance.now() < until, `${what} did not come`);
    await sleep(10);
  }
}

function isAlive(pid: number): boolean {
  try {
    // A zombie has ended, although its parent has not waited for it yet.
    return !/^\d+ \(.*\) [ZX]/s.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

placeTest(
  "hermes sandbox run exits with the program's code, or with a shell's for what did not run",
  async ({ project, run, left }) => {
    await Deno.writeTextFile(`${project}/plain.txt`, "no program\n");
    const cases: [string[], number, RegExp][] = [
      [["true"], 0, /^$/],
      [["sh", "-c", "exit 7"], 7, /^$/],
      [["sh", "-c", "kill -9 $$"], 137, /^$/],
      [["sh", "-c", "kill -TERM $$"], 143, /^$/],
      [["no-such-program-here"], 127, /^hermes: there is no program no-such-program-here\n$/],
      [["./plain.txt"], 126, /^hermes: .*plain\.txt: Permission denied\n$/],
    ];
    await Promise.all(cases.map(async ([args, wanted, line]) => {
      const { code, stdout, stderr } = await run(args);
      equal(code, wanted, `${args.join(" ")}: ${stderr}`);
      equal(stdout, "");
      match(stderr, line);
    }));
    deepEqual(left(), []);
  },
);

placeTest(
  "hermes sandbox run gives the program its own flags, with and without --",
  async ({ run }) => {
    const cases = [
      ["sh", "-c", 'echo "$@"', "-h", "--help", "--json", "--", "-x"],
      ["--", "sh", "-c", 'echo "$@"', "-h", "--help", "--json", "--", "-x"],
      ["--network", "off", "sh", "-c", 'echo "$@"', "-h", "--help", "--json", "--", "-x"],
    ];
    await Promise.all(cases.map(async (args) => {
      const { code, stdout, stderr } = await run(args);
      deepEqual([code, stdout], [0, "--help --json -- -x\n"], stderr);
    }));
    match((await run(["--network", "off", "-h"])).stdout, /^Usage: hermes sandbox run/m);
  },
);

placeTest(
  "hermes sandbox run works in the directory of -C, with its standard input and no secrets",
  async ({ home, project, run }) => {
    const env = { OPENAI_API_KEY: "sk-s3cret-value", DEPLOY_TOKEN: "t0ken-value", LANG: "C" };
    const [read, elsewhere, shown] = await Promise.all([
      run(["sh", "-c", "cat > in.txt; cat in.txt"], { stdin: "from the pipe\n" }),
      run(["-C", project, "pwd"], { cwd: home }),
      run(["env"], { env }),
    ]);
    deepEqual([read.code, read.stdout], [0, "from the pipe\n"], read.stderr);
    equal(elsewhere.stdout, `${project}\n`);
    match(shown.stdout, /^LANG=C$/m);
    match(shown.stdout, /^TMPDIR=.*\/hermes-env-\d+-[0-9a-z]+\/tmp$/m);
    doesNotMatch(shown.stdout, /s3cret|t0ken/);
  },
);

placeTest(
  "hermes sandbox run refuses words that mean nothing with one line and exit code 2",
  async ({ run }) => {
    const wrong: [string[], RegExp][] = [
      [[], /^hermes: hermes sandbox run needs CMD$/m],
      [["--bogus", "ls"], /unknown flag "--bogus"/],
      [["--sandbox", "open", "ls"], /--sandbox does not know "open"/],
      [["--network", "a b", "ls"], /"a b" is not a host name/],
      [["--network", "off", "--sandbox", "off", "ls"], /--network off needs the sandbox/],
      [["-C", "/nowhere/at/all", "ls"], /is not a directory: \/nowhere/],
    ];
    await Promise.all(wrong.map(async ([args, line]) => {
      const { code, stdout, stderr } = await run(args);
      deepEqual([code, stdout], [2, ""], stderr);
      match(stderr, line);
    }));
  },
);

placeTest(
  "hermes sandbox run says each thing that the walls did once",
  async ({ project, run }) => {
    const { code, stderr } = await run(["sh", "-c", "echo 'do evil' > AGENTS.md"]);
    equal(code, 0);
    match(stderr, /^hermes: A command changed protected files; put back: AGENTS\.md .*\n$/);
    equal(await exists(`${project}/AGENTS.md`), false);
    const host = await run([
      "--network",
      "listed.example",
      "sh",
      "-c",
      "exec 3<>/dev/null; curl -s --max-time 5 -o /dev/null http://other.example/; exit 0",
    ]);
    if (await missing("curl")) {
      console.log("a refused host is not checked: there is no curl here");
      return;
    }
    match(
      host.stderr,
      /^hermes: the host other\.example is not on the list of --network \(.*\)\n$/,
    );
  },
);

async function missing(program: string): Promise<boolean> {
  const { code } = await new Deno.Command("/bin/sh", { args: ["-c", `command -v ${program}`] })
    .output();
  return code !== 0;
}

placeTest(
  "hermes sandbox run ends what the program left in the background",
  async ({ run, left }) => {
    const script = "(setsid sleep 300 > /dev/null 2>&1 & echo $!); sleep 300 > /dev/null 2>&1 &";
    const { code, stdout, stderr } = await run(["sh", "-c", `${script} echo $!`]);
    equal(code, 0, stderr);
    const pids = stdout.trim().split("\n").map(Number);
    equal(pids.length, 2);
    deepEqual(pids.filter(isAlive), []);
    deepEqual(left(), []);
  },
);

placeTest(
  "hermes sandbox run ends with its program when it is told to, and leaves nothing",
  async ({ start, left }) => {
    for (const [signal, code] of [["SIGTERM", 143], ["SIGHUP", 129], ["SIGINT", 130]] as const) {
      const hermes = start(["sh", "-c", "echo $$; exec sleep 300"]);
      const pid = Number(await firstLine(hermes.stdout));
      hermes.kill(signal);
      equal((await hermes.status).code, code, signal);
      equal(isAlive(pid), false);
    }
    deepEqual(left(), []);
  },
);

placeTest(
  "hermes sandbox run that is killed takes its program with it",
  async ({ start, run, left }) => {
    const hermes = start(["sh", "-c", "echo $$; trap '' HUP; while :; do sleep 1; done"]);
    const pid = Number(await firstLine(hermes.stdout));
    await poll(() => watches(hermes.pid), "a watcher of hermes");
    hermes.kill("SIGKILL");
    await hermes.status;
    await poll(() => !isAlive(pid), "the end of the program");
    equal(left().length, 1);
    // The directory's name lets the next hermes that tidies up remove it.
    const cleaned = await run([], { args: ["env", "clean", "local"] });
    match(cleaned.stdout, /removed .*hermes-env-/);
    deepEqual(left(), []);
  },
);

function watches(parent: number): boolean {
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = Deno.readTextFileSync(`/proc/${name}/stat`);
      if (stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] !== `${parent}`) continue;
      if (Deno.readTextFileSync(`/proc/${name}/cmdline`).includes("hermes-watch")) return true;
    } catch {
      continue; // It ended while it was looked at.
    }
  }
  return false;
}

placeTest(
  "hermes sandbox run says that no walls stand, and runs nothing where they are required",
  async ({ home, project }) => {
    const calls = LACKS["namespaces and Landlock"]!;
    const lesser = (env: Record<string, string>, args: string[] = []) =>
      runOnLesserKernel(calls, {
        home,
        cwd: project,
        env,
        args: ["sandbox", "run", ...args, "sh", "-c", "echo ran"],
      });
    const told = await lesser({});
    deepEqual([told.code, told.stdout], [0, "ran\n"], told.stderr);
    match(told.stderr, /^hermes: sandbox: commands run without walls around files: .*\n$/);
    await Deno.mkdir(`${home}/.hermes`, { recursive: true });
    await Deno.writeTextFile(
      `${home}/.hermes/config.yaml`,
      "terminal: { sandbox_required: true }\n",
    );
    const refused = await lesser({});
    deepEqual([refused.code, refused.stdout], [126, ""]);
    match(refused.stderr, /^hermes: The sandbox is required .* cannot be raised: .*\n$/);
    // A network that cannot be kept is a wall that does not stand.
    const container = await runOnLesserKernel(LACKS.namespaces!, {
      home,
      cwd: project,
      args: ["sandbox", "run", "--network", "loopback", "true"],
    });
    equal(container.code, 126);
    match(container.stderr, /--network loopback cannot be kept here/);
  },
);

placeTest("hermes sandbox run says where it cannot make its private directory", async ({ run }) => {
  const { code, stderr } = await run(["true"], { env: { TMPDIR: "/nowhere/at/all" } });
  equal(code, 126);
  match(stderr, /^hermes: Cannot make a directory in \/nowhere\/at\/all: No such file.*\n$/);
});
