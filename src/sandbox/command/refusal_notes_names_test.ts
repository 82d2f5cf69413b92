import { deepEqual, equal, match } from "node:assert/strict";
import type { SandboxPolicy } from "../../protocol/sandbox.ts";
import type { StandingWalls } from "./standing.ts";
import { type CommandEnd, refusalNotes } from "./refusal_notes.ts";

const POLICY: SandboxPolicy = {
  mode: "workspace-write",
  network: "on",
  workspace: ["/project"],
  writable: [],
  hidden: ["/home/me/.ssh"],
  readable: [],
  env: {},
  limits: { processes: 0, memoryBytes: 0 },
  own: [],
};

const STANDING: StandingWalls = {
  landlock: 7,
  view: "full",
  sockets: { network: "any", unix: true },
  network: "on",
};

function notes(output: string, end: Partial<CommandEnd> = {}): string {
  return refusalNotes({
    policy: POLICY,
    standing: STANDING,
    couldWrite: () => true,
    hosts: [],
    cwd: "/project",
    exitCode: 1,
    output,
    ...end,
  }).join("\n");
}

Deno.test("refusalNotes() names a path that a program could not use and the policy closes", () => {
  match(notes("bash: line 1: /etc/zz: Read-only file system"), /closes \/etc\/zz \(read-only\)/);
  match(
    notes("cat: /home/me/.ssh/id: Permission denied"),
    /closes \/home\/me\/\.ssh\/id \(hidden\)/,
  );
});

Deno.test("refusalNotes() is silent about what the policy allows, whatever a program says", () => {
  equal(notes("cat: /project/secret: Permission denied"), "");
  equal(notes("touch: a.txt: Permission denied"), "");
  equal(notes("/etc/zz is a nice file"), "");
  equal(notes("cat: /etc/zz: Permission denied", { couldWrite: () => false }), "");
  equal(notes("bash: /etc/zz: Read-only file system", { exitCode: 0 }), "");
});

Deno.test("refusalNotes() knows a file by its bare name, in the usual words of programs", () => {
  const policy: SandboxPolicy = { ...POLICY, mode: "read-only" };
  for (
    const output of [
      "bash: line 1: kept.txt: Read-only file system",
      "touch: cannot touch 'kept.txt': Read-only file system",
      "mkdir: cannot create directory \u2018kept.txt\u2019: Read-only file system",
    ]
  ) {
    match(notes(output, { policy }), /closes \/project\/kept\.txt \(read-only\)/, output);
  }
  // A program that speaks of itself, or of a user.
  equal(notes("sudo: Permission denied", { policy }), "");
  equal(notes("git@host: Permission denied (publickey).", { policy }), "");
});

Deno.test("refusalNotes() tells of a closed network, and of hosts once each", () => {
  match(
    notes("curl: (6) Could not resolve host: x", { standing: { ...STANDING, network: "off" } }),
    /no network/,
  );
  equal(notes("curl: (6) Could not resolve host: x"), "");
  deepEqual(
    refusalNotes({
      policy: POLICY,
      standing: { ...STANDING, network: { hosts: ["a"] } },
      hosts: [{ message: "the host b is not on the list" }],
      cwd: "/project",
      exitCode: 0,
      output: "",
    }),
    ["the host b is not on the list"],
  );
});
