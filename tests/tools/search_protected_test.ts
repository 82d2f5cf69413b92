/** What `search_files` never tells and where it never hangs, with every engine that is installed. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { walkFiles } from "../../environments/local/_search_walk.ts";
import { createLocalSearch } from "../../environments/local/local_search.ts";
import type { SearchQuery } from "../../src/protocol/environment.ts";
import {
  createTempEnvironment,
  type TempEnvironment,
  type TempEnvironmentOptions,
} from "../support/memory_environment.ts";
import { createTestContext, runTool } from "../support/tool_context.ts";
import "../../tools/search_files.ts";

const ENGINES: Record<string, TempEnvironmentOptions> = {
  own: { without: ["rg"], search: createLocalSearch() },
  grep: { without: ["rg"] },
  "rg or grep": {},
};

/** Ends a test that would wait for ever; only a hang takes this long. */
const HANG_MS = 30_000;

function search(env: TempEnvironment, args: Record<string, unknown>) {
  const signal = AbortSignal.timeout(HANG_MS);
  return runTool("search_files", args, createTestContext(env, { signal }));
}

for (const [name, engine] of Object.entries(ENGINES)) {
  Deno.test(`search_files answers the same whatever a protected file holds (${name})`, async () => {
    await using env = await createTempEnvironment(engine);
    await env.put({
      "~/.ssh/id_work": "abc\n",
      "~/.hermes/.env": "KEY=abc\n",
      ".env": "KEY=abc\nKEY=abd\n",
      "sub/.env.production": "KEY=abc\n",
      "seen.txt": "nothing\n",
    });
    const scopes: Record<string, unknown>[] = [
      {},
      { path: "." },
      { path: "~" },
      { path: "~/.hermes" },
      { "output_mode": "count" },
      { "output_mode": "files_only" },
      { "file_glob": ".env*" },
      { path: ".env" },
      { path: "~/.ssh" },
      { path: "seen.txt, .env" },
    ];
    for (const scope of scopes) {
      const [right, wrong] = [
        await search(env, { ...scope, pattern: "^(KEY=)?ab[c]" }),
        await search(env, { ...scope, pattern: "^(KEY=)?ab[x]" }),
      ];
      deepEqual(right, wrong, JSON.stringify(scope));
      ok(!JSON.stringify(right).includes("abc"), JSON.stringify(right));
    }
    const listed = await search(env, { pattern: "*env*", target: "files" });
    equal(listed.total_count, 0);
  });

  Deno.test(`search_files shows nothing behind a link given as its path (${name})`, async () => {
    await using env = await createTempEnvironment(engine);
    await env.put({ "~/.ssh/id_work": "abc\n", "~/notes/a.md": "abc\n", "~/notes/.env": "abc\n" });
    await env.exec(`ln -s "${env.resolve("~/.ssh")}" keys; ln -s "${env.resolve("~")}" up`);
    await env.exec(`ln -s "${env.resolve("~/notes")}" notes`);
    match((await search(env, { pattern: "abc", path: "keys" })).error, /credentials/);
    match((await search(env, { pattern: "abc", path: "keys/id_work" })).error, /credentials/);
    const notes = await search(env, { pattern: "abc", path: "notes" });
    deepEqual(notes.matches, [{ path: "notes/a.md", line: 1, content: "abc" }]);
    equal((await search(env, { pattern: "abc", path: "up" })).total_count, 1);
  });

  Deno.test(`search_files does not wait for pipes or the kernel (${name})`, async () => {
    await using env = await createTempEnvironment(engine);
    await env.put({ "d/a.txt": "abc\n" });
    await env.exec("mkfifo d/pipe; ln -s /proc processes; ln -s /proc/self/root/dev devices");
    const found = await search(env, { pattern: "abc", path: "d" });
    deepEqual(found.matches, [{ path: "d/a.txt", line: 1, content: "abc" }]);
    match((await search(env, { pattern: "abc", path: "d/pipe" })).error, /pipe, socket or device/);
    const kernel = ["/proc", "/proc/self", "/sys", "/sys/kernel", "/dev", "processes", "devices"];
    for (const path of [...kernel, "d /proc"]) {
      for (const target of ["content", "files"]) {
        const { error } = await search(env, { pattern: "abc", path, target });
        match(error, /kernel|device or process file/, path);
      }
    }
  });
}

Deno.test("walkFiles() enters no file system of the kernel, whoever asks", () => {
  for (const root of ["/proc", "/proc/self", "/sys", "/dev"]) {
    deepEqual([...walkFiles([root], { all: true })], [], root);
  }
});

Deno.test("createLocalSearch() stops at its deadline inside one long file and closes it", async () => {
  await using env = await createTempEnvironment();
  const path = env.resolve("long.txt");
  const line = new TextEncoder().encode(`${"x".repeat(1023)}\n`);
  await Deno.writeFile(path, new Uint8Array(4 << 20).map((_, i) => line[i % line.length]!));
  const query: SearchQuery = {
    roots: [path],
    target: "content",
    pattern: "nothing",
    context: 0,
    offset: 0,
    limit: 10,
    lines: true,
    timeoutMs: 0,
  };
  equal((await createLocalSearch()(query)).stopped, "timeout");
  equal((await createLocalSearch()({ ...query, timeoutMs: HANG_MS })).stopped, undefined);
});

Deno.test("createLocalSearch() shows no lines of a file that a link has replaced", async () => {
  await using env = await createTempEnvironment();
  await env.put({ "secret.txt": "abc\n", "d/a.txt": "abc\n" });
  await env.exec("rm d/a.txt; ln -s ../secret.txt d/a.txt");
  const query: SearchQuery = {
    // Named itself, as a walk would name it that saw a file there a moment ago.
    roots: [env.resolve("d/a.txt")],
    target: "content",
    pattern: "abc",
    context: 0,
    offset: 0,
    limit: 10,
    lines: true,
    timeoutMs: HANG_MS,
  };
  equal((await createLocalSearch()(query)).lines.length, 0);
});
