import { deepEqual, equal, match, rejects } from "node:assert/strict";
import { registry } from "../src/registry/registry.ts";
import { createTempEnvironment } from "../tests/support/memory_environment.ts";
import {
  createTestContext,
  createTestServices,
  runTool,
  type TestContextOptions,
} from "../tests/support/tool_context.ts";
import "./patch.ts";
import "./read_file.ts";

async function setup(files: Record<string, string | Uint8Array> = {}) {
  const env = await createTempEnvironment();
  await env.put(files);
  function patch(args: Record<string, unknown>, options: TestContextOptions = {}) {
    return runTool("patch", args, createTestContext(env, options));
  }
  function replace(path: string, oldString: string, newString: string, more = {}) {
    return patch({ mode: "replace", path, old_string: oldString, new_string: newString, ...more });
  }
  function apply(text: string, options: TestContextOptions = {}) {
    return patch({ mode: "patch", patch: text }, options);
  }
  async function names() {
    const { output } = await env.exec("find . -type f | sort");
    return output.trim().split("\n").map((name) => name.slice(2));
  }
  return { env, patch, replace, apply, names, [Symbol.asyncDispose]: () => env.close() };
}

Deno.test("patch replaces a passage and returns a diff", async () => {
  await using t = await setup({ "src/a.txt": "one\ntwo\nthree\n" });
  deepEqual(await t.replace("src/a.txt", "two", "2"), {
    success: true,
    diff: "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    files_modified: ["src/a.txt"],
    resolved_path: t.env.resolve("src/a.txt"),
  });
  equal(await t.env.text("src/a.txt"), "one\n2\nthree\n");
});

Deno.test("patch replaces in mode replace when no mode is given", async () => {
  await using t = await setup({ "a.txt": "x" });
  equal((await t.patch({ path: "a.txt", old_string: "x", new_string: "y" })).success, true);
});

Deno.test("patch tells how an inexact passage was found", async () => {
  await using t = await setup({ "a.py": "def f():\n    return 1\n" });
  const reply = await t.replace("a.py", "def f():\n  return 1", "def f():\n  return 2");
  equal(reply.matched_by, "line_trimmed");
});

Deno.test("patch replaces every place on request and lists them otherwise", async () => {
  await using t = await setup({ "a.txt": "x = 1\nx = 1\n" });
  match((await t.replace("a.txt", "x = 1", "y")).error, /fits 2 places[^]*L1: x = 1\nL2: x = 1/);
  equal((await t.replace("a.txt", "x = 1", "y", { replace_all: true })).success, true);
  equal(await t.env.text("a.txt"), "y\ny\n");
});

Deno.test("patch deletes with an empty new_string", async () => {
  await using t = await setup({ "a.txt": "keep\ndrop\n" });
  await t.replace("a.txt", "drop\n", "");
  equal(await t.env.text("a.txt"), "keep\n");
});

Deno.test("patch shows the nearest places when nothing fits", async () => {
  await using t = await setup({
    "a.py": "import os\n\n\tdef compute_total(items):\n\t\treturn 1\n",
  });
  const reply = await t.replace("a.py", "def compute_sum(values, extra):\n    pass", "x");
  match(reply.error, /^Could not find old_string in a\.py/);
  match(reply.error, /3\|→def compute_total\(items\):/);
  match(reply._hint, /read_file/);
});

Deno.test("patch advises another way after three failures on a file", async () => {
  await using t = await setup({ "a.txt": "something\n" });
  const services = createTestServices();
  const args = { path: "a.txt", "old_string": "missing words", "new_string": "x" };
  for (let i = 0; i < 2; i++) match((await t.patch(args, { services }))._hint, /copy the text/);
  match((await t.patch(args, { services }))._hint, /3 edits of this file failed.*write_file/);
  await t.patch({ path: "a.txt", old_string: "something", new_string: "y" }, { services });
  match((await t.patch(args, { services }))._hint, /copy the text/);
});

