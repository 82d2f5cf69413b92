/**
 * What a user does first, on a bare machine: the artefact in a directory that cannot be
 * written, an empty home, neither Deno nor Node in reach.
 */
import assert from "node:assert/strict";
import { VERSION } from "../../src/util/version.ts";
import { type FakeModel, type Reply, startFakeModel } from "../support/fake_model_server.ts";
import { parseEvents, sessionIdOf } from "../support/run_job.ts";
import { withInstalled } from "./support.ts";

function modelArgs(model: FakeModel): string[] {
  return ["run", "--base-url", model.url, "--model", "fake-model"];
}

Deno.test("hermes says what it is", async () => {
  await withInstalled(async ({ hermes }) => {
    assert.deepEqual(await hermes(["--version"]), {
      code: 0,
      stdout: `hermes ${VERSION}\n`,
      stderr: "",
    });
    const facts = JSON.parse((await hermes(["version", "--json"])).stdout);
    assert.equal(facts.hermes, VERSION);
  });
});

Deno.test("hermes run works offline in an empty home", async () => {
  await withInstalled(async ({ hermes, machine }) => {
    await Deno.writeTextFile(`${machine.home}/three.txt`, "a\nb\nc\n");
    const job = await hermes(["run", "count the lines in three.txt"]);
    assert.equal(job.code, 0, job.stderr);
    assert.match(job.stdout, /three\.txt has 3 lines/);
  });
});

Deno.test("hermes run prints events, and goes on with a session", async () => {
  const replies: Reply[] = [{ text: "first answer" }, { text: "second answer" }];
  await using model = startFakeModel({ replies });
  await withInstalled(async ({ hermes }) => {
    const first = await hermes([...modelArgs(model), "--json", "one"]);
    assert.equal(first.code, 0, first.stderr);
    const events = parseEvents(first.stdout);
    assert.equal(events[0]!.type, "session_start");
    assert.deepEqual([events.at(-1)!.type, events.at(-1)!.exitCode], ["session_end", 0]);
    const second = await hermes([...modelArgs(model), "--resume", sessionIdOf(first), "two"]);
    assert.deepEqual([second.code, second.stdout], [0, "second answer\n"]);
    const texts = model.requests[1]!.body.messages.map((message: { content: unknown }) =>
      JSON.stringify(message.content)
    );
    assert.ok(texts.some((text: string) => text.includes("first answer")));
    const list = parseEvents((await hermes(["sessions", "list", "--json"])).stdout);
    assert.equal(list.length, 1);
  });
});

Deno.test("hermes keeps its own Deno settings from the commands it runs", async () => {
  const command = "env | grep -E '^(DENO_|HERMES_(SELF|DENO_DIR|BIN_CACHE))' || true";
  const replies: Reply[] = [
    { toolCalls: [{ name: "terminal", arguments: { command } }] },
    { text: "done" },
  ];
  await using model = startFakeModel({ replies });
  await withInstalled(async ({ hermes }) => {
    const job = await hermes([...modelArgs(model), "look"]);
    assert.equal(job.code, 0, job.stderr);
    const result = model.requests[1]!.body.messages.at(-1).content as string;
    assert.equal(JSON.parse(result).output.trim(), "", result);
  });
});

Deno.test("hermes configures, checks and completes itself", async () => {
  await withInstalled(async ({ hermes, machine }) => {
    assert.equal((await hermes(["config", "set", "agent.max_turns", "7"])).code, 0);
    assert.equal((await hermes(["config", "get", "agent.max_turns"])).stdout.trim(), "7");
    assert.ok(await Deno.stat(`${machine.home}/.hermes/config.yaml`));
    const doctor = await hermes(["doctor", "--json"]);
    assert.equal(JSON.parse(doctor.stdout).ok, true, doctor.stdout);
    for (const shell of ["bash", "zsh", "fish"]) {
      assert.match((await hermes(["completion", shell])).stdout, /hermes/);
    }
    assert.match((await hermes(["schema", "events"])).stdout, /"session_start"/);
    assert.match((await hermes(["help"])).stdout, /hermes run/);
    const wrong = await hermes(["rnu"]);
    assert.equal(wrong.code, 2);
  });
});
