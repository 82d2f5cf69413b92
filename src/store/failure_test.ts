import assert from "node:assert/strict";
import { HermesError } from "../protocol/error.ts";
import { describeFailure, failureKind } from "./failure.ts";

Deno.test("failureKind() tells circumstances from bugs", () => {
  assert.equal(failureKind(new Error("database is locked")), "busy");
  assert.equal(failureKind(new Error("database disk image is malformed")), "damaged");
  assert.equal(failureKind(new Error("file is not a database")), "damaged");
  assert.equal(failureKind(new Error("database or disk is full")), "full");
  assert.equal(failureKind(new Error("attempt to write a readonly database")), "unwritable");
  assert.equal(failureKind(new Error("unable to open database file: /x")), "unwritable");
  assert.equal(failureKind(new Error("FOREIGN KEY constraint failed")), "other");
});

Deno.test("describeFailure() names the file and the way out, and passes bugs on", () => {
  const shown = describeFailure(new Error("database or disk is full"), "/h/state.db");
  assert.ok(shown instanceof HermesError);
  assert.equal(shown.exitCode, 1);
  assert.match(shown.message, /\/h\/state\.db/);
  assert.match(shown.hint!, /--no-session/);
  const bug = new Error("near SELEC: syntax error");
  assert.equal(describeFailure(bug, "/h/state.db"), bug);
});
