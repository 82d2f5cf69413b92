/**
 * Every way out of the sandbox that `tests/sandbox` knows, tried through the artefact: a scripted
 * model lets `execute_code`, or a tool of a plugin, make some attempts at a time. One that ends
 * its process, or comes to no verdict among others, is made alone.
 */
import assert from "node:assert/strict";
import { pluginFiles } from "../plugins/_bench.ts";
import { ATTEMPT } from "../plugins/_escape_tool.ts";
import {
  type Attempt,
  loadAttempts,
  type Programmer,
  pythonProgram,
  scriptProgram,
} from "../sandbox/_attempt.ts";
import { World } from "../sandbox/_world.ts";
import { type Reply, startFakeModel } from "../support/fake_model_server.ts";
import { type Installed, skip, withInstalled } from "./support.ts";
import { LONG_TEST } from "../../scripts/test_limits.ts";

/** Attempts that share a child of the artefact, and a turn of the session. */
const BATCH = 8;

type Bodies = ReadonlyMap<string, string>;

/** Who tries. */
interface Prisoner {
  name: string;
  /** What an attempt does; undefined where there is no such door. */
  body(attempt: Attempt): ((world: World) => string) | undefined;
  /** The tool calls that make some attempts. */
  calls(bodies: Bodies): Call[];
  /** What each of these attempts came to, from the results of the calls. */
  split(bodies: Bodies, results: readonly string[]): string[];
  /** One process makes all of a session's attempts, so that none can be made when it is gone. */
  hasOneProcess: boolean;
  /** Arguments of `hermes run`. */
  args: readonly string[];
}

interface Call {
  name: string;
  arguments: Record<string, unknown>;
}

/** A script that makes all the attempts, and prints a line for each. */
function scripts(
  language: "javascript" | "python",
  program: Programmer,
): Omit<Prisoner, "name" | "body"> {
  return {
    calls: (bodies) => [{
      name: "execute_code",
      arguments: { code: program(bodies), language },
    }],
    split: (bodies, [result]) => {
      if (bodies.size === 1) return [result!];
      const { output } = JSON.parse(result!) as { output: string };
      const lines = output.split("\n");
      const saysOf = (name: string) => lines.find((line) => line.startsWith(`${name} `)) ?? "";
      return [...bodies.keys()].map(saysOf);
    },
    hasOneProcess: false,
    args: [],
  };
}

const PRISONERS: readonly Prisoner[] = [
  {
    name: "JavaScript",
    body: ({ script }) => script,
    ...scripts("javascript", scriptProgram),
  },
  {
    name: "Python",
    body: ({ python }) => python,
    ...scripts("python", pythonProgram),
  },
  {
    name: "plugin",
    body: ({ script }) => script,
    calls: (bodies) =>
      [...bodies.values()].map((code) => ({ name: "attempt", arguments: { code } })),
    split: (_, results) => [...results],
    hasOneProcess: true,
    args: ["--plugin", "prisoner"],
  },
];

/** Attempts that ended a process of another prisoner before: they are made alone at once. */
const loners = new Set<string>();

/** The attempts of one prisoner: those that wait, and what the others came to. */
class Trial {
  readonly said: string[] = [];
  readonly outcomes = new Map<string, string>();
  readonly #prisoner: Prisoner;
  #waiting: [string, string][] = [];
  #single: [string, string][] = [];

