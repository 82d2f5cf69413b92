import assert from "node:assert/strict";
import type { ScriptProgress } from "../../src/protocol/script.ts";
import { SandboxRunner } from "../../src/sandbox/script/runner.ts";
import { withEnoughTime } from "../support/enough_time.ts";
import { FakeTime } from "../support/fake_time.ts";
import { FIND_SOCKET, request, runScript, SANDBOX } from "./_sandbox.ts";

/** One sandbox per test: children of different tests never meet. */
function sandboxTest(name: string, body: (sandbox: SandboxRunner) => Promise<void>): void {
  Deno.test(`SandboxRunner.run() ${name}`, async () => {
    const sandbox = new SandboxRunner({ ...SANDBOX });
    try {
      await body(sandbox);
    } finally {
      await sandbox.close();
    }
  });
}

sandboxTest("runs TypeScript with imports and top-level await", async (sandbox) => {
  const code = `import { read_file, shellQuote } from "hermes_tools";
interface Row { tool: string; args: { path: string } }
enum Kind { A = 7 }
const row: Row = await read_file({ path: "a b" as string });
console.log(row.tool, row.args.path, shellQuote("it's"), Kind.A satisfies number);`;
  const result = await runScript(sandbox, code);
  assert.deepEqual(
    { ...result, durationMs: 0 },
    {
      status: "success",
      output: "read_file a b 'it'\\''s' 7\n",
      errors: "",
      callsMade: 1,
      durationMs: 0,
    },
  );
});

sandboxTest("runs Python with keyword arguments and the standard library", async (sandbox) => {
  const code = `from hermes_tools import read_file, shell_quote, json_parse
import collections, datetime, hashlib, re, tempfile, os
row = read_file(path="a b")
print(row["tool"], row["args"], shell_quote("it's"), json_parse('\\ufeff{"a": 1}'))
with tempfile.TemporaryDirectory() as scratch:
    with open(os.path.join(scratch, "x"), "w") as file:
        file.write("y")
    print(os.path.exists(os.path.join(scratch, "x")), os.listdir(scratch))
if __name__ == "__main__":
    print("main")`;
  const result = await runScript(sandbox, code, { language: "python" });
  assert.equal(result.errors, "");
  assert.equal(
    result.output,
    `read_file {'path': 'a b'} 'it'"'"'s' {'a': 1}\nTrue ['x']\nmain\n`,
  );
  assert.equal(result.status, "success");
});

sandboxTest("ends a script whose call is nested without end", async (sandbox) => {
  const code = `import { read_file } from "hermes_tools";
let path = [];
for (let i = 0; i < 2000; i++) path = [path];
console.log("asks");
await read_file({ path });`;
  const result = await runScript(sandbox, code);
  assert.equal(result.status, "error");
  assert.equal(result.callsMade, 0);
  assert.match(result.errors, /broke the protocol \(a frame is nested deeper than 500 levels\)/);
  assert.equal((await runScript(sandbox, "console.log(1);")).output, "1\n");
});

sandboxTest("keeps many calls in flight", async (sandbox) => {
  let running = 0;
  let most = 0;
  const started: (() => void)[] = [];
  const callTool = async () => {
    most = Math.max(most, ++running);
    if (running === 8) started.forEach((go) => go());
    else await new Promise<void>((resolve) => started.push(resolve));
    running--;
    return { content: "{}", isError: false };
  };
  const script = `import { read_file } from "hermes_tools";
const all = await Promise.all(Array.from({ length: 8 }, (_, i) => read_file({ path: String(i) })));
console.log(all.length);`;
  assert.equal((await runScript(sandbox, script, { callTool })).output, "8\n");
  assert.equal(most, 8);
  const python = `from concurrent.futures import ThreadPoolExecutor
from hermes_tools import read_file
with ThreadPoolExecutor(8) as pool:
    print(len(list(pool.map(read_file, "abcdefgh"))))`;
  const result = await runScript(sandbox, python, { callTool, language: "python" });
  assert.equal(result.output, "8\n");
});

