import { deepEqual, equal, match } from "node:assert/strict";
import { createLocalSearch } from "../environments/local/local_search.ts";
import {
  createTempEnvironment,
  type TempEnvironmentOptions,
} from "../tests/support/memory_environment.ts";
import { createTestContext, runTool } from "../tests/support/tool_context.ts";
import "./search_files.ts";

async function setup(
  files: Record<string, string | Uint8Array>,
  options: TempEnvironmentOptions = {},
) {
  const env = await createTempEnvironment(options);
  await env.put(files);
  function search(args: Record<string, unknown>, { sandbox = false } = {}) {
    return runTool("search_files", args, createTestContext(env, { sandbox }));
  }
  return { env, search, [Symbol.asyncDispose]: () => env.close() };
}

/** The engine of our own, so that the tests run alike with and without ripgrep installed. */
const OWN: TempEnvironmentOptions = { without: ["rg"], search: createLocalSearch() };

Deno.test("search_files gives few matches as objects with paths of the working directory", async () => {
  await using t = await setup({ "src/a.ts": "x\nneedle\n", "b.ts": "a needle" }, OWN);
  deepEqual(await t.search({ pattern: "needle" }), {
    total_count: 2,
    matches: [
      { path: "b.ts", line: 1, content: "a needle" },
      { path: "src/a.ts", line: 2, content: "needle" },
    ],
  });
});

Deno.test("search_files groups many matches under their files", async () => {
  await using t = await setup({ "a.ts": "n1\nn2\nn3\n", "b.ts": "n4\nn5\n" }, OWN);
  deepEqual(await t.search({ pattern: "n\\d" }), {
    total_count: 5,
    matches_format: "file, then its lines as N:match",
    matches_text: "a.ts\n1:n1\n2:n2\n3:n3\nb.ts\n1:n4\n2:n5",
  });
});

Deno.test("search_files gives a script every match as an object", async () => {
  await using t = await setup({ "a.ts": "n1\nn2\nn3\nn4\nn5\n", "b.ts": "x\nn6\n" }, OWN);
  const { matches } = await t.search({ pattern: "n\\d" }, { sandbox: true });
  deepEqual(
    matches,
    [1, 2, 3, 4, 5].map((line) => ({ path: "a.ts", line, content: `n${line}` }))
      .concat({ path: "b.ts", line: 2, content: "n6" }),
  );
  const around = await t.search({ pattern: "n6", context: 1 }, { sandbox: true });
  deepEqual(around.matches, [
    { path: "b.ts", line: 1, content: "x", match: false },
    { path: "b.ts", line: 2, content: "n6", match: true },
  ]);
});

Deno.test("search_files shows neighbours and where lines are left out", async () => {
  await using t = await setup({ "a.ts": "1\nx\n3\n4\n5\nx\n7\n" }, OWN);
  const reply = await t.search({ pattern: "x", context: 1 });
  equal(reply.matches_text, "a.ts\n1-1\n2:x\n3-3\n--\n5-5\n6:x\n7-7");
  match(String(reply.matches_format), /N-neighbour/);
});

Deno.test("search_files pages and says where to go on", async () => {
  await using t = await setup({ "a.ts": "n\n".repeat(10) }, OWN);
  const first = await t.search({ pattern: "n", limit: 3 });
  equal(first.truncated, true);
  equal(first.hint, "7 more: go on with offset=3.");
  const last = await t.search({ pattern: "n", limit: 3, offset: 9 });
  deepEqual(last.matches, [{ path: "a.ts", line: 10, content: "n" }]);
  equal(last.truncated, undefined);
});

Deno.test("search_files lists files or counts instead of lines", async () => {
  await using t = await setup({ "a.ts": "n\nn\n", "b.ts": "n\n" }, OWN);
  deepEqual(await t.search({ pattern: "n", output_mode: "files_only" }), {
    total_count: 2,
    files: ["a.ts", "b.ts"],
  });
  deepEqual(await t.search({ pattern: "n", output_mode: "count", limit: 1 }), {
    total_count: 3,
    counts: { "a.ts": 2 },
    truncated: true,
    hint: "1 more: go on with offset=1.",
  });
});

Deno.test("search_files finds files by the end of their names, newest first", async () => {
  await using t = await setup({ "old_test.py": "", "new_test.py": "", "other.md": "" }, OWN);
  await Deno.utime(t.env.resolve("old_test.py"), 1000, 1000);
  deepEqual(await t.search({ pattern: "test.py", target: "files" }), {
    total_count: 2,
    files: ["new_test.py", "old_test.py"],
  });
  equal((await t.search({ pattern: "*.md", target: "find" })).total_count, 1);
  equal((await t.search({ pattern: "*", target: "files" })).total_count, 3);
});