  constructor(prisoner: Prisoner, bodies: Bodies) {
    this.#prisoner = prisoner;
    for (const one of bodies) (loners.has(one[0]) ? this.#single : this.#waiting).push(one);
  }

  get isOver(): boolean {
    return this.#waiting.length + this.#single.length === 0;
  }

  /** The attempts that are next; those that may end a process have their turn in a new one. */
  take(isFirst: boolean): Bodies {
    const isSingle = this.#waiting.length === 0 || (isFirst && this.#single.length > 0);
    return new Map(isSingle ? this.#single.splice(0, 1) : this.#waiting.splice(0, BATCH));
  }

  /** Takes the results of attempts in. False when the process they were made in is gone. */
  settle(bodies: Bodies, { results, isFirst }: { results: string[]; isFirst: boolean }): boolean {
    this.said.push(...results);
    const { hasOneProcess } = this.#prisoner;
    const outcomes = this.#prisoner.split(bodies, results);
    const open: [string, string][] = [];
    for (const [index, one] of [...bodies].entries()) {
      const outcome = outcomes[index]!;
      // Alone in a new process it was made, even if it came to no verdict.
      const isAlone = bodies.size === 1 && (isFirst || !hasOneProcess);
      const isMade = isAlone || hasVerdict(outcome);
      if (isMade) this.outcomes.set(one[0], outcome);
      else open.push(one);
    }
    // What left its process changed was made itself: the others go on in a new one.
    const isSpoilt = results.some((result) => result.includes(" SPOILT"));
    const ender = isSpoilt ? undefined : open.shift();
    if (ender !== undefined) {
      loners.add(ender[0]);
      this.#single.push(ender);
    }
    this.#waiting.unshift(...open);
    return !hasOneProcess || outcomes.every(hasVerdict);
  }
}

/** Makes attempts in one session, until all are made or the plugin's process is gone. */
async function tryInSession(
  trial: Trial,
  { installed, prisoner }: { installed: Installed; prisoner: Prisoner },
): Promise<void> {
  let made = new Map() as Bodies;
  await using model = startFakeModel({
    replies: ({ body }, index): Reply => {
      if (index > 0) {
        const messages: { content: string }[] = body.messages.slice(-prisoner.calls(made).length);
        const results = messages.map(({ content }) => content);
        const goesOn = trial.settle(made, { results, isFirst: index === 1 });
        if (!goesOn || trial.isOver) return { text: "done" };
      }
      made = trial.take(index === 0);
      return { toolCalls: prisoner.calls(made) };
    },
  });
  const args = ["run", "--base-url", model.url, "--model", "fake-model", "--max-turns", "1000"];
  const outcome = await installed.hermes([...args, ...prisoner.args, "--quiet", "try"]);
  assert.equal(outcome.code, 0, outcome.stderr);
  assert.ok(model.requests.length > 1, "the session made no attempt");
}

function hasVerdict(result: string): boolean {
  return /REFUSED|GAINED|"refused"|"gained"|"status":"error"/.test(result);
}

for (const prisoner of PRISONERS) {
  Deno.test(`no ${prisoner.name} attempt escapes from the artefact`, LONG_TEST, async (t) => {
    if (Deno.build.os !== "linux") return skip("the attempts are written for Linux");
    const world = await World.create();
    const attempts = await loadAttempts();
    const bodies = new Map<string, string>();
    for (const [door, attempt] of attempts) {
      const body = prisoner.body(attempt);
      if (body !== undefined) bodies.set(door, body(world));
    }
    assert.ok(bodies.size > 50, `${bodies.size} attempts`);
    try {
      const trial = new Trial(prisoner, bodies);
      await withInstalled(async (installed) => {
        await writePlugin(`${installed.machine.home}/prisoner`);
        while (!trial.isOver) await tryInSession(trial, { installed, prisoner });
      });
      for (const door of bodies.keys()) {
        const outcome = trial.outcomes.get(door)!;
        await t.step(door, () => assert.ok(!/GAINED|"gained"/.test(outcome), outcome));
      }
      for (const said of trial.said) {
        assert.ok(!/GAINED|"gained"/.test(said), said);
        assert.ok(!said.includes(world.marker), `the secret was printed: ${said}`);
      }
      const verdicts = [...trial.outcomes.values()].filter(hasVerdict).length;
      assert.ok(verdicts > bodies.size * 0.9, `${verdicts} verdicts for ${bodies.size}`);
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
