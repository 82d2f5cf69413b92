import { equal } from "node:assert/strict";
import { findPython } from "../script/python.ts";
import { removeTree } from "../../util/remove_tree.ts";
import { watchScratch } from "./scratch_watch.ts";

/** Whether the first look finds a directory too full that `fill` has filled. */
async function isFull(maxBytes: number, fill: (root: string) => Promise<void>): Promise<boolean> {
  const root = await Deno.makeTempDir();
  try {
    await fill(root);
    let full = false;
    await watchScratch(root, { maxBytes, onFull: () => full = true })();
    return full;
  } finally {
    await removeTree(root);
  }
}

function write(bytes: number): (root: string) => Promise<void> {
  return (root) => Deno.writeFile(`${root}/file`, new Uint8Array(bytes));
}

Deno.test("watchScratch() tells when files hold more than they may", async () => {
  equal(await isFull(30_000, write(2_000)), false);
  equal(await isFull(30_000, write(20_000)), true);
});

Deno.test("watchScratch() counts entries that hold nothing", async () => {
  const fill = async (root: string) => {
    for (const name of "abcd") await Deno.mkdir(`${root}/${name}`);
  };
  equal(await isFull(80_000, fill), false);
  equal(await isFull(40_000, fill), true);
});

Deno.test("watchScratch() does not look at each of too many entries", async () => {
  const { lstat, readDir } = Deno;
  let looks = 0;
  const fill = async (root: string) => {
    for (let i = 0; i < 200; i++) {
      await Deno.writeTextFile(`${root}/file${i}`, "");
      await Deno.mkdir(`${root}/directory${i}`);
    }
    Deno.lstat = (path) => (looks++, lstat(path));
    Deno.readDir = (path) => (looks++, readDir(path));
  };
  try {
    equal(await isFull(100_000, fill).finally(() => Object.assign(Deno, { lstat, readDir })), true);
    const first = looks;
    equal(await isFull(100_000_000, fill), false);
    equal(first < 20 && looks > 300, true, `${first} and ${looks} looks`);
  } finally {
    Object.assign(Deno, { lstat, readDir });
  }
});

Deno.test("watchScratch() takes what lies too deep to be looked at for too much", async () => {
  const long = "x".repeat(200);
  const chain = Array(15).fill(long).join("/");
  const fill = async (root: string) => {
    await Deno.mkdir(`${root}/inner/${chain}`, { recursive: true });
    await Deno.mkdir(`${root}/outer/${chain}`, { recursive: true });
    await Deno.rename(`${root}/inner`, `${root}/outer/${chain}/inner`);
  };
  equal(await isFull(1_000_000, fill), true);
});

Deno.test("watchScratch() takes what nobody may look into for too much", async () => {
  if (Deno.uid() === 0) return console.log("skipped: root may look into everything");
  const fill = (root: string) => Deno.mkdir(`${root}/closed`, { mode: 0o300 });
  equal(await isFull(1_000_000, fill), true);
});

/** Maps a file, then removes and closes it: nothing but the mapping holds it. Prints when it is done. */
const MAP_REMOVED = `import ctypes, os, sys, time
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
descriptor = os.open(sys.argv[1] + "/file", os.O_CREAT | os.O_RDWR)
os.ftruncate(descriptor, 1 << 20)
libc.mmap(None, ctypes.c_size_t(1 << 20), 1, 1, descriptor, ctypes.c_long(0))
os.close(descriptor)
os.unlink(sys.argv[1] + "/file")
print("ready", flush=True)
time.sleep(60)`;

Deno.test("watchScratch() counts a removed file that a process has mapped", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const python = findPython("/usr/local/bin:/usr/bin:/bin");
  if (python === undefined) return console.log("skipped: there is no python3 here");
  const directory = await Deno.makeTempDir();
  const process = new Deno.Command(python, {
    args: ["-c", MAP_REMOVED, directory],
    stdout: "piped",
  }).spawn();
  const output = process.stdout.getReader();
  await output.read();
  const { promise, resolve } = Promise.withResolvers<void>();
  const options = { maxBytes: 1 << 19, onFull: resolve };
  const stop = watchScratch(directory, { ...options, pid: process.pid });
  await promise;
  await stop();
  process.kill("SIGKILL");
  await output.cancel();
  await process.status;
  await Deno.remove(directory);
});
