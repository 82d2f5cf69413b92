/**
 * No child that meets foreign code holds a file or shares a cache: what one leaves behind, the
 * next would run. First by what the kernel says of each kind of child, then by an attack.
 */
import assert from "node:assert/strict";
import type { ChildMode, Wall } from "../../src/sandbox/child/contract.ts";
import { SandboxRunner } from "../../src/sandbox/script/runner.ts";
import { TypeStripper } from "../../src/sandbox/script/type_stripper.ts";
import { firstFrame, openFilesOf, startGuest } from "./_guest.ts";
import { request, SANDBOX } from "./_sandbox.ts";
import { World } from "./_world.ts";

const OPTIONS = { ignore: Deno.build.os !== "linux" };
/** The stripper's errors go nowhere; nothing can be kept there. */
const HARMLESS = /^(pipe|socket|anon_inode):|^\/dev\/null$/;

/** What a `World` of another file leaves open for all that this process starts; a stripper runs no code. */
const LEFT_OPEN = /\/escape-\w+\/secret\.txt( \(deleted\))?$/;

/** What a process has open beside pipes, sockets and event counters. */
function filesOf(pid: number): string[] {
  return openFilesOf(pid).filter((target) => !HARMLESS.test(target));
}

/** The variables a process was started with. */
function environmentOf(pid: number): string[] {
  return Deno.readTextFileSync(`/proc/${pid}/environ`).split("\0").sort();
}

/** Nothing open, and no directory in which the runtime could keep anything. */
function assertHoldsNothing(pid: number, isOther = (_file: string) => false): void {
  if (Deno.uid() !== 0) return console.log("skipped: it hides from its user; only root can look");
  assert.deepEqual(filesOf(pid).filter((file) => !isOther(file)), []);
  const directory = environmentOf(pid).find((one) => one.startsWith("DENO_DIR="));
  if (directory !== undefined) assert.equal(directory, "DENO_DIR=/dev/null/deno");
}

/** Runs a script that calls a tool with its process id, and looks at the process meanwhile. */
async function whileScriptRuns(
  { language, ...options }: {
    language: "javascript" | "python";
    mode: ChildMode;
    without?: Wall[];
  },
  look: (pid: number) => void,
): Promise<void> {
  const code = language === "python"
    ? "import os\nfrom hermes_tools import read_file\nread_file(str(os.getpid()))"
    : 'import { read_file } from "hermes_tools";\nawait read_file({ path: String(Deno.pid) });';
  const sandbox = new SandboxRunner({ ...SANDBOX, ...options });
  let looked = 0;
  const { errors } = await sandbox.run(request(code, {
    language,
    callTool: (_, args) => {
      look(Number((args as { path: string }).path));
      looked++;
      return Promise.resolve({ content: "{}", isError: false });
    },
  }));
  await sandbox.close();
  assert.equal(errors, "");
  assert.equal(looked, 1);
}

for (const mode of ["deno", "reexec"] as const) {
  for (const language of ["javascript", "python"] as const) {
    Deno.test(
      `a script holds no file and shares no cache: ${language}, ${mode}`,
      OPTIONS,
      () => whileScriptRuns({ language, mode }, assertHoldsNothing),
    );
  }
  for (const without of [[], ["landlock"]] as const) {
    if (mode === "reexec" && without.length > 0) continue;
    const label = without.length === 0 ? mode : `${mode}, without ${without}`;
    Deno.test(`a plugin holds no file and shares no cache: ${label}`, OPTIONS, async () => {
      const tempDir = await Deno.makeTempDir();
      const child = await startGuest("send(Deno.pid)", { tempDir, mode, without });
      try {
        assertHoldsNothing(await firstFrame(child) as number);
      } finally {
        await child.kill();
        await Deno.remove(tempDir);
      }
    });
  }
}

Deno.test(
  "a script holds no file where the kernel's walls are missing",
  OPTIONS,
  () =>
    whileScriptRuns(
      { language: "javascript", mode: "deno", without: ["landlock", "seccomp"] },
      assertHoldsNothing,
    ),
);

Deno.test("the type stripper holds no file and shares no cache", OPTIONS, async () => {
  await using stripper = new TypeStripper();
  await stripper.strip("let a: number = 1;", "a.ts");
  const mine = strippersOf(Deno.pid);
  assert.ok(mine.length > 0);
  for (const pid of mine) assertHoldsNothing(pid, (file) => LEFT_OPEN.test(file));
});

/** Strippers that this process has started; tests of other files may use some too. */
function strippersOf(parent: number): number[] {
  return [...Deno.readDirSync("/proc")].map(({ name }) => Number(name)).filter((pid) => {
    try {
      const isMine = Deno.readTextFileSync(`/proc/${pid}/status`).includes(`\nPPid:\t${parent}\n`);
      return isMine && /strip_main/.test(Deno.readTextFileSync(`/proc/${pid}/cmdline`));
    } catch {
      return false; // No process, or gone by now.
    }
  });
}

/** Adopts every number as a stream, as the attack did, and writes. */
function writeEverywhere(text: string): string {
  return `const { Pipe, constants } = process.binding("pipe_wrap");
const { WriteWrap } = process.binding("stream_wrap");
const bytes = new TextEncoder().encode(${JSON.stringify(text)}.repeat(100));
for (let fd = 3; fd < 64; fd++) {
  const pipe = new Pipe(constants.SOCKET);
  if (pipe.open(fd) !== 0) continue;
  const request = new WriteWrap();
  request.handle = pipe;
  request.oncomplete = () => {};
  pipe.writeBuffer(request, bytes);
}
setTimeout(() => Deno.exit(0), 200);`;
}

Deno.test(
  "what one script writes to every descriptor reaches no file and no later script",
  OPTIONS,
  async () => {
    const world = await World.create();
    const sandbox = new SandboxRunner(SANDBOX);
    try {
      await sandbox.run(request(writeEverywhere(world.poison), { language: "javascript" }));
      assert.deepEqual(await world.poisoned(), []);
      const later = await sandbox.run(request('console.log("clean")', { language: "javascript" }));
      assert.deepEqual([later.status, later.output, later.errors], ["success", "clean\n", ""]);
    } finally {
      await sandbox.close();
      await world.close();
    }
  },
);
