/** A plugin's process as the kernel sees it, from outside. */
import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import type { ChildMode } from "../../src/sandbox/child/contract.ts";
import { exitLine } from "../../src/sandbox/child/exit_line.ts";
import { OutputCapture } from "../../src/process/output_capture.ts";
import { findPython } from "../../src/sandbox/script/python.ts";
import { dirname } from "../../src/util/path.ts";
import { linuxTest } from "../support/linux.ts";
import {
  firstFrame,
  openFilesOf,
  processesIn,
  programPaths,
  startGuest,
  startProgram,
  threadsOf,
} from "./_guest.ts";
import { World } from "./_world.ts";

const MODES: readonly ChildMode[] = ["deno", "reexec"];
function test(name: string, body: (tempDir: string) => Promise<void>): void {
  linuxTest(name, async (tempDir) => {
    await body(tempDir);
    deepEqual(processesIn(tempDir), []);
    deepEqual(await Array.fromAsync(Deno.readDir(tempDir)), []);
  });
}

/** The value of a line of a status file. */
function field(status: string, name: string): string {
  return new RegExp(`^${name}:\\s*(.*)$`, "m").exec(status)![1]!;
}

for (const mode of MODES) {
  test(`every thread of a plugin is without capabilities and behind seccomp (${mode})`, async (tempDir) => {
    const child = await startGuest("send(Deno.pid)", { tempDir, mode });
    try {
      const pid = await firstFrame(child) as number;
      const threads = threadsOf(pid);
      ok(threads.length > 1);
      for (const status of threads) {
        for (const kind of ["CapEff", "CapPrm", "CapInh", "CapAmb"]) {
          match(field(status, kind), /^0+$/, kind);
        }
        equal(field(status, "NoNewPrivs"), "1");
        equal(field(status, "Seccomp"), "2");
      }
    } finally {
      await child.kill();
    }
  });

  test(`a plugin holds no descriptor of hermes or of its launcher (${mode})`, async (tempDir) => {
    if (Deno.uid() !== 0) return console.log("skipped: it hides from its user; only root can look");
    const world = await World.create();
    const child = await startGuest("send(Deno.pid)", { tempDir, mode });
    try {
      const pid = await firstFrame(child) as number;
      const own = /^(pipe|socket|anon_inode):/;
      deepEqual(openFilesOf(pid).filter((target) => !own.test(target)), []);
    } finally {
      await child.kill();
      await world.close();
    }
  });

  test(`a plugin's limits are in force (${mode})`, async (tempDir) => {
    const child = await startGuest("send(Deno.pid)", { tempDir, mode });
    try {
      const pid = await firstFrame(child) as number;
      const limits = await Deno.readTextFile(`/proc/${pid}/limits`);
      match(limits, /^Max core file size +0 +0 /m);
      match(limits, /^Max cpu time +60 +61 /m);
      match(limits, /^Max open files +256 +256 /m);
      match(limits, /^Max file size +67108864 +67108864 /m);
      match(limits, /^Max data size +\d+ +\d+ /m);
    } finally {
      await child.kill();
    }
  });
}

for (const mode of MODES) {
  for (const kind of ["ArrayBuffer", "SharedArrayBuffer"]) {
    test(`a plugin gets no more memory than its limit from ${kind} (${mode})`, async (tempDir) => {
      const child = await startGuest(
        `const all = [];
         let held = 0;
         try { while (true) held = 8 * all.push(new Uint8Array(new ${kind}(8 << 20)).fill(1)); }
         catch { all.length = 0; send(held); }`,
        { tempDir, mode },
      );
      const printed = new OutputCapture({ maxBytes: 4_000, headShare: 0 });
      child.capture({ stdout: printed, stderr: printed, onBytes: () => {} });
      const { value } = await child.frames.next();
      if (value === undefined) {
        // What was left was too little to say so: the runtime itself gives up.
        const exit = await child.dispose();
        return match(`${exitLine(exit, 256, printed.text())}`, /out of memory/, printed.text());
      }
      const megabytes = Number(value[0]);
      await child.kill();
      // What the runtime gives back after the limit was set is the plugin's: a piece or two.
      ok(megabytes > 128 && megabytes <= 256 + 16, `${megabytes} MB`);
    });
  }

  test(`a plugin may leave more garbage than it may hold (${mode})`, async (tempDir) => {
    const child = await startGuest(
      `let kept = [];
       for (let i = 0; i < 400; i++) {
         if (i % 10 === 0) kept = [];
         kept.push(new Array(5e5).fill(i + 0.5), new Uint8Array(2 << 20).fill(1));
         if (i % 3 === 0) await new Promise((resolve) => setTimeout(resolve));
       }
       send("done");`,
      { tempDir, mode },
    );
    equal(await firstFrame(child), "done");
    await child.kill();
  });
}

test("a plugin that uses up its CPU time is ended by the signal that says so", async (tempDir) => {
  const child = await startGuest("while (true);", { tempDir, cpuSeconds: 1 });
  const { signal } = await child.dispose();
  equal(signal, "SIGXCPU");
});

