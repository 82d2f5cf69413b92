import { equal, match } from "node:assert/strict";
import type { FileLedger } from "../protocol/services.ts";
import { SessionFileLedger } from "./file_ledger.ts";

function ledger(): FileLedger {
  return new SessionFileLedger();
}

Deno.test("staleness() says nothing for a new file and after a whole read", () => {
  const files = ledger();
  equal(files.staleness("main", "/a", undefined), undefined);
  files.noteRead("main", "/a", 10, false);
  equal(files.staleness("main", "/a", 10), undefined);
});

Deno.test("staleness() warns of an unread file only when it is overwritten", () => {
  const files = ledger();
  match(files.staleness("main", "/a", 10)!, /was not read/);
  equal(files.staleness("main", "/a", 10, "edit"), undefined);
});

Deno.test("staleness() warns of a change on disk whatever the kind of write", () => {
  const files = ledger();
  files.noteRead("main", "/a", 10, false);
  match(files.staleness("main", "/a", 11)!, /changed on disk/);
  match(files.staleness("main", "/a", 11, "edit")!, /changed on disk/);
});

Deno.test("staleness() names another task as the writer", () => {
  const files = ledger();
  files.noteRead("main", "/a", 10, false);
  files.noteWrite("child", "/a", 12);
  match(files.staleness("main", "/a", 12, "edit")!, /another task after it was last read/);
  match(files.staleness("third", "/a", 12, "edit")!, /not read by this one/);
  equal(files.staleness("child", "/a", 12), undefined);
});

Deno.test("staleness() warns of a partial read unless a whole one came before", () => {
  const files = ledger();
  files.noteRead("main", "/a", 10, true);
  match(files.staleness("main", "/a", 10)!, /in part/);
  files.noteRead("main", "/a", 10, false);
  files.noteRead("main", "/a", 10, true);
  equal(files.staleness("main", "/a", 10), undefined);
});

Deno.test("noteShown() counts unchanged reads until the version, a write or forgetShown() resets it", () => {
  const files = ledger();
  const request = { key: "1:50", version: "v1" };
  equal(files.noteShown("main", "/a", request), 0);
  equal(files.noteShown("main", "/a", request), 1);
  equal(files.noteShown("main", "/a", { key: "1:50", version: "v2" }), 0);
  equal(files.noteShown("other", "/a", request), 0);
  files.noteWrite("other", "/a", 3);
  equal(files.noteShown("main", "/a", { key: "1:50", version: "v2" }), 0);
  files.forgetShown("other");
  equal(files.noteShown("main", "/a", { key: "1:50", version: "v2" }), 1);
  files.forgetShown("main");
  equal(files.noteShown("main", "/a", { key: "1:50", version: "v2" }), 0);
});

Deno.test("noteEdit() counts failures until a success", () => {
  const files = ledger();
  equal(files.noteEdit("main", "/a", false), 1);
  equal(files.noteEdit("main", "/a", false), 2);
  equal(files.noteEdit("main", "/a", true), 0);
  equal(files.noteEdit("main", "/a", false), 1);
});

Deno.test("exclusive() serialises writers that share a path and lets others run", async () => {
  const files = ledger();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = files.exclusive(["/a", "/b"], async () => {
    log.push("first in");
    await gate.promise;
    log.push("first out");
  });
  const second = files.exclusive(["/b", "/c"], () => Promise.resolve(log.push("second")));
  await files.exclusive(["/d"], () => Promise.resolve(log.push("free")));
  gate.resolve();
  await Promise.all([first, second]);
  equal(log.join(), "first in,free,first out,second");
});

Deno.test("exclusive() frees its paths when the work throws", async () => {
  const files = ledger();
  await files.exclusive(["/a"], () => Promise.reject(new Error("no"))).catch(() => {});
  equal(await files.exclusive(["/a"], () => Promise.resolve(1)), 1);
});

Deno.test("the ledger forgets the oldest file first", () => {
  const files = ledger();
  for (let i = 0; i <= 4096; i++) files.noteRead("main", `/f${i}`, 1, false);
  match(files.staleness("main", "/f0", 1)!, /was not read/);
  equal(files.staleness("main", "/f1", 1), undefined);
});
