/** docs/architecture.md and docs/instructions.md name files that exist, and those that matter. */
import assert from "node:assert/strict";

const ROOT = new URL("../..", import.meta.url);

async function read(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, ROOT));
}

/** Paths of files between backticks. */
function filesIn(text: string): string[] {
  return [...new Set([...text.matchAll(/`([\w./-]+\.ts)`/g)].map(([, path]) => path!))];
}

Deno.test("docs/architecture.md names a file for every hop, and each of them exists", async () => {
  const text = await read("docs/architecture.md");
  const files = filesIn(text);
  assert.ok(files.length > 50, `only ${files.length} files`);
  const missing: string[] = [];
  for (const path of files) {
    await Deno.stat(new URL(path, ROOT)).catch(() => missing.push(path));
  }
  assert.deepEqual(missing, []);
  const ways = text.split(/^## /m).filter((section) => section.startsWith("The way of"));
  assert.equal(ways.length, 5);
  for (const way of ways) {
    // Steps may go on in the next line; each names its file.
    const steps = way.split(/^\d+\. /m).slice(1);
    assert.ok(steps.length >= 5, way.slice(0, 40));
    const bare = steps.filter((step) => filesIn(step).length === 0);
    assert.ok(bare.length <= 1, `steps without a file: ${bare.join(" / ")}`);
  }
});

Deno.test("docs/architecture.md has a row for every folder of the program", async () => {
  const text = await read("docs/architecture.md");
  const folders = ["environments", "tools"];
  for await (const { name, isDirectory } of Deno.readDir(new URL("src", ROOT))) {
    if (isDirectory && !["util", "deps"].includes(name)) folders.push(`src/${name}`);
  }
  const files = filesIn(text);
  for await (const { name } of Deno.readDir(new URL("src/plugins/push", ROOT))) {
    const isHelper = /_test\.ts$|^(?:intervals|push_registrations)\.ts$/.test(name);
    if (!isHelper) assert.ok(files.includes(`src/plugins/push/${name}`), name);
  }
  const absent = folders.filter((folder) => !files.some((path) => path.startsWith(`${folder}/`)));
  assert.deepEqual(
    absent,
    ["src/config", "src/context"].filter((folder) => absent.includes(folder)),
  );
});

Deno.test("docs/instructions.md lists the instruction files that are read", async () => {
  const [docs, code] = await Promise.all([
    read("docs/instructions.md"),
    read("src/context/project_files.ts"),
  ]);
  const names = [...code.matchAll(/"(\.hermes\.md|[A-Z]+\.md|\.cursorrules)"/g)]
    .map(([, name]) => name!);
  assert.ok(names.length >= 5);
  for (const name of names) assert.ok(docs.includes(`\`${name}\``), name);
});

Deno.test("every page of the docs can be reached from the README", async () => {
  const seen = new Set<string>();
  async function follow(page: string): Promise<void> {
    if (seen.has(page)) return;
    seen.add(page);
    const text = await read(page);
    for (const [, link] of text.matchAll(/\]\(([\w./-]+\.md)(?:#[\w-]*)?\)/g)) {
      await follow(new URL(link!, `file:///${page}`).pathname.slice(1));
    }
  }
  await follow("README.md");
  const pages: string[] = [];
  for await (const { name } of Deno.readDir(new URL("docs", ROOT))) {
    if (name.endsWith(".md")) pages.push(`docs/${name}`);
  }
  assert.deepEqual(pages.filter((page) => !seen.has(page)), []);
});
