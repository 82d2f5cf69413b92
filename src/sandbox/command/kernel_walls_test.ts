/** The walls of this kernel, really raised: as this user and as one without rights. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { linuxTest } from "../../../tests/support/linux.ts";
import { exists } from "../../util/exists.ts";
import { askNobody, NOBODY, whyNoNobody } from "./testdata/users.ts";
import { runWalled, type Walled, type WalledTask } from "./testdata/walled.ts";

const WALLED = new URL("./testdata/walled.ts", import.meta.url);
const SECRET = "zq-secret-71c0";
/** A shell function: `NAME yes OUTPUT` or `NAME no OUTPUT`, one line. */
const TRY = 't() { n=$1; shift; if o=$(eval "$@" 2>&1); then r=yes; else r=no; fi; ' +
  'printf "%s %s %s\\n" "$n" "$r" "$(printf %s "$o" | tr "\\n" " ")"; }; ';

type User = "self" | "nobody";

async function makeWorld(root: string): Promise<void> {
  for (
    const name of ["home/project/.git/hooks", "home/.ssh", "home/.hermes", "home/notes", "outside"]
  ) {
    await Deno.mkdir(`${root}/${name}`, { recursive: true });
  }
  for (const name of ["home/.ssh/id", "home/.netrc", "home/.hermes/auth"]) {
    await Deno.writeTextFile(`${root}/${name}`, SECRET);
  }
  await Deno.writeTextFile(`${root}/home/notes/plan`, "a plan");
}

async function inWalls(user: User, task: WalledTask): Promise<Walled> {
  if (user === "self") return await runWalled(task);
  await Deno.chmod(task.root, 0o755);
  await new Deno.Command("chown", { args: ["-R", `${NOBODY}:${NOBODY}`, task.root] }).output();
  return await askNobody<Walled>(WALLED, task);
}

/** Lines of `TRY` by name: whether it worked, and what it said. */
function answersOf(output: string): Map<string, { works: boolean; says: string }> {
  return new Map(
    output.trim().split("\n").map((line) => {
      const [name = "", answer, ...says] = line.split(" ");
      ok(answer === "yes" || answer === "no", output);
      return [name, { works: answer === "yes", says: says.join(" ").trim() }];
    }),
  );
}

/** Each name that worked. */
function working(output: string): string[] {
  return [...answersOf(output)].filter(([, { works }]) => works).map(([name]) => name);
}

/** As each user who can be had here, with and without namespaces. */
function wallsTest(
  name: string,
  body: (user: User, withoutNamespaces: boolean, root: string) => Promise<void>,
) {
  for (const user of ["self", "nobody"] as const) {
    for (const withoutNamespaces of [false, true]) {
      const how = `${user === "self" ? "this user" : "a user without rights"}, ${
        withoutNamespaces ? "without" : "with"
      } namespaces`;
      linuxTest(`${name} (${how})`, async (root) => {
        const reason = user === "self" ? undefined : await whyNoNobody();
        if (reason !== undefined) return console.log(`not tested: ${reason}`);
        await makeWorld(root);
        await body(user, withoutNamespaces, root);
      });
    }
  }
}

const strace = await exists("/usr/bin/strace");
if (!strace) console.log("tracing is not tested: strace is not installed");

wallsTest(
  "commands change the work and their temporary files alone, and read no secret",
  async (user, withoutNamespaces, root) => {
    const attempts = [
      "t work 'echo x > made && mkdir -p a/b && mv made a/b && rm -r a'",
      "t temporary 'echo x > $TMPDIR/x && cat $TMPDIR/x'",
      "t read_notes cat $HOME/notes/plan",
      "t read_key cat $HOME/.ssh/id",
      "t read_netrc cat $HOME/.netrc",
      "t read_hermes cat $HOME/.hermes/auth",
      "t names ls -A $HOME/.ssh",
      "t write_home 'echo x > $HOME/made'",
      "t write_notes 'echo x > $HOME/notes/plan'",
      "t write_beside 'echo x > ../../outside/x'",
      "t write_tmp 'echo x > /tmp/made-by-a-command'",
      "t link_out 'ln $HOME/notes/plan linked'",
      "t move_in 'mv $HOME/notes/plan .'",
      "t remove rm $HOME/notes/plan",
      "t hook 'echo x > .git/hooks/pre-commit'",
      "t chmod_notes chmod 600 $HOME/notes/plan",
      "t memory 'echo x > /dev/shm/made-$$ && rm /dev/shm/made-$$'",
      "t mount mount -t tmpfs none $PWD",
      "t unshare unshare -rm true",
      "t device 'mknod d b 8 0'",
    ].join("; ");
    const { standing, outputs } = await inWalls(user, {
      root,
      withoutNamespaces,
      commands: [TRY + attempts, "cat linked 2>/dev/null"],
    });
    equal(standing.view === "none", withoutNamespaces || standing.view === "none");
    const hasView = standing.view !== "none";
    const expected = ["work", "temporary", "read_notes", "names", "memory"];
    // Without a view hooks are compared afterwards, and modes of files outside can be changed.
    if (!hasView) expected.push("hook", "chmod_notes");
    deepEqual(working(outputs[0]!).toSorted(), expected.toSorted(), outputs[0]!);
    ok(!outputs.join().includes(SECRET));
    const names = answersOf(outputs[0]!).get("names")!.says;
    equal(names, hasView ? "" : "id", "names of hidden files");
    equal(await Deno.readTextFile(`${root}/home/notes/plan`), "a plan");
  },
);

