/** The file tools, todo and clarify through `hermes run`: one session, every call a real one. */
import { deepEqual, equal, match } from "node:assert/strict";
import { parseEvents, withJob } from "../support/run_job.ts";

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** Runs a session that makes these calls one after the other; their results as JSON. */
async function runCalls(
  calls: readonly Call[],
  check: (results: Record<string, unknown>[], home: string) => Promise<void>,
  files: Record<string, string> = {},
): Promise<void> {
  const replies = [
    ...calls.map(({ name, arguments: args }, i) => ({
      toolCalls: [{ id: `call_${i}`, name, arguments: JSON.stringify(args) }],
    })),
    { text: "done" },
  ];
  await withJob(replies, async ({ run, home }) => {
    const work = `${home}/work`;
    await Deno.mkdir(work);
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${work}/${name}`, text);
    }
    const outcome = await run(["--json", "--toolsets", "file,todo,clarify", "go"], { cwd: work });
    equal(outcome.code, 0, outcome.stderr);
    const ends = parseEvents(outcome.stdout).filter(({ type }) => type === "tool_end");
    await check(ends.map(({ result }) => JSON.parse(String(result))), work);
  });
}

Deno.test("hermes run searches, reads, edits and writes files", async () => {
  await runCalls(
    [
      { name: "search_files", arguments: { pattern: "answer = \\d+" } },
      { name: "read_file", arguments: { path: "app.ts" } },
      {
        name: "patch",
        arguments: { path: "app.ts", old_string: "answer =  41", new_string: "answer = 42" },
      },
      { name: "write_file", arguments: { path: "out/data.json", content: '{"ok": true}\n' } },
      { name: "write_file", arguments: { path: "out/data.json", content: "{oops" } },
      {
        name: "patch",
        arguments: {
          mode: "patch",
          patch: "*** Move File: app.ts -> src/app.ts\n*** Add File: n\n+1",
        },
      },
      { name: "search_files", arguments: { pattern: "*", target: "files" } },
    ],
    async (results, work) => {
      deepEqual(results[0]!.matches, [{ path: "app.ts", line: 2, content: "const answer = 41;" }]);
      equal(results[1]!.content, "1|// the app\n2|const answer = 41;");
      equal(results[2]!.matched_by, "whitespace_normalized");
      deepEqual(results[2]!.lint, { status: "ok" });
      equal(results[3]!.dirs_created, true);
      match(String(results[4]!.error), /would not be valid JSON/);
      equal(results[5]!.success, true);
      deepEqual((results[6]!.files as string[]).toSorted(), ["n", "out/data.json", "src/app.ts"]);
      equal(await Deno.readTextFile(`${work}/src/app.ts`), "// the app\nconst answer = 42;\n");
      equal(await Deno.readTextFile(`${work}/out/data.json`), '{"ok": true}\n');
    },
    { "app.ts": "// the app\nconst answer = 41;\n" },
  );
});

Deno.test("hermes run keeps a task list and decides alone when nobody can be asked", async () => {
  await runCalls([
    { name: "todo", arguments: { todos: [{ id: "1", content: "look", status: "in_progress" }] } },
    { name: "clarify", arguments: { question: "Which?", choices: ["a", "b"] } },
    {
      name: "todo",
      arguments: { merge: true, todos: [{ id: "1", content: "", status: "completed" }] },
    },
    { name: "todo", arguments: {} },
  ], (results) => {
    match(String(results[1]!.user_response), /Decide yourself/);
    deepEqual(results[3]!.todos, [{ id: "1", content: "look", status: "completed" }]);
    return Promise.resolve();
  });
});

Deno.test("hermes run mends what models get wrong about todo, clarify and search_files", async () => {
  await runCalls(
    [
      {
        name: "todo",
        arguments: { todos: [{ id: 1, content: "look", status: "doing" }, { content: "x" }, "y"] },
      },
      {
        name: "clarify",
        arguments: { question: "Which?", choices: [{ label: "a", description: "first" }, "b"] },
      },
      { name: "clarify", arguments: { questions: ["One?", { id: 2, question: "Two?" }] } },
      { name: "search_files", arguments: { pattern: "needle", target: "grep", limit: "5" } },
      { name: "search_files", arguments: { pattern: "*.txt", target: "find" } },
      { name: "search_files", arguments: { pattern: "x", target: "names" } },
    ],
    (results) => {
      deepEqual(results[0]!.todos, [
        { id: "1", content: "look", status: "pending" },
        { id: "?", content: "(invalid item)", status: "pending" },
      ]);
      deepEqual(results[1]!.choices_offered, ["a", "b"]);
      const asked = results[2]!.responses as { id?: string; question: string }[];
      deepEqual(asked.map(({ id, question }) => [id, question]), [[undefined, "One?"], [
        "2",
        "Two?",
      ]]);
      equal(results[3]!.total_count, 1);
      deepEqual(results[4]!.files, ["a.txt"]);
      match(String(results[5]!.error), /target must be content or files, got names/);
      return Promise.resolve();
    },
    { "a.txt": "needle\n" },
  );
});

Deno.test("hermes run keeps its own secrets from read_file and search_files", async () => {
  await withJob([
    { toolCalls: [{ id: "a", name: "read_file", arguments: '{"path":"~/.hermes/.env"}' }] },
    {
      toolCalls: [{
        id: "b",
        name: "search_files",
        arguments: '{"pattern":"SECRET","path":"~/.hermes/.env"}',
      }],
    },
    { text: "done" },
  ], async ({ run, home }) => {
    await Deno.mkdir(`${home}/.hermes`, { recursive: true });
    await Deno.writeTextFile(`${home}/.hermes/.env`, "OTHER=SECRET_VALUE\n");
    const outcome = await run(["--json", "--toolsets", "file", "go"]);
    equal(outcome.stdout.includes("SECRET_VALUE"), false);
    match(outcome.stdout, /holds credentials/);
  });
});
