import { equal, match, ok } from "node:assert/strict";
import type { Reply } from "../support/fake_model_server.ts";
import { type Job, parseEvents, withJob } from "../support/run_job.ts";

interface Call {
  tool: string;
  args: object;
}

/** Runs a job whose model makes these calls in a project below the home; checks the results. */
async function callsIn(
  flags: readonly string[],
  plan: (home: string) => Call[],
  check: (results: string[], job: Job) => Promise<void> | void,
): Promise<void> {
  let calls: Call[] = [];
  const reply = (index: number): Reply => {
    const call = calls[index];
    if (call === undefined) return { text: "done" };
    return { toolCalls: [{ name: call.tool, arguments: JSON.stringify(call.args) }] };
  };
  await withJob((_, index) => reply(index), async (job) => {
    const { home } = job;
    for (
      const directory of ["project/.git", "project/src", "notes", ".kube/cache", ".config/gcloud"]
    ) {
      await Deno.mkdir(`${home}/${directory}`, { recursive: true });
    }
    for (const file of ["project/src/a.ts", "notes/b.txt", ".kube/cache/c", ".config/gcloud/d"]) {
      await Deno.writeTextFile(`${home}/${file}`, `marker of ${file}\n`);
    }
    calls = plan(home);
    const outcome = await job.run(["--json", "-t", "file", ...flags, "go"], {
      cwd: `${home}/project/src`,
    });
    equal(outcome.code, 0, outcome.stderr);
    const results = parseEvents(outcome.stdout).filter(({ type }) => type === "tool_end")
      .map(({ result }) => String(result));
    equal(results.length, calls.length);
    await check(results, job);
  });
}

function write(path: string): Call {
  return { tool: "write_file", args: { path, content: "1;\n" } };
}

function read(path: string): Call {
  return { tool: "read_file", args: { path } };
}

Deno.test("file tools change the work alone, and say what more would take", async () => {
  await callsIn([], (home) => [
    write("a.ts"),
    write(`${home}/project/top.ts`),
    write(`${home}/notes/b.txt`),
    { tool: "patch", args: { path: `${home}/notes/b.txt`, old_string: "marker", new_string: "x" } },
    write("../../notes/new.txt"),
  ], async (results, { home }) => {
    ok(!/error/.test(results[0]! + results[1]!), results.join("\n"));
    for (const result of results.slice(2)) {
      match(result, /notes\/\S+ is outside what the sandbox \(workspace-write\) lets you change/);
      match(result, /terminal\.sandbox_writable .* or --sandbox off/);
    }
    equal(await Deno.readTextFile(`${home}/notes/b.txt`), "marker of notes/b.txt\n");
  });
});

Deno.test("file tools read everything but what the walls hide from commands", async () => {
  await callsIn([], (home) => [
    read(`${home}/notes/b.txt`),
    read("/etc/hosts"),
    // Only the walls close these two: the rules of file tools alone would show them.
    read(`${home}/.kube/cache/c`),
    read("/home/somebody/notes"),
    { tool: "search_files", args: { pattern: "marker of", path: home } },
    { tool: "search_files", args: { pattern: "marker", path: `${home}/.kube` } },
  ], (results) => {
    match(results[0]!, /marker of notes/);
    ok(!/hidden/.test(results[1]!));
    match(results[2]!, /\.kube\/cache\/c is hidden by the sandbox \(workspace-write\)/);
    match(results[3]!, /is hidden by the sandbox/);
    match(results[4]!, /notes\/b\.txt/);
    ok(!/kube|gcloud/.test(results[4]!), results.join("\n"));
    match(results[5]!, /credentials|hidden/);
  });
});

Deno.test("file tools change nothing in read-only", async () => {
  await callsIn(["--sandbox", "read-only"], (home) => [
    write("a.ts"),
    write(`${home}/project/new.ts`),
    read("a.ts"),
  ], async (results, { home }) => {
    for (const result of results.slice(0, 2)) match(result, /the sandbox is read-only/);
    match(results[2]!, /marker of project/);
    equal(await Deno.readTextFile(`${home}/project/src/a.ts`), "marker of project/src/a.ts\n");
  });
});

Deno.test("file tools keep their own rules alone where the sandbox is off", async () => {
  await callsIn(["--sandbox", "off"], (home) => [
    write(`${home}/notes/b.txt`),
    read(`${home}/.kube/cache/c`),
    read(`${home}/.config/gcloud/d`),
  ], (results) => {
    ok(!/error/.test(results[0]!), results.join("\n"));
    match(results[1]!, /marker of/);
    match(results[2]!, /credentials/);
  });
});
