import { equal } from "node:assert/strict";
import { which } from "../../src/util/which.ts";
import { runToEnd } from "../../src/process/run_to_end.ts";
import { type ClaimedShell, SpareShellSlot } from "./_spare_shell.ts";

const SHELL = await which("bash", "/usr/local/bin:/usr/bin:/bin");
const ignore = SHELL === undefined;
if (ignore) console.log("spare shells are not tested: bash is not installed");

const STATE = "/state/1";

/** A slot whose shell has run `opening` and waits. */
async function prepared(opening: string): Promise<SpareShellSlot> {
  const slot = new SpareShellSlot();
  await prepare(slot, { state: STATE, opening });
  return slot;
}

/** Resolves when the shell was started. */
async function prepare(
  slot: SpareShellSlot,
  { state, opening }: { state: string; opening: string },
): Promise<void> {
  const asked = Promise.withResolvers<void>();
  slot.prepare(state, () => {
    asked.resolve();
    return { shell: SHELL!, marker: "m.1", opening };
  });
  await asked.promise;
}

async function outputOf(
  shell: ClaimedShell | undefined,
  closing: string,
): Promise<string | undefined> {
  const process = await shell?.run({ opening: "A=late", closing });
  if (process === undefined) return undefined;
  let output = "";
  await runToEnd(process, {
    kill: () => Promise.reject(new Error("nothing here runs too long")),
    onChunk: (chunk) => output += new TextDecoder().decode(chunk),
  });
  return output;
}

Deno.test({
  name: "run() gives a waiting shell the rest of its script, which reads no input",
  ignore,
  async fn() {
    const slot = await prepared("A=1");
    const closing = `echo "$A it's"\necho 'two \\n'; cat`;
    equal(await outputOf(slot.claim(STATE).spare, closing), "1 it's\ntwo \\n\n");
  },
});

Deno.test({
  name: "prepare() starts no shell while the caller goes on",
  ignore,
  async fn() {
    const slot = new SpareShellSlot();
    let started = false;
    slot.prepare(STATE, () => {
      started = true;
      return { shell: SHELL!, marker: "m.1", opening: ":" };
    });
    await Promise.resolve();
    equal(slot.claim(STATE).spare, undefined);
    equal(started, false);
    await slot.close();
  },
});

Deno.test({
  name: "prepare() lets the command after it start in the ordinary way when no shell can start",
  ignore,
  async fn() {
    const slot = new SpareShellSlot();
    const asked = Promise.withResolvers<void>();
    slot.prepare(STATE, () => {
      asked.resolve();
      throw new Error("no process left");
    });
    await asked.promise;
    equal(slot.claim(STATE).spare, undefined);
    await slot.close();
  },
});

Deno.test({
  name: "claim() gives one shell once, and none that stands elsewhere",
  ignore,
  async fn() {
    const slot = await prepared("A=1");
    equal(slot.claim("/state/2").spare, undefined);
    const shell = slot.claim(STATE).spare;
    equal(slot.claim(STATE).spare, undefined);
    await shell?.drop();
  },
});

Deno.test({
  name: "prepare() lets a shell go that stands where the task no longer is",
  ignore,
  async fn() {
    const slot = await prepared("A=1");
    await prepare(slot, { state: "/state/2", opening: "A=2" });
    equal(slot.claim(STATE).spare, undefined);
    equal(await outputOf(slot.claim("/state/2").spare, "echo $A"), "2\n");
    await slot.close();
  },
});

Deno.test({
  name: "claim() says when commands follow each other at once, and prepareNow() serves any state",
  ignore,
  async fn() {
    const slot = new SpareShellSlot();
    slot.prepare(STATE, () => {
      throw new Error("the command that follows at once makes this shell useless");
    });
    const { spare, more } = slot.claim(STATE);
    equal(spare, undefined);
    equal(more, true);
    slot.prepareNow(() => ({ shell: SHELL!, marker: "m.2" }));
    slot.prepare("/state/2", () => {
      throw new Error("the waiting shell serves this state too");
    });
    equal(await outputOf(slot.claim("/state/2").spare, "echo $A"), "late\n");
    await slot.close();
  },
});

Deno.test({
  name: "close() forgets a shell that was not started yet",
  ignore,
  async fn() {
    const slot = new SpareShellSlot();
    slot.prepare(STATE, () => {
      throw new Error("nothing starts after the end");
    });
    await slot.close();
    equal(slot.claim(STATE).spare, undefined);
  },
});

Deno.test({
  name: "run() says that the shell has died, so that the command can start elsewhere",
  ignore,
  async fn() {
    const slot = await prepared("kill -9 $$");
    const shell = slot.claim(STATE).spare;
    // A write may still fit into the pipe of a dying shell: then it ends without having run anything.
    const output = await outputOf(shell, "echo ran");
    equal(output === undefined || output === "", true);
  },
});
