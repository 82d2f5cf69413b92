/** How each tool's results look to people: details, the line and the blocks beside the spec. */
// deno-lint-ignore-file camelcase -- names that models write
import assert from "node:assert/strict";
import { createLocalEnvironment } from "../../environments/local/local_environment.ts";
import { createProcessTable } from "../../environments/process_table.ts";
import type { ScriptResult } from "../../src/protocol/script.ts";
import type { ToolServices } from "../../src/protocol/services.ts";
import type { ViewBlock } from "../../src/protocol/tool_view.ts";
import { registry } from "../../src/registry/registry.ts";
import { callSummary, resultBlocks, resultLine } from "../../src/registry/tool_view.ts";
import { TOOL_MANIFEST } from "../../tools/manifest.ts";
import { createTestContext, createTestServices, runToolWhole } from "../support/tool_context.ts";

const SCRIPT: ScriptResult = {
  status: "error",
  output: "before\n",
  errors: "RangeError: out of it\n    at script.ts:1:7\n",
  callsMade: 1,
  durationMs: 5,
};

async function openBench() {
  const dir = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-views-" }));
  const env = createLocalEnvironment({ cwd: dir, home: dir, env: { PATH: "/usr/bin:/bin" } });
  const yes = { available: true, reason: "" };
  const services: ToolServices = {
    ...createTestServices({ clarifier: { ask: () => Promise.resolve([["blue"]]) } }),
    processes: createProcessTable(),
    sandbox: {
      run: () => Promise.resolve(SCRIPT),
      availability: () => ({ script: yes, python: yes }),
      close: () => Promise.resolve(),
    },
  };
  return {
    dir,
    /** Runs a tool and shows it as a surface would. */
    async show(name: string, args: Record<string, unknown>) {
      await TOOL_MANIFEST.find((entry) => entry.name === name)!.load();
      const ctx = createTestContext(env, { services, approve: "once", sessionTools: [] });
      const { content, details, isError = false } = await runToolWhole(name, args, ctx);
      const spec = registry.get(name);
      const shown = { args, text: JSON.stringify(content), details, isError };
      const [summary, view] = [resultLine(spec, shown), resultBlocks(spec, shown)];
      return { call: callSummary(spec, args), details, isError, summary, view };
    },
    async [Symbol.asyncDispose]() {
      await services.processes.closeAll();
      await env.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
}

function textOf(view: ViewBlock[]): string {
  return view.map((block) => "text" in block ? block.text : JSON.stringify(block)).join("\n");
}

Deno.test("terminal shows its exit code and output, long output by its ends", async () => {
  await using bench = await openBench();
  const failed = await bench.show("terminal", { command: "echo a; echo b; exit 3" });
  assert.deepEqual(
    [failed.call, failed.isError, failed.summary],
    ["echo a; echo b; exit 3", true, "exit 3 · a (+1 line)"],
  );
  assert.deepEqual(failed.view, [{ kind: "output", text: "a\nb", isError: true }]);
  const long = await bench.show("terminal", { command: "seq 1 5000; cd /" });
  assert.equal(long.isError, false);
  assert.match(textOf(long.view), /^1\n2\n[^]*\n… 4\d\d\d lines left out …\n[^]*5000\nnow in \/$/);
  assert.ok(textOf(long.view).length < 4_100);
});

Deno.test("a preview keeps no half of a secret that lies where it is cut", async () => {
  await using bench = await openBench();
  const key = "sk-abcdefghij1234567890XYZ";
  const line = `printf '%s' "${"x".repeat(985)} ${key} "; printf 'y%.0s' $(seq 5000)`;
  const { details } = await bench.show("terminal", { command: line });
  assert.ok(details?.kind === "command");
  assert.doesNotMatch(details.output, /sk-abcdefgh/);
});

Deno.test("process shows what runs and how it ended, and takes a kill for no failure", async () => {
  await using bench = await openBench();
  const started = await bench.show("terminal", { command: "echo up; sleep 60", background: true });
  assert.ok(started.details?.kind === "command");
  const id = started.details.processId!;
  assert.equal(started.summary, `running in the background as ${id}`);
  const list = await bench.show("process", { action: "list" });
  assert.equal(list.summary, "1 process");
  assert.deepEqual(list.view, [{
    kind: "list",
    items: [{ text: `${id} running: echo up; sleep 60` }],
  }]);
  const killed = await bench.show("process", { action: "kill", session_id: id });
  assert.equal(killed.isError, false);
  assert.match(killed.summary, /^exit \d+ · echo up/);
  const failing = await bench.show("terminal", { command: "exit 4", background: true });
  assert.ok(failing.details?.kind === "command");
  const wait = { action: "wait", session_id: failing.details.processId! };
  const waited = await bench.show("process", wait);
  assert.deepEqual([waited.isError, waited.summary], [true, "exit 4 · exit 4"]);
  const missing = await bench.show("process", { action: "poll", session_id: "proc_none" });
  assert.equal(missing.isError, true);
});

Deno.test("file tools show what they changed, read and found", async () => {
  await using bench = await openBench();
  const written = await bench.show("write_file", { path: "a.txt", content: "one\ntwo\n" });
  assert.deepEqual([written.call, written.summary], ["a.txt", "created · 2 lines"]);
  assert.deepEqual(written.view, [{ kind: "output", text: "one\ntwo\n" }]);
  const edit = { path: "a.txt", old_string: "two", new_string: "2\n3" };
  const patched = await bench.show("patch", edit);
  assert.equal(patched.summary, "+2 −1");
  assert.deepEqual(patched.view.map(({ kind }) => kind), ["list", "diff"]);
  await bench.show("write_file", { path: "c.md", content: "const limit = 60;\n" });
  const again = { path: "c.md", old_string: "const limit = 30;", new_string: "const limit = 60;" };
  assert.equal((await bench.show("patch", again)).summary, "nothing to change");
  const several = await bench.show("patch", {
    mode: "patch",
    patch: "*** Add File: b.txt\n+b\n*** Update File: a.txt\n@@\n-one\n+1\n",
  });
  assert.equal(several.summary, "2 files +2 −1");
  assert.match(textOf(several.view), /"created b\.txt"[^]*"modified a\.txt"/);
  const read = await bench.show("read_file", { path: "a.txt", limit: 1 });
  assert.equal(read.summary, "1 of 3 lines");
  assert.equal(textOf(read.view), "1|1");
  const repeated = await bench.show("read_file", { path: "a.txt", limit: 1 });
  assert.deepEqual([repeated.summary, repeated.view], ["unchanged", []]);
  const found = await bench.show("search_files", { pattern: "[23]" });
  assert.deepEqual([found.call, found.summary], ["[23]", "2 matches"]);
  assert.equal(textOf(found.view), "a.txt:2: 2\na.txt:3: 3");
  const files = await bench.show("search_files", { pattern: "*.txt", target: "files" });
  assert.equal(files.summary, "2 files");
});

Deno.test("write_file says that what it wrote does not parse", async () => {
  await using bench = await openBench();
  const { summary, view } = await bench.show("write_file", { path: "a.ts", content: "let = ;\n" });
  assert.equal(summary, "created · 1 line · does not parse");
  assert.deepEqual(view.map((block) => "isError" in block && block.isError), [false, true]);
});

Deno.test("execute_code shows why a script failed", async () => {
  await using bench = await openBench();
  const { call, isError, summary, view } = await bench.show("execute_code", { code: "f()\n" });
  assert.deepEqual([call, isError], ["script of 2 lines", true]);
  assert.equal(summary, "error · 1 call · RangeError: out of it");
  assert.match(textOf(view), /^f\(\)\n\nbefore\n\nRangeError: out of it/);
});

Deno.test("todo shows the list and what is under way", async () => {
  await using bench = await openBench();
  const todos = [
    { id: "1", content: "plan", status: "completed" },
    { id: "2", content: "write", status: "in_progress" },
    { id: "3", content: "test", status: "pending" },
    { id: "4", content: "drop", status: "cancelled" },
  ];
  const { call, summary, view } = await bench.show("todo", { todos });
  assert.deepEqual([call, summary], ["4 items", "1 of 4 done · write"]);
  assert.deepEqual(view, [{
    kind: "list",
    items: [
      { text: "plan", state: "done" },
      { text: "write", state: "active" },
      { text: "test", state: "waiting" },
      { text: "drop", state: "dropped" },
    ],
  }]);
});

Deno.test("clarify shows questions and answers", async () => {
  await using bench = await openBench();
  const { call, summary, view } = await bench.show("clarify", { question: "Which colour?" });
  assert.deepEqual([call, summary], ["Which colour?", "blue"]);
  assert.deepEqual(view, [{ kind: "list", items: [{ text: "Which colour? blue" }] }]);
});
