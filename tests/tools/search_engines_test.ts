/** Every engine gives the same answer to the same query: ripgrep, the local one, and grep where its rules allow. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { createLocalSearch } from "../../environments/local/local_search.ts";
import type { SearchQuery, SearchResult } from "../../src/protocol/environment.ts";
import { searchWithGrep } from "../../tools/_search_grep.ts";
import { searchWithRipgrep } from "../../tools/_search_rg.ts";
import { createTempEnvironment, type TempEnvironment } from "../support/memory_environment.ts";

const localSearch = createLocalSearch();

async function hasRipgrep(env: TempEnvironment): Promise<boolean> {
  const installed = (await env.exec("rg --version")).exitCode === 0;
  if (!installed) console.log("not compared with ripgrep: rg is not installed");
  return installed;
}

function utf16(text: string): Uint8Array {
  const bytes = new Uint8Array(2 + text.length * 2);
  bytes.set([0xff, 0xfe]);
  for (let i = 0; i < text.length; i++) bytes[2 + i * 2] = text.charCodeAt(i);
  return bytes;
}

const TREE: Record<string, string | Uint8Array> = {
  ".gitignore": "*.log\nbuild/\n/top.txt\n!keep.log\nsub/deep/*.gen\n",
  "a.ts": "needle one\nother\nneedle two\r\nNEEDLE\n",
  "b.ts": "x\n".repeat(30) + "needle far\n" + "y\n".repeat(30),
  "a-b.ts": "needle dash\n",
  "a/z.ts": "in a directory: needle\n",
  "a.log": "needle ignored\n",
  "keep.log": "needle kept\n",
  "top.txt": "needle anchored\n",
  "sub/top.txt": "needle not anchored\n",
  "build/out.ts": "needle built\n",
  "sub/deep/a.gen": "needle generated\n",
  "sub/other/a.gen": "needle elsewhere\n",
  "sub/.gitignore": "local.md\n!/b.log\n",
  "sub/local.md": "needle\n",
  "sub/b.log": "needle back again\n",
  ".hidden/file.ts": "needle hidden\n",
  ".hidden.ts": "needle hidden\n",
  ".ignore": "by_ignore.ts\n",
  "by_ignore.ts": "needle\n",
  "rg/.rgignore": "by_rg.ts\n!by_ignore.ts\n",
  "rg/by_rg.ts": "needle\n",
  "rg/by_ignore.ts": "needle brought back\n",
  "repo/.git/HEAD": "ref: needle\n",
  "repo/x.log": "needle in another repository\n",
  "repo/.gitignore": "*.tmp\n",
  "repo/y.tmp": "needle\n",
  "binary.dat": new Uint8Array([...new TextEncoder().encode("needle "), 0, 1, 2]),
  "wide.txt": utf16("a needle in UTF-16\n"),
  "ünï code.md": "needle: naïve café — ‘quoted’\n",
  "empty.ts": "",
  "no_newline.ts": "last needle",
  "long.min.js": `${"x".repeat(3000)}needle${"y".repeat(3000)}\n`,
  "colon:name.ts": "needle: with: colons\n",
};

async function tree(): Promise<TempEnvironment> {
  const env = await createTempEnvironment();
  await env.put(TREE);
  await env.exec("ln -s a.ts link.ts; ln -s a linked_dir; mkfifo pipe");
  return env;
}

function query(env: TempEnvironment, change: Partial<SearchQuery>): SearchQuery {
  return {
    roots: [env.cwd()],
    target: "content",
    pattern: "needle",
    context: 0,
    offset: 0,
    limit: 100,
    lines: true,
    timeoutMs: 20_000,
    ...change,
  };
}

const QUERIES: Partial<SearchQuery>[] = [
  {},
  { ignoreCase: true },
  { context: 2 },
  { limit: 3 },
  { offset: 2, limit: 3 },
  { offset: 2, limit: 3, context: 1 },
  { offset: 1000 },
  { lines: false },
  { lines: false, offset: 1, limit: 2 },
  { all: true },
  { glob: "*.ts" },
  { glob: "*.{ts,md}" },
  { glob: "sub/**" },
  { glob: "!*.ts" },
  { glob: "**/*.log" },
  { pattern: "^needle (one|two)$" },
  { pattern: "needle\\s" },
  { pattern: "[^x]eedle$" },
  { pattern: "na\\wve caf\\w\\b" },
  { pattern: "(?i)NEEDLE two" },
  { pattern: "\\d" },
  { pattern: "." },
  { pattern: "^$" },
  { pattern: "needle: with:", literal: true },
  { pattern: "needle two\\nNEEDLE", multiline: true },
  { pattern: "one\\n.*\\n", multiline: true, context: 1 },
  { pattern: "nothing like this" },
  { target: "files", pattern: "*" },
  { target: "files", pattern: "*.ts" },
  { target: "files", pattern: "sub/**/*.md" },
  { target: "files", pattern: "*.ts", offset: 2, limit: 2 },
  { target: "files", pattern: "*", glob: "*.log" },
  { target: "files", pattern: "*", all: true },
  { exclude: (path) => path.endsWith("a.ts") },
];

