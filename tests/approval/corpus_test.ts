/** Files of commands: everyday work must pass, bad commands must not. */
import assert from "node:assert/strict";
import { decide } from "../../src/approval/decide.ts";

const FIXTURES = new URL("../fixtures/approval/", import.meta.url);

function commands(name: string): string[] {
  return Deno.readTextFileSync(new URL(name, FIXTURES)).split("\n").filter((line) => line !== "");
}

function decision(command: string): string {
  return decide(command, { home: "/home/me", cwd: "/home/me/project" }).decision;
}

Deno.test("decide() raises a false alarm on less than 1 % of everyday commands", () => {
  const everyday = commands("everyday.txt");
  assert.ok(everyday.length >= 1_000);
  assert.equal(new Set(everyday).size, everyday.length, "a command is listed twice");
  const alarms = everyday.filter((command) => decision(command) !== "allow");
  assert.ok(alarms.length < everyday.length / 100, alarms.join("\n"));
});

Deno.test("decide() forbids every command of the forbidden corpus", () => {
  const slipped = commands("forbidden.txt").filter((command) => decision(command) !== "forbidden");
  assert.deepEqual(slipped, []);
});

Deno.test("decide() asks about every command of the dangerous corpus", () => {
  const slipped = commands("dangerous.txt").filter((command) => decision(command) !== "prompt");
  assert.deepEqual(slipped, []);
});
