/** The walls of a session: when they are raised, what replaces them, and what a yes changes. */
import { deepEqual, equal, match, notEqual, ok, rejects } from "node:assert/strict";
import { type WalledHome, withWalledHome } from "../../tests/support/walled_environment.ts";
import { GrantFile, GRANTS_FILE } from "../approval/grant_store.ts";
import { onlyVariables } from "../process/child_environment.ts";
import { spawnChild } from "../process/spawn.ts";
import { EnvironmentError } from "../protocol/error.ts";
import type { RaisedWalls } from "../protocol/sandbox.ts";
import { exists } from "../util/exists.ts";
import type { SessionWalls } from "./session_walls.ts";
import { WallFactsOf } from "./wall_facts.ts";
import { onLinux } from "../../tests/support/linux.ts";

interface World extends WalledHome {
  wall: SessionWalls;
  /** The environment's directory. */
  directory: string;
}

function sessionTest(
  name: string,
  body: (world: World) => Promise<void>,
  options: Parameters<WalledHome["walls"]>[0] = {},
): void {
  Deno.test({
    ...onLinux(name),
    fn: () =>
      withWalledHome(async (at) => {
        const wall = at.walls(options);
        const directory = `${at.temporary}/own`;
        await Deno.mkdir(directory);
        try {
          await body({ ...at, wall, directory });
        } finally {
          await wall.close();
        }
      }),
  });
}

/** The output of a command behind these walls. */
async function run(
  raised: RaisedWalls | undefined,
  command: string,
  { home, project, env }: WalledHome,
): Promise<string> {
  raised?.begin();
  const child = spawnChild({
    argv: ["/bin/sh", "-c", `cd ${project}; ${command}`],
    env: onlyVariables({ HOME: home, PATH: env.PATH!, ...raised?.env }),
    cwd: "/",
    group: "session",
    launcher: raised?.launcher,
    stdout: "piped",
    stderr: "null",
  });
  const output = await new Response(child.stdout).text();
  const { code } = await child.status;
  raised?.end({ exitCode: code, output, cwd: project });
  return output;
}

/** Descriptors of this process that lead to programs in memory and to rulesets. */
function launchersOpen(): number {
  return [...Deno.readDirSync("/proc/self/fd")].filter(({ name }) => {
    try {
      return /memfd:hermes|landlock/.test(Deno.readLinkSync(`/proc/self/fd/${name}`));
    } catch {
      return false; // The listing's own.
    }
  }).length;
}

sessionTest("raise() gives everybody the same walls until they change", async (at) => {
  const { wall, directory } = at;
  equal(wall.standing, undefined);
  const [first, second] = await Promise.all([wall.raise(directory), wall.raise(directory)]);
  equal(first, second);
  equal(await wall.raise(directory), first);
  ok(wall.standing !== undefined);
  equal(await run(first, "echo fine", at), "fine\n");
  await wall.discard();
  equal(wall.standing, undefined);
  const third = await wall.raise(directory);
  notEqual(third, first);
  equal(await run(third, "echo fine", at), "fine\n");
});

sessionTest(
  "raise(), discard() and close() settle in any order, and nothing stays open",
  async (at) => {
    const { wall, directory } = at;
    const before = launchersOpen();
    for (let i = 0; i < 3; i++) {
      const raising = wall.raise(directory);
      const discarding = wall.discard();
      const again = wall.raise(directory);
      const [one, , other] = await Promise.all([raising, discarding, again]);
      notEqual(one, other);
      equal(await run(other, "echo fine", at), "fine\n", "the later ones stand");
      ok(wall.standing !== undefined, "what was discarded does not count");
      equal(await wall.raise(directory), other, "and does not end the others");
      await Promise.all([wall.discard(), wall.discard(), wall.raise(directory), wall.discard()]);
    }
    const last = wall.raise(directory);
    await Promise.all([wall.close(), wall.close(), last.catch(() => {})]);
    equal(launchersOpen(), before);
    await rejects(wall.raise(directory), EnvironmentError);
    await wall.discard();
  },
);

sessionTest("walls that were replaced stay for the commands behind them", async (at) => {
  const { wall, directory } = at;
  const before = launchersOpen();
  const old = (await wall.raise(directory))!;
  old.begin();
  await wall.discard();
  // A command that was about to start still can.
  equal(await run(old, "echo fine", at), "fine\n");
  const now = await wall.raise(directory);
  equal(launchersOpen() - before, 4, "a launcher and a ruleset each");
  old.end({ exitCode: 0, output: "", cwd: "/" });
  await new Promise((resolve) => setImmediate(resolve));
  equal(launchersOpen() - before, 2);
  equal(await run(now, "echo fine", at), "fine\n");
});

