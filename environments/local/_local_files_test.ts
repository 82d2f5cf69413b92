import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { OpenedFile } from "../../src/protocol/environment.ts";
import { identify, LOCAL_FILES } from "./_local_files.ts";

async function tempDirectory() {
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-files-" }));
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

const TEXT = new TextEncoder().encode("text");

/** A check that renames the file before it asks where the file is. */
function renaming(from: string, to: string, seen: OpenedFile[]): (opened: OpenedFile) => void {
  return (opened) => {
    Deno.renameSync(from, to);
    seen.push(opened);
    equal(opened.path(), to);
  };
}

Deno.test("readFile() tells the check which file is open, whatever the path says by then", async () => {
  await using dir = await tempDirectory();
  const [file, link] = [`${dir.path}/a`, `${dir.path}/link`];
  await Deno.writeFile(file, TEXT);
  await Deno.symlink(file, link);
  const seen: OpenedFile[] = [];
  const check = renaming(file, `${dir.path}/b`, seen);
  await LOCAL_FILES.readFile(link, { check });
  deepEqual([seen[0]!.kind, seen[0]!.links], ["file", 1]);
  equal(seen[0]!.id, identify([`${dir.path}/b`])[0]!.id);
});

Deno.test("readFile() reads nothing when the check throws", async () => {
  await using dir = await tempDirectory();
  await Deno.writeFile(`${dir.path}/a`, TEXT);
  const no = new RangeError("no");
  const check = () => {
    throw no;
  };
  await rejects(LOCAL_FILES.readFile(`${dir.path}/a`, { check }), /a: no/);
});

Deno.test("readFile() gives up on a pipe without a writer when it is aborted", async () => {
  await using dir = await tempDirectory();
  const pipe = `${dir.path}/pipe`;
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  const abort = new AbortController();
  const reading = LOCAL_FILES.readFile(pipe, { signal: abort.signal });
  abort.abort();
  await rejects(reading, { name: "AbortError" });
  // A writer lets the kernel finish what it began; it fails once nobody has the pipe open to read.
  using writer = await Deno.open(pipe, { write: true });
  await rejects(async () => {
    while (true) await writer.write(new Uint8Array(1));
  }, Deno.errors.BrokenPipe);
});

Deno.test("writeFile() follows links unless the path must be exact", async () => {
  await using dir = await tempDirectory();
  await Deno.mkdir(`${dir.path}/real`);
  await Deno.writeFile(`${dir.path}/real/a`, new Uint8Array());
  await Deno.symlink("real/a", `${dir.path}/file`);
  await Deno.symlink("real", `${dir.path}/folder`);
  for (const name of ["file", "folder/a", "folder/new"]) {
    const path = `${dir.path}/${name}`;
    await rejects(LOCAL_FILES.writeFile(path, TEXT, { exact: true }), /symbolic links/, name);
  }
  equal((await Deno.stat(`${dir.path}/real/a`)).size, 0);
  const names = await Array.fromAsync(Deno.readDir(`${dir.path}/real`), ({ name }) => name);
  deepEqual(names, ["a"], "something was left where the link leads");
  await LOCAL_FILES.writeFile(`${dir.path}/folder/a`, TEXT);
  await LOCAL_FILES.writeFile(`${dir.path}/real/new/b`, TEXT, { exact: true });
  equal((await Deno.stat(`${dir.path}/real/a`)).size, TEXT.length);
  equal((await Deno.stat(`${dir.path}/real/new/b`)).size, TEXT.length);
  ok((await Deno.lstat(`${dir.path}/file`)).isSymlink);
});

Deno.test("identify() gives one identity to every name of a file", async () => {
  await using dir = await tempDirectory();
  const [file, hard, soft] = ["a", "hard", "soft"].map((name) => `${dir.path}/${name}`);
  await Deno.writeFile(file!, TEXT);
  await Deno.link(file!, hard!);
  await Deno.symlink(file!, soft!);
  const found = identify([file!, hard!, soft!, `${dir.path}/absent`, dir.path]);
  equal(new Set(found.slice(0, 3).map((identity) => identity?.id)).size, 1);
  deepEqual(found.map((identity) => identity?.links).slice(0, 4), [2, 2, 2, undefined]);
  equal(found[4]!.kind, "directory");
  match(found[4]!.id, /^\d+:\d+$/);
});

Deno.test("rename() and remove() follow no link in a path that must be exact", async () => {
  await using dir = await tempDirectory();
  await Deno.mkdir(`${dir.path}/real`);
  await Deno.writeFile(`${dir.path}/real/a`, TEXT);
  await Deno.writeFile(`${dir.path}/b`, TEXT);
  await Deno.symlink("real", `${dir.path}/folder`);
  const [inside, own] = [`${dir.path}/folder/a`, `${dir.path}/b`];
  const exact = { exact: true };
  await rejects(LOCAL_FILES.rename(inside, `${dir.path}/c`, exact), /symbolic links/);
  await rejects(LOCAL_FILES.rename(own, `${dir.path}/folder/c`, exact), /symbolic links/);
  await rejects(LOCAL_FILES.remove(inside, exact), /symbolic links/);
  await LOCAL_FILES.rename(own, `${dir.path}/real/c`, exact);
  await LOCAL_FILES.remove(`${dir.path}/real/c`, exact);
  const names = await Array.fromAsync(Deno.readDir(`${dir.path}/real`), ({ name }) => name);
  deepEqual(names, ["a"]);
});
