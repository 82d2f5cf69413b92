/**
 * Runs every attempt of `escapes/` in the variants of one child mode: both languages, all walls
 * up and each of them down in turn. A variant that is too weak must be refused instead.
 */
import assert from "node:assert/strict";
import type { ChildMode, Wall } from "../../src/sandbox/contract.ts";
import { SandboxRunner } from "../../src/sandbox/runner.ts";
import { type Attempt, loadAttempts, pythonProgram, scriptProgram } from "./_attempt.ts";
import { request, SANDBOX } from "./_sandbox.ts";
import { World } from "./_world.ts";

interface Variant {
  language: "javascript" | "python";
  mode: ChildMode;
  without: readonly Wall[];
}

const WALLS: readonly Wall[] = ["permissions", "landlock", "seccomp"];

function programOf(attempt: Attempt, world: World, language: Variant["language"]) {
  if (language === "python") return attempt.python && pythonProgram(attempt.python(world));
  return attempt.script && scriptProgram(attempt.script(world));
}

async function attemptEscape(sandbox: SandboxRunner, world: World, options: {
  attempt: Attempt;
  language: Variant["language"];
}): Promise<void> {
  const { attempt, language } = options;
  const code = programOf(attempt, world, language);
  if (code === undefined) return;
  const callTool = (name: string) => {
    world.calls.push(name);
    return Promise.resolve({ content: "{}", isError: false });
  };
  const result = await sandbox.run(request(code, { language, callTool }));
  const said = `${result.output}${result.errors}`;
  assert.ok(!said.includes("GAINED"), said);
  assert.ok(!said.includes(world.marker), `the secret was printed: ${said}`);
  // An attempt may also end its own process; a mistake in the attempt is no refusal.
  const ended = result.status === "error" && !/SyntaxError|IndentationError/.test(said);
  assert.ok(said.includes("REFUSED") || ended, `no verdict: ${said}`);
  assert.deepEqual(await world.traces(), []);
  assert.deepEqual(world.calls.splice(0).filter((name) => name !== "read_file"), []);
  assert.equal(await attempt.effect?.(world), undefined);
}

async function attemptAll(
  t: Deno.TestContext,
  variant: Variant,
  attempts: ReadonlyMap<string, Attempt>,
): Promise<void> {
  const { language, mode, without } = variant;
  const sandbox = new SandboxRunner({ ...SANDBOX, mode, without });
  const world = await World.create();
  try {
    for (const [name, attempt] of attempts) {
      if (programOf(attempt, world, language) === undefined) continue;
      if (attempt.onlyPermissions && without.includes("permissions")) continue;
      await t.step(name, () => attemptEscape(sandbox, world, { attempt, language }));
    }
  } finally {
    await sandbox.close();
    await world.close();
  }
}

/** With seccomp down, a re-executed child and Python have too little left. */
function mustRefuse(variant: Variant): boolean {
  const { language, mode, without } = variant;
  if (language === "python") return without.includes("landlock") || without.includes("seccomp");
  return mode === "reexec" && without.includes("seccomp");
}

function variants(mode: ChildMode): Variant[] {
  const all: Variant[] = [];
  for (const without of [[], ...WALLS.map((wall) => [wall])]) {
    const isKernel = !without.includes("permissions");
    if (isKernel || mode === "deno") all.push({ language: "javascript", mode, without });
    if (isKernel) all.push({ language: "python", mode, without });
  }
  // What is left on a system without these kernel walls.
  if (mode === "deno") {
    all.push({ language: "javascript", mode, without: ["landlock", "seccomp"] });
  }
  return all;
}

/** Registers the tests of one child mode. */
export async function testEscapes(mode: ChildMode): Promise<void> {
  const attempts = await loadAttempts();
  for (const variant of variants(mode)) {
    const { language, without } = variant;
    const label = `${language} in ${mode} mode, ${without.join(" and ") || "no wall"} down`;
    if (mustRefuse(variant)) {
      Deno.test(`SandboxRunner.run() refuses ${label}`, async () => {
        const sandbox = new SandboxRunner({ ...SANDBOX, mode, without });
        await assert.rejects(sandbox.run(request("1", { language })), /kernel with/);
      });
    } else {
      Deno.test(`no attempt escapes: ${label}`, (t) => attemptAll(t, variant, attempts));
    }
  }
}
