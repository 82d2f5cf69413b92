import { deepEqual, equal, match, ok } from "node:assert/strict";
import {
  createTempEnvironment,
  type TempEnvironment,
} from "../tests/support/memory_environment.ts";
import { createTestContext, createTestServices, runTool } from "../tests/support/tool_context.ts";
import "./read_file.ts";

async function setup(files: Record<string, string | Uint8Array> = {}) {
  const env = await createTempEnvironment();
  await env.put(files);
  return env;
}

/** Reads as if for the first time. */
function read(env: TempEnvironment, args: Record<string, unknown>, config = {}) {
  return runTool("read_file", args, createTestContext(env, { config }));
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");
}

Deno.test("read_file numbers lines and counts them", async () => {
  await using env = await setup({ "a.txt": "one\r\ntwo\n\nlast" });
  deepEqual(await read(env, { path: "a.txt" }), {
    content: "1|one\n2|two\n3|\n4|last",
    total_lines: 4,
    file_size: 14,
    truncated: false,
    is_binary: false,
    is_image: false,
  });
});

Deno.test("read_file pages by offset and limit and says how to go on", async () => {
  await using env = await setup({ "a.txt": lines(10) });
  const page = await read(env, { path: "a.txt", offset: 3, limit: 2 });
  equal(page.content, "3|line 3\n4|line 4");
  equal(page.truncated, true);
  equal(page.next_offset, 5);
  match(page.hint, /10 lines.*offset=5/);
  const last = await read(env, { path: "a.txt", offset: 9, limit: 2 });
  equal(last.truncated, false);
  equal(last.next_offset, undefined);
});

Deno.test("read_file takes odd offsets and limits as the nearest valid ones", async () => {
  await using env = await setup({ "a.txt": lines(3) });
  equal((await read(env, { path: "a.txt", offset: -5, limit: 0 })).content, "1|line 1");
  equal((await read(env, { path: "a.txt", offset: 0, limit: 99_999 })).total_lines, 3);
});

Deno.test("read_file limits a page to the configured lines, 2000 by default", async () => {
  await using env = await setup({ "a.txt": lines(2500) });
  equal((await read(env, { path: "a.txt" })).next_offset, 2001);
  const config = { "tool_output.max_lines": 10 };
  equal((await read(env, { path: "a.txt", limit: 50 }, config)).next_offset, 11);
});

Deno.test("read_file explains an empty file and an offset past the end", async () => {
  await using env = await setup({ "empty": "", "a.txt": lines(2) });
  const empty = await read(env, { path: "empty" });
  equal(empty.total_lines, 0);
  match(empty.hint, /empty/);
  const past = await read(env, { path: "a.txt", offset: 7 });
  equal(past.content, "");
  match(past.hint, /Line 7 is past the end: the file has 2 lines/);
});

Deno.test("read_file cuts long lines and tells how to see the rest", async () => {
  await using env = await setup({ "a b.txt": `${"x".repeat(2001)}\n${"é".repeat(2000)}\n` });
  const page = await read(env, { path: "a b.txt" });
  const [first, second] = page.content.split("\n");
  equal(first, `1|${"x".repeat(2000)}... [truncated]`);
  equal(second, `2|${"é".repeat(2000)}`);
  match(page.hint, /sed -n 1p '.*a b\.txt' \| cut -c2001-/);
});

Deno.test("read_file stops at the character limit on a line boundary", async () => {
  await using env = await setup({ "a.txt": lines(100) });
  const config = { "file_read_max_chars": 30 };
  const page = await read(env, { path: "a.txt" }, config);
  equal(page.content, "1|line 1\n2|line 2\n3|line 3");
  equal(page.truncated_by, "bytes");
  equal(page.next_offset, 4);
  const first = await read(env, { path: "a.txt" }, { "file_read_max_chars": 5 });
  equal(first.content, "1|lin");
  equal(first.next_offset, 2);
});

Deno.test("read_file reads a file larger than one range, and points at search for large ones", async () => {
  const text = lines(300_000);
  await using env = await setup({ "big.txt": text });
  const page = await read(env, { path: "big.txt", offset: 250_000, limit: 2 });
  equal(page.content, "250000|line 250000\n250001|line 250001");
  equal(page.total_lines, 300_000);
  const whole = await read(env, { path: "big.txt" });
  match(whole._hint, /search_files/);
});