sandboxTest("holds a script back that calls faster than tools answer", async (sandbox) => {
  let running = 0;
  let most = 0;
  const content = JSON.stringify({ text: "x".repeat(10_000) });
  const callTool = async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 0));
    running--;
    return { content, isError: false };
  };
  const code = `import { read_file } from "hermes_tools";
const path = "y".repeat(10_000);
const all = await Promise.all(Array.from({ length: 2000 }, () => read_file({ path })));
console.log(all.length, all.every(({ text }) => text.length === 10_000));`;
  const result = await runScript(sandbox, code, { callTool, limits: { maxToolCalls: 2000 } });
  assert.equal(result.output, "2000 true\n");
  assert.ok(most <= 64, `${most} at once`);
});

sandboxTest("waits for work that nobody awaited", async (sandbox) => {
  const code = `import { read_file } from "hermes_tools";
async function main() {
  await read_file({ path: "a" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  console.log((await read_file({ path: "b" })).args.path);
}
main();`;
  assert.equal((await runScript(sandbox, code)).output, "b\n");
});

sandboxTest("reports a syntax error with its line", async (sandbox) => {
  const typescript = await runScript(sandbox, "const a: number = 1;\nconst b = ;\n");
  assert.equal(typescript.status, "error");
  assert.match(typescript.errors, /script\.ts:2:11/);
  const javascript = await runScript(sandbox, "let a = 1;\nlet a = 2;", {
    language: "javascript",
  });
  assert.match(javascript.errors, /Identifier 'a' has already been declared[^]*script\.ts:2:5/);
  const python = await runScript(sandbox, "a = 1\nb = = 2\n", { language: "python" });
  assert.equal(python.status, "error");
  assert.match(python.errors, /File "script\.py", line 2\n[^]*SyntaxError/);
});

sandboxTest("reports an exception with the script's own lines", async (sandbox) => {
  const script = await runScript(
    sandbox,
    `console.log("before");\nfunction fail() { throw new TypeError("boom"); }\nfail();`,
  );
  assert.equal(script.status, "error");
  assert.equal(script.output, "before\n");
  assert.equal(
    script.errors,
    "TypeError: boom\n    at fail (script.ts:2:25)\n    at script.ts:3:1\n",
  );
  const late = await runScript(sandbox, `setTimeout(() => { throw new Error("late") }, 1);`);
  assert.equal(late.status, "error");
  assert.match(late.errors, /Error: late/);
  const python = await runScript(sandbox, "def fail():\n    return 1 / 0\nfail()", {
    language: "python",
  });
  assert.equal(python.status, "error");
  assert.match(python.errors, /line 3[^]*line 2[^]*ZeroDivisionError/);
  assert.doesNotMatch(python.errors, /<string>/);
});

sandboxTest("hands a failed tool's error to the script", async (sandbox) => {
  const callTool = () => Promise.resolve({ content: `{"error":"no such file"}`, isError: true });
  const script = `import { read_file } from "hermes_tools";
console.log((await read_file({ path: "x" })).error);`;
  const result = await runScript(sandbox, script, { callTool });
  assert.deepEqual([result.status, result.output], ["success", "no such file\n"]);
  const python = `from hermes_tools import read_file\nprint(read_file("x")["error"])`;
  const other = await runScript(sandbox, python, { callTool, language: "python" });
  assert.equal(other.output, "no such file\n");
});

sandboxTest("gives a script content, details and failure when it asks for all", async (sandbox) => {
  const details = { kind: "command" as const, exitCode: 3, output: "no" };
  const callTool = () => Promise.resolve({ content: `{"exit_code":3}`, isError: true, details });
  const script = `import { read_file } from "hermes_tools";
console.log(JSON.stringify(await read_file.full({ path: "x" })));
console.log(JSON.stringify(await read_file({ path: "x" })));`;
  const expected = [{ content: { "exit_code": 3 }, details, isError: true }, { "exit_code": 3 }];
  const result = await runScript(sandbox, script, { callTool });
  assert.deepEqual(result.output.trim().split("\n").map((line) => JSON.parse(line)), expected);
  const python = `import json
from hermes_tools import read_file
print(json.dumps(read_file.full("x")))
print(json.dumps(read_file(path="x")))`;
  const other = await runScript(sandbox, python, { callTool, language: "python" });
  assert.deepEqual(other.output.trim().split("\n").map((line) => JSON.parse(line)), expected);
});

