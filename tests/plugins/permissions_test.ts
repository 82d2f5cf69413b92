import assert from "node:assert/strict";
import type { ChildMode } from "../../src/sandbox/child/contract.ts";
import { which } from "../../src/util/which.ts";
import { BENCH_PATH, manifest, PluginBench, toolModule } from "./_bench.ts";

const MODES: readonly ChildMode[] = ["deno", "reexec"];

/** A tool that runs JavaScript, which is what a malicious plugin is. */
const EVALUATE = toolModule(
  "evaluate",
  `const source = "export default async (ctx) => {" + args.code + "}";
   const module = await import("data:application/javascript," + encodeURIComponent(source));
   try { return { value: await module.default(ctx) ?? null }; }
   catch (error) { return { refused: error.name + ": " + error.message }; }`,
);

interface Situation {
  bench: PluginBench;
  run(code: string): Promise<unknown>;
  refuses(code: string): Promise<void>;
}

function situation(bench: PluginBench): Situation {
  const evaluate = (code: string) => bench.call("evaluate", { code });
  return {
    bench,
    run: async (code) => {
      const { value, ...rest } = await evaluate(code);
      assert.deepEqual(rest, {}, code);
      return value;
    },
    refuses: async (code) => {
      const { refused } = await evaluate(code);
      assert.match(
        String(refused),
        /NotCapable|Permission denied|os error (1|13)\b|Requires/,
        code,
      );
    },
  };
}

function inBothModes(
  name: string,
  permissions: (port: number) => Record<string, readonly string[]>,
  body: (situation: Situation, port: number) => Promise<void>,
): void {
  for (const mode of MODES) {
    Deno.test(`${name} (${mode})`, async () => {
      const server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        () => new Response("hello"),
      );
      const { port } = server.addr;
      try {
        await using bench = await PluginBench.create();
        await bench.write("project", {
          "docs/open.txt": "open",
          "docs/deep/open.txt": "deep",
          "secret.txt": "secret",
          "out/old.txt": "old",
        });
        await Deno.symlink(`${bench.project}/secret.txt`, `${bench.project}/docs/link.txt`);
        const files = { "plugin.yaml": manifest("demo", permissions(port)), "mod.ts": EVALUATE };
        await bench.load(files, { mode, env: { WANTED: "yes", SECRET_TOKEN: "s3cret" } });
        assert.deepEqual(bench.reports, []);
        await body(situation(bench), port);
      } finally {
        await server.shutdown();
      }
    });
  }
}

function read(path: string): string {
  return `return await Deno.readTextFile(${JSON.stringify(path)})`;
}

function fetchText(url: string): string {
  return `return await (await fetch(${JSON.stringify(url)})).text()`;
}

inBothModes("a plugin without permissions has nothing but its own folders", () => ({}), async (
  { bench, run, refuses },
  port,
) => {
  await refuses(read(`${bench.project}/secret.txt`));
  await refuses(read("/etc/passwd"));
  await refuses(read(`${bench.hermes}/config.yaml`));
  await refuses(fetchText(`http://127.0.0.1:${port}/`));
  await refuses(`return Deno.env.get("SECRET_TOKEN")`);
  await refuses(`return Deno.env.toObject()`);
  await refuses(`return (await new Deno.Command("/usr/bin/id").output()).code`);
  await refuses(`await Deno.writeTextFile(${JSON.stringify(`${bench.project}/new.txt`)}, "x")`);
  await refuses(`return Deno.hostname()`);
  await refuses(`Deno.dlopen("libc.so.6", {})`);
  assert.equal(
    await run(`const file = ctx.dataDir + "/note.txt";
      await Deno.writeTextFile(file, "kept"); return await Deno.readTextFile(file)`),
    "kept",
  );
  assert.equal(
    await Deno.readTextFile(`${bench.hermes}/plugin-data/demo/note.txt`),
    "kept",
  );
});