Deno.test("read_file reads pages of a sparse gigabyte without loading it", async () => {
  await using env = await setup({ "huge.txt": lines(5000) });
  await Deno.truncate(env.resolve("huge.txt"), 1 << 30);
  const before = ownBytes();
  const page = await read(env, { path: "huge.txt", offset: 100, limit: 3 });
  equal(page.content, "100|line 100\n101|line 101\n102|line 102");
  equal(page.total_lines, 5000);
  const grown = (ownBytes() - before) / 2 ** 20;
  ok(grown < 100, `grew by ${grown} MiB`);
});

/** Memory of this thread: tests of other files run in the same process. */
function ownBytes(): number {
  const { heapTotal, external } = Deno.memoryUsage();
  return heapTotal + external;
}

Deno.test("read_file strips a byte order mark and reads UTF-16 with a hint", async () => {
  const utf16 = new Uint8Array([0xff, 0xfe, 0x68, 0, 0xe9, 0, 0x0a, 0, 0x78, 0]);
  const big = new Uint8Array([0, 0x61, 0, 0x62, 0, 0x63, 0, 0x64, 0, 0x0a]);
  await using env = await setup({ "bom.txt": "\ufeffhi\n", "w.txt": utf16, "be.txt": big });
  equal((await read(env, { path: "bom.txt" })).content, "1|hi");
  const wide = await read(env, { path: "w.txt" });
  equal(wide.content, "1|hé\n2|x");
  match(wide.hint, /UTF-16LE/);
  equal((await read(env, { path: "be.txt" })).content, "1|abcd");
});

Deno.test("read_file refuses binary content and names its type and size", async () => {
  const elf = new Uint8Array([0x7f, 0x45, 0x4c, 0x46, 0, 0, 1]);
  const latin = new TextEncoder().encode("caf").slice();
  await using env = await setup({
    "prog": elf,
    "latin": new Uint8Array([...latin, 0xe9, 0x20, 0x61]),
    "x.zip": "not looked at",
  });
  const refused = await read(env, { path: "prog" });
  match(refused.error, /ELF executable, 7 bytes/);
  equal(refused.is_binary, true);
  match((await read(env, { path: "latin" })).error, /not UTF-8.*iconv/);
  match((await read(env, { path: "x.zip" })).error, /archive/);
});

Deno.test("read_file accepts a character cut at the end of the looked-at bytes", async () => {
  await using env = await setup({ "a.txt": `${"x".repeat(999)}é\n` });
  equal((await read(env, { path: "a.txt" })).total_lines, 1);
});

Deno.test("read_file describes images instead of reading them", async () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 1]);
  await using env = await setup({ "a.png": png, "unnamed": png });
  for (const path of ["a.png", "unnamed"]) {
    const reply = await read(env, { path });
    equal(reply.is_image, true);
    equal(reply.is_binary, true);
    equal(reply.content, "");
  }
  const ctx = createTestContext(env, { sessionTools: ["vision_analyze"] });
  match((await runTool("read_file", { path: "a.png" }, ctx)).hint, /vision_analyze/);
});