Deno.test("patch says when the new text is already there", async () => {
  await using t = await setup({ "a.txt": "const limit = 60;\n" });
  const reply = await t.replace("a.txt", "const limit = 30;", "const limit = 60;");
  equal(reply.success, true);
  equal(reply.no_change, true);
});

Deno.test("patch refuses bad arguments in words", async () => {
  await using t = await setup({ "a.txt": "x", "d/f": "" });
  match(
    (await t.patch({ path: "a.txt", old_string: "x" })).error,
    /needs path, old_string and new/,
  );
  match((await t.replace("a.txt", "", "y")).error, /old_string is empty/);
  match((await t.replace("a.txt", "x", "x")).error, /the same/);
  match((await t.replace("b.txt", "x", "y")).error, /File not found/);
  match((await t.replace("d", "x", "y")).error, /directory/);
  match((await t.patch({ mode: "patch" })).error, /needs the patch text/);
});

Deno.test("patch keeps CRLF, byte order mark and mixed endings", async () => {
  await using t = await setup({
    "crlf": "\ufeffa\r\nb\r\nc\r\n",
    "mixed": "a\r\nb\nc\r\n",
  });
  await t.replace("crlf", "a\nb", "1\n2");
  deepEqual(
    new TextDecoder("utf-8", { ignoreBOM: true }).decode(
      await Deno.readFile(t.env.resolve("crlf")),
    ),
    "\ufeff1\r\n2\r\nc\r\n",
  );
  await t.replace("mixed", "b", "B");
  equal(await t.env.text("mixed"), "a\r\nB\nc\r\n");
});

Deno.test("patch refuses binary files and protected paths", async () => {
  await using t = await setup({
    "bin": new Uint8Array([1, 0, 2]),
    "latin": new Uint8Array([...new TextEncoder().encode("x".repeat(2000)), 0xe9]),
    "~/.ssh/config": "a",
  });
  match((await t.replace("bin", "x", "y")).error, /not UTF-8 text/);
  match((await t.replace("latin", "xx", "y")).error, /not UTF-8 text/);
  match((await t.replace("~/.ssh/config", "a", "b")).error, /not approved/);
  match((await t.replace("/etc/hosts", "a", "b")).error, /^Write refused/);
});

Deno.test("patch refuses to break JSON but lets a broken file be repaired", async () => {
  await using t = await setup({ "ok.json": '{"a": 1}', "bad.json": '{"a": 1,, "b": 2,}' });
  match((await t.replace("ok.json", "1}", "1,}")).error, /was not written/);
  equal(await t.env.text("ok.json"), '{"a": 1}');
  equal((await t.replace("bad.json", ",,", ",")).success, true);
  equal((await t.replace("bad.json", "2,}", "2}")).success, true);
  deepEqual(JSON.parse(await t.env.text("bad.json")), { a: 1, b: 2 });
});

Deno.test("patch reports new syntax errors of programs", async () => {
  await using t = await setup({ "a.ts": "const a = 1;\n" });
  const reply = await t.replace("a.ts", "1;", "(;");
  equal((reply.lint as { status: string }).status, "error");
});

Deno.test("patch warns when the file changed since it was read, not when it was never read", async () => {
  await using t = await setup({ "a.txt": "one\n" });
  const services = createTestServices();
  const edit = (from: string, to: string) =>
    t.patch({ path: "a.txt", old_string: from, new_string: to }, { services });
  equal((await edit("one", "two"))._warning, undefined);
  await Deno.utime(t.env.resolve("a.txt"), 1, 1);
  match((await edit("two", "three"))._warning, /changed on disk/);
});

Deno.test("patch cuts an enormous diff", async () => {
  await using t = await setup({ "a.txt": "word\n".repeat(5000) });
  const reply = await t.replace("a.txt", "word", "other", { replace_all: true });
  equal(reply.diff.length < 13_000, true);
  match(reply.diff, /diff cut: \d+ more characters/);
});

