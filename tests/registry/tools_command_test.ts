import assert from "node:assert/strict";
import { runHermes, tempHome } from "../support/hermes.ts";
import { withJob } from "../support/run_job.ts";

interface Listed {
  tools: { name: string; state: string; reason?: string; chars: number }[];
  totalChars: number;
  systemChars: number;
}

async function hermes(home: string, ...args: string[]) {
  return await runHermes({ home, args, env: { HERMES_HOME: `${home}/.hermes` } });
}

async function list(home: string): Promise<Listed> {
  const { stdout, code } = await hermes(home, "tools", "list", "--json");
  assert.equal(code, 0);
  return JSON.parse(stdout);
}

function stateOf(listed: Listed, name: string): string | undefined {
  const tool = listed.tools.find((candidate) => candidate.name === name);
  return tool && [tool.state, tool.reason].filter(Boolean).join(": ");
}

Deno.test("hermes tools lists what the model sees and what it costs", async () => {
  await using home = await tempHome();
  const plain = await hermes(home.path, "tools");
  assert.equal(plain.code, 0);
  assert.match(plain.stdout, /^read_file +file +\d+$/m);
  const listed = await list(home.path);
  const offered = listed.tools.filter((tool) => tool.state === "offered");
  assert.equal(listed.totalChars, offered.reduce((sum, tool) => sum + tool.chars, 0));
  assert.ok(listed.totalChars + listed.systemChars <= 16_000);
  assert.match(
    plain.stdout,
    new RegExp(`${offered.length} of ${listed.tools.length} tools offered`),
  );
});

Deno.test("hermes tools tells the size that hermes run really sends", async () => {
  await withJob([{ text: "done" }], async (job) => {
    const work = await Deno.makeTempDir({ dir: job.home });
    const listed = JSON.parse((await job.hermes(["tools", "--json"], { cwd: work })).stdout);
    assert.equal((await job.run(["--quiet", "hi"], { cwd: work })).code, 0);
    const { messages, tools } = job.model.requests[0]!.body as {
      messages: { content: string }[];
      tools: { function: unknown }[];
    };
    assert.equal(listed.systemChars, messages[0]!.content.length);
    const sent = tools.map((tool) => JSON.stringify(tool.function).length);
    assert.equal(listed.totalChars, sent.reduce((sum, chars) => sum + chars, 0));
  });
});

Deno.test("hermes tools points at surfaces with a list of their own", async () => {
  await using home = await tempHome();
  await Deno.mkdir(`${home.path}/.hermes`);
  const config = "platform_toolsets:\n  run: [file, todo]\n";
  await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, config);
  const { stderr } = await hermes(home.path, "tools");
  assert.match(stderr, /"run" has a list of its own: file, todo/);
});

Deno.test("hermes tools disable and enable edit the configuration and nothing else in it", async () => {
  await using home = await tempHome();
  const file = `${home.path}/.hermes/config.yaml`;
  await Deno.mkdir(`${home.path}/.hermes`);
  const before = "# mine\nagent:\n  max_turns: 7 # few\n";
  await Deno.writeTextFile(file, before);
  assert.equal((await hermes(home.path, "tools", "disable", "file", "process")).code, 0);
  const off = await list(home.path);
  assert.equal(stateOf(off, "read_file"), 'disabled: "file" is disabled');
  assert.equal(stateOf(off, "process"), 'disabled: "process" is disabled');
  assert.equal(stateOf(off, "terminal"), "offered");
  assert.match(await Deno.readTextFile(file), /^# mine\nagent:\n {2}max_turns: 7 # few\n/);

  const half = await hermes(home.path, "tools", "enable", "read_file");
  assert.equal(half.code, 1);
  assert.match(half.stderr, /read_file stays off: "file" is disabled/);
  assert.equal((await hermes(home.path, "tools", "enable", "file", "process")).code, 0);
  assert.equal(stateOf(await list(home.path), "read_file"), "offered");
});

Deno.test("hermes tools enable all brings back everything that was disabled by any name", async () => {
  await using home = await tempHome();
  const names = (await list(home.path)).tools.map(({ name }) => name);
  assert.equal((await hermes(home.path, "tools", "disable", ...names, "file")).code, 0);
  const all = await hermes(home.path, "tools", "enable", "all");
  assert.equal(all.code, 0, all.stderr);
  const states = (await list(home.path)).tools.map(({ state }) => state);
  assert.deepEqual(states.filter((state) => state === "disabled"), []);
});

Deno.test("hermes tools and run know toolsets of other builds and say that this one has none", async () => {
  await withJob([{ text: "ok" }], async (job) => {
    const enabled = await job.hermes(["tools", "enable", "messaging"]);
    assert.equal(enabled.code, 0);
    assert.match(enabled.stderr, /this build has no tool of "messaging"/);
    const { code, stderr } = await job.run(["-t", "web,moa", "hi"]);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^hermes: this build has no tool of web, moa\nhermes: no tool is offered\n/,
    );
  });
});

Deno.test("hermes tools enable adds a toolset that the configured ones lack", async () => {
  await using home = await tempHome();
  const file = `${home.path}/.hermes/config.yaml`;
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.writeTextFile(file, "toolsets: [terminal]\n");
  assert.equal(stateOf(await list(home.path), "read_file"), "disabled: not in toolsets");
  assert.equal((await hermes(home.path, "tools", "enable", "file")).code, 0);
  assert.equal(await Deno.readTextFile(file), "toolsets: [terminal, file]\n");
  assert.equal(stateOf(await list(home.path), "read_file"), "offered");
});

Deno.test("hermes tools info shows a tool and a toolset", async () => {
  await using home = await tempHome();
  const tool = await hermes(home.path, "tools", "info", "terminal");
  assert.match(
    tool.stdout,
    /^terminal: offered\n {2}toolset: terminal\n {2}prompt: \d+ characters/,
  );
  const toolset = JSON.parse((await hermes(home.path, "tools", "info", "file", "--json")).stdout);
  assert.deepEqual(toolset.tools, ["patch", "read_file", "search_files", "write_file"]);
  const absent = await hermes(home.path, "tools", "info", "spotify_queue");
  assert.equal(absent.stdout, "spotify_queue: a tool that this build does not have\n");
});

Deno.test("hermes tools refuses unknown names with the nearest one", async () => {
  await using home = await tempHome();
  for (const command of ["info", "enable", "disable"]) {
    const { code, stderr, stdout } = await hermes(home.path, "tools", command, "termnal");
    assert.equal(code, 2);
    assert.equal(stdout, "");
    assert.match(stderr, /Unknown toolset or tool: "termnal" \(did you mean "terminal"\?\)/);
  }
  assert.equal((await hermes(home.path, "tools", "enable")).code, 2);
});