/** Starts a guest from another process, after `before`, and gives what both say. */
async function startElsewhere(
  tempDir: string,
  { before = "", command }: { before?: string; command: readonly string[] },
): Promise<string> {
  const module = new URL("./_guest.ts", import.meta.url).href;
  const script = `const { startGuest, firstFrame } = await import(${JSON.stringify(module)});
    ${before}
    const child = await startGuest('send("up")', { tempDir: ${JSON.stringify(tempDir)} });
    console.log(await firstFrame(child));
    await child.kill();`;
  const [program, ...args] = [...command, "eval", "--no-lock", script];
  const { stdout, stderr } = await new Deno.Command(program!, { args }).output();
  return [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
}

test("a plugin starts where hermes itself has less than its limits", async (tempDir) => {
  // The runtime's own cache may be larger than a file may be.
  const cache = `export DENO_DIR="${tempDir}/cache"`;
  const limits = `${cache} && ulimit -t 50 && ulimit -n 200 && ulimit -f 60000 && exec "$0" "$@"`;
  equal(await startElsewhere(tempDir, { command: ["sh", "-c", limits, Deno.execPath()] }), "up\n");
  await Deno.remove(`${tempDir}/cache`, { recursive: true });
});

test("a plugin starts where hermes has no standard descriptors and strange others", async (tempDir) => {
  const shell = 'exec "$0" "$@" <&- 3</ 4</ 5</ 6</ 7</ 9</etc/passwd';
  equal(await startElsewhere(tempDir, { command: ["sh", "-c", shell, Deno.execPath()] }), "up\n");
});

test("a plugin starts after the executable of hermes was replaced", async (tempDir) => {
  const folder = `${tempDir}/with, comma ü`;
  await Deno.mkdir(folder);
  // By another process: a program that one of ours writes can be busy when others are started.
  await new Deno.Command("cp", { args: [Deno.execPath(), `${folder}/deno`] }).output();
  const before = `const self = Deno.execPath();
    await Deno.copyFile(self, self + ".new");
    await Deno.rename(self + ".new", self);`;
  try {
    equal(await startElsewhere(tempDir, { before, command: [`${folder}/deno`] }), "up\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

test("a plugin reads a path with a comma, not what is named before it", async (tempDir) => {
  const folder = await Deno.makeTempDir();
  const path = `${folder}/a,b`;
  await Deno.writeTextFile(path, "open");
  await Deno.writeTextFile(`${folder}/a`, "secret");
  const child = await startGuest(
    `const read = (path) => Deno.readTextFile(path).catch((error) => error.name);
     send([await read(${JSON.stringify(path)}), await read(${JSON.stringify(`${folder}/a`)})]);`,
    { tempDir, without: ["landlock"], permissions: { read: [path] } },
  );
  try {
    deepEqual(await firstFrame(child), ["open", "NotCapable"]);
  } finally {
    await child.kill();
    await Deno.remove(folder, { recursive: true });
  }
});

test("a plugin starts with more paths than an argument can hold", async (tempDir) => {
  const paths = Array.from({ length: 1000 }, (_, i) => `/nowhere/${"x".repeat(200)}${i}`);
  const child = await startGuest(`send("up")`, {
    tempDir,
    permissions: { read: paths },
    paths: paths.map((path) => ({ path, access: "tree" })),
  });
  equal(await firstFrame(child), "up");
  await child.kill();
});

test("a plugin that cannot be launched leaves nothing and says why", async (tempDir) => {
  const paths = [{ path: "/etc/passwd", access: "tree" }] as const;
  await rejects(startGuest("", { tempDir, paths }), /^Error: sandbox: landlock_add_rule failed$/);
  const huge = [`/${"x".repeat(200_000)}`];
  await rejects(startGuest("", { tempDir, permissions: { read: huge } }), /execve failed/);
});

/** Python that sends one datagram and opens one connection, and prints what became of each. */
function reachOut({ udpPort, tcpPort }: World): string {
  return `import os, socket
def attempt(what):
    try:
        return what() or "done"
    except OSError as error:
        return type(error).__name__
def datagram():
    for family in (socket.AF_INET, socket.AF_INET6):
        socket.socket(family, socket.SOCK_DGRAM)
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", ${udpPort}))
def connect():
    socket.create_connection(("127.0.0.1", ${tcpPort}), 5)
def resolve():
    return socket.getaddrinfo("localhost", ${tcpPort}, socket.AF_INET)[0][4][0]
print(attempt(datagram), attempt(connect), attempt(resolve), os.environ.get("RES_OPTIONS"))`;
}

for (const named of [true, false]) {
  const what = named
    ? "no datagrams, when it names every port"
    : "datagrams, when it may connect anywhere";
  test(`programs of a plugin have ${what}`, async (tempDir) => {
    const python = findPython("/usr/local/bin:/usr/bin:/bin");
    if (python === undefined) return console.log("skipped: there is no python3 here");
    const world = await World.create();
    const child = await startGuest(
      `const { stdout, stderr } = await new Deno.Command(${JSON.stringify(python)}, {
         args: ["-I", "-S", "-c", ${JSON.stringify(reachOut(world))}],
       }).output();
       send(new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));`,
      {
        tempDir,
        permissions: { run: [python], net: [`127.0.0.1:${world.tcpPort}`] },
        paths: [...programPaths(python), { path: dirname(dirname(python)), access: "tree" }, {
          path: "/etc",
          access: "tree",
        }],
        ports: named ? [world.tcpPort, 53] : "any",
      },
    );
    try {
      const said = await firstFrame(child);
      const expected = named
        ? "PermissionError done 127.0.0.1 use-vc\n"
        : "done done 127.0.0.1 None\n";
      equal(said, expected);
      const traces = new Set(await world.traces());
      deepEqual([...traces].sort(), named ? ["tcp"] : ["tcp", "udp"]);
    } finally {
      await child.kill();
      await world.close();
    }
  });
}

test("what a plugin has started does not outlive it", async (tempDir) => {
  const after = "setTimeout(() => Deno.exit(0), 10);";
  const child = await startProgram(await Deno.realPath("/usr/bin/sleep"), { tempDir, after });
  const pid = await firstFrame(child) as number;
  equal((await child.dispose()).code, 0);
  while (processesIn(tempDir).includes(pid)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
});