sessionTest("discard() waits for who has just been given the walls", async (at) => {
  const { wall, directory } = at;
  await wall.raise(directory);
  const starting = (async () => {
    const raised = await wall.raise(directory);
    return await run(raised, "echo fine", at);
  })();
  const discarding = wall.discard();
  equal(await starting, "fine\n");
  await discarding;
});

sessionTest("raise() makes new walls when what keeps their view has ended", async (at) => {
  const { wall, directory } = at;
  const first = (await wall.raise(directory))!;
  const keeper = /^\/proc\/(\d+)\//.exec(first.terminals ?? "")?.[1];
  if (keeper === undefined) return console.log("not tested: no namespaces here");
  Deno.kill(Number(keeper), "SIGKILL");
  for (let turns = 0; await wall.raise(directory) === first; turns++) {
    ok(turns < 2000, "it is noticed");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  equal(await run(await wall.raise(directory), "echo fine", at), "fine\n");
});

sessionTest("raise() makes new walls for another directory", async (at) => {
  const { wall, directory, temporary } = at;
  const first = await wall.raise(directory);
  await Deno.mkdir(`${temporary}/other`);
  const second = (await wall.raise(`${temporary}/other`))!;
  notEqual(first, second);
  equal(second.env.TMPDIR, `${temporary}/other/tmp`);
  equal(await run(second, "echo x > $TMPDIR/x && cat $TMPDIR/x", at), "x\n");
});

sessionTest("raise() that failed is tried again", async ({ choice, wall, directory }) => {
  choice.network = "not a host";
  await rejects(wall.raise(directory), /network/);
  choice.network = "";
  ok(await wall.raise(directory) !== undefined);
});

sessionTest("raise() gives no walls where the mode is off", async ({ choice, wall, directory }) => {
  choice.sandbox = "off";
  equal(await wall.raise(directory), undefined);
  equal(wall.inside, undefined);
});

sessionTest("what cannot be kept is told once, and the network is closed then", async (at) => {
  const { wall, directory, choice, told } = at;
  choice.network = "loopback";
  for (let i = 0; i < 3; i++) {
    const raised = await wall.raise(directory);
    equal(await run(raised, "echo fine", at), "fine\n");
    await wall.discard();
  }
  deepEqual(told, ["sandbox: --network loopback cannot be kept here, so commands have no network"]);
  equal(wall.inside, undefined, "no rule is relaxed");
}, { withoutNamespaces: true });

sessionTest(
  "walls that are required and cannot be kept let nothing run",
  async ({ wall, directory, choice, told }) => {
    choice.network = "loopback";
    const before = launchersOpen();
    for (let i = 0; i < 2; i++) {
      await rejects(wall.raise(directory), (error: Error) => {
        ok(error instanceof EnvironmentError);
        match(error.message, /terminal\.sandbox_required.*--network loopback cannot be kept/);
        return true;
      });
    }
    equal(launchersOpen(), before);
    deepEqual(told, []);
  },
  { withoutNamespaces: true, required: true },
);

sessionTest(
  "the approval rules know full walls alone",
  async ({ wall, directory, choice, project, home }) => {
    await wall.raise(directory);
    if (wall.standing!.view === "none") return console.log("not tested: no namespaces here");
    const { changeable, closed, sockets } = wall.inside!;
    equal(changeable[0], project);
    deepEqual([closed, sockets], [false, false]);
    choice.network = "off";
    await wall.discard();
    equal(wall.inside, undefined, "until they stand");
    await wall.raise(directory);
    equal(wall.inside!.closed, true);
    ok(wall.inside!.changeable.some((path) => path.startsWith(`${home}/.cache/`)));
  },
);

sessionTest("without namespaces no rule is relaxed", async ({ wall, directory }) => {
  ok(await wall.raise(directory) !== undefined);
  equal(wall.inside, undefined);
}, { withoutNamespaces: true });

sessionTest(
  "a yes opens the next command's walls, as far as it went and no further",
  async (at) => {
    const { wall, directory, home, grant, facts } = at;
    const tries =
      `for f in ~/notes/x ~/made ~/.ssh/made ~/.hermes/made; do echo x > $f && echo $f; done; cat ~/.ssh/id`;
    await Deno.mkdir(`${home}/.hermes`, { recursive: true });
    equal(await run(await wall.raise(directory), tries, at), "");
    equal(grant({ kind: "path-write", value: `${home}/notes` }), true);
    await wall.discard();
    equal(await run(await wall.raise(directory), tries, at), `${home}/notes/x\n`);
    const { placeOf } = await import("../sandbox/command/place_of.ts");
    const policy = (await facts.policy())!;
    deepEqual([placeOf(policy, `${home}/notes/x`), placeOf(policy, `${home}/other`)], [
      "write",
      "read",
    ]);
    // Hermes itself stays closed whatever was granted.
    equal(grant({ kind: "path-write", value: home }), true);
    equal(grant({ kind: "path-read", value: `${home}/.hermes` }), true);
    await wall.discard();
    equal(
      await run(await wall.raise(directory), tries, at),
      `${home}/notes/x\n${home}/made\n`,
      "what is hidden in a place that was opened stays hidden",
    );
    equal(grant({ kind: "path-read", value: `${home}/.ssh` }), true);
    await wall.discard();
    equal(
      await run(await wall.raise(directory), "cat ~/.ssh/id; echo x > ~/.ssh/y; ls ~/.hermes", at),
      "zq-secret",
    );
    equal(grant({ kind: "outside", value: "make" }), false, "opens nothing");
    equal(grant({ kind: "command", value: "make" }), false);
  },
);

sessionTest(
  "a host that was allowed is reached through the proxy although the network is off",
  async (at) => {
    const { wall, directory, choice, grant } = at;
    choice.network = "off";
    const closed = await wall.raise(directory);
    equal(closed!.env.HTTPS_PROXY, undefined);
    grant({ kind: "host", value: "a.example" });
    await wall.discard();
    const open = (await wall.raise(directory))!;
    match(open.env.HTTPS_PROXY!, /^http:\/\//);
    deepEqual(wall.standing!.network, { hosts: ["a.example"] });
  },
);

sessionTest(
  "a yes for good holds in its project, in later sessions, until it is taken back",
  async (at) => {
    const { settings, home, project, env, directory, wall } = at;
    const store = new GrantFile(settings.home.path(GRANTS_FILE));
    const grant = {
      scope: "project",
      kind: "path-write",
      createdAt: "2026-01-01T00:00:00.000Z",
    } as const;
    await store.add([
      { ...grant, value: `${home}/notes`, project },
      { ...grant, value: `${home}/other`, project: `${home}/elsewhere` },
    ]);
    await Deno.mkdir(`${home}/other`);
    const later = new WallFactsOf({
      settings,
      cwd: project,
      processEnv: env,
      wallChoice: () => ({}),
    }, home);
    const values = (await later.now()).grants!.map(({ value }) => value);
    deepEqual(values, [`${home}/notes`]);
    const tries = "echo x > ~/notes/x && echo notes; echo x > ~/other/x && echo other";
    equal(await run(await wall.raise(directory), tries, at), "notes\n");
    await Deno.writeTextFile(settings.home.path(GRANTS_FILE), "{ broken");
    const broken = new WallFactsOf({
      settings,
      cwd: project,
      processEnv: env,
      wallChoice: () => ({}),
    }, home);
    deepEqual((await broken.now()).grants, [], "what cannot be read grants nothing");
  },
);

sessionTest(
  "a place in the work that a command made a link opens nothing elsewhere",
  async (at) => {
    const { wall, directory, home, project, settings } = at;
    settings.config.terminal.sandbox_writable.push("out", `${project}/data`);
    await Deno.mkdir(`${project}/out`);
    equal(
      await run(
        await wall.raise(directory),
        "rmdir out; ln -s ~/notes out; ln -s ~ data; echo ok",
        at,
      ),
      "ok\n",
    );
    await wall.discard();
    equal(
      await run(await wall.raise(directory), "echo x > out/x; echo x > data/made; ls ~/notes", at),
      "",
    );
    ok(!await exists(`${home}/made`));
  },
);

sessionTest("a repository that a command invents does not belong to the work", async (at) => {
  const { wall, directory, home, project } = at;
  await Deno.mkdir(`${home}/victim/.git/worktrees/x`, { recursive: true });
  const invent = "mv .git .old && echo 'gitdir: ../victim/.git/worktrees/x' > .git; cat .git";
  match(await run(await wall.raise(directory), invent, at), /^gitdir/);
  await Deno.writeTextFile(`${project}/.git`, "gitdir: ../victim/.git/worktrees/x").catch(() => {});
  await wall.discard();
  equal(await run(await wall.raise(directory), "echo x > ~/victim/made && echo made", at), "");
});
