/** The process that keeps a view: what it shows, what ends it, and what does not outlive it. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { linuxTest } from "../../../tests/support/linux.ts";
import { exists } from "../../util/exists.ts";
import { makeNamespaces } from "./namespaces.ts";
import { raiseAt, runBehind } from "./testdata/walled.ts";

async function makeWorld(root: string): Promise<void> {
  await Deno.mkdir(`${root}/home/project/.git/hooks`, { recursive: true });
}

/** The process in whose root a terminal is made. */
function keeperOf(terminals: string | undefined | null): number | undefined {
  const pid = /^\/proc\/(\d+)\/root\/dev\/pts\/ptmx$/.exec(terminals ?? "")?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** Waits until something is so. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const ends = Date.now() + 20_000;
  while (!await condition()) {
    if (Date.now() > ends) throw new Error("it did not happen within 20 s");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function isGone(pid: number): Promise<boolean> {
  if (!await exists(`/proc/${pid}`)) return true;
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => ") Z");
  return /\) [ZX]/.test(stat);
}

linuxTest(
  "what keeps a view has nothing open, no variables, and ends with the walls",
  async (root) => {
    await makeWorld(root);
    const walls = await raiseAt({ root, commands: [] });
    const keeper = keeperOf(walls?.terminals);
    if (walls === undefined || keeper === undefined) {
      await walls?.close();
      return console.log("not tested: this system lets nobody have namespaces");
    }
    const names = await Array.fromAsync(Deno.readDir(`/proc/${keeper}/fd`), ({ name }) => name);
    deepEqual(names.toSorted(), ["0", "1", "2"]);
    match(await Deno.readTextFile(`/proc/${keeper}/environ`), /^(?:PWD=\/\0)?$/);
    equal(walls.alive, true);
    await walls.close();
    ok(await isGone(keeper));
    equal(walls.alive, false);
    await walls.close();
  },
);

linuxTest(
  "walls notice that what keeps their view has ended, and nothing starts behind them",
  async (root) => {
    await makeWorld(root);
    const walls = await raiseAt({ root, commands: [] });
    const keeper = keeperOf(walls?.terminals);
    if (walls === undefined || keeper === undefined) {
      await walls?.close();
      return console.log("not tested: this system lets nobody have namespaces");
    }
    equal(await runBehind(walls.launcher, "echo fine", { root }), "fine\n");
    Deno.kill(keeper, "SIGKILL");
    await until(() => !walls.alive);
    equal(await runBehind(walls.launcher, "echo fine", { root }), "", "not without the view");
    await walls.close();
  },
);

linuxTest("a hermes that is killed leaves nothing that keeps a view", async (root) => {
  await makeWorld(root);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "-q", "--no-check"],
      new URL("./testdata/keeps_namespaces.ts", import.meta.url).href,
      JSON.stringify({ root, commands: [] }),
    ],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const keeper = keeperOf(JSON.parse(new TextDecoder().decode(value)));
  child.kill("SIGKILL");
  await reader.cancel();
  await child.status;
  if (keeper === undefined) return console.log("not tested: no namespaces here");
  await until(() => isGone(keeper));
});

linuxTest(
  "commands share memory, queues and terminals with each other and nobody else",
  async (root) => {
    await makeWorld(root);
    const walls = await raiseAt({ root, commands: [] });
    if (walls === undefined || walls.standing.view === "none") {
      await walls?.close();
      return console.log("not tested: this system lets nobody have namespaces");
    }
    const name = `hermes-test-${crypto.randomUUID()}`;
    await Deno.writeTextFile(`/dev/shm/${name}`, "outside");
    try {
      const run = (command: string) => runBehind(walls.launcher, command, { root });
      equal(
        await run(`cat /dev/shm/${name} 2>/dev/null; echo inside > /dev/shm/${name}; ls /dev/pts`),
        "ptmx\n",
      );
      equal(await run(`cat /dev/shm/${name}`), "inside\n");
      equal(await Deno.readTextFile(`/dev/shm/${name}`), "outside");
      const segments = "awk 'NR > 1' /proc/sysvipc/shm | wc -l";
      equal((await run(segments)).trim(), "0");
      equal((await run(`ipcmk -M 64 > /dev/null && ${segments}`)).trim(), "1");
      equal((await run(segments)).trim(), "1", "the next command finds it");
      match(await run("script -qec tty /dev/null < /dev/null"), /^\/dev\/pts\/0\r?\n/);
    } finally {
      await Deno.remove(`/dev/shm/${name}`);
      await walls.close();
    }
  },
);

linuxTest(
  "what appears later in a temporary directory, and in hidden ones, stays out of sight",
  async (root) => {
    await makeWorld(root);
    await Deno.mkdir(`${root}/home/.ssh`);
    const walls = await raiseAt({ root, commands: [] });
    if (walls === undefined || walls.standing.view === "none") {
      await walls?.close();
      return console.log("not tested: this system lets nobody have namespaces");
    }
    const late = `/tmp/hermes-test-${crypto.randomUUID()}`;
    try {
      await Deno.mkdir(late);
      using socket = Deno.listen({ transport: "unix", path: `${late}/default` });
      await Deno.writeTextFile(`${root}/home/.ssh/id`, "key");
      const connect =
        `perl -MIO::Socket::UNIX -e 'exit(IO::Socket::UNIX->new(Peer => "${late}/default") ? 0 : 1)'`;
      const seen = await runBehind(
        walls.launcher,
        `ls -A ${late} ~/.ssh; ${connect} || echo refused`,
        { root },
      );
      match(seen, /cannot access '\/tmp\/hermes-test/);
      match(seen, /\.ssh:\nrefused\n$/);
      socket.close();
    } finally {
      await Deno.remove(late, { recursive: true });
      await walls.close();
    }
  },
);

linuxTest("makeNamespaces() gives nothing where a step fails", async () => {
  const failing = { call: "close", args: [99_999], orElse: { fail: "no" } } as const;
  equal(await makeNamespaces({ mounts: [failing], network: true }), undefined);
});
