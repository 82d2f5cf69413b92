import { equal, fail } from "node:assert/strict";
import type { RaisedWalls } from "../../src/protocol/sandbox.ts";
import { which } from "../../src/util/which.ts";
import { runToEnd } from "../../src/process/run_to_end.ts";
import { type ClaimedShell, SpareShellSlot } from "./_spare_shell.ts";

const SHELL = await which("bash", "/usr/local/bin:/usr/bin:/bin");
const ignore = SHELL === undefined;
if (ignore) console.log("spare shells are not tested: bash is not installed");

function prepared(): SpareShellSlot {
  const slot = new SpareShellSlot();
  slot.prepare(() => ({ shell: SHELL!, marker: "m.1" }));
  return slot;
}

/** Resolves when the shell was told. */
function briefed(slot: SpareShellSlot, state: string, opening: string): Promise<void> {
  return new Promise((told) =>
    slot.brief({ path: state }, () => {
      told();
      return opening;
    })
  );
}

async function outputOf(
  shell: ClaimedShell | undefined,
  script: { opening: string; closing: string },
): Promise<string | undefined> {
  const process = await shell?.run(script);
  if (process === undefined) return undefined;
  let output = "";
  await runToEnd(process, {
    kill: () => Promise.reject(new Error("nothing here runs too long")),
    onChunk: (chunk) => output += new TextDecoder().decode(chunk),
  });
  return output;
}

Deno.test({
  name: "run() needs only the rest of the script where the shell was briefed",
  ignore,
  async fn() {
    const slot = prepared();
    await briefed(slot, "/state/1", "A=m.1");
    const shell = slot.claim("/state/1");
    equal(await outputOf(shell, { opening: "A=again", closing: 'echo "$A"; cat' }), "m.1\n");
  },
});

Deno.test({
  name: "run() gives the whole script to a shell that was not briefed",
  ignore,
  async fn() {
    const script = { opening: "A=1", closing: `echo "$A it's"\necho 'two \\n'` };
    equal(await outputOf(prepared().claim("/state/1"), script), "1 it's\ntwo \\n\n");
  },
});

Deno.test({
  name: "brief() holds nothing up: a command that comes before it brings the whole script",
  ignore,
  async fn() {
    const slot = prepared();
    slot.brief({ path: "/state/1" }, () => fail("the shell was claimed before"));
    const shell = slot.claim("/state/1");
    equal(await outputOf(shell, { opening: "A=1", closing: 'echo "$A"' }), "1\n");
    await slot.close();
  },
});

Deno.test({
  name: "brief() keeps no shell whose state cannot be brought back",
  ignore,
  async fn() {
    const slot = prepared();
    await new Promise<void>((asked) =>
      slot.brief({ path: "/state/1" }, () => {
        asked();
        throw new Error("no room on the disk");
      })
    );
    equal(slot.claim("/state/1"), undefined);
    await slot.close();
  },
});

Deno.test({
  name: "close() forgets what a shell was going to be told",
  ignore,
  async fn() {
    const slot = prepared();
    slot.brief({ path: "/state/1" }, () => fail("nothing is told after the end"));
    await slot.close();
    equal(slot.claim("/state/1"), undefined);
  },
});

Deno.test({
  name: "claim() gives one shell once, and none that stands elsewhere",
  ignore,
  async fn() {
    const slot = prepared();
    await briefed(slot, "/state/1", "A=1");
    equal(slot.claim("/state/2"), undefined);
    const shell = slot.claim("/state/1");
    equal(slot.claim("/state/1"), undefined);
    await shell?.drop();
  },
});

Deno.test({
  name: "brief() lets a shell go that stands where the task no longer is",
  ignore,
  async fn() {
    const slot = prepared();
    await briefed(slot, "/state/1", "A=1");
    slot.brief({ path: "/state/2" }, () => "A=2");
    equal(slot.claim("/state/1"), undefined);
    equal(slot.claim("/state/2"), undefined);
    await slot.close();
  },
});

Deno.test({
  name: "run() says that the shell has died, so that the command can start elsewhere",
  ignore,
  async fn() {
    const slot = prepared();
    await briefed(slot, "/state/1", "kill -9 $$");
    const shell = slot.claim("/state/1")!;
    // A write may still fit into the pipe of a dying shell: then it ends without having run anything.
    const output = await outputOf(shell, { opening: "", closing: "echo ran" });
    equal(output === undefined || output === "", true);
  },
});

Deno.test({
  name: "a waiting shell serves its own walls alone, and never reads a state of others",
  ignore,
  async fn() {
    const walls = (): RaisedWalls => ({
      launcher: "/usr/bin/env",
      env: {},
      begin() {},
      end: () => [],
    });
    const [one, other] = [walls(), walls()];
    for (const [behind, wanted] of [[one, other], [one, undefined], [undefined, one]]) {
      const slot = new SpareShellSlot();
      slot.prepare(() => ({ shell: SHELL!, marker: "m.1" }), behind);
      equal(slot.claim("/state/1", wanted), undefined);
      slot.prepare(() => ({ shell: SHELL!, marker: "m.2" }), behind);
      slot.brief({ path: "/state/1", walls: wanted }, () => fail("left behind other walls"));
      equal(slot.claim("/state/1", behind), undefined, "it was let go");
      slot.prepare(() => ({ shell: SHELL!, marker: "m.3" }), behind);
      slot.prepare(() => ({ shell: SHELL!, marker: "m.4" }), wanted);
      const claimed = slot.claim("/state/1", wanted)!;
      equal(claimed.marker, "m.4", "another takes its place");
      await claimed.drop();
      await slot.close();
    }
  },
});
