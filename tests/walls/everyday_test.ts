/**
 * Everyday commands behind the walls and without them: exit code, output and files are the same.
 * The few that differ on purpose differ in exactly the way that their row says.
 */
import assert from "node:assert/strict";
import { LONG_TEST } from "../../scripts/test_limits.ts";
import type { EverydayGroup, EverydayRow } from "./_everyday_row.ts";
import { type RowResult, runSide, type Side } from "./_everyday.ts";
import { type Machine, openMachine } from "./_machine.ts";
import type { WallsUser } from "./_sandbox_run.ts";
import { SHELL_GROUPS } from "./everyday_data.ts";
import { LANGUAGE_GROUPS } from "./everyday_languages_data.ts";
import { onLinux } from "../support/linux.ts";

const GROUPS: readonly EverydayGroup[] = [...SHELL_GROUPS, ...LANGUAGE_GROUPS];
const AT_LEAST = 300;
const DIFFERENT_AT_MOST = 10;

/** The rows of a group that can run here as `user`; the others are printed with the reason. */
async function runnable(group: EverydayGroup, machine: Machine): Promise<{
  self: EverydayRow[];
  nobody: EverydayRow[];
}> {
  const found = { self: [] as EverydayRow[], nobody: [] as EverydayRow[] };
  for (const row of group.rows) {
    const needs = [...group.needs, ...row.needs];
    const missing = await machine.missing(needs.filter((name) => name !== "not-root"));
    const needsOther = needs.includes("not-root") && machine.isRoot;
    if (missing.length > 0) skip(row, `${missing.join(", ")} is not installed`);
    else if (!needsOther) found.self.push(row);
    else if (machine.noNobody === undefined) found.nobody.push(row);
    else skip(row, `it does not run as root, and ${machine.noNobody}`);
  }
  return found;
}

function skip(row: EverydayRow, reason: string): void {
  console.log(`  skipped: ${row.id}: ${reason}`);
}

/** One line for every way in which the row is not as it should be. */
function problems(
  row: EverydayRow,
  { inside, outside }: { inside: Side; outside: Side },
): string[] {
  const within = inside.results.get(row.id);
  const without = outside.results.get(row.id);
  if (within === undefined || without === undefined) return [`${row.id}: did not run`];
  const found: string[] = [];
  if (without.code !== row.exit) {
    found.push(`${row.id}: exit ${without.code} outside, ${row.exit} expected\n${tail(without)}`);
  }
  if (row.differs !== undefined) {
    const { code, says } = row.differs;
    if (within.code !== code || !says.test(within.stdout + within.stderr)) {
      found.push(`${row.id}: exit ${within.code} inside, ${code} and ${says}\n${tail(within)}`);
    }
    return found;
  }
  if (within.code !== without.code) {
    found.push(`${row.id}: exit ${within.code} inside, ${without.code} outside\n${tail(within)}`);
  }
  for (const what of row.compare) {
    const a = within[what].replaceAll(inside.root, "ROOT");
    const b = without[what].replaceAll(outside.root, "ROOT");
    if (a !== b) found.push(`${row.id}: ${what} differs\n--- inside\n${a}\n--- outside\n${b}`);
  }
  return found;
}

function tail(result: RowResult): string {
  return (result.stdout + result.stderr).split("\n").slice(-8).map((line) => `    ${line}`)
    .join("\n");
}

async function compareGroup(group: EverydayGroup, machine: Machine): Promise<void> {
  const { self, nobody } = await runnable(group, machine);
  const wrong: string[] = [];
  const sets: [WallsUser, EverydayRow[]][] = [["self", self], ["nobody", nobody]];
  for (const [user, rows] of sets) {
    if (rows.length === 0) continue;
    const [inside, outside] = await Promise.all([
      runSide(group, { machine, user, rows, mode: "workspace-write" }),
      runSide(group, { machine, user, rows, mode: "off" }),
    ]);
    for (const row of rows) wrong.push(...problems(row, { inside, outside }));
    if (group.readsOnly) {
      const reading = await runSide(group, { machine, user, rows, mode: "read-only" });
      for (const row of rows) {
        wrong.push(
          ...problems(row, { inside: reading, outside }).map((line) => `read-only: ${line}`),
        );
      }
    }
  }
  assert.equal(wrong.length, 0, `${wrong.length} of ${group.rows.length}:\n${wrong.join("\n")}`);
}

Deno.test("the tables hold enough everyday commands, and few that differ", () => {
  const rows = GROUPS.flatMap((group) => group.rows);
  assert.ok(rows.length >= AT_LEAST, `${rows.length}`);
  assert.ok(rows.filter((row) => row.differs !== undefined).length <= DIFFERENT_AT_MOST);
  for (const group of GROUPS) {
    const ids = group.rows.map((row) => row.id);
    assert.deepEqual(ids, [...new Set(ids)], group.name);
    assert.ok(ids.every((id) => /^[a-z0-9-]+$/.test(id)), group.name);
  }
});

Deno.test({
  ...onLinux("everyday commands run behind the walls as they run outside"),
  ...LONG_TEST,
  async fn(t) {
    const machine = await openMachine();
    try {
      for (const group of GROUPS) await t.step(group.name, () => compareGroup(group, machine));
    } finally {
      await machine.close();
    }
  },
});