const MULTI = `*** Begin Patch
*** Update File: a.txt
@@
-one
+ONE
*** Add File: new/b.txt
+fresh
*** Delete File: c.txt
*** Move File: d.bin -> moved/d.bin
*** Update File: e.txt
*** Move to: f.txt
@@
-e
+E
*** End Patch`;

const MULTI_FILES = {
  "a.txt": "one\ntwo\n",
  "c.txt": "gone\n",
  "d.bin": new Uint8Array([0, 1, 2]),
  "e.txt": "e\n",
};

Deno.test("patch applies a V4A patch over several files", async () => {
  await using t = await setup(MULTI_FILES);
  const reply = await t.apply(MULTI);
  equal(reply.success, true);
  deepEqual(reply.files_modified, ["a.txt", "moved/d.bin", "f.txt"]);
  deepEqual(reply.files_created, ["new/b.txt"]);
  deepEqual(reply.files_deleted, ["c.txt"]);
  match(
    reply.diff,
    /-one\n\+ONE[^]*\+\+\+ b\/new\/b\.txt[^]*renamed d\.bin -> moved[^]*deleted c\.txt/,
  );
  deepEqual(await t.names(), ["a.txt", "f.txt", "moved/d.bin", "new/b.txt"]);
  equal(await t.env.text("a.txt"), "ONE\ntwo\n");
  equal(await t.env.text("f.txt"), "E\n");
  deepEqual([...await Deno.readFile(t.env.resolve("moved/d.bin"))], [0, 1, 2]);
});

Deno.test("patch changes nothing when one part of a V4A patch does not fit", async () => {
  await using t = await setup(MULTI_FILES);
  const before = await t.names();
  const reply = await t.apply(`${MULTI}\n*** Update File: a.txt\n@@\n-nowhere to be seen\n+x`);
  match(reply.error, /no file was changed\.\na\.txt: hunk 1: could not find its lines/);
  deepEqual(await t.names(), before);
  equal(await t.env.text("a.txt"), "one\ntwo\n");
});

Deno.test("patch lists every reason at once", async () => {
  await using t = await setup({ "a.txt": "a", "b.txt": "b" });
  const reply = await t.apply(
    "*** Delete File: x.txt\n*** Add File: a.txt\n+z\n*** Move File: a.txt -> b.txt",
  );
  match(reply.error, /x\.txt: File not found[^]*a\.txt: .*already exists[^]*b\.txt already exists/);
});

Deno.test("patch undoes everything when a write fails", async () => {
  await using t = await setup(MULTI_FILES);
  const before = await t.names();
  t.env.failWriteOf = t.env.resolve("f.txt");
  const reply = await t.apply(MULTI);
  match(reply.error, /was undone, no file is changed: .*no space left/);
  deepEqual(await t.names(), before);
  equal(await t.env.text("a.txt"), "one\ntwo\n");
  equal(await t.env.text("e.txt"), "e\n");
});

Deno.test("patch chains operations on one file", async () => {
  await using t = await setup({ "a.txt": "1\n2\n" });
  const reply = await t.apply(
    "*** Update File: a.txt\n@@\n-1\n+one\n*** Update File: a.txt\n@@\n-2\n+two\n" +
      "*** Move File: a.txt -> b.txt\n*** Update File: b.txt\n@@\n-two\n+zwei\n" +
      "*** Add File: a.txt\n+again\n*** Add File: tmp\n+x\n*** Delete File: tmp",
  );
  equal(reply.success, true);
  deepEqual(await t.names(), ["a.txt", "b.txt"]);
  equal(await t.env.text("a.txt"), "again\n");
  equal(await t.env.text("b.txt"), "one\nzwei\n");
});

