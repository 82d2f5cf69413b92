/** Conformance of file access. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { FileError, type FileErrorCode } from "../../src/protocol/error.ts";
import { sha256Hex } from "../../src/util/hash.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import type { EnvironmentCase } from "./environment_suite.ts";

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function text(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}

async function wantError(work: Promise<unknown>, ...codes: FileErrorCode[]): Promise<void> {
  await rejects(work, (error) => {
    ok(error instanceof FileError, `${error}`);
    ok(codes.includes(error.code), `${error.code}: ${error.message}`);
    ok(error.message.startsWith(`${error.path}: `), error.message);
    return true;
  });
}

export const FILE_CASES: readonly EnvironmentCase[] = [
  {
    name: "writes and reads every byte",
    async run({ env, sh }) {
      const data = Uint8Array.from({ length: 256 }, (_, i) => i);
      await env.writeFile("f", data);
      deepEqual([...await env.readFile("f")], [...data]);
      equal(await sh("wc -c <f | tr -d ' '"), "256");
      await env.writeFile("empty", new Uint8Array());
      equal((await env.readFile("empty")).length, 0);
    },
  },
  {
    name: "moves a large file both ways",
    async run({ env, sh }) {
      const data = new Uint8Array(12 << 20);
      for (let i = 0; i < data.length; i += 65_536) {
        crypto.getRandomValues(data.subarray(i, i + 65_536));
      }
      const hash = await sha256Hex(data);
      await env.writeFile("big", data);
      equal((await sh("sha256sum big")).split(" ")[0], hash);
      await sh("cat big big >twice");
      const back = await env.readFile("twice");
      equal(back.length, 24 << 20);
      equal(await sha256Hex(back.slice(12 << 20) as Uint8Array<ArrayBuffer>), hash);
    },
  },
  {
    name: "reads a part of a file",
    async run({ env, sh }) {
      await sh("printf 0123456789 >digits");
      equal(text(await env.readFile("digits", { start: 3, length: 4 })), "3456");
      equal(text(await env.readFile("digits", { start: 8 })), "89");
      equal(text(await env.readFile("digits", { start: 8, length: 100 })), "89");
      equal((await env.readFile("digits", { start: 10 })).length, 0);
      equal((await env.readFile("digits", { start: 50, length: 1 })).length, 0);
      equal((await env.readFile("digits", { length: 0 })).length, 0);
    },
  },
  {
    name: "makes missing directories unless told not to",
    async run({ env }) {
      await env.writeFile("a/b/c.txt", bytes("x"));
      equal(text(await env.readFile("a/b/c.txt")), "x");
      await wantError(env.writeFile("no/c.txt", bytes("x"), { parents: false }), "ENOENT");
      equal(await env.stat("no"), undefined);
    },
  },
  {
    name: "keeps the mode of a file and sets the one asked for on a new file",
    async run({ env, sh }) {
      await sh("echo old >script; chmod 754 script");
      await env.writeFile("script", bytes("new\n"));
      equal(await sh("stat -c %a script; cat script"), "754\nnew");
      await env.writeFile("secret", bytes("s"), { mode: 0o600 });
      equal(await sh("stat -c %a secret"), "600");
      equal((await env.stat("secret"))?.mode, 0o600);
    },
  },
  {
    name: "writes through symbolic links and leaves them links",
    async run({ env, sh }) {
      await sh("mkdir d; echo old >d/target; ln -s d/target link; ln -s d/fresh dangling");
      await env.writeFile("link", bytes("new"));
      await env.writeFile("dangling", bytes("made"));
      equal(
        await sh("readlink link; cat d/target; echo; readlink dangling; cat d/fresh"),
        "d/target\nnew\nd/fresh\nmade",
      );
    },
  },
  {
    name: "replaces a file whole: a reader never sees half",
    async run({ env }) {
      const one = new Uint8Array(300_000).fill(49);
      const two = new Uint8Array(300_000).fill(50);
      await env.writeFile("f", one);
      let writing = true;
      const writer = (async () => {
        for (let i = 0; i < 20; i++) await env.writeFile("f", i % 2 ? one : two);
        writing = false;
      })();
      let reads = 0;
      while (writing) {
        const seen = await env.readFile("f");
        equal(seen.length, 300_000);
        equal(seen[0], seen[299_999]);
        reads++;
      }
      await writer;
      ok(reads > 0);
      deepEqual((await env.list(".")).map((entry) => entry.name), ["f"]);
    },
  },
  {
    name: "describes files, directories, links and nothing",
    async run({ env, sh }) {
      await sh("printf 12345 >f; mkdir d; ln -s f l; ln -s nowhere broken; mkfifo pipe");
      const file = await env.stat("f");
      equal(file?.kind, "file");
      equal(file?.size, 5);
      ok(Math.abs(file!.mtimeMs - Date.now()) < 3_600_000);
      equal((await env.stat("d"))?.kind, "directory");
      equal((await env.stat("l"))?.kind, "file");
      equal((await env.stat("pipe"))?.kind, "other");
      equal(await env.stat("broken"), undefined);
      equal(await env.stat("missing"), undefined);
      equal(await env.stat("f/below"), undefined);
    },
  },
  {
    name: "lists a directory by name",
    async run({ env, sh }) {
      await sh("mkdir sub; touch b .hidden 'a b' 'ü'; ln -s b link");
      deepEqual(await env.list("."), [
        { name: ".hidden", kind: "file" },
        { name: "a b", kind: "file" },
        { name: "b", kind: "file" },
        { name: "link", kind: "symlink" },
        { name: "sub", kind: "directory" },
        { name: "ü", kind: "file" },
      ]);
      deepEqual(await env.list("sub"), []);
      await wantError(env.list("missing"), "ENOENT");
      await wantError(env.list("b"), "ENOTDIR");
    },
  },
  {
    name: "removes and renames",
    async run({ env, sh }) {
      await sh("mkdir -p d/e; touch d/e/f g; ln -s g link");
      await wantError(env.remove("d"), "ENOTEMPTY");
      await env.remove("d", { recursive: true });
      await env.remove("link");
      equal(await sh("ls"), "g");
      await env.rename("g", "h");
      equal(await sh("ls"), "h");
      await wantError(env.remove("missing"), "ENOENT");
      await wantError(env.rename("missing", "x"), "ENOENT");
    },
  },
  {
    name: "resolves paths as the task sees them",
    async run({ env, dir, sh }) {
      equal(env.resolve("a/../b/./c"), `${dir}/b/c`);
      equal(env.resolve("/x//y/.."), "/x");
      equal(env.resolve("~/z"), `${await sh("echo ~")}/z`.replace("//", "/"));
      await sh("mkdir in; cd in");
      equal(env.resolve("f"), `${dir}/in/f`);
      equal(env.resolve(".."), dir);
    },
  },
  {
    name: "follows links to real paths as far as they exist",
    async run({ env, dir, sh }) {
      await sh(
        "mkdir real; touch real/f; ln -s real link; ln -s link/gone dangling; ln -s loop loop",
      );
      const base = await sh("pwd -P");
      equal(await env.realPath(`${dir}/link/f`), `${base}/real/f`);
      equal(await env.realPath("link/no/such"), `${base}/real/no/such`);
      equal(await env.realPath("dangling"), `${base}/real/gone`);
      await wantError(env.realPath("loop"), "ELOOP");
    },
  },
  {
    name: "names the path and the reason when a file operation fails",
    async run({ env, dir, sh }) {
      await sh("mkdir d; touch f");
      await wantError(env.readFile("missing"), "ENOENT");
      await wantError(env.readFile("d"), "EISDIR");
      await wantError(env.readFile("f/x"), "ENOTDIR");
      await wantError(env.writeFile("d", bytes("x")), "EISDIR");
      await wantError(env.writeFile("/dev/null", bytes("x")), "EINVAL");
      await rejects(env.readFile("missing"), (error) => {
        match((error as Error).message, /missing: no such file or directory$/);
        ok((error as Error).message.startsWith(dir));
        return true;
      });
    },
  },
  {
    name: "reports what it may not write",
    async run({ env }) {
      // Even root may not create files there.
      await wantError(env.writeFile("/sys/hermes-conformance", bytes("x")), "EACCES", "EROFS");
    },
  },
  {
    name: "handles files with any name",
    async run({ env, sh }) {
      for (const name of ["sp ace", "quo'te\"", "日本語", "-n", "$x`y`", "new\nline", "*?[a]"]) {
        await env.writeFile(name, bytes(name));
        equal(await sh(`cat ./${shellQuote(name)}`), name);
        equal(text(await env.readFile(name)), name);
        await env.remove(name);
      }
    },
  },
  {
    name: "stops reading when interrupted",
    async run({ env, sh }) {
      await sh("head -c 1000000 /dev/zero >zeros");
      const signal = AbortSignal.abort();
      await rejects(env.readFile("zeros", { signal }), { name: "AbortError" });
      await rejects(env.writeFile("zeros", bytes("x"), { signal }), { name: "AbortError" });
      equal((await env.stat("zeros"))?.size, 1_000_000);
    },
  },
];
