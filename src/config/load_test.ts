import assert from "node:assert/strict";
import { UsageError } from "../protocol/error.ts";
import { Seal } from "../util/seal.ts";
import { VERSION } from "../util/version.ts";
import { DEFAULTS } from "./defaults_data.ts";
import { resolveHome } from "./home.ts";
import { closeCommand, othersWhoChange } from "./other_users.ts";
import { loadSettings, type Settings } from "./load.ts";

/** A home with these files, removed at the end of its scope. */
async function homeWith(files: Record<string, string>) {
  const dir = await Deno.makeTempDir({ prefix: "hermes-config-" });
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${dir}/${name}`, text);
  }
  const home = resolveHome({ env: { HERMES_HOME: dir } });
  return {
    dir,
    load: (env: Record<string, string> = {}, overrides?: Record<string, unknown>) =>
      loadSettings({ home, env, ...(overrides === undefined ? {} : { overrides }) }),
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

async function namesIn(dir: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(dir))).map((entry) => entry.name);
}

async function refusal(loading: Promise<Settings>): Promise<string> {
  try {
    await loading;
  } catch (error) {
    assert.ok(error instanceof UsageError, String(error));
    return `${error.message} | ${error.hint}`;
  }
  throw new Error("nothing was wrong");
}

Deno.test("loadSettings() gives the defaults and writes nothing when there is no file", async () => {
  await using home = await homeWith({});
  const settings = await home.load();
  assert.deepEqual(settings.config, DEFAULTS);
  assert.deepEqual(settings.warnings, []);
  assert.equal(settings.origin("agent.max_turns"), "default");
  assert.deepEqual(await namesIn(home.dir), []);
});

Deno.test("loadSettings() lays file, .env, environment and flags over each other in this order", async () => {
  await using home = await homeWith({
    "config.yaml": "agent: { max_turns: 1, api_max_retries: 9 }\nmodel: file/model\n",
    ".env": "HERMES_MAX_TURNS=2\nHERMES_MODEL=dotenv/model\nOPENAI_API_KEY=stored\n",
  });
  const fileAndDotenv = await home.load();
  assert.equal(fileAndDotenv.config.agent.max_turns, 2);
  assert.equal(fileAndDotenv.config.agent.api_max_retries, 9);
  assert.equal(fileAndDotenv.config.model.default, "dotenv/model");
  assert.equal(fileAndDotenv.env("OPENAI_API_KEY"), "stored");
  assert.equal(fileAndDotenv.origin("agent.max_turns"), "HERMES_MAX_TURNS");
  assert.equal(fileAndDotenv.origin("agent.api_max_retries"), "config.yaml");

  const env = { HERMES_MAX_TURNS: "3", OPENAI_API_KEY: "own", HERMES_MODEL: "" };
  const all = await home.load(env, { "model.default": "flag/model", "model.base_url": undefined });
  assert.equal(all.config.agent.max_turns, 3);
  assert.equal(all.env("OPENAI_API_KEY"), "own");
  assert.equal(all.config.model.default, "flag/model");
  assert.equal(all.origin("model.default"), "flag");
  assert.equal(all.get("model.base_url"), "");
});

Deno.test("loadSettings() leaves the defaults untouched", async () => {
  await using home = await homeWith({});
  const settings = await home.load({ HERMES_MAX_TURNS: "3" });
  settings.config.toolsets.push("x");
  assert.deepEqual((await home.load()).config.toolsets, ["hermes-cli"]);
});

/** A home whose configuration was checked once, and the files that remember it. */
async function checkedHome() {
  const home = await homeWith({ "config.yaml": "agent: { max_turns: 5 }\n" });
  await home.load();
  const path = `${home.dir}/cache/config.json`;
  const [seal, json] = (await Deno.readTextFile(path)).split("\n");
  const forged = json!.replace('"max_turns":5', '"max_turns":77');
  assert.notEqual(forged, json);
  return { ...home, path, seal: seal!, json: json!, forged };
}

async function turns(home: { load(): Promise<Settings> }): Promise<number> {
  return (await home.load()).config.agent.max_turns;
}

Deno.test("loadSettings() reads the checked result from its cache until the file changes", async () => {
  await using home = await checkedHome();
  assert.deepEqual(await namesIn(`${home.dir}/cache`), ["config.json"]);
  for (const path of [home.path, `${home.dir}/seal.key`]) {
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600, path);
  }
  const before = await Deno.stat(home.path);
  assert.equal(await turns(home), 5);
  assert.equal((await Deno.stat(home.path)).ino, before.ino, "the cache was made again");
  const ours = new Seal(`${home.dir}/seal.key`);
  const text = await Deno.readTextFile(`${home.dir}/config.yaml`);
  const seal = await ours.sign("config", `${VERSION}\n${text.length}\n${text}${home.forged}`);
  await Deno.writeTextFile(home.path, `${seal}\n${home.forged}`);
  assert.equal(await turns(home), 77, "the cache was not used");

  await Deno.writeTextFile(home.path, "damaged");
  assert.equal(await turns(home), 5);
  await Deno.writeTextFile(`${home.dir}/config.yaml`, "agent: { max_turns: 6 }\n");
  assert.equal(await turns(home), 6);
  assert.equal((await namesIn(`${home.dir}/cache`)).length, 1, "the old result stayed");
});

Deno.test("loadSettings() believes no cached result that hermes did not seal", async () => {
  await using home = await checkedHome();
  const other = new Seal(`${home.dir}/other.key`);
  const forgeries = [
    home.forged,
    `\n${home.forged}`,
    `${home.seal}\n${home.forged}`,
    `${"0".repeat(96)}\n${home.forged}`,
    `${await other.sign("config", home.forged)}\n${home.forged}`,
  ];
  for (const forgery of forgeries) {
    await Deno.writeTextFile(home.path, forgery);
    assert.equal(await turns(home), 5, forgery);
    assert.notEqual(await Deno.readTextFile(home.path), forgery, "the forgery stayed");
  }
});

Deno.test("loadSettings() does not take the sealed result of another text for this one", async () => {
  await using home = await checkedHome();
  const old = await Deno.readTextFile(home.path);
  await Deno.writeTextFile(`${home.dir}/config.yaml`, "agent: { max_turns: 6 }\n");
  assert.equal(await turns(home), 6);
  await Deno.writeTextFile(home.path, old);
  assert.equal(await turns(home), 6);
});

Deno.test("loadSettings() believes no key that others could have read or put there", async () => {
  await using home = await checkedHome();
  const key = `${home.dir}/seal.key`;
  const bytes = await Deno.readFile(key);
  await Deno.chmod(key, 0o644);
  const before = (await Deno.stat(home.path)).ino;
  assert.equal(await turns(home), 5);
  assert.notEqual((await Deno.stat(home.path)).ino, before, "a readable key was believed");
  assert.notDeepEqual(await Deno.readFile(key), bytes, "the readable key stayed");

  await Deno.rename(key, `${home.dir}/elsewhere`);
  await Deno.symlink(`${home.dir}/elsewhere`, key);
  const linked = (await Deno.stat(home.path)).ino;
  assert.equal(await turns(home), 5);
  assert.notEqual((await Deno.stat(home.path)).ino, linked, "a linked key was believed");
});

Deno.test("loadSettings() removes results that earlier versions kept without a seal", async () => {
  const old = `cache/config-${"a".repeat(64)}.json`;
  await using home = await homeWith({ "config.yaml": "agent: { max_turns: 5 }\n" });
  await Deno.mkdir(`${home.dir}/cache`);
  await Deno.writeTextFile(`${home.dir}/${old}`, "{}");
  await home.load();
  assert.deepEqual(await namesIn(`${home.dir}/cache`), ["config.json"]);
});

Deno.test("loadSettings() works when the cache cannot be written", async () => {
  await using home = await homeWith({
    "config.yaml": "agent: { max_turns: 5 }\n",
    cache: "a file",
  });
  assert.equal((await home.load()).config.agent.max_turns, 5);
});

Deno.test("loadSettings() expands variables in values and warns about unset ones", async () => {
  await using home = await homeWith({
    "config.yaml": "model: { base_url: 'http://${HOST}:${env:PORT}/v1', api_key: '${NO_KEY}' }\n" +
      "agent: { system_prompt: 'costs $5 ${not a var}' }\n",
    ".env": "HOST=127.0.0.1\n",
  });
  const { config, warnings } = await home.load({ PORT: "8080" });
  assert.equal(config.model.base_url, "http://127.0.0.1:8080/v1");
  assert.equal(config.model.api_key, "${NO_KEY}");
  assert.equal(config.agent.system_prompt, "costs $5 ${not a var}");
  assert.deepEqual(warnings, ["config.yaml uses ${NO_KEY}, which is not set"]);
});

Deno.test("loadSettings() names file, line, column, key, value and fix", async () => {
  await using home = await homeWith({
    "config.yaml": "# top\nagent:\n  max_turns: ten\nterminal:\n  backend: dokcer\n",
  });
  assert.equal(
    await refusal(home.load()),
    `${home.dir}/config.yaml:3:3: agent.max_turns must be a number, not "ten" ` +
      "(1 more: hermes config check) | Set it: hermes config set agent.max_turns 500",
  );
});

Deno.test("loadSettings() names a variable whose text does not fit", async () => {
  await using home = await homeWith({});
  assert.match(
    await refusal(home.load({ HERMES_MAX_TURNS: "x" })),
    /HERMES_MAX_TURNS must be a number/,
  );
  assert.match(await refusal(home.load({ TERMINAL_ENV: "dock" })), /Did you mean "docker"/);
  assert.match(await refusal(home.load({ HERMES_ACCEPT_HOOKS: "maybe" })), /must be true or false/);
  const lists = await home.load({ TERMINAL_DOCKER_VOLUMES: `["/a,b:/c"]` });
  assert.deepEqual(lists.config.terminal.docker_volumes, ["/a,b:/c"]);
});

Deno.test("loadSettings() says when the file cannot be read", async () => {
  await using home = await homeWith({});
  await Deno.mkdir(`${home.dir}/config.yaml`);
  assert.match(await refusal(home.load()), /cannot read .*config\.yaml: Is a directory/);
});

Deno.test("loadSettings() says when every user can change what hermes believes", async () => {
  await using home = await homeWith({
    "config.yaml": "agent: { max_turns: 1 }\n",
    ".env": "A=1\n",
  });
  assert.deepEqual((await home.load()).warnings, []);
  for (const name of ["", "/config.yaml", "/.env"]) {
    const path = `${home.dir}${name}`;
    const { mode } = await Deno.stat(path);
    await Deno.chmod(path, mode! & 0o777 | 0o002);
    const { warnings } = await home.load();
    assert.equal(warnings.length, 1, name);
    assert.match(warnings.join("\n"), new RegExp(`chmod o-w ${path}$`));
    await Deno.chmod(path, mode! & 0o777);
  }
});

Deno.test("othersWhoChange() names who besides the user and root can change something", () => {
  const rights = (mode: number, uid: number | null, gid: number | null) => ({ mode, uid, gid });
  const cases: [ReturnType<typeof rights>, string | undefined][] = [
    [rights(0o600, 1000, 1000), undefined],
    [rights(0o664, 1000, 1000), undefined],
    [rights(0o755, 0, 0), undefined],
    [rights(0o775, 0, 0), undefined],
    [rights(0o600, null, null), undefined],
    [rights(0o602, 1000, 1000), "every user of this machine"],
    [rights(0o777, 1001, 1001), "every user of this machine"],
    [rights(0o600, 1001, 1000), "the user 1001"],
    [rights(0o660, 1000, 100), "the group 100"],
    [rights(0o775, 0, 20), "the group 20"],
  ];
  for (const [info, who] of cases) assert.equal(othersWhoChange(info, 1000), who);
  assert.equal(closeCommand(rights(0o602, 1001, 1001), 1000), "chmod o-w");
  assert.equal(closeCommand(rights(0o600, 1001, 1001), 1000), "chown 1000");
  assert.equal(closeCommand(rights(0o660, 1000, 100), 1000), "chmod g-w");
});

Deno.test("loadSettings() says when another user owns what hermes believes", async () => {
  if (Deno.uid() !== 0) return console.log("skipped: only root can give a file away");
  await using home = await homeWith({
    "config.yaml": "agent: { max_turns: 1 }\n",
    ".env": "A=1\n",
  });
  for (const name of ["", "/config.yaml", "/.env"]) {
    const path = `${home.dir}${name}`;
    await Deno.chown(path, 4321, 4321);
    const { warnings } = await home.load();
    assert.equal(warnings.length, 1, name);
    assert.match(warnings[0]!, new RegExp(`^the user 4321 can change .*: chown 0 ${path}$`));
    await Deno.chown(path, 0, 0);
  }
});

Deno.test("loadSettings() waits for no pipe and reads no device", async () => {
  for (const name of ["config.yaml", ".env"]) {
    await using home = await homeWith({});
    const path = `${home.dir}/${name}`;
    const made = await new Deno.Command("mkfifo", { args: [path] }).output();
    assert.ok(made.success);
    assert.match(await refusal(home.load()), /it is no regular file/);
    await Deno.remove(path);
    await Deno.symlink("/dev/zero", path);
    assert.match(await refusal(home.load()), /it is no regular file/);
  }
});
