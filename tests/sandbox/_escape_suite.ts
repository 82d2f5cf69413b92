/**
 * Runs every attempt of `escapes/` in the variants of one child mode: both languages, all walls
 * up and each of them down in turn. A variant that is too weak must be refused instead.
 */
import assert from "node:assert/strict";
import type { ChildMode, Wall } from "../../src/sandbox/child/contract.ts";
import { SandboxRunner } from "../../src/sandbox/script/runner.ts";
import { type Attempt, loadAttempts, pythonProgram, scriptProgram } from "./_attempt.ts";
import { request, SANDBOX } from "./_sandbox.ts";
import { World } from "./_world.ts";

export interface Variant {
  language: "javascript" | "python";
  mode: ChildMode;
  without: readonly Wall[];
}

const WALLS: readonly Wall[] = ["permissions", "landlock", "seccomp", "internals"];
/** Attempts that share a child, since starting one takes most of the time. */
const BATCH = { allUp: 8, wallDown: 24 };

/** Attempts that ended or spoilt a child in a variant before: they get one of their own at once. */
const loners: Record<Variant["language"], Set<string>> = {
  javascript: new Set(),
  python: new Set(),
};

type Bodies = ReadonlyMap<string, string>;

/** What the attempts do in one language, by name. */
function bodiesOf(attempts: ReadonlyMap<string, Attempt>, world: World, variant: Variant): Bodies {
  const bodies = new Map<string, string>();
  for (const [name, attempt] of attempts) {
    if (attempt.onlyPermissions && variant.without.includes("permissions")) continue;
    const body = variant.language === "python" ? attempt.python : attempt.script;
    if (body !== undefined) bodies.set(name, body(world));
  }
  return bodies;
}

interface Prison {
  sandbox: SandboxRunner;
  world: World;
  language: Variant["language"];
  attempts: ReadonlyMap<string, Attempt>;
}

/** What came of some attempts in one child. */
interface Outcome {
  /** Came to no verdict. */
  open: [name: string, body: string][];
  /** Left the child changed, so that it was not used any further. */
  spoiler: string | undefined;
}

async function tryOut(bodies: Bodies, prison: Prison): Promise<Outcome> {
  const { sandbox, world, language, attempts } = prison;
  const code = language === "python" ? pythonProgram(bodies) : scriptProgram(bodies);
  const callTool = (name: string) => {
    world.calls.push(name);
    return Promise.resolve({ content: "{}", isError: false });
  };
  const { output, errors, status } = await sandbox.run(request(code, { language, callTool }));
  const said = `${output}${errors}`;
  assert.ok(!said.includes("GAINED"), said);
  assert.ok(!said.includes(world.marker), `the secret was printed: ${said}`);
  assert.deepEqual(await world.traces(), []);
  assert.deepEqual(world.calls.splice(0).filter((name) => name !== "read_file"), []);
  const effects = new Set([...bodies.keys()].map((name) => attempts.get(name)!.effect));
  for (const effect of effects) assert.equal(await effect?.(world), undefined);
  const open = [...bodies].filter(([name]) => !output.includes(`${name} REFUSED`));
  const spoiler = /^(\S+) SPOILT$/m.exec(output)?.[1];
  if (open.length === 0 || bodies.size > 1) return { open, spoiler };
  // An attempt may also end its own process; a mistake in the attempt is no refusal.
  const ended = status === "error" && !/SyntaxError|IndentationError/.test(said);
  assert.ok(ended, `no verdict: ${said}`);
  return { open: [], spoiler };
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
    const prison = { sandbox, world, language, attempts };
    const waiting: [string, string][] = [];
    const single: [string, string][] = [];
    for (const one of bodiesOf(attempts, world, variant)) {
      (loners[language].has(one[0]) ? single : waiting).push(one);
    }
    const size = without.length === 0 ? BATCH.allUp : BATCH.wallDown;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, size);
      await t.step(`${batch[0]![0]} … ${batch.at(-1)![0]}`, async () => {
        const { open, spoiler } = await tryOut(new Map(batch), prison);
        // The first without a verdict has ended the process; the others had no turn.
        const ender = spoiler === undefined ? open.shift() : undefined;
        if (ender !== undefined) single.push(ender);
        const loner = spoiler ?? ender?.[0];
        if (loner !== undefined) loners[language].add(loner);
        waiting.unshift(...open);
      });
    }
    for (const one of single) {
      await t.step(one[0], async () => void await tryOut(new Map([one]), prison));
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
    if (isKernel && !without.includes("internals")) all.push({ language: "python", mode, without });
  }
  // What is left on a system without these kernel walls, to a script that got at the internals.
  if (mode === "deno") {
    all.push({ language: "javascript", mode, without: ["internals", "landlock", "seccomp"] });
  }
  return all;
}

/** Registers the tests of one child mode, all of them or those of a part. */
export async function testEscapes(
  mode: ChildMode,
  isWanted: (variant: Variant) => boolean = () => true,
): Promise<void> {
  const attempts = await loadAttempts();
  for (const variant of variants(mode).filter(isWanted)) {
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