wallsTest(
  "commands in read-only change nothing but their temporary files",
  async (user, withoutNamespaces, root) => {
    const { standing, outputs } = await inWalls(user, {
      root,
      withoutNamespaces,
      mode: "read-only",
      commands: [
        TRY + "t work 'echo x > made'; t temporary 'echo x > $TMPDIR/x'; t read cat .git/HEAD; " +
        "t list ls -A; t hook 'echo x > .git/hooks/h'; t remove rm -rf .git",
      ],
    });
    deepEqual(working(outputs[0]!), ["temporary", "list"], outputs[0]!);
    equal(standing.network, "off");
  },
);

wallsTest("commands reach no process but their own", async (user, withoutNamespaces, root) => {
  const victim = new Deno.Command("sleep", {
    args: ["60"],
    env: { MARK: SECRET },
    ...user === "nobody" ? { uid: NOBODY, gid: NOBODY } : {},
    cwd: "/",
  }).spawn();
  try {
    const trace = strace
      ? "t trace_own strace -f -o /dev/null sh -c true; t trace strace -o /dev/null -p $VICTIM; "
      : "";
    const { standing, outputs } = await inWalls(user, {
      root,
      withoutNamespaces,
      env: { VICTIM: String(victim.pid) },
      commands: [
        TRY + trace +
        "t environ cat /proc/$VICTIM/environ; t maps head -c 9 /proc/$VICTIM/maps; " +
        "t files ls -l /proc/$VICTIM/cwd/; t signal kill -TERM $VICTIM; t zero kill -0 $VICTIM; " +
        "t own_environ cat /proc/self/environ; t own_signal 'sleep 9 & kill $!'; " +
        "t nice renice -n 19 -p $$; t limits prlimit --pid $VICTIM --nofile=5:5",
      ],
    });
    const works = working(outputs[0]!);
    const expected = [...strace ? ["trace_own"] : [], "own_environ", "own_signal", "nice"];
    if (standing.landlock < 6) expected.push("signal", "zero");
    deepEqual(works.toSorted(), expected.toSorted(), outputs[0]!);
    ok(!outputs[0]!.includes(SECRET));
  } finally {
    victim.kill("SIGKILL");
    await victim.status;
  }
});

async function threadsOf(user: User): Promise<number> {
  const uid = user === "nobody" ? NOBODY : Deno.uid();
  const { stdout } = await new Deno.Command("ps", { args: ["-L", "-o", "lwp=", "-U", `${uid}`] })
    .output();
  return new TextDecoder().decode(stdout).split("\n").length;
}

