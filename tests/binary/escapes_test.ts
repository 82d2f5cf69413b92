/**
 * Every way out of the sandbox that `tests/sandbox` knows, tried through the artefact: a scripted
 * model lets `execute_code`, or a tool of a plugin, make one attempt after the other.
 */
import assert from "node:assert/strict";
import { pluginFiles } from "../plugins/_bench.ts";
import { ATTEMPT } from "../plugins/_escape_tool.ts";
import { type Attempt, loadAttempts, pythonProgram, scriptProgram } from "../sandbox/_attempt.ts";
import { World } from "../sandbox/_world.ts";
import { type Reply, startFakeModel } from "../support/fake_model_server.ts";
import { type Installed, skip, withInstalled } from "./support.ts";

/** Who tries. */
interface Prisoner {
  name: string;
  /** The tool call that makes an attempt; undefined where there is no such door. */
  call(attempt: Attempt, world: World): Call | undefined;
  /** Arguments of `hermes run`. */
  args: readonly string[];
}

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

function script(language: "javascript" | "python", code: string | undefined): Call | undefined {
  return code === undefined ? undefined : { name: "execute_code", arguments: { code, language } };
}

const PRISONERS: readonly Prisoner[] = [
  {
    name: "JavaScript",
    call: ({ script: body }, world) =>
      script("javascript", body && scriptProgram(new Map([["attempt", body(world)]]))),
    args: [],
  },
  {
    name: "Python",
    call: ({ python: body }, world) =>
      script("python", body && pythonProgram(new Map([["attempt", body(world)]]))),
    args: [],
  },
  {
    name: "plugin",
    call: ({ script: body }, world) =>
      body && { name: "attempt", arguments: { code: body(world) } },
    args: ["--plugin", "prisoner"],
  },
];

interface Session {
  installed: Installed;
  args: readonly string[];
}

/** What came of each attempt in one session, up to the first without a verdict. */
async function tryInSession(calls: readonly Call[], session: Session): Promise<string[]> {
  const results: string[] = [];
  await using model = startFakeModel({
    replies: ({ body }, index): Reply => {
      if (index > 0) results.push(body.messages.at(-1).content);
      const call = calls[index];
      const goesOn = call !== undefined && results.every(hasVerdict);
      return goesOn ? { toolCalls: [call] } : { text: "done" };
    },
  });
  const args = ["run", "--base-url", model.url, "--model", "fake-model", "--max-turns", "1000"];
  const outcome = await session.installed.hermes([...args, ...session.args, "--quiet", "try"]);
  assert.equal(outcome.code, 0, outcome.stderr);
  return results;
}

/** An attempt may end the process it is made in, even a moment later: that is no way out. */
async function tryAll(calls: readonly Call[], session: Session): Promise<string[]> {
  const all: string[] = [];
  while (all.length < calls.length) {
    const results = await tryInSession(calls.slice(all.length), session);
    // Without a verdict it was not made, unless nothing was before it in its session.
    const made = results.filter((result, index) => index === 0 || hasVerdict(result));
    assert.ok(made.length > 0, "the session made no attempt");
    all.push(...made);
  }
  return all;
}

function hasVerdict(result: string): boolean {
  return /REFUSED|GAINED|"refused"|"gained"|"status":"error"/.test(result);
}

for (const { name, call, args } of PRISONERS) {
  Deno.test(`no ${name} attempt escapes from the artefact`, async (t) => {
    if (Deno.build.os !== "linux") return skip("the attempts are written for Linux");
    const world = await World.create();
    const attempts = await loadAttempts();
    const doors = [...attempts].filter(([, attempt]) => call(attempt, world) !== undefined);
    assert.ok(doors.length > 50, `${doors.length} attempts`);
    try {
      await withInstalled(async (installed) => {
        await writePlugin(`${installed.machine.home}/prisoner`);
        const calls = doors.map(([, attempt]) => call(attempt, world)!);
        const results = await tryAll(calls, { installed, args });
        for (const [index, [door]] of doors.entries()) {
          const result = results[index]!;
          await t.step(door, () => {
            assert.ok(!/GAINED|"gained"/.test(result), result);
            assert.ok(!result.includes(world.marker), `the secret was printed: ${result}`);
          });
        }
        const verdicts = results.filter(hasVerdict).length;
        assert.ok(verdicts > doors.length * 0.9, `${verdicts} verdicts for ${doors.length}`);
      });
      assert.deepEqual(await world.traces(), []);
      for (const [door, attempt] of attempts) {
        assert.equal(await attempt.effect?.(world), undefined, door);
      }
    } finally {
      await world.close();
    }
  });
}

async function writePlugin(folder: string): Promise<void> {
  await Deno.mkdir(folder);
  for (const [path, text] of Object.entries(pluginFiles("prisoner", ATTEMPT))) {
    await Deno.writeTextFile(`${folder}/${path}`, text);
  }
}
