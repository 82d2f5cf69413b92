/** `hermes config`, as a person runs it. */
import assert from "node:assert/strict";
import { runHermes, type RunOptions, tempHome } from "../support/hermes.ts";

function hermesIn(home: string) {
  return (args: string[], more: Partial<RunOptions> = {}) => runHermes({ home, args, ...more });
}

Deno.test("hermes config set, get, list and unset keep every comment", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const file = `${home.path}/.hermes/config.yaml`;
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.writeTextFile(file, "# mine\nagent:\n  max_turns: 5 # few\n");

  const set = await hermes(["config", "set", "agent.max_turns", "9"]);
  assert.deepEqual([set.code, set.stderr], [0, ""]);
  assert.equal(await Deno.readTextFile(file), "# mine\nagent:\n  max_turns: 9 # few\n");
  assert.equal((await hermes(["config", "get", "agent.max_turns"])).stdout, "9\n");
  assert.equal((await hermes(["config"])).stdout, "agent.max_turns = 9  (config.yaml)\n");
  const overridden = await hermes(["config", "list"], { env: { HERMES_MAX_TURNS: "3" } });
  assert.equal(overridden.stdout, "agent.max_turns = 3  (HERMES_MAX_TURNS)\n");

  assert.equal((await hermes(["config", "unset", "agent.max_turns"])).code, 0);
  assert.equal(await Deno.readTextFile(file), "# mine\n");
  assert.equal((await hermes(["config", "get", "agent.max_turns"])).stdout, "500\n");
});

Deno.test("hermes config set keeps a secret out of config.yaml and of every output", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const set = await hermes(["config", "set", "OPENAI_API_KEY", "-"], { stdin: "sk-s3cret\n" });
  assert.equal(set.code, 0);
  const env = `${home.path}/.hermes/.env`;
  assert.equal(await Deno.readTextFile(env), "OPENAI_API_KEY=sk-s3cret\n");
  assert.equal((await Deno.stat(env)).mode! & 0o777, 0o600);
  await hermes(["config", "set", "model.api_key", "sk-s3cret"]);
  const shown = await Promise.all([
    hermes(["config", "get", "OPENAI_API_KEY"]),
    hermes(["config", "get", "model"]),
    hermes(["config", "list", "--all", "--json"]),
    hermes(["model"]),
    hermes(["model", "--json"]),
  ]);
  for (const { code, stdout, stderr } of [set, ...shown]) {
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /s3cret/);
  }
});

Deno.test("hermes config set refuses a wrong value with exit code 2 and writes nothing", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const { code, stderr } = await hermes(["config", "set", "terminal.backend", "dokcer"]);
  assert.equal(code, 2);
  assert.match(stderr, /^hermes: terminal\.backend must be one of .*, not "dokcer"\n/);
  assert.match(stderr, /hermes config set terminal\.backend "docker"/);
  await assert.rejects(Deno.stat(`${home.path}/.hermes/config.yaml`), Deno.errors.NotFound);
});

Deno.test("hermes config set refuses an unknown key and names the nearest one", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const { code, stdout, stderr } = await hermes(["config", "set", "termnal.backend", "docker"]);
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(
    stderr,
    /^hermes: there is no setting "termnal\.backend"\. Did you mean "terminal\./,
  );
  await assert.rejects(Deno.stat(`${home.path}/.hermes/config.yaml`), Deno.errors.NotFound);
});

Deno.test("hermes config unset says what it took out and which default holds", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const file = `${home.path}/.hermes/config.yaml`;
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.writeTextFile(file, "model:\n  default: m\n  provider: custom\n");
  const { code, stdout } = await hermes(["config", "unset", "model"]);
  assert.deepEqual([code, stdout], [
    0,
    `model.default is no longer in ${file}; the default is ""\n`,
  ]);
  assert.equal(await Deno.readTextFile(file), "model:\n  provider: custom\n");
});

