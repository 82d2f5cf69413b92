/**
 * Attempts against the walls, in every mode and as two users. Without walls each must get
 * through, which proves that the attempt is real; what no wall promises is printed.
 */
import assert from "node:assert/strict";
import { LONG_TEST } from "../../scripts/test_limits.ts";
import type { SandboxMode } from "../../src/protocol/sandbox.ts";
import type { Expectation, NetworkName } from "./_escape_row.ts";
import { attemptAll, type Attempted, compileHelper } from "./_escapes.ts";
import type { AnyRow } from "./_escape_world.ts";
import { type Machine, openMachine } from "./_machine.ts";
import { isStandIn, type WallsUser } from "./_sandbox_run.ts";
import { ESCAPES } from "./escapes_data.ts";
import { NETWORK_ESCAPES } from "./escapes_network_data.ts";
import { onLinux } from "../support/linux.ts";

/** A host that nothing here has the name of. */
const HOST_LIST = "example.org";
const NETWORKS: readonly NetworkName[] = ["on", "off", "loopback", "hosts"];
const MODES = ["read-only", "workspace-write"] as const;

interface Setting {
  machine: Machine;
  user: WallsUser;
  helper: string | undefined;
  /** As where the system allows no namespaces. */
  withoutNamespaces?: boolean;
}

/** The rows that can be tried here; the others are printed with the reason. */
async function runnable<T extends AnyRow>(rows: readonly T[], setting: Setting): Promise<T[]> {
  const found: T[] = [];
  const skipped = new Map<string, string[]>();
  for (const row of rows) {
    const reason = await whyNot(row, setting);
    if (reason === undefined) found.push(row);
    else skipped.set(reason, [...skipped.get(reason) ?? [], row.id]);
  }
  for (const [reason, ids] of skipped) console.log(`  skipped, ${reason}: ${ids.join(" ")}`);
  return found;
}

async function whyNot(row: AnyRow, setting: Setting): Promise<string | undefined> {
  const { machine, user, helper, withoutNamespaces = false } = setting;
  const needs = row.needs ?? [];
  if (needs.includes("root") && (!machine.isRoot || user !== "self")) return "only root can";
  if (needs.includes("nobody") && user !== "nobody") return "only for a user without rights";
  if (needs.includes("other-address") && machine.otherAddress === undefined) {
    return "no other address here";
  }
  if (helper === undefined && /\$(?:E|SUID|VICTIM|TTY)\b/.test(row.attempt)) return "no compiler";
  if (needs.includes("command-line") && (withoutNamespaces || isStandIn())) {
    return "no command line of hermes is used";
  }
  const special = ["root", "nobody", "other-address", "command-line"];
  const missing = await machine.missing(needs.filter((name) => !special.includes(name)));
  return missing.length === 0 ? undefined : `${missing.join(", ")} is not installed`;
}

interface Judged {
  title: string;
  expected(row: AnyRow): Expectation;
  results: ReadonlyMap<string, Attempted>;
}

/** One line per row that is not as expected; recorded ones are printed. */
function judge(rows: readonly AnyRow[], { title, expected, results }: Judged): string[] {
  const wrong: string[] = [];
  const recorded: string[] = [];
  for (const row of rows) {
    const { gotThrough, output } = results.get(row.id)!;
    const wanted = expected(row);
    const is = gotThrough ? "got through" : "refused";
    if (wanted === "recorded") {
      recorded.push(`${row.id} ${is}${row.note === undefined ? "" : ` (${row.note})`}`);
    } else if (gotThrough !== (wanted === "allowed")) {
      wrong.push(`${title}: ${row.id} ${is}, ${wanted} expected: ${output.trim().slice(-300)}`);
    }
  }
  if (recorded.length > 0) {
    console.log(`  ${title}, no wall promised:\n    ${recorded.join("\n    ")}`);
  }
  return wrong;
}

/** Without walls everything gets through, but for what a row says about its control. */
function judgeControl(
  rows: readonly AnyRow[],
  results: ReadonlyMap<string, Attempted>,
): string[] {
  const unproven = rows.filter(({ id, control }) =>
    control !== undefined && !results.get(id)!.gotThrough
  );
  for (const { id, control } of unproven) console.log(`  not proven here: ${id}: ${control}`);
  const expected = (row: AnyRow): Expectation => unproven.includes(row) ? "refused" : "allowed";
  return judge(rows, { title: "without walls", expected, results });
}

async function attemptEverything(setting: Setting): Promise<void> {
  const rows = await runnable(ESCAPES, setting);
  const helper = setting.helper ?? "/no-helper";
  const run = (mode: SandboxMode) =>
    attemptAll(rows, {
      ...setting,
      helper,
      mode,
      ...mode === "off" ? {} : { network: "on" },
    });
  const wrong = judgeControl(rows, await run("off"));
  for (const mode of MODES) {
    const expected = (row: AnyRow): Expectation =>
      setting.withoutNamespaces === true && row.byView === true
        ? "recorded"
        : "expect" in row && row.expect?.[mode] || "refused";
    wrong.push(...judge(rows, { title: mode, expected, results: await run(mode) }));
  }
  assert.equal(wrong.length, 0, `${wrong.length}:\n${wrong.join("\n")}`);
}

async function attemptNetworks(setting: Setting): Promise<void> {
  const rows = await runnable(NETWORK_ESCAPES, setting);
  const helper = setting.helper ?? "/no-helper";
  const wrong = judgeControl(rows, await attemptAll(rows, { ...setting, helper, mode: "off" }));
  for (const network of NETWORKS) {
    const title = `network ${network}`;
    const words = network === "hosts" ? HOST_LIST : network;
    const run = { ...setting, helper, mode: "workspace-write", network: words } as const;
    const results = await attemptAll(rows, run);
    const expected = (row: AnyRow): Expectation =>
      "network" in row ? row.network[network] : "refused";
    wrong.push(...judge(rows, { title, expected, results }));
  }
  // Without a word about the network, the mode `read-only` has none.
  const results = await attemptAll(rows, { ...setting, helper, mode: "read-only" });
  const expected = (row: AnyRow): Expectation => "network" in row ? row.network.off : "refused";
  wrong.push(...judge(rows, { title: "read-only by itself", expected, results }));
  assert.equal(wrong.length, 0, `${wrong.length}:\n${wrong.join("\n")}`);
}

Deno.test("every attempt has a name of its own", () => {
  const ids = [...ESCAPES, ...NETWORK_ESCAPES].map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
  assert.ok(ids.every((id) => /^[a-z0-9-]+$/.test(id)));
});

Deno.test({
  ...onLinux("no command gets through the walls"),
  ...LONG_TEST,
  async fn(t) {
    const machine = await openMachine();
    try {
      const helper = await compileHelper(machine);
      const users: WallsUser[] = machine.noNobody === undefined ? ["self", "nobody"] : ["self"];
      if (machine.noNobody !== undefined) console.log(`  one user only: ${machine.noNobody}`);
      for (const user of users) {
        const who = user === "self" && machine.isRoot ? "root" : "a user without rights";
        const setting = { machine, user, helper };
        await t.step(
          `files, processes and the kernel, as ${who}`,
          () => attemptEverything(setting),
        );
        await t.step(`the network, as ${who}`, () => attemptNetworks(setting));
      }
      await t.step(
        "files, processes and the kernel, without namespaces",
        () => attemptEverything({ machine, user: users.at(-1)!, helper, withoutNamespaces: true }),
      );
    } finally {
      await machine.close();
    }
  },
});