Deno.test("the local engine answers like ripgrep", async (t) => {
  await using env = await tree();
  if (!await hasRipgrep(env)) return;
  for (const change of QUERIES) {
    await t.step(JSON.stringify(change), async () => {
      const asked = query(env, change);
      deepEqual(await localSearch(asked), await searchWithRipgrep(env, asked));
    });
  }
  await t.step("a root that is a file, an ignored directory, or given twice over", async () => {
    for (const roots of [["a.log"], ["build"], [".hidden"], ["sub", "a"], ["repo"], ["sub/deep"]]) {
      const asked = query(env, { roots: roots.map((root) => env.resolve(root)), glob: "*.*" });
      deepEqual(await localSearch(asked), await searchWithRipgrep(env, asked), roots.join());
    }
  });
});

/** Without ignore files, hidden files, and what grep counts as binary or cannot express. */
const PLAIN_TREE = Object.fromEntries(
  Object.entries(TREE).filter(([name]) => !/^\.|\/\.|wide|binary|ünï/.test(name)),
);

Deno.test("grep answers like the local engine where no ignore rules are involved", async (t) => {
  await using env = await createTempEnvironment();
  await env.put(PLAIN_TREE);
  const changes = QUERIES.filter(({ pattern = "", multiline, all }) =>
    !multiline && !all && !/\(\?i\)|\\b|\$/.test(pattern)
  );
  for (const change of changes) {
    await t.step(JSON.stringify(change), async () => {
      const asked = query(env, change);
      deepEqual(await searchWithGrep(env, asked), await localSearch(asked));
    });
  }
});

Deno.test("search() of the local engine finds matches in pieces of a large file", async () => {
  await using env = await createTempEnvironment();
  const path = env.resolve("large.txt");
  const line = `${"z".repeat(99)}\n`;
  const block = new TextEncoder().encode(line.repeat(10_000));
  using file = await Deno.open(path, { write: true, create: true });
  for (let i = 0; i < 70; i++) await file.write(block);
  await file.write(new TextEncoder().encode("the needle\n"));
  const result = await localSearch(query(env, {}));
  deepEqual(result.lines, [{ path, line: 700_001, text: "the needle", match: true }]);
});

Deno.test("search() of the local engine reports an expression it cannot read", async () => {
  await using env = await tree();
  const result = await localSearch(query(env, { pattern: "(needle" }));
  ok(result.invalid !== undefined);
  equal(result.lines.length, 0);
});

Deno.test("search() of the local engine stops at its time limit and when aborted", async () => {
  await using env = await tree();
  const late: SearchResult = await localSearch(query(env, { timeoutMs: 0 }));
  equal(late.stopped, "timeout");
  const signal = AbortSignal.abort(new Error("enough"));
  await rejects(localSearch(query(env, { signal })), /enough/);
});

Deno.test("search() of the local engine lets the event loop run and can be aborted on the way", async () => {
  await using env = await createTempEnvironment();
  // Each file takes its time: half a million lines without the wanted word.
  for (let i = 0; i < 12; i++) await env.put({ [`f${i}.txt`]: "wordy\n".repeat(500_000) });
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error("enough")), 1);
  await rejects(localSearch(query(env, { pattern: "[a-z]+\\d", signal: stop.signal })), /enough/);
  clearTimeout(timer);
});