sandboxTest("survives a dispatcher that throws", async (sandbox) => {
  const callTool = () => Promise.reject(new Error("broken dispatcher"));
  const code = `import { read_file } from "hermes_tools";
console.log((await read_file({ path: "x" })).error);`;
  assert.equal((await runScript(sandbox, code, { callTool })).output, "broken dispatcher\n");
});

sandboxTest("retries until a tool answers without error", async (sandbox) => {
  let calls = 0;
  const callTool = () => {
    const content = ++calls < 3 ? `{"error":"busy"}` : `{"ok":true}`;
    return Promise.resolve({ content, isError: calls < 3 });
  };
  const code = `import { read_file, retry } from "hermes_tools";
console.log((await retry(() => read_file({ path: "x" }), { delayMs: 1 })).ok);`;
  const result = await runScript(sandbox, code, { callTool });
  assert.deepEqual([result.output, result.callsMade], ["true\n", 3]);
});

sandboxTest("names the tools when an unknown one is imported", async (sandbox) => {
  const script = await runScript(sandbox, `import { foo } from "hermes_tools";\nfoo();`);
  assert.equal(script.status, "error");
  assert.match(script.errors, /Unknown tool: foo\. Available: read_file, terminal/);
  const python = await runScript(sandbox, "import hermes_tools\nhermes_tools.foo()", {
    language: "python",
  });
  assert.match(python.errors, /Unknown tool: foo\. Available: read_file, terminal/);
});

sandboxTest("says to use an excluded tool as a normal call", async (sandbox) => {
  const expected = /'todo' is not available in execute_code\. Use it as a normal tool call instead/;
  const script = await runScript(sandbox, `import { todo } from "hermes_tools";`);
  assert.match(script.errors, expected);
  const python = `import hermes_tools
try:
    hermes_tools.todo()
except AttributeError as error:
    print(error)
print(hermes_tools._call("todo", {})["error"])
print(hermes_tools._call("nonsense", {})["error"])`;
  const result = await runScript(sandbox, python, { language: "python" });
  const [byName, byFrame, unknown] = result.output.split("\n");
  assert.match(byName!, expected);
  assert.match(byFrame!, expected);
  assert.match(unknown!, /^Unknown tool: nonsense\. Available: read_file, terminal$/);
  assert.equal(result.callsMade, 0);
});

sandboxTest("refuses a background command and drops the empty parameter", async (sandbox) => {
  const code = `import { terminal } from "hermes_tools";
console.log((await terminal({ command: "x", background: true })).error);
console.log(JSON.stringify((await terminal({ command: "x", background: false })).args));`;
  const result = await runScript(sandbox, code);
  assert.match(result.output, /foreground only[^\n]*remove 'background'\n\{"command":"x"\}\n/);
  assert.equal(result.callsMade, 1);
});

sandboxTest("refuses foreign imports with a clear message", async (sandbox) => {
  const foreign = await runScript(sandbox, `import fs from "node:fs";`);
  assert.match(foreign.errors, /Cannot import "node:fs": a script may import only "hermes_tools"/);
  const pure = `import { join } from "node:path";\nimport { format } from "util";
console.log(join("a", "..", "b"), format("%d", 1));`;
  assert.equal((await runScript(sandbox, pure)).output, "b 1\n");
});

sandboxTest("says how to reach the outside when a script tries itself", async (sandbox) => {
  const expected = /reach files, network and programs through hermes_tools only/;
  const script = await runScript(sandbox, `await fetch("http://127.0.0.1:8080/");`);
  assert.match(script.errors, expected);
  assert.doesNotMatch(script.errors, /--allow/);
  const python = await runScript(sandbox, `open("/etc/passwd")`, { language: "python" });
  assert.match(python.errors, expected);
});

