import { deepEqual, equal, match } from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { linuxTest } from "../../../tests/support/linux.ts";
import { type Launch, launch } from "./launch.ts";
import { openLibc } from "../../process/launcher/libc.ts";

/** What a shell says that is launched there. */
async function shell(
  script: string,
  { directory, ...options }: Partial<Launch> & { directory: string },
): Promise<{ code: number; stdout: string; stderr: string }> {
  const command = await Deno.realPath("/bin/sh");
  const { process } = launch({
    command,
    args: ["-c", script],
    env: {},
    cwd: directory,
    directory,
    grants: { paths: [{ path: "/bin", access: "run" }, { path: "/usr", access: "run" }] },
    without: [],
    ...options,
  });
  await process.stdin.close();
  const { code, stdout, stderr } = await process.output();
  const [out, err] = [stdout, stderr].map((one) => new TextDecoder().decode(one).trim());
  return { code, stdout: out!, stderr: err! };
}

linuxTest(
  "a launched program has the environment and the directory it was given",
  async (directory) => {
    const { stdout } = await shell("echo $WORD; pwd; export", { directory, env: { WORD: "yes" } });
    const lines = stdout.split("\n");
    deepEqual(lines.slice(0, 2), ["yes", directory]);
    equal(lines.filter((line) => !/PWD|OLDPWD|WORD/.test(line)).length, 2, stdout);
  },
);

linuxTest("a launched program leads a session of its own", async (directory) => {
  const { stdout } = await shell("cut -d' ' -f1,6 /proc/$$/stat", {
    directory,
    env: { PATH: "/usr/bin:/bin" },
    without: ["landlock"],
  });
  const [pid, session] = stdout.split(" ");
  equal(pid, session);
});

linuxTest("a launched program opens what was granted and nothing else", async (directory) => {
  await Deno.mkdir(`${directory}/open`);
  await Deno.writeTextFile(`${directory}/open/a`, "granted");
  await Deno.writeTextFile(`${directory}/secret`, "hidden");
  const grants = {
    paths: [
      { path: "/usr", access: "run" },
      { path: `${directory}/open`, access: "tree" },
      { path: `${directory}/missing`, access: "tree" },
    ],
  } satisfies Launch["grants"];
  const { stdout, stderr } = await shell("read a < open/a; echo $a; read b < secret; echo $b", {
    directory,
    grants,
  });
  equal(stdout, "granted");
  match(stderr, /secret: Permission denied/);
});

linuxTest(
  "a launched program may not open the databases that hermes has mapped",
  async (directory) => {
    const database = new DatabaseSync(`${directory}/state.db`);
    try {
      database.exec("PRAGMA journal_mode=WAL; CREATE TABLE t (x)");
      const maps = await Deno.readTextFile("/proc/self/maps");
      match(maps, new RegExp(`${directory}/state.db-shm`), "it is mapped");
      const { stderr } = await shell("read a < state.db-shm", { directory });
      match(stderr, /Permission denied/);
    } finally {
      database.close();
    }
  },
);

linuxTest("a launched program inherits no descriptor", async (directory) => {
  const libc = openLibc();
  // A copy without a close-on-exec mark, far from the numbers that others use.
  const copy = libc.call("dup3", 2, 177, 0);
  try {
    const script = `[ -e /proc/$$/fd/2 ] && echo two; [ -e /proc/$$/fd/${copy} ] || echo closed`;
    const { stdout } = await shell(script, { directory, without: ["landlock"] });
    equal(stdout, "two\nclosed");
  } finally {
    libc.call("close", copy);
    libc.close();
  }
});

linuxTest("a grant that the kernel refuses is told", async (directory) => {
  await Deno.writeTextFile(`${directory}/file`, "");
  // Rights of a directory on a file.
  const grants = { paths: [{ path: `${directory}/file`, access: "tree" }] } as const;
  const { code, stderr } = await shell("echo never", { directory, grants });
  equal(code, 1);
  equal(stderr, "sandbox: landlock_add_rule failed");
});

linuxTest(
  "a program is launched where the kernel executes nothing from memory",
  async (directory) => {
    const module = new URL("./launch.ts", import.meta.url).href;
    const spec = { command: "/bin/echo", args: ["launched"], env: {}, cwd: directory, directory };
    const script = `const { launch } = await import(${JSON.stringify(module)});
    const spec = ${JSON.stringify({ ...spec, grants: { paths: [] }, without: ["landlock"] })};
    const { process } = launch(spec);
    await process.stdin.close();
    const { stdout } = await process.output();
    console.log(Deno.readFileSync("/proc/sys/vm/memfd_noexec")[0], new TextDecoder().decode(stdout));`;
    const { code, stdout, stderr } = await new Deno.Command("unshare", {
      args: ["--pid", "--fork", "--mount-proc", "sh", "-c"].concat(
        'echo 2 > /proc/sys/vm/memfd_noexec && exec "$0" eval --no-lock "$1"',
        Deno.execPath(),
        script,
      ),
    }).output();
    const [out, err] = [stdout, stderr].map((one) => new TextDecoder().decode(one));
    if (code !== 0 && /memfd_noexec|unshare/.test(err!)) {
      console.log(`skipped: only root can forbid it: ${err!.trim()}`);
      return;
    }
    match(out!, new RegExp(`^${"2".charCodeAt(0)} launched`), err!);
    equal((await Deno.lstat(`${directory}/launch`)).isFile, true);
  },
);
