/** Files of commands: everyday work must pass, bad commands must not. */
import assert from "node:assert/strict";
import { decide } from "../../src/approval/decide.ts";

const FIXTURES = new URL("../fixtures/approval/", import.meta.url);
/** Written class by class before the rules were looked at, and phrasings made up afterwards. */
const CLASSED = ["dangerous_held_out.txt", "dangerous_phrasings.txt"];

interface Line {
  /** The heading it stands under. */
  name: string;
  command: string;
}

function lines(file: string): Line[] {
  let name = file;
  return Deno.readTextFileSync(new URL(file, FIXTURES)).split("\n").flatMap((line) => {
    if (line.startsWith("# ")) name = line.slice(2);
    return line === "" || line.startsWith("# ") ? [] : [{ name, command: line }];
  });
}

function commands(file: string): string[] {
  return lines(file).map(({ command }) => command);
}

function decision(command: string): string {
  return decide(command, { home: "/home/me", cwd: "/home/me/project" }).decision;
}

Deno.test("decide() raises a false alarm on less than 1 % of everyday commands", () => {
  const everyday = commands("everyday.txt");
  assert.ok(everyday.length >= 1_500);
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

/** One line for each class from which a command passed: how many of how many, and which. */
function passedByClass(all: readonly Line[]): { passed: number; report: string } {
  const classes = Map.groupBy(all, ({ name }) => name);
  let passed = 0;
  const report = [...classes].flatMap(([name, members]) => {
    const slipped = members.filter(({ command }) => decision(command) === "allow");
    passed += slipped.length;
    if (slipped.length === 0) return [];
    return `${name}: ${slipped.length} of ${members.length}\n  ${
      slipped.map(({ command }) => command).join("\n  ")
    }`;
  });
  return { passed, report: report.join("\n") };
}

Deno.test("decide() allows at most 1 % of the dangerous phrasings", () => {
  const all = [...lines("dangerous.txt"), ...CLASSED.flatMap(lines)];
  assert.ok(all.length >= 3_000, `${all.length} commands`);
  assert.equal(new Set(all.map(({ command }) => command)).size, all.length, "listed twice");
  const names = new Set(CLASSED.flatMap(lines).map(({ name }) => name));
  assert.ok(names.size >= 40, `${names.size} classes`);
  const { passed, report } = passedByClass(all);
  assert.ok(passed <= all.length / 100, report);
});

Deno.test("decide() allows at most one in ten of any class", () => {
  for (const [name, members] of Map.groupBy(CLASSED.flatMap(lines), ({ name }) => name)) {
    const { passed, report } = passedByClass(members);
    assert.ok(passed <= members.length / 10, `${name}\n${report}`);
  }
});