sandboxTest("stops a busy loop at the time limit", async (sandbox) => {
  for (const language of ["typescript", "python"] as const) {
    const start = await runScript(sandbox, "1", { language });
    const code = language === "python" ? "while True: pass" : "for (;;);";
    const result = await runScript(sandbox, code, { language, limits: { timeoutMs: 700 } });
    assert.equal(result.status, "timeout");
    assert.match(result.errors, /Timed out after 0\.7 s and was stopped\./);
    const looped = result.durationMs - start.durationMs;
    assert.ok(looped < 5_000, `SIGTERM was not enough: ${looped}`);
  }
});

sandboxTest("kills a script that ignores SIGTERM after five seconds", async (sandbox) => {
  using time = new FakeTime();
  const code = `import signal, time
from hermes_tools import read_file
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ignoring")
read_file("x")
while True: time.sleep(1)`;
  const begun = Promise.withResolvers<void>();
  const callTool = () => {
    begun.resolve();
    return Promise.resolve({ content: "{}", isError: false });
  };
  const limits = { timeoutMs: 1_500 };
  const running = runScript(sandbox, code, { language: "python", callTool, limits });
  let hasEnded = false;
  running.finally(() => hasEnded = true);
  await begun.promise;
  await time.tick(limits.timeoutMs + 4_999);
  assert.equal(hasEnded, false);
  await time.tick(1);
  const { status, output, durationMs } = await time.until(running);
  assert.deepEqual([status, output], ["timeout", "ignoring\n"]);
  assert.ok(durationMs >= limits.timeoutMs + 5_000, `${durationMs}`);
});

sandboxTest("counts a slow call against the time limit and cancels it", async (sandbox) => {
  let cancelled = false;
  const callTool = (_name: string, _args: unknown, signal: AbortSignal) =>
    new Promise<{ content: string; isError: boolean }>((resolve) => {
      signal.addEventListener("abort", () => {
        cancelled = true;
        resolve({ content: "{}", isError: true });
      });
    });
  const code = `import { terminal } from "hermes_tools";
console.log("calling");
await terminal({ command: "make" });`;
  const { result } = await withEnoughTime({
    timeoutMs: 1000,
    run: (timeoutMs) => runScript(sandbox, code, { callTool, limits: { timeoutMs } }),
    hasBegun: () => cancelled,
  });
  assert.deepEqual([result.status, result.output, cancelled], ["timeout", "calling\n", true]);
});

sandboxTest("ends at once when interrupted", async (sandbox) => {
  for (const language of ["typescript", "python"] as const) {
    const abort = new AbortController();
    const callTool = () => {
      abort.abort();
      return new Promise<never>(() => {});
    };
    const code = language === "python"
      ? `from hermes_tools import read_file\nprint("started")\nread_file("x")`
      : `import { read_file } from "hermes_tools";\nconsole.log("started");\nawait read_file({ path: "x" });`;
    const result = await runScript(sandbox, code, { language, callTool, signal: abort.signal });
    assert.deepEqual([result.status, result.output], ["interrupted", "started\n"]);
  }
  const aborted = AbortSignal.abort();
  assert.equal((await runScript(sandbox, "1", { signal: aborted })).status, "interrupted");
});

sandboxTest("reports a child that crashes, with what it printed", async (sandbox) => {
  const exit = await runScript(sandbox, `console.log("half"); Deno.exit(3);`);
  assert.deepEqual([exit.status, exit.output], ["error", "half\n"]);
  const python = `import os, sys
print("half", flush=True)
os.abort()`;
  const result = await runScript(sandbox, python, { language: "python" });
  assert.deepEqual([result.status, result.output], ["error", "half\n"]);
});

