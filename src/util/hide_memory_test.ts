/** What another process of the same, ordinary user can read of a process that hides itself. */
import assert from "node:assert/strict";
import { linuxTest } from "../../tests/support/linux.ts";

const NOBODY = 65534;
const SECRET = "zq-hidden-5d1f90";

/** Root may read everything, so it becomes somebody else; others stay who they are. */
const USER = Deno.uid() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

/** The runtime at a place where that user may execute it. */
async function runtimeIn(directory: string): Promise<string> {
  if (Deno.uid() !== 0) return Deno.execPath();
  await Deno.chmod(directory, 0o755);
  await Deno.copyFile(Deno.execPath(), `${directory}/runtime`);
  await Deno.chmod(`${directory}/runtime`, 0o755);
  return `${directory}/runtime`;
}

/** What the user reads of a process of theirs that has called these functions. */
async function readable(runtime: string, calls: string): Promise<string> {
  const module = await Deno.readTextFile(new URL("./hide_memory.ts", import.meta.url));
  const source = `${module}
${calls}
console.log("ready");
Deno.stdin.readSync(new Uint8Array(1));`;
  const child = new Deno.Command(runtime, {
    args: [
      ...["run", "-A", "-q", "--no-code-cache", "--no-lock", "--no-config"],
      `data:application/typescript,${encodeURIComponent(source)}`,
    ],
    clearEnv: true,
    env: { SECRET, DENO_DIR: "/dev/null/deno", HOME: "/" },
    cwd: "/",
    stdin: "piped",
    stdout: "piped",
    ...USER,
  }).spawn();
  const output = child.stdout.getReader();
  const { value } = await output.read();
  const proc = `/proc/${child.pid}`;
  const { stdout } = await new Deno.Command("sh", {
    args: [
      "-c",
      `id -u; cat ${proc}/environ; head -c 99 ${proc}/maps && echo maps; ls ${proc}/fd/0`,
    ],
    cwd: "/",
    stderr: "null",
    ...USER,
  }).output();
  await child.stdin.close();
  await output.cancel();
  await child.status;
  assert.equal(new TextDecoder().decode(value), "ready\n");
  return new TextDecoder().decode(stdout);
}

linuxTest(
  "hideMemory() hides a process from others of the same user, who is not root",
  async (dir) => {
    const runtime = await runtimeIn(dir);
    const uid = `${USER.uid ?? Deno.uid()}\n`;
    // Without it all of this can be read: the look itself works.
    const open = await readable(runtime, "");
    assert.ok(open.startsWith(uid) && open.includes(SECRET), open);
    assert.match(open, /maps\n\/proc\/\d+\/fd\/0\n$/);
    assert.ok((await readable(runtime, "hideMemory();")).includes(SECRET), "a library hid itself");
    assert.equal(await readable(runtime, "allowHiding(); hideMemory();"), uid);
  },
);
