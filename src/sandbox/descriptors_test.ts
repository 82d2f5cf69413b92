import assert from "node:assert/strict";
import { linuxTest } from "../../tests/support/linux.ts";

const MODULES = ["libc", "descriptors"].map((name) =>
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