sandboxTest("shows head and tail of a long output", async (sandbox) => {
  const code = `console.log("first");
for (let i = 0; i < 20000; i++) console.log("line " + i);
console.log("last");
console.error("e".repeat(20000));`;
  const result = await runScript(sandbox, code);
  assert.equal(result.status, "success");
  assert.ok(result.output.length < 51_000);
  assert.match(
    result.output,
    /^first\nline 0\n[^]*bytes of output left out[^]*line 19999\nlast\n$/,
  );
  assert.ok(result.errors.length < 10_200);
});

sandboxTest("stops a flood of output", async (sandbox) => {
  const code = `const line = "x".repeat(65535);\nfor (;;) console.log(line);`;
  const result = await runScript(sandbox, code);
  assert.equal(result.status, "error");
  assert.match(result.errors, /printed more than 64 MB/);
  assert.ok(result.output.length < 51_000);
});

sandboxTest("refuses calls past the limit", async (sandbox) => {
  const code = `import { read_file } from "hermes_tools";
let refused = 0;
for (let i = 0; i < 53; i++) {
  const { error } = await read_file({ path: String(i) });
  if (error) { refused++; if (refused === 1) console.log(error); }
}
console.log(refused);`;
  const result = await runScript(sandbox, code);
  assert.match(result.output, /^Tool call limit reached \(50\)\.[^\n]*\n3\n$/);
  assert.equal(result.callsMade, 50);
});

sandboxTest("stops a script that takes too much memory", async (sandbox) => {
  const limits = { memoryMb: 128 };
  const heap = await runScript(
    sandbox,
    `const kept = [];\nfor (;;) kept.push(new Array(10000).fill(Math.random()));`,
    { limits },
  );
  assert.equal(heap.status, "error");
  assert.match(heap.errors, /out of memory \(limit 128 MB\)/);
  const buffers = await runScript(
    sandbox,
    `const kept = [];\ntry { for (;;) kept.push(new Uint8Array(8 << 20).fill(1)); } catch (error) { console.log(kept.length, error.name); }`,
    { limits },
  );
  const [count] = buffers.output.split(" ").map(Number);
  assert.ok(buffers.status === "error" || count! < 20, JSON.stringify(buffers));
  const python = await runScript(
    sandbox,
    "kept = []\nwhile True: kept.append(bytearray(8 << 20))",
    {
      language: "python",
      limits,
    },
  );
  assert.equal(python.status, "error");
  assert.match(python.errors, /MemoryError/);
});

sandboxTest("contains fork, thread and worker bombs", async (sandbox) => {
  const fork = await runScript(
    sandbox,
    `import os
started = 0
for _ in range(100):
    try:
        if os.fork() == 0: os._exit(0)
        started += 1
    except OSError: pass
print(started)`,
    { language: "python" },
  );
  assert.equal(fork.output, "0\n");
  const threads = await runScript(
    sandbox,
    `import threading
started, stop = 0, threading.Event()
try:
    for _ in range(5000):
        threading.Thread(target=stop.wait).start()
        started += 1
except (RuntimeError, MemoryError) as error:
    print(type(error).__name__)
stop.set()
print(started < 1000)`,
    { language: "python", limits: { memoryMb: 256 } },
  );
  assert.match(threads.output, /Error\nTrue\n$/);
  const workers = await runScript(
    sandbox,
    `try { for (;;) new Worker("data:text/javascript,for(;;);", { type: "module" }); } catch (error) { console.log(error.name); }`,
  );
  assert.equal(workers.output, "ReferenceError\n");
});

sandboxTest("stops a script that fills the disk", async (sandbox) => {
  const code = `import os
for i in range(1000):
    os.makedirs(f"d{i}")
    with open(f"d{i}/file", "wb") as file:
        file.truncate(60 << 20)
import time
time.sleep(60)`;
  const result = await runScript(sandbox, code, { language: "python" });
  assert.equal(result.status, "error");
  assert.match(result.errors, /more than 256 MB of files/);
  const large = `open("file", "wb").truncate(100 << 20)`;
  assert.match((await runScript(sandbox, large, { language: "python" })).errors, /too large/);
});