Deno.test("search_files restricts to file_glob", async () => {
  await using t = await setup({ "a.ts": "n", "b.py": "n", "src/c.ts": "n" }, OWN);
  equal((await t.search({ pattern: "n", file_glob: "*.ts" })).total_count, 2);
  equal((await t.search({ pattern: "n", file_glob: "src/**" })).total_count, 1);
});

Deno.test("search_files cuts long lines at 500 characters", async () => {
  await using t = await setup({ "a.js": `n${"x".repeat(2000)}` }, OWN);
  const [hit] = (await t.search({ pattern: "n" })).matches as { content: string }[];
  equal(hit!.content.length, 500);
});

Deno.test("search_files lets an expression with a newline span lines", async () => {
  await using t = await setup({ "a.ts": "one\ntwo\n" }, OWN);
  equal((await t.search({ pattern: "one\\ntwo" })).total_count, 1);
});

Deno.test("search_files searches plain text when the expression cannot be read", async () => {
  for (const options of [OWN, {}]) {
    await using t = await setup({ "a.ts": "function f( {\n" }, options);
    const reply = await t.search({ pattern: "f( {" });
    equal(reply.total_count, 1);
    match(String(reply.warning), /Not a regular expression.*plain text/);
  }
});

Deno.test("search_files hands expressions on to an engine that can bear them", async () => {
  await using t = await setup({ "a.txt": `${"a".repeat(40)}\nab\n` }, OWN);
  const reply = await t.search({ pattern: "(a+)+b" });
  deepEqual(reply.matches, [{ path: "a.txt", line: 2, content: "ab" }]);
});

Deno.test("search_files explains why nothing was found", async () => {
  await using t = await setup({
    ".gitignore": "out/\n",
    "a.ts": "Needle value.(x)\n",
    "out/b.ts": "hidden_word\n",
    "ReadMe.md": "",
  }, OWN);
  match(String((await t.search({ pattern: "nEEDLE" })).warning), /1 matches ignoring case/);
  match(String((await t.search({ pattern: "value.\\(x\\)z?q" })).warning ?? "none"), /none/);
  match(String((await t.search({ pattern: "value.(x)" })).warning), /1 matches as plain text/);
  match(String((await t.search({ pattern: "hidden_word" })).warning), /hidden or ignored/);
  const name = await t.search({ pattern: "readme", target: "files" });
  match(String(name.warning), /similar: ReadMe\.md/);
});

Deno.test("search_files never shows files that hold credentials", async () => {
  await using t = await setup({ ".env": "TOKEN=1\n", "a.ts": "TOKEN\n" }, OWN);
  for (const pattern of ["TOKEN", "TOKEN=1", "nothing"]) {
    const named = await t.search({ pattern, path: ".env" });
    match(named.error, /holds credentials/);
  }
  equal((await t.search({ pattern: "TOKEN" })).total_count, 1);
  const listed = await t.search({ pattern: "*", target: "files", path: "~" });
  equal(listed.total_count, 0);
});

Deno.test("search_files searches several paths given as one", async () => {
  await using t = await setup({ "a/x": "n", "b/y": "n", "c/z": "n" }, OWN);
  const reply = await t.search({ pattern: "n", path: "a, b" });
  equal(reply.total_count, 2);
  match(String(reply.warning), /2 paths/);
});

Deno.test("search_files refuses what it cannot search in words", async () => {
  await using t = await setup({ "src/a": "" }, OWN);
  const missing = await t.search({ pattern: "x", path: "scr" });
  equal(missing.error, `Path not found: ${t.env.resolve("scr")}`);
  deepEqual(missing.similar, ["src"]);
  match((await t.search({ pattern: "" })).error, /pattern is empty/);
  match((await t.search({ pattern: "x", target: "names" })).error, /content or files, got names/);
  match((await t.search({ pattern: "x", file_glob: "[z-a]" })).error, /file_glob is not a glob/);
});

Deno.test("search_files asks only once for ripgrep and uses it", async () => {
  await using t = await setup({ "a.ts": "needle\n" });
  if ((await t.env.exec("rg --version")).exitCode !== 0) {
    console.log("not run: ripgrep is not installed");
    return;
  }
  for (let i = 0; i < 3; i++) equal((await t.search({ pattern: "needle" })).total_count, 1);
  equal(t.env.commands.filter((command) => command.startsWith("rg --version 2>")).length, 1);
  equal(t.env.commands.some((command) => command.includes("--count")), true);
});

Deno.test("search_files works with find and grep alone", async () => {
  await using t = await setup({ "a b/c.ts": "one\nneedle 7\n", ".hid/x": "needle 8" }, {
    without: ["rg"],
  });
  deepEqual((await t.search({ pattern: "needle\\s\\d" })).matches, [
    { path: "a b/c.ts", line: 2, content: "needle 7" },
  ]);
  deepEqual((await t.search({ pattern: "*.ts", target: "files" })).files, ["a b/c.ts"]);
});