Deno.test("read_file extracts a notebook and shows a broken one as text", async () => {
  const notebook = {
    cells: [
      { cell_type: "markdown", source: ["# Title\n", "text"] },
      {
        cell_type: "code",
        source: "print(1)",
        outputs: [{ text: ["1\n"] }, { data: { "image/png": "…", "text/plain": "<fig>" } }],
      },
      {
        cell_type: "code",
        source: "1/0",
        outputs: [{ traceback: ["\x1b[31mZeroDivision\x1b[0m"] }],
      },
    ],
  };
  await using env = await setup({ "n.ipynb": JSON.stringify(notebook), "bad.ipynb": "{oops" });
  const reply = await read(env, { path: "n.ipynb" });
  equal(reply.extracted_document, true);
  match(reply.content, /cell 1 \[markdown\][^]*# Title[^]*print\(1\)[^]*output[^]*\|1\n/);
  match(reply.content, /image\/png left out/);
  match(reply.content, /\|ZeroDivision$/m);
  equal((await read(env, { path: "bad.ipynb" })).content, "1|{oops");
});

Deno.test("read_file suggests similar names for a missing file", async () => {
  await using env = await setup({ "src/config.ts": "", "src/confug.ts": "", "src/zebra.ts": "" });
  const reply = await read(env, { path: "src/config.js" });
  equal(reply.error, `File not found: ${env.resolve("src/config.js")}`);
  deepEqual(reply.similar_files, ["src/config.ts", "src/confug.ts"]);
  const lost = await read(env, { path: "nowhere/at/all.ts" });
  equal(lost.similar_files, undefined);
});

Deno.test("read_file reads the one file whose name only looks different", async () => {
  await using env = await setup({ "caf\u0065\u0301.txt": "nfd", "it’s.txt": "curly" });
  const accent = await read(env, { path: "caf\u00e9.txt" });
  equal(accent.content, "1|nfd");
  match(accent._warning, /look-alike/);
  equal((await read(env, { path: "it's.txt" })).content, "1|curly");
});

Deno.test("read_file refuses directories, pipes and devices", async () => {
  await using env = await setup({ "d/a": "" });
  await env.exec("mkfifo pipe; ln -s /dev/zero zero; ln -s zero twice");
  match((await read(env, { path: "d" })).error, /directory.*search_files/);
  const pipe = await read(env, { path: "pipe" });
  match(pipe.error, /not a regular file/);
  equal(pipe.success, false);
  for (
    const path of [
      "/dev/zero",
      "/dev/fd/0",
      "/proc/self/environ",
      "/proc/self/fd/1",
      "zero",
      "twice",
    ]
  ) {
    match((await read(env, { path })).error, /device or process file/, path);
  }
});

Deno.test("read_file refuses files that hold credentials, through symlinks too", async () => {
  await using env = await setup({
    ".env": "KEY=1",
    ".env.example": "KEY=",
    "~/.ssh/id_ed25519": "secret",
    "~/.ssh/id_ed25519.pub": "public",
    "~/.ssh/config": "Host x",
    "~/.hermes/.env": "KEY=1",
    "~/.hermes/auth.json": "{}",
    "~/.hermes/profiles/work/auth.json": "{}",
    "~/.hermes/mcp-tokens/x": "t",
    "~/.hermes/notes.md": "fine",
  });
  await env.exec(`ln -s "$PWD/.env" innocent.txt`);
  const refused = [
    ".env",
    "innocent.txt",
    "~/.ssh/id_ed25519",
    "~/.hermes/.env",
    "~/.hermes/auth.json",
    "~/.hermes/profiles/work/auth.json",
    "~/.hermes/mcp-tokens/x",
  ];
  for (const path of refused) match((await read(env, { path })).error, /credentials/, path);
  const allowed = [".env.example", "~/.ssh/id_ed25519.pub", "~/.ssh/config", "~/.hermes/notes.md"];
  for (const path of allowed) equal((await read(env, { path })).error, undefined, path);
});

Deno.test("read_file warns when a relative path leaves the working directory", async () => {
  await using env = await setup({ "../out.txt": "x" });
  match((await read(env, { path: "../out.txt" }))._warning, /outside the working directory/);
  equal((await read(env, { path: `${env.root}/out.txt` }))._warning, undefined);
});

Deno.test("read_file does not repeat unchanged content, but does after a change", async () => {
  await using env = await setup({ "a.txt": "one\n" });
  const services = createTestServices();
  const again = () => runTool("read_file", { path: "a.txt" }, createTestContext(env, { services }));
  equal((await again()).content, "1|one");
  const second = await again();
  equal(second.status, "unchanged");
  equal(second.content_returned, false);
  equal(second.dedup, true);
  match((await again()).error, /has not changed/);
  await env.put({ "a.txt": "changed\n" });
  equal((await again()).content, "1|changed");
  services.files.forgetShown();
  equal((await again()).content, "1|changed");
});

Deno.test("read_file always shows a file that keeps changing", async () => {
  await using env = await setup({});
  const services = createTestServices();
  for (let i = 1; i < 6; i++) {
    await env.put({ "log": "x".repeat(i) });
    const reply = await runTool("read_file", { path: "log" }, createTestContext(env, { services }));
    equal(reply.content, `1|${"x".repeat(i)}`);
  }
});

Deno.test("read_file always answers a script", async () => {
  await using env = await setup({ "a.txt": "one\n" });
  const services = createTestServices();
  for (let i = 0; i < 6; i++) {
    const ctx = createTestContext(env, { services, sandbox: true });
    equal((await runTool("read_file", { path: "a.txt" }, ctx)).content, "1|one");
  }
});

Deno.test("read_file reads files of the kernel, which have no size", async () => {
  await using env = await setup({});
  match((await read(env, { path: "/proc/self/status" })).content, /^1\|Name:/);
});

Deno.test("read_file refuses an empty path and a NUL in it", async () => {
  await using env = await setup({});
  match((await read(env, { path: " " })).error, /path is empty/);
  match((await read(env, { path: "a\0b" })).error, /NUL/);
});
