import assert from "node:assert/strict";
import { SandboxRunner } from "../../src/sandbox/script/runner.ts";
import { request, runScript, SANDBOX } from "./_sandbox.ts";

function sessionTest(name: string, body: (sandbox: SandboxRunner) => Promise<void>): void {
  Deno.test(`SandboxRunner.run() ${name}`, async () => {
    const sandbox = new SandboxRunner({ ...SANDBOX });
    try {
      await body(sandbox);
    } finally {
      await sandbox.close();
    }
  });
}

sessionTest("keeps JavaScript variables of a session", async (sandbox) => {
  const session = "work";
  const first = `import { read_file } from "hermes_tools";
const constant = 41;
let counter = 1;
const { a, b: [c, ...rest], ...others } = { a: 1, b: [2, 3], d: 4 };
function double(x: number) { return x * 2; }
class Box { value: number; constructor(value: number) { this.value = value; } }
console.log("first");`;
  assert.equal((await runScript(sandbox, first, { session })).output, "first\n");
  const second = `counter++;
console.log(constant + counter, a, c, rest, others.d, double(4), new Box(7).value);
console.log((await read_file({ path: "x" })).args.path);`;
  const result = await runScript(sandbox, second, { session });
  assert.equal(result.errors, "");
  assert.equal(result.output, "43 1 2 [ 3 ] 4 8 7\nx\n");
  const third = await runScript(sandbox, `const constant = 1;\nconsole.log(constant, counter);`, {
    session,
  });
  assert.equal(third.output, "1 2\n");
});

sessionTest("keeps Python variables of a session", async (sandbox) => {
  const options = { session: "work", language: "python" } as const;
  const first = "import math\nx = 41\ndef double(y): return y * 2\nprint('first')";
  assert.equal((await runScript(sandbox, first, options)).output, "first\n");
  const second = await runScript(sandbox, "x += 1\nprint(x, double(2), math.floor(2.5))", options);
  assert.equal(second.output, "42 4 2\n");
});

sessionTest("runs the same text twice in a session", async (sandbox) => {
  const code = `globalThis.count = (globalThis.count ?? 0) + 1;\nconsole.log(globalThis.count);`;
  assert.equal((await runScript(sandbox, code, { session: "s" })).output, "1\n");
  assert.equal((await runScript(sandbox, code, { session: "s" })).output, "2\n");
});

sessionTest("keeps a session after an error and what was set before it", async (sandbox) => {
  for (const language of ["typescript", "python"] as const) {
    const options = { session: "s", language };
    const failing = language === "python"
      ? "kept = 5\nraise ValueError('x')"
      : `const kept = 5;\nthrow new Error("x");`;
    const failed = await runScript(sandbox, failing, options);
    assert.equal(failed.status, "error");
    const show = language === "python" ? "print(kept)" : "console.log(kept)";
    assert.equal((await runScript(sandbox, show, options)).output, "5\n");
  }
});

sessionTest("gives each run of a session its own output, calls and budget", async (sandbox) => {
  const options = { session: "s", limits: { maxToolCalls: 2 } };
  const code = `import { read_file } from "hermes_tools";
console.log("x".repeat(60_000).length);
for (const path of ["a", "b"]) console.log((await read_file({ path })).args?.path);`;
  for (let run = 0; run < 3; run++) {
    const result = await runScript(sandbox, code, options);
    assert.deepEqual([result.output, result.callsMade], ["60000\na\nb\n", 2]);
  }
});

sessionTest("has all of a session's output, however much", async (sandbox) => {
  const code = `for (let i = 0; i < 30_000; i++) console.log("line " + i);\nconsole.log("end");`;
  for (let run = 0; run < 3; run++) {
    const result = await runScript(sandbox, code, {
      session: "s",
      limits: { maxStdoutBytes: 1_000_000 },
    });
    assert.equal(result.output.split("\n").length, 30_002);
  }
});

sessionTest("keeps sessions apart by name and language", async (sandbox) => {
  await runScript(sandbox, "const x = 1;", { session: "a" });
  const other = await runScript(sandbox, "console.log(typeof x);", { session: "b" });
  assert.equal(other.output, "undefined\n");
  const python = await runScript(sandbox, "print('x' in globals())", {
    session: "a",
    language: "python",
  });
  assert.equal(python.output, "False\n");
  const none = await runScript(sandbox, "console.log(typeof x);");
  assert.equal(none.output, "undefined\n");
});

sessionTest("loses a session that ran out of time and starts it anew", async (sandbox) => {
  await runScript(sandbox, "const x = 1;", { session: "a" });
  const hung = await runScript(sandbox, "for (;;);", { session: "a", limits: { timeoutMs: 300 } });
  assert.equal(hung.status, "timeout");
  assert.match(hung.errors, /session "a" was lost/);
  const exit = await runScript(sandbox, "const x = 1;\nDeno.exit(0);", { session: "a" });
  assert.match(exit.errors, /session "a" was lost/);
  const fresh = await runScript(sandbox, "console.log(typeof x);", { session: "a" });
  assert.equal(fresh.output, "undefined\n");
});

Deno.test("SandboxRunner.run() ends a session that is idle", async () => {
  const tempDir = await Deno.makeTempDir();
  const sandbox = new SandboxRunner({ ...SANDBOX, sessionIdleMs: 50, tempDir });
  await sandbox.run(request("const x = 1;", { session: "a" }));
  while ((await Array.fromAsync(Deno.readDir(tempDir))).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const fresh = await runScript(sandbox, "console.log(typeof x);", { session: "a" });
  assert.equal(fresh.output, "undefined\n");
  await sandbox.close();
  await Deno.remove(tempDir, { recursive: true });
});

sessionTest("keeps one child when two runs of a session overlap", async (sandbox) => {
  const code = `await new Promise((resolve) => setTimeout(resolve, 50));\nconst x = 1;`;
  await Promise.all([1, 2].map(() => runScript(sandbox, code, { session: "a" })));
  const later = await runScript(sandbox, "console.log(x);", { session: "a" });
  assert.equal(later.output, "1\n");
});

sessionTest("ends the oldest session when there are too many", async (sandbox) => {
  for (const session of ["a", "b", "c", "d", "e"]) {
    await runScript(sandbox, "const x = 1;", { session });
  }
  const show = "console.log(typeof x);";
  assert.equal((await runScript(sandbox, show, { session: "b" })).output, "number\n");
  assert.equal((await runScript(sandbox, show, { session: "a" })).output, "undefined\n");
});
