import { deepEqual } from "node:assert/strict";
import { linuxTest } from "../../../tests/support/linux.ts";
import { EXECUTE_GIVEN, launcherImage, must, type Step } from "./launcher_image.ts";
import { architecture } from "./libc.ts";
import type { Arch } from "./syscalls_data.ts";

const NO_SUCH_DESCRIPTOR = 1_000_000;
const EMULATOR = "qemu-aarch64-static";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function say(text: string): Step {
  return must("write", 1, bytes(text), text.length);
}

function execute(script: string, env: readonly string[] = []): Step {
  const strings = ["/bin/sh", "-c", script].map((one) => bytes(`${one}\0`));
  return must("execve", strings[0]!, strings, env.map((one) => bytes(`${one}\0`)));
}

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the steps, on this machine or with another architecture's emulator before them. */
async function run(
  steps: readonly Step[],
  { arch = architecture(), emulator = [], given = [] }: {
    arch?: Arch;
    emulator?: string[];
    given?: string[];
  } = {},
): Promise<Outcome> {
  const file = await Deno.makeTempFile({ prefix: "hermes-launcher-" });
  try {
    await writeProgram(file, launcherImage(steps, arch));
    const [command, ...args] = [...emulator, file, ...given];
    const env = { GREETING: "hello" };
    const { code, stdout, stderr } = await new Deno.Command(command!, { args, env }).output();
    const [out, err] = [stdout, stderr].map((one) => new TextDecoder().decode(one));
    return { code, stdout: out!, stderr: err! };
  } finally {
    await Deno.remove(file);
  }
}

/** By another process: a program that one of ours writes can be busy when others are started. */
async function writeProgram(path: string, image: Uint8Array<ArrayBuffer>): Promise<void> {
  const args = ["-c", 'cat > "$0" && chmod 700 "$0"', path];
  const shell = new Deno.Command("sh", { args, stdin: "piped" }).spawn();
  await new Blob([image]).stream().pipeTo(shell.stdin);
  await shell.status;
}

linuxTest("a launcher makes its calls in order and becomes the program", async () => {
  const outcome = await run([
    say("one "),
    say("two "),
    execute('echo "$0 $WORD"; exit 7', ["WORD=three"]),
  ]);
  deepEqual(outcome, { code: 7, stdout: "one two /bin/sh three\n", stderr: "" });
});

linuxTest("a launcher leaves out the steps that need a call that failed", async () => {
  const outcome = await run([
    { call: "close", args: [NO_SUCH_DESCRIPTOR], orElse: { skip: 2 } },
    say("left out "),
    say("left out "),
    say("kept "),
    { call: "close", args: [NO_SUCH_DESCRIPTOR], orElse: { skip: 0 } },
    execute("echo too"),
  ]);
  deepEqual(outcome, { code: 0, stdout: "kept too\n", stderr: "" });
});

linuxTest("a launcher that cannot do what it must says which call failed and ends", async () => {
  const outcome = await run([
    say("before\n"),
    must("close", NO_SUCH_DESCRIPTOR),
    execute("echo never"),
  ]);
  deepEqual(outcome, { code: 1, stdout: "before\n", stderr: "sandbox: close failed\n" });
});

linuxTest("a launcher whose program cannot be executed says so", async () => {
  const path = bytes("/nonexistent/program\0");
  const outcome = await run([must("execve", path, [path], [])]);
  deepEqual(outcome, { code: 1, stdout: "", stderr: "sandbox: execve failed\n" });
});

const GIVEN = ["/bin/sh", "-c", 'echo "$GREETING $1 $#"; exit 5', "name", "a b", "c"];

linuxTest("a launcher becomes the program that its arguments name", async () => {
  const outcome = await run([say("first\n"), EXECUTE_GIVEN], { given: GIVEN });
  deepEqual(outcome, { code: 5, stdout: "first\nhello a b 2\n", stderr: "" });
});

linuxTest("a launcher that is given no program says so", async () => {
  for (const given of [[], ["/nonexistent/program"]]) {
    const outcome = await run([EXECUTE_GIVEN], { given });
    deepEqual(outcome, {
      code: 1,
      stdout: "",
      stderr: "hermes: the program cannot be executed\n",
    });
  }
});

linuxTest("a launcher for arm64 does the same", async () => {
  const native = architecture() === "aarch64";
  const emulator = native ? [] : [EMULATOR];
  const steps = [
    { call: "close", args: [NO_SUCH_DESCRIPTOR], orElse: { skip: 1 } } satisfies Step,
    say("left out\n"),
    say("kept\n"),
    must("close", NO_SUCH_DESCRIPTOR),
  ];
  try {
    const outcome = await run(steps, { arch: "aarch64", emulator });
    deepEqual(outcome, { code: 1, stdout: "kept\n", stderr: "sandbox: close failed\n" });
    const given = await run([EXECUTE_GIVEN], { arch: "aarch64", emulator, given: GIVEN });
    deepEqual(given, { code: 5, stdout: "hello a b 2\n", stderr: "" });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    console.log(`skipped: ${EMULATOR} (Debian: qemu-user-static) is not installed`);
  }
});