sandboxTest("hands Python one socket and no other descriptor", async (sandbox) => {
  const code = `import os
def is_open(fd):
    try:
        os.fstat(fd)
        return True
    except OSError:
        return False
print(sum(is_open(fd) for fd in range(3, 1024)))`;
  assert.equal((await runScript(sandbox, code, { language: "python" })).output, "1\n");
});

sandboxTest("outlives a script that closes its socket", async (sandbox) => {
  const python = `${FIND_SOCKET}
os.close(sock)
from hermes_tools import read_file
try:
    read_file("x")
except OSError as error:
    print("cannot call")`;
  const result = await runScript(sandbox, python, { language: "python" });
  assert.deepEqual([result.status, result.output], ["success", "cannot call\n"]);
});

sandboxTest("stops a script that forges frames", async (sandbox) => {
  const forged: [string, RegExp][] = [
    [`b"not json\\n"`, /broke the protocol \(a line is not JSON\)/],
    [`b"42\\n"`, /broke the protocol \(a frame is no object\)/],
    [`b'{"t":"hello","token":"guess"}\\n'`, /a frame of an unknown kind/],
    [`b'{"t":"call","id":"x","tool":1,"args":[]}\\n'`, /a frame of an unknown kind/],
    [`b"x" * (17 << 20)`, /a frame is larger than/],
  ];
  for (const [bytes, expected] of forged) {
    const code = `${FIND_SOCKET}
import time
data = memoryview(${bytes})
while data: data = data[os.write(sock, data):]
time.sleep(20)`;
    const result = await runScript(sandbox, code, { language: "python" });
    assert.equal(result.status, "error");
    assert.match(result.errors, expected);
  }
});

sandboxTest("keeps a run alive while strangers knock", async () => {
  const tempDir = await Deno.makeTempDir();
  const sandbox = new SandboxRunner({ ...SANDBOX, tempDir });
  try {
    const running = sandbox.run(request(`console.log("ran");`));
    let path: string | undefined;
    while (path === undefined) {
      for await (const entry of Deno.readDir(tempDir)) path = `${tempDir}/${entry.name}/rpc`;
    }
    const stranger = await knock(path);
    assert.equal((await running).output, "ran\n");
    if (stranger !== undefined) assert.equal(await stranger.read(new Uint8Array(1)), null);
    stranger?.close();
  } finally {
    await sandbox.close();
    await Deno.remove(tempDir, { recursive: true });
  }
});

/** Connects to a run's socket with a wrong token, if it is there yet. */
async function knock(path: string): Promise<Deno.UnixConn | undefined> {
  try {
    const connection = await Deno.connect({ transport: "unix", path });
    const hello = `{"t":"hello","token":"${"0".repeat(32)}","walls":[]}\n`;
    await connection.write(new TextEncoder().encode(hello));
    return connection;
  } catch {
    // Not listening yet, or not any more: then nobody was let in.
    return undefined;
  }
}

sandboxTest("tells progress while calls run", async (sandbox) => {
  const seen: ScriptProgress[] = [];
  const code = `import { read_file } from "hermes_tools";
for (const path of ["a", "b"]) await read_file({ path });`;
  await runScript(sandbox, code, { onProgress: (progress) => seen.push(progress) });
  assert.deepEqual(
    seen.map((one) => `${one.callsFinished}/${one.callsStarted}`),
    ["0/1", "1/1", "1/2", "2/2"],
  );
});

sandboxTest("leaves neither process nor directory behind", async () => {
  const tempDir = await Deno.makeTempDir();
  const sandbox = new SandboxRunner({ ...SANDBOX, tempDir });
  await runScript(sandbox, "1");
  await runScript(sandbox, "for (;;);", { limits: { timeoutMs: 300 } });
  await runScript(sandbox, "syntax error here");
  await runScript(sandbox, "a = 1", { language: "python", session: "x" });
  await sandbox.close();
  assert.deepEqual(await Array.fromAsync(Deno.readDir(tempDir)), []);
  await Deno.remove(tempDir);
});
