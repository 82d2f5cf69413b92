import { equal } from "node:assert/strict";
import { projectRoot } from "./project_root.ts";

Deno.test("projectRoot() finds the work tree around a directory, and neither the home nor /", () => {
  const there = new Set([
    "/home/me/.git",
    "/.git",
    "/home/me/app/.git",
    "/home/me/app/sub/own/.git",
  ]);
  const root = (path: string) =>
    projectRoot(path, { homes: ["/home/me"], exists: (one) => there.has(one) });
  equal(root("/home/me/app"), "/home/me/app");
  equal(root("/home/me/app/src/deep"), "/home/me/app");
  equal(root("/home/me/app/sub/own/src"), "/home/me/app/sub/own");
  equal(root("/home/me/notes/today"), "/home/me/notes/today");
  equal(root("/home/me"), "/home/me");
  equal(root("/srv/x"), "/srv/x");
  equal(root("/"), "/");
});