Deno.test("patch swaps two files and puts one in the place of a deleted one", async () => {
  await using t = await setup({ "a": "A\n", "b": "B\n", "c": "C\n" });
  const swap = "*** Move File: a -> t\n*** Move File: b -> a\n*** Move File: t -> b\n" +
    "*** Delete File: c\n*** Add File: c\n+new";
  t.env.failWriteOf = t.env.resolve("c");
  match((await t.apply(swap)).error, /was undone/);
  deepEqual([await t.env.text("a"), await t.env.text("b"), await t.env.text("c")], [
    "A\n",
    "B\n",
    "C\n",
  ]);
  t.env.failWriteOf = undefined;
  equal((await t.apply(swap)).success, true);
  deepEqual(await t.names(), ["a", "b", "c"]);
  deepEqual([await t.env.text("a"), await t.env.text("b"), await t.env.text("c")], [
    "B\n",
    "A\n",
    "new\n",
  ]);
});

Deno.test("patch names the one file of a single V4A operation", async () => {
  await using t = await setup({ "a.ts": "let a = 1;\n" });
  const reply = await t.apply("*** Update File: a.ts\n@@\n-let a = 1;\n+let a = 2;");
  equal(reply.resolved_path, t.env.resolve("a.ts"));
  deepEqual(reply.lint, { status: "ok" });
});

Deno.test("patch refuses V4A patches that cannot be read, change nothing or leave the tree", async () => {
  await using t = await setup({ "a.txt": "same words here\n" });
  match((await t.apply("*** Update File: a.txt")).error, /cannot be read.*no hunks/);
  match((await t.apply("nothing at all")).error, /no changes/);
  match((await t.apply("*** Add File: ../x\n+y")).error, /"\.\."/);
  match((await t.apply("*** Update File: a.txt\n@@\n same words here")).error, /context only/);
  const repeat = await t.apply("*** Update File: a.txt\n@@\n-other words\n+same words here");
  equal(repeat.no_change, true);
});

Deno.test("patch keeps CRLF in V4A updates and checks protected paths of every operation", async () => {
  await using t = await setup({ "a.txt": "1\r\n2\r\n", "AGENTS.md": "x\n" });
  await t.apply("*** Update File: a.txt\n@@\n-2\n+two\n+three");
  equal(await t.env.text("a.txt"), "1\r\ntwo\r\nthree\r\n");
  const reply = await t.apply("*** Add File: n.txt\n+x\n*** Delete File: AGENTS.md");
  match(reply.error, /not approved/);
  deepEqual(await t.names(), ["AGENTS.md", "a.txt"]);
});

Deno.test("patch names its paths for scheduling", () => {
  const paths = registry.get("patch")!.paths!;
  deepEqual(paths({ mode: "patch", patch: MULTI }).map((use) => use.path), [
    "a.txt",
    "new/b.txt",
    "c.txt",
    "d.bin",
    "moved/d.bin",
    "e.txt",
    "f.txt",
  ]);
  deepEqual(paths({ path: "x" }), [{ path: "x", write: true }]);
  deepEqual(paths({}), []);
});

function manyHunks(count: number, hunk: (i: number) => string): string {
  return `*** Update File: a.txt\n${Array.from({ length: count }, (_, i) => hunk(i)).join("\n")}`;
}

const MANY_LINES = Array.from({ length: 20_000 }, (_, i) => `line${i}`).join("\n");

Deno.test("patch tries no more hunks once many have failed", async () => {
  await using t = await setup({ "a.txt": MANY_LINES });
  const text = manyHunks(3_000, (i) => `@@ nothing @@\n context ${i}\n-lane${i}\n+l${i}`);
  const { error } = await t.apply(text);
  match(String(error), /hunk 20: .*\n?[^]*hunk 21 and those behind it were not tried/);
});

Deno.test("patch hears an abort between hunks", async () => {
  await using t = await setup({ "a.txt": MANY_LINES });
  const abort = new AbortController();
  const text = manyHunks(2_000, (i) => `@@ nothing @@\n-line${i}\n+l${i}`);
  setTimeout(() => abort.abort(new Error("interrupted")), 0);
  await rejects(t.apply(text, { signal: abort.signal }), /interrupted/);
  equal(await t.env.text("a.txt"), MANY_LINES);
});