Deno.test("hermes config check and every other command name what is wrong in the file", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const file = `${home.path}/.hermes/config.yaml`;
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.writeTextFile(file, "agent:\n  max_turns: x\n  stall_guards: 1\nmodle: y\n");
  const check = await hermes(["config", "check"]);
  assert.equal(check.code, 2);
  assert.match(check.stdout, /config\.yaml:2:3: agent\.max_turns must be a number, not "x"/);
  assert.match(check.stdout, /config\.yaml:3:3: agent\.stall_guards must be true or false, not 1/);
  assert.match(check.stdout, /config\.yaml:4:1: unknown key "modle".*"model"/);
  const list = await hermes(["config", "list"]);
  assert.equal(list.code, 2);
  assert.match(list.stderr, /^hermes: .*config\.yaml:2:3: .*\(1 more: hermes config check\)\n/);
  assert.equal((await hermes(["config", "unset", "agent.max_turns"])).code, 0);
});

Deno.test("hermes config edit opens the editor and checks what it left", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const editor = `${home.path}/editor.sh`;
  await Deno.writeTextFile(editor, `#!/bin/sh\nprintf 'agent: 5\\n' >> "$2"\n`, { mode: 0o755 });
  const broken = await hermes(["config", "edit"], { env: { EDITOR: `${editor} --wait` } });
  assert.equal(broken.code, 2);
  assert.match(broken.stdout, /agent must be a mapping, not 5/);
  assert.match(await Deno.readTextFile(`${home.path}/.hermes/config.yaml`), /^# Settings/);
  const failed = await hermes(["config", "edit"], { env: { EDITOR: "false" } });
  assert.equal(failed.code, 1);
  assert.match(failed.stderr, /editor "false" ended with code 1/);
});

Deno.test("hermes config edit and doctor start nothing from the directory they are called in", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const trap = `${home.path}/trap`;
  await Deno.mkdir(trap);
  for (const name of ["sh", "bash", "git", "rg", "docker"]) {
    const text = `#!/bin/sh\ntouch ${home.path}/sprung-${name}\n`;
    await Deno.writeTextFile(`${trap}/${name}`, text, { mode: 0o755 });
  }
  const env = { PATH: `.::${Deno.env.get("PATH")}`, EDITOR: "git --version" };
  await hermes(["config", "edit"], { env, cwd: trap });
  await hermes(["config", "edit"], { env: { ...env, EDITOR: "pwd > $HOME/where; :" }, cwd: trap });
  await hermes(["doctor"], { env, cwd: trap });
  assert.equal(await Deno.readTextFile(`${home.path}/where`), `${home.path}/.hermes\n`);
  const names = (await Array.fromAsync(Deno.readDir(home.path))).map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name.startsWith("sprung")), []);
});

Deno.test("hermes -p uses the profile's own files and refuses an unknown one", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const unknown = await hermes(["-p", "work", "config", "list"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /there is no profile "work".*\n.*mkdir -p/);
  await Deno.mkdir(`${home.path}/.hermes/profiles/work`, { recursive: true });
  await hermes(["-p", "work", "config", "set", "agent.max_turns", "4"]);
  assert.equal((await hermes(["config", "get", "agent.max_turns"])).stdout, "500\n");
  assert.equal((await hermes(["config", "get", "agent.max_turns", "-p", "work"])).stdout, "4\n");
});

Deno.test("hermes config says so when the home cannot be written", async () => {
  await using home = await tempHome();
  await Deno.writeTextFile(`${home.path}/.hermes`, "a file, not a directory");
  const { code, stderr } = await hermesIn(home.path)(["config", "set", "model", "m"]);
  assert.equal(code, 1);
  assert.match(stderr, /^hermes: cannot write .*\n {2}Make it writable, or set HERMES_HOME/);
  assert.doesNotMatch(stderr, /\bat .*:\d+:\d+/);
});

Deno.test("hermes schema config accepts the defaults it prints", async () => {
  await using home = await tempHome();
  const { stdout } = await hermesIn(home.path)(["schema", "config"]);
  const { properties } = JSON.parse(stdout);
  assert.equal(properties.agent.properties.max_turns.default, 500);
  assert.equal(properties.agent.required, undefined);
});
