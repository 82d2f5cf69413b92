import { deepEqual, equal } from "node:assert/strict";
import { isSafePath, type KnownFile, type LocalFile, planPull, planPush } from "./_sync_plan.ts";

function local(entries: Record<string, number>): Map<string, LocalFile> {
  return new Map(Object.entries(entries).map(([path, size]) => [path, { size, mtimeMs: 1 }]));
}

function known(entries: Record<string, number>): Map<string, KnownFile> {
  return new Map(
    Object.entries(entries).map(([path, size]) => [path, { size, mtimeMs: 1, hash: `h${size}` }]),
  );
}

Deno.test("planPush() sends what is new or changed and removes what is gone", () => {
  deepEqual(
    planPush(local({ same: 1, changed: 2, fresh: 3 }), known({ same: 1, changed: 1, gone: 1 })),
    {
      send: ["changed", "fresh"],
      remove: ["gone"],
    },
  );
});

Deno.test("planPull() fetches changes, keeps conflicts apart, and removes what is gone there", () => {
  const sides = {
    local: local({ same: 1, theirs: 1, ours: 2, both: 2, removed: 1, kept: 2, samenew: 5 }),
    known: known({ same: 1, theirs: 1, ours: 1, both: 1, removed: 1, kept: 1 }),
  };
  const remote = new Map([
    ["same", "h1"],
    ["theirs", "h9"],
    ["ours", "h1"],
    ["both", "h9"],
    ["fresh", "h9"],
    ["samenew", "h9"],
  ]);
  deepEqual(planPull(remote, sides), {
    fetch: ["fresh", "theirs"],
    conflicts: ["both", "samenew"],
    remove: ["removed"],
  });
});

Deno.test("isSafePath() refuses paths that leave the directory", () => {
  for (const path of ["a", "a/b c", "..a/b"]) equal(isSafePath(path), true, path);
  for (const path of ["", "/a", "../a", "a/../b", "a//b", "./a", "a\nb"]) {
    equal(isSafePath(path), false, path);
  }
});