inBothModes("a plugin connects to the hosts it declares and to no other", (port) => ({
  net: [`127.0.0.1:${port}`],
}), async ({ run, refuses }, port) => {
  assert.equal(await run(fetchText(`http://127.0.0.1:${port}/`)), "hello");
  await refuses(fetchText(`http://127.0.0.1:${port + 1}/`));
  await refuses(fetchText("https://example.com/"));
  await refuses(`Deno.listen({ hostname: "127.0.0.1", port: ${port} }).close()`);
  await refuses(`(await Deno.connect({ transport: "unix", path: "/run/docker.sock" })).close()`);
});

inBothModes("a plugin resolves the names it declares", (port) => ({
  net: [`localhost:${port}`],
}), async ({ run, refuses }, port) => {
  assert.equal(await run(fetchText(`http://localhost:${port}/`)), "hello");
  await refuses(fetchText(`http://127.0.0.1:${port}/`));
});

inBothModes("a plugin reads what it declares, and no link leads out of it", () => ({
  read: ["./docs"],
}), async ({ bench, run, refuses }) => {
  assert.equal(await run(read(`${bench.project}/docs/open.txt`)), "open");
  assert.equal(await run(read(`${bench.project}/docs/deep/open.txt`)), "deep");
  await refuses(read(`${bench.project}/secret.txt`));
  await refuses(read(`${bench.project}/docs/../secret.txt`));
  await refuses(read(`${bench.project}/docs/link.txt`));
  await refuses(`await Deno.writeTextFile(${JSON.stringify(`${bench.project}/docs/x`)}, "x")`);
});

const SOURCES = new URL("../../src", import.meta.url).pathname;

inBothModes("a plugin keeps a grant that holds what the bootstrap gives back", () => ({
  read: [SOURCES],
}), async ({ run, refuses }) => {
  assert.match(String(await run(read(`${SOURCES}/util/version.ts`))), /VERSION/);
  await refuses(read(`${SOURCES}/../deno.json`));
});

inBothModes("a plugin writes where it declares and only there", () => ({
  write: ["./out"],
}), async ({ bench, run, refuses }) => {
  await run(`await Deno.writeTextFile(${JSON.stringify(`${bench.project}/out/new.txt`)}, "new")`);
  assert.equal(await Deno.readTextFile(`${bench.project}/out/new.txt`), "new");
  await refuses(`await Deno.writeTextFile(${JSON.stringify(`${bench.project}/x.txt`)}, "new")`);
  await refuses(`await Deno.remove(${JSON.stringify(`${bench.project}/secret.txt`)})`);
});

inBothModes("a plugin sees the variables it declares and no other", () => ({
  env: ["WANTED"],
}), async ({ run, refuses }) => {
  assert.equal(await run(`return Deno.env.get("WANTED")`), "yes");
  await refuses(`return Deno.env.get("SECRET_TOKEN")`);
  await refuses(`return Deno.env.get("HOME")`);
});

inBothModes("a program a plugin starts stands behind the same walls", () => ({
  run: ["cat"],
  read: ["./docs"],
}), async ({ bench, run, refuses }) => {
  const cat = (path: string) =>
    `const { code, stdout } = await new Deno.Command("cat", { args: [${
      JSON.stringify(path)
    }] }).output();
     return [code, new TextDecoder().decode(stdout)]`;
  assert.deepEqual(await run(cat(`${bench.project}/docs/open.txt`)), [0, "open"]);
  assert.deepEqual(await run(cat(`${bench.project}/secret.txt`)), [1, ""]);
  assert.deepEqual(await run(cat("/etc/passwd")), [1, ""]);
  assert.deepEqual(await run(cat(`/proc/${Deno.pid}/environ`)), [1, ""]);
  await refuses(`return (await new Deno.Command("/usr/bin/id").output()).code`);
});

