import { deepEqual, equal, match, ok } from "node:assert/strict";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import { type CommandEnd, refusalNotes } from "./refusal_notes.ts";
import type { StandingWalls } from "./standing.ts";

const POLICY: SandboxPolicy = {
  mode: "workspace-write",
  network: "on",
  workspace: ["/srv/project"],
  writable: ["/tmp/own/tmp"],
  hidden: ["/home/me/.ssh", "/run"],
  readable: [],
  env: {},
  limits: { processes: 0, memoryBytes: 0 },
  own: [],
};
const STANDING: StandingWalls = {
  landlock: 6,
  view: "full",
  sockets: { network: "any", unix: true },
  network: "on",
};

function notes(output: string, more: Partial<CommandEnd> = {}): string[] {
  return refusalNotes({
    policy: POLICY,
    standing: STANDING,
    hosts: [],
    cwd: "/srv/project/src",
    exitCode: 1,
    output,
    couldWrite: () => true,
    ...more,
  });
}

/** The paths that a note names, with what it says of them. */
function named(output: string, more: Partial<CommandEnd> = {}): string[] {
  const found = notes(output, more).join("\n");
  return [...found.matchAll(/(?:closes |, )(\/\S+ \((?:hidden|read-only)\))/g)].map(([, one]) =>
    one!
  );
}

Deno.test("refusalNotes() names what the policy closes, in the words of many programs", () => {
  for (
    const [line, path] of [
      ["bash: /etc/x: Read-only file system", "/etc/x (read-only)"],
      ["touch: cannot touch '/srv/a b/x': Read-only file system", "/srv/a (read-only)"],
      ["mkdir: cannot create directory ‘/opt/y’: Permission denied", "/opt/y (read-only)"],
      ["Error: EROFS: read-only file system, open '/usr/lib/z'", "/usr/lib/z (read-only)"],
      [
        "PermissionError: [Errno 13] Permission denied: '/home/me/notes'",
        "/home/me/notes (read-only)",
      ],
      ["cat: /home/me/.ssh/id_rsa: No such file or directory", "/home/me/.ssh/id_rsa (hidden)"],
      ["cat: /home/me/.ssh: Permission denied", "/home/me/.ssh (hidden)"],
      [
        "Cannot connect to the Docker daemon at unix:///run/docker.sock. Is the daemon running?",
        "/run/docker.sock (hidden)",
      ],
      ["rm: cannot remove '../../outside': Read-only file system", "/srv/outside (read-only)"],
    ] as const
  ) {
    deepEqual(named(line), [path], line);
  }
});

Deno.test("refusalNotes() says nothing where the policy allows what failed", () => {
  for (
    const line of [
      "bash: ./run.sh: Permission denied",
      "cp: cannot create '/srv/project/x': Permission denied",
      "open /tmp/own/tmp/a: permission denied",
      "src/main.rs:1: error: Permission denied (os error 13)",
      "cat: /etc/missing: No such file or directory",
      "fatal: Could not read from remote repository: connection refused",
      "everything is fine with /etc/x",
    ]
  ) {
    deepEqual(notes(line), [], line);
  }
});

Deno.test("refusalNotes() blames the sandbox for no permission that the user never had", () => {
  const line = "cat: /etc/private: Permission denied";
  deepEqual(notes(line, { couldWrite: () => false }), []);
  deepEqual(named(line, { couldWrite: () => true }), ["/etc/private (read-only)"]);
  // What a file system says is certain.
  const readOnly = "bash: /etc/private: Read-only file system";
  deepEqual(named(readOnly, { couldWrite: () => false }), ["/etc/private (read-only)"]);
});

Deno.test("refusalNotes() asks the system itself who may write", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const end = (path: string): CommandEnd => ({
      policy: POLICY,
      standing: STANDING,
      hosts: [],
      cwd: "/",
      exitCode: 1,
      output: `x: ${path}: Permission denied`,
    });
    equal(refusalNotes(end(`${directory}/new`)).length, 1, "a directory of ours");
    equal(refusalNotes(end("/nowhere/at/all")).length, 0, "what cannot be made");
  } finally {
    await Deno.remove(directory);
  }
});

Deno.test("refusalNotes() resolves relative paths where the command began", () => {
  const line = "bash: ../../../etc/x: Read-only file system";
  deepEqual(named(line), ["/etc/x (read-only)"]);
  deepEqual(named(line, { cwd: "/srv/project/a/b/c" }), [], "still in the work");
});

Deno.test("refusalNotes() says in read-only what may be changed", () => {
  const [note] = notes("bash: x/y: Read-only file system", {
    policy: { ...POLICY, mode: "read-only" },
  });
  match(
    note!,
    /^The sandbox \(read-only\) closes \/srv\/project\/src\/x\/y \(read-only\); commands change \$TMPDIR alone\. .*outside: why/,
  );
});

Deno.test("refusalNotes() tells what is closed of the network, and only then", () => {
  const line = "curl: (6) Could not resolve host: example.com";
  deepEqual(notes(line), []);
  match(notes(line, { standing: { ...STANDING, network: "off" } })[0]!, /no network/);
  match(notes(line, { standing: { ...STANDING, network: "loopback" } })[0]!, /loopback alone/);
  deepEqual(notes(line, { standing: { ...STANDING, network: { hosts: ["a.example"] } } }), []);
  const down = "connect: Network is down";
  deepEqual(notes(down), []);
  const sockets = { network: "any", unix: false } as const;
  match(notes(down, { standing: { ...STANDING, sockets } })[0]!, /sockets with names/);
});

Deno.test("refusalNotes() hands on which hosts were refused, few of many", () => {
  const hosts = Array.from({ length: 9 }, (_, i) => ({ message: `host ${i}` }));
  deepEqual(notes("", { hosts, exitCode: 0 }), ["host 0", "host 1", "host 2"]);
});

Deno.test("refusalNotes() tells signals and roots apart from files", () => {
  match(notes("bash: kill: (123) - Operation not permitted")[0]!, /process tool/);
  match(notes("pkill: killing pid 77 failed: Operation not permitted")[0]!, /process tool/);
  deepEqual(
    notes("kill: (123): Operation not permitted", { standing: { ...STANDING, landlock: 3 } }),
    [],
    "where signals are not kept it was something else",
  );
  match(
    notes(
      'sudo: The "no new privileges" flag is set, which prevents sudo from running as root.',
    )[0]!,
    /no command becomes root/,
  );
});

Deno.test("refusalNotes() says nothing about a command that went well", () => {
  deepEqual(notes("bash: /etc/x: Read-only file system", { exitCode: 0 }), []);
});

Deno.test("refusalNotes() reads little of a huge or hostile output, from both ends", () => {
  const line = "bash: /etc/x: Read-only file system";
  const noise = "error: nothing to see here\n".repeat(400_000);
  deepEqual(named(`${noise}${line}\n`), ["/etc/x (read-only)"], "at the end");
  deepEqual(named(`${line}\n${noise}`), ["/etc/x (read-only)"], "at the beginning");
  for (
    const unit of [
      "a/",
      "/",
      "./",
      "~/",
      "permission denied ",
      "eperm/",
      "kill ",
      "a.",
      "\n/x: eacces",
    ]
  ) {
    const text = unit.repeat(10_000_000 / unit.length);
    const before = performance.now();
    ok(notes(text, { couldWrite: () => false }).length <= 2);
    ok(performance.now() - before < 1000, unit);
  }
  const many = Array.from({ length: 99 }, (_, i) => `x: /etc/${i}: Read-only file system`);
  equal(named(many.join("\n")).length, 3);
});
