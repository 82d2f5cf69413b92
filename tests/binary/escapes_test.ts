/**
 * Every way out of the script sandbox that `tests/sandbox` knows, tried through the artefact: a
 * scripted model lets `execute_code` run one attempt after the other in one session.
 */
import assert from "node:assert/strict";
import { type Attempt, loadAttempts, pythonProgram, scriptProgram } from "../sandbox/_attempt.ts";
import { World } from "../sandbox/_world.ts";
import { type Reply, startFakeModel } from "../support/fake_model_server.ts";
import { artefact, bareMachine, run, skip } from "./support.ts";

type Language = "javascript" | "python";

function programOf(attempt: Attempt, world: World, language: Language): string | undefined {
  if (language === "python") return attempt.python && pythonProgram(attempt.python(world));
  return attempt.script && scriptProgram(attempt.script(world));
}

/** What each attempt printed, by its name. */
async function tryAll(world: World, language: Language): Promise<Map<string, string>> {
  const programs: [name: string, code: string][] = [];
  for (const [name, attempt] of await loadAttempts()) {
    const code = programOf(attempt, world, language);
    if (code !== undefined) programs.push([name, code]);
  }
  const results = new Map<string, string>();
  await using model = startFakeModel({
    replies: ({ body }, index): Reply => {
      const before = programs[index - 1];
      if (before !== undefined) results.set(before[0], body.messages.at(-1).content);
      const next = programs[index];
      if (next === undefined) return { text: "done" };
      const call = { name: "execute_code", arguments: { code: next[1], language } };
      return { toolCalls: [call] };
    },
  });
  await using machine = await bareMachine();
  const args = ["run", "--base-url", model.url, "--model", "fake-model", "--max-turns", "1000"];
  const outcome = await run([await artefact(), ...args, "--quiet", "try"], { env: machine.env });
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.equal(results.size, programs.length);
  return results;
}

for (const language of ["javascript", "python"] as const) {
  Deno.test(`no ${language} attempt escapes from the artefact`, async (t) => {
    if (Deno.build.os !== "linux") return skip("the attempts are written for Linux");
    const world = await World.create();
    try {
      for (const [name, result] of await tryAll(world, language)) {
        await t.step(name, () => {
          assert.ok(!result.includes("GAINED"), result);
          assert.ok(!result.includes(world.marker), `the secret was printed: ${result}`);
          const { status } = JSON.parse(result);
          assert.ok(result.includes("REFUSED") || status === "error", `no verdict: ${result}`);
        });
      }
      assert.deepEqual(await world.traces(), []);
      for (const [name, attempt] of await loadAttempts()) {
        assert.equal(await attempt.effect?.(world), undefined, name);
      }
    } finally {
      await world.close();
    }
  });
}
