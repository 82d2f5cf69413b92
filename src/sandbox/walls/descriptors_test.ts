import assert from "node:assert/strict";
import { linuxTest } from "../../../tests/support/linux.ts";
import { keepNoFiles } from "./descriptors.ts";
import { architecture, type Libc } from "../../process/launcher/libc.ts";

const MODULES = ["../../process/launcher/libc", "./descriptors"].map((name) =>
  new URL(`./${name}.ts`, import.meta.url).href
);

/** Runs `keepNoFiles()` in a process of its own that has done `before`, and prints what `after` gives. */
async function keep(code: { before: string; after?: string }): Promise<string> {
  const source = `import { openLibc, openPath } from ${JSON.stringify(MODULES[0])};
import { keepNoFiles } from ${JSON.stringify(MODULES[1])};
const libc = openLibc();
${code.before}
try {
  keepNoFiles(libc);
  console.log(${code.after ?? '"kept"'});
} catch (error) {
  console.log(error.message);
}`;
  const url = `data:application/javascript,${encodeURIComponent(source)}`;
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-code-cache", "--no-lock", "--quiet", "--cached-only", url],
    env: { DENO_DIR: "/dev/null/deno" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await process.stdin.close();
  const { stdout, stderr } = await process.output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

const CLOEXEC = 0o2000000;

linuxTest("keepNoFiles() accepts what a fresh runtime has open", async () => {
  assert.equal(await keep({ before: "" }), "kept\n");
});

linuxTest("keepNoFiles() closes what came from outside", async () => {
  const before = `const fd = openPath(libc, { path: "/etc/passwd", flags: 0 });`;
  assert.equal(await keep({ before, after: `libc.call("fcntl", fd, 1)` }), "-1\n");
});

for (const path of ["/etc/passwd", "/etc", "/dev/null"]) {
  linuxTest(`keepNoFiles() refuses a runtime that holds ${path}`, async () => {
    const before = `openPath(libc, { path: "${path}", flags: ${CLOEXEC} });`;
    assert.match(await keep({ before }), /^descriptor \d+ is neither a pipe nor a socket\n$/);
  });
}

linuxTest("keepNoFiles() refuses a file where an output should be", async (directory) => {
  const before = `const fd = openPath(libc, { path: "${directory}", flags: ${CLOEXEC} });
libc.call("dup3", fd, 0, 0);
libc.call("close", fd);`;
  assert.match(await keep({ before }), /^descriptor 0 is neither a pipe nor a socket\n$/);
});

const READ_WRITE = 2;

linuxTest("keepNoFiles() accepts the running executable, opened for reading", async () => {
  const before = `openPath(libc, { path: "/proc/self/exe", flags: ${CLOEXEC} });
openPath(libc, { path: Deno.execPath(), flags: ${CLOEXEC} });`;
  assert.equal(await keep({ before }), "kept\n");
});

linuxTest(
  "keepNoFiles() refuses a copy of the executable, and other files beside it",
  async (dir) => {
    await Deno.writeTextFile(`${dir}/deno`, "");
    for (const path of [`${dir}/deno`, "/bin/sh"]) {
      const before = `openPath(libc, { path: "/proc/self/exe", flags: ${CLOEXEC} });
openPath(libc, { path: "${path}", flags: ${CLOEXEC} });`;
      assert.match(await keep({ before }), /^descriptor \d+ is neither a pipe nor a socket\n$/);
    }
  },
);

Deno.test("keepNoFiles() refuses the running executable when it can be written", () => {
  // A kernel that says so cannot be had: nobody may open a running program for writing.
  const answers = (flags: number): Libc => ({
    call(name, ...args) {
      if (name === "openat") return args[1] instanceof Uint8Array && isList(args[1]) ? -1 : 9;
      if (name === "fcntl") return args[1] === 3 ? flags : 1;
      if (name !== "fstat") return 0;
      if (args[0] !== 5 && args[0] !== 9) return -1;
      const stat = new DataView((args[1] as Uint8Array).buffer);
      stat.setBigUint64(8, 77n, true);
      stat.setUint32(architecture() === "x86_64" ? 24 : 16, 0o100755, true);
      return 0;
    },
    close() {},
  });
  keepNoFiles(answers(0));
  assert.throws(() => keepNoFiles(answers(READ_WRITE)), /descriptor 5 is neither/);
});

function isList(path: Uint8Array): boolean {
  return new TextDecoder().decode(path).startsWith("/proc/self/fd");
}