/** What a Python program says that a plugin with these permissions starts. */
async function pythonOf(permissions: Record<string, string[]>, source: string): Promise<unknown> {
  if (await which("python3", BENCH_PATH) === undefined) {
    console.log("skipped: there is no python3 to make system calls with");
    return undefined;
  }
  await using bench = await PluginBench.create();
  const wanted = manifest("demo", { ...permissions, run: ["python3"] });
  await bench.load({ "plugin.yaml": wanted, "mod.ts": EVALUATE });
  const code = `const { stdout, stderr } = await new Deno.Command("python3", {
      args: ["-c", ${JSON.stringify(source)}],
    }).output();
    return [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("")`;
  return await situation(bench).run(code);
}

const NATIVE_CALLS = new URL("./_native_calls.py", import.meta.url).pathname;

Deno.test("no program of a plugin leaves its group, its user or its namespace", async () => {
  const said = await pythonOf({}, await Deno.readTextFile(NATIVE_CALLS));
  assert.equal(said ?? "101 []\n", "101 []\n");
});

Deno.test("no program of a plugin empties a file that it opens for reading", async () => {
  const source = `import os
try:
    os.open("/usr/share/nothing", os.O_RDONLY | os.O_TRUNC)
except OSError as error:
    print(error.errno)`;
  // The filter's answer (1), which comes before Landlock's (13) and the file system's (2).
  assert.equal(await pythonOf({}, source) ?? "1\n", "1\n");
});

Deno.test("no program of a plugin reaches a port by another protocol", async () => {
  const source = `import socket
for family, kind, protocol in [(2, 1, 0), (2, 1, 262), (2, 2, 136), (2, 3, 1), (16, 3, 9), (1, 1, 0)]:
    try:
        socket.socket(family, kind, protocol)
        print("open", end=" ")
    except PermissionError:
        print("refused", end=" ")`;
  const expected = `open${" refused".repeat(5)} `;
  assert.equal(await pythonOf({ net: ["127.0.0.1:1"] }, source) ?? expected, expected);
});

Deno.test("no program of a plugin reaches a port by sending without a connection", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const source = `import socket
address = ("127.0.0.1", ${listener.addr.port})
fast = 0x20000000
for start in [
    lambda it: it.connect(address),
    lambda it: it.sendto(b"x", fast, address),
    lambda it: it.sendmsg([b"x"], [], fast, address),
]:
    try:
        start(socket.socket())
        print("connected", end=" ")
    except PermissionError:
        print("refused", end=" ")`;
    const expected = "refused refused refused ";
    assert.equal(await pythonOf({ net: ["127.0.0.1:1"] }, source) ?? expected, expected);
  } finally {
    listener.close();
  }
});

Deno.test("the kernel holds a plugin to its paths and ports without Deno's help", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("hello"),
  );
  const other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    await using bench = await PluginBench.create();
    await bench.write("project", { "docs/open.txt": "open", "secret.txt": "secret" });
    const { port } = server.addr;
    const wanted = manifest("demo", { net: [`127.0.0.1:${port}`], read: ["./docs"], run: ["cat"] });
    await bench.load({ "plugin.yaml": wanted, "mod.ts": EVALUATE }, { without: ["permissions"] });
    const { run, refuses } = situation(bench);
    assert.equal(await run(fetchText(`http://127.0.0.1:${port}/`)), "hello");
    assert.equal(await run(read(`${bench.project}/docs/open.txt`)), "open");
    await refuses(read(`${bench.project}/secret.txt`));
    // Every thread of the runtime is behind the wall, not only the first.
    const many = await run(
      `const all = await Promise.all(Array.from({ length: 100 }, () =>
         Deno.readTextFile("/etc/passwd").then(() => "READ", () => "refused")));
       return [...new Set(all)]`,
    );
    assert.deepEqual(many, ["refused"]);
    await refuses(
      `(await Deno.connect({ hostname: "127.0.0.1", port: ${other.addr.port} })).close()`,
    );
  } finally {
    other.close();
    await server.shutdown();
  }
});