wallsTest(
  "commands have no rights, no descriptors and no limits that they should not have",
  async (user, withoutNamespaces, root) => {
    // The kernel counts what else the user runs, tests beside this one for instance.
    const processes = await threadsOf(user) + 150;
    const { standing, outputs } = await inWalls(user, {
      root,
      withoutNamespaces,
      limits: { processes, memoryBytes: 256 * 2 ** 20 },
      commands: [
        "ls /proc/self/fd | tr '\\n' ' '; echo",
        "grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status",
        "ulimit -Hc; bash -c 'ulimit -Hu; ulimit -Hd; ulimit -Su'",
        "id -u; ps -o sid= -p $$ | tr -d ' '; echo $$",
        // A second and a third of 200 MB each: each process has a limit of its own.
        'perl -e \'$x = "a" x (100 << 20); print "fits\\n"\'; perl -e \'$x = "a" x (400 << 20); print "too much\\n"\'',
        "perl -e 'while (@p < 9_000) { $p = fork; last unless defined $p; $p or do { sleep 9; exit }; push @p, $p } kill 9, @p; print scalar @p'",
      ].slice(0, user === "nobody" ? 6 : 5),
    });
    const [fds, status, limits, ids, memory, forked] = outputs as [
      string,
      string,
      string,
      string,
      string,
      string?,
    ];
    equal(fds.trim(), "0 1 2 3", `the last is the listing itself: ${outputs}`);
    const value = (name: string) => new RegExp(`^${name}:\\s*(\\w+)`, "m").exec(status)![1]!;
    equal(value("NoNewPrivs"), "1");
    equal(value("Seccomp"), "2");
    const isRoot = user === "self" && Deno.uid() === 0 && standing.view !== "own users";
    const held = BigInt(`0x${value("CapEff")}`);
    // Owners and modes of files, other users, low ports: nothing that reaches past the walls.
    equal(held & ~0x4dbn, 0n, "no more than these");
    equal(held !== 0n, isRoot, "root alone has any");
    for (const set of ["CapPrm", "CapInh", "CapAmb"]) ok(BigInt(`0x${value(set)}`) <= held, set);
    const [core, hardProcesses, data, softProcesses] = limits.trim().split("\n");
    deepEqual([core, hardProcesses, softProcesses], ["0", `${processes}`, `${processes}`]);
    equal(data, String(256 * 1024));
    equal(ids.trim().split("\n")[0], String(user === "nobody" ? NOBODY : Deno.uid()));
    equal(ids.trim().split("\n")[1], ids.trim().split("\n")[2], "it leads a session");
    match(memory, /^fits\n(?!too much)/);
    if (forked !== undefined) ok(Number(forked) < processes, `${forked} processes`);
  },
);

/** Connects to a port, and to the socket of a path. */
const PERL = {
  tcp: (port: string) =>
    `perl -MIO::Socket::INET -e 'exit(IO::Socket::INET->new(PeerAddr => "127.0.0.1:${port}", Timeout => 5) ? 0 : 1)'`,
  udp: "perl -MSocket -e 'socket(S, PF_INET, SOCK_DGRAM, 0) or exit 1'",
  unix: (path: string) =>
    `perl -MIO::Socket::UNIX -e 'exit(IO::Socket::UNIX->new(Peer => "${path}") ? 0 : 1)'`,
  own:
    `perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or exit 1; ` +
    `exit(IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $s->sockport) ? 0 : 1)'`,
  ownUnix:
    'rm -f own.sock; perl -MIO::Socket::UNIX -e \'my $s = IO::Socket::UNIX->new(Local => "own.sock", Listen => 1) or exit 1; ' +
    'exit(IO::Socket::UNIX->new(Peer => "own.sock") ? 0 : 1)\'',
  pair: "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or exit 1'",
};

wallsTest(
  "commands have the network that was set, and no socket of others",
  async (user, withoutNamespaces, root) => {
    using open = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    using proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    using _socket = Deno.listen({ transport: "unix", path: `${root}/outside/agent` });
    await Deno.chmod(`${root}/outside/agent`, 0o666);
    const attempts = TRY + [
      `t open '${PERL.tcp("$OPEN").replaceAll("'", `'"'"'`)}'`,
      `t proxy '${PERL.tcp("$PROXY").replaceAll("'", `'"'"'`)}'`,
      ...Object.entries({
        udp: PERL.udp,
        agent: PERL.unix(`${root}/outside/agent`),
        own: PERL.own,
        ownUnix: PERL.ownUnix,
        pair: PERL.pair,
      }).map(([name, line]) => `t ${name} '${line.replaceAll("'", `'"'"'`)}'`),
    ].join("; ");
    const env = { OPEN: String(open.addr.port), PROXY: String(proxy.addr.port) };
    const script = attempts.replaceAll("$OPEN", env.OPEN).replaceAll("$PROXY", env.PROXY);
    const hosts = { hosts: ["example.com"] };
    for (const network of ["on", "off", "loopback", hosts] as const) {
      const { standing, outputs } = await inWalls(user, {
        root,
        withoutNamespaces,
        network,
        ...typeof network === "object" ? { proxyPort: proxy.addr.port } : {},
        commands: [script],
      });
      const hasView = standing.view !== "none";
      // Without a network of its own loopback is the machine's: then there is none.
      const holds = network === "loopback" && !hasView ? "off" : network;
      deepEqual(standing.network, holds);
      const expected = {
        on: ["open", "proxy", "udp", "own"],
        off: [],
        loopback: ["udp", "own"],
        hosts: standing.landlock >= 4 ? ["proxy"] : [],
      }[typeof holds === "object" ? "hosts" : holds];
      const unix = hasView && standing.landlock >= 6 ? ["ownUnix"] : [];
      deepEqual(
        working(outputs[0]!).toSorted(),
        [...expected, ...unix, "pair"].toSorted(),
        `${JSON.stringify(network)}: ${outputs[0]}`,
      );
    }
  },
);
