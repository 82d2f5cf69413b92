/**
 * What a user does first, on a bare machine: the artefact in a directory that cannot be
 * written, an empty home, neither Deno nor Node in reach.
 */
import assert from "node:assert/strict";
import { ENVIRONMENTS } from "../../environments/manifest.ts";
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
    const job = await hermes(["run", "--model", "offline", "count the lines in three.txt"]);
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
  const command =
    "env | grep -E '^(DENO_|HERMES_(SELF|DENO_DIR|BIN_CACHE))' | grep -v /hermes/walls/ || true";
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

Deno.test("hermes looks at this machine as at any environment", async () => {
  const script = 'import { terminal } from "hermes_tools";\n' +
    'console.log((await terminal({ command: "cat note.txt" })).output);';
  const replies: Reply[] = [
    { toolCalls: [{ name: "write_file", arguments: { path: "note.txt", content: "here\n" } }] },
    { toolCalls: [{ name: "execute_code", arguments: { code: script } }] },
    { text: "done" },
  ];
  await using model = startFakeModel({ replies });
  await withInstalled(async ({ hermes, machine }) => {
    const job = await hermes([...modelArgs(model), "--env", "local", "go"]);
    assert.equal(job.code, 0, job.stderr);
    assert.match(model.requests[2]!.body.messages.at(-1).content, /"output":"here\\n/);
    assert.equal(await Deno.readTextFile(`${machine.home}/note.txt`), "here\n");
    assert.match((await hermes(["env", "check", "local"])).stdout, /^local works: /);
    const shell = await hermes(["env", "shell", "local"], { stdin: "echo $((6*7)); exit 9\n" });
    assert.deepEqual([shell.code, shell.stdout], [9, "42\n"], shell.stderr);
    const list = JSON.parse((await hermes(["env", "list", "--json"])).stdout);
    assert.deepEqual(list.map(({ name }: { name: string }) => name), Object.keys(ENVIRONMENTS));
    const unknown = await hermes(["run", "--env", "nowhere", "go"]);
    assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
  });
});

Deno.test("hermes run is killed and goes on where it was", async () => {
  const call = { name: "terminal", arguments: { command: "sleep 5" } };
  await using model = startFakeModel({
    replies: (_, index) => index === 0 ? { toolCalls: [call] } : { text: "done" },
  });
  await withInstalled(async ({ hermes, path, machine }) => {
    const child = new Deno.Command(path, {
      args: [...modelArgs(model), "--json", "go"],
      env: machine.env,
      clearEnv: true,
      cwd: machine.home,
      stdout: "piped",
    }).spawn();
    let text = "";
    for await (const part of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += part;
      if (text.includes('"type":"tool_start"')) child.kill("SIGKILL");
    }
    assert.equal((await child.status).signal, "SIGKILL", "the script gave way to the program");
    const again = await hermes([...modelArgs(model), "--resume", "latest", "and now?"]);
    assert.deepEqual([again.code, again.stdout], [0, "done\n"], again.stderr);
    const roles = model.requests[1]!.body.messages.map(({ role }: { role: string }) => role);
    assert.deepEqual(roles.slice(1), ["user", "assistant", "tool", "user"]);
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
    assert.match((await hermes(["tools", "list"])).stdout, /terminal/);
    for (const command of ["approvals", "hooks", "plugins", "sessions"]) {
      assert.equal((await hermes([command, "list"])).code, 0, command);
    }
    const wrong = await hermes(["rnu"]);
    assert.equal(wrong.code, 2);
  });
});
