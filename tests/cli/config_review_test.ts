/** `hermes config check` and `hermes doctor` find what a configuration names that is not there. */
import assert from "node:assert/strict";
import { runHermes, tempHome } from "../support/hermes.ts";

async function homeWith(config: string) {
  const home = await tempHome();
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, config);
  const hermes = (...args: string[]) =>
    runHermes({
      home: home.path,
      args,
      env: { OLLAMA_HOST: "127.0.0.1:9", LM_BASE_URL: "http://127.0.0.1:9/v1" },
    });
  const text = () => Deno.readTextFile(`${home.path}/.hermes/config.yaml`);
  return { home, hermes, text, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

Deno.test("hermes config check and doctor name what makes every run fail", async () => {
  await using it = await homeWith(
    "toolsets: [hermes-cli, nope]\nagent:\n  disabled_toolsets: [termnal]\nmodel:\n  default: nope:x\n",
  );
  const check = await it.hermes("config", "check");
  assert.equal(check.code, 2);
  assert.match(check.stdout, /config\.yaml:1:24: toolsets: Unknown toolset or tool: "nope"/);
  assert.match(check.stdout, /hermes tools disable nope\n/);
  assert.match(check.stdout, /:3:23: agent\.disabled_toolsets: .*did you mean "terminal"/);
  assert.match(check.stdout, /hermes tools enable termnal\n/);
  assert.match(check.stdout, /:5:3: no provider for model "nope:x"/);
  const doctor = await it.hermes("doctor");
  assert.equal(doctor.code, 1);
  assert.match(doctor.stdout, /FAIL config\.yaml: toolsets: Unknown toolset or tool: "nope"/);
  assert.match(doctor.stdout, /FAIL model: no provider for model/);
});

Deno.test("hermes config check and doctor warn of what runs go on without", async () => {
  await using it = await homeWith(`
hooks:
  pre_tool_cal: [{ command: "true" }]
fallback_providers: [{ provider: nope, model: m }]
plugins:
  enabled: [calculatr, calculator]
  entries:
    calculator: { memory_mb: lots, bogus: 1, config: { decmals: 3 } }
`);
  const check = await it.hermes("config", "check");
  assert.equal(check.code, 0);
  assert.match(check.stdout, /:3:3: hooks\.pre_tool_cal: there is no such event/);
  assert.match(check.stdout, /:4:1: fallback nope is left out: unknown provider "nope"/);
  assert.match(check.stdout, /:6:13: plugins\.enabled: there is no plugin "calculatr"/);
  assert.match(check.stdout, /hermes plugins disable calculatr\n/);
  assert.match(check.stdout, /:6:24: plugin calculator: .*\.decmals is no setting of it/);
  assert.match(check.stdout, /hermes config unset plugins\.entries\.calculator\.config\.decmals\n/);
  assert.match(check.stdout, /:8:19: .*\.memory_mb is ignored: it cannot have this value/);
  assert.match(check.stdout, /:8:36: .*\.bogus is ignored: there is no such key/);
  const doctor = await it.hermes("doctor");
  assert.match(doctor.stdout, /warn config\.yaml: hooks\.pre_tool_cal/);
  assert.match(doctor.stdout, /warn plugins: plugins\.enabled: there is no plugin "calculatr"/);
  assert.match(doctor.stdout, /warn model: fallback nope is left out/);
});

Deno.test("hermes config check knows the tools of an enabled plugin", async () => {
  await using it = await homeWith(
    "toolsets: [terminal, calculate]\nplugins: { enabled: [calculator] }\n",
  );
  const check = await it.hermes("config", "check");
  assert.match(check.stdout, /config\.yaml is fine\n/);
  assert.equal(check.code, 0);
});

Deno.test("hermes tools disable takes a name out that means nothing any more", async () => {
  await using it = await homeWith(
    "toolsets: [hermes-cli, gone]\nagent: { disabled_toolsets: [lost] }\n",
  );
  const run = await it.hermes("run", "-q", "--model", "offline", "hi");
  assert.equal(run.code, 2);
  assert.match(run.stderr, /hermes tools disable gone/);
  const disable = await it.hermes("tools", "disable", "gone");
  assert.equal(disable.code, 0, disable.stderr);
  assert.match(disable.stdout, /^gone is no tool any more; it was taken out of /);
  assert.equal((await it.hermes("tools", "enable", "lost")).code, 0);
  assert.doesNotMatch(await it.text(), /gone|lost/);
  assert.equal((await it.hermes("tools", "disable", "never-there")).code, 2);
});

Deno.test("hermes config set checks a plugin's settings by its manifest", async () => {
  await using it = await homeWith("");
  const folder = `${it.home.path}/.hermes/plugins/greeter`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(
    `${folder}/plugin.yaml`,
    JSON.stringify({
      name: "greeter",
      version: "1.0.0",
      description: "Greets",
      config: { greeting: { type: "string" }, times: { type: "number" }, names: { type: "list" } },
    }),
  );
  await Deno.writeTextFile(`${folder}/mod.ts`, "export function register() {}\n");
  const set = (key: string, value: string) =>
    it.hermes("config", "set", `plugins.entries.greeter.${key}`, value);
  const typo = await set("config.greting", "hello");
  assert.equal(typo.code, 2);
  assert.match(typo.stderr, /greting is no setting of it\. Did you mean "greeting"/);
  const wrong = await set("config.times", "often");
  assert.equal(wrong.code, 2);
  assert.match(wrong.stderr, /times must be a number, not a string/);
  assert.equal((await set("memory_mb", "lots")).code, 2);
  assert.equal((await set("config.greeting", "5")).code, 0);
  assert.equal((await set("config.names", "a, b")).code, 0);
  const get = await it.hermes("config", "get", "plugins.entries.greeter.config", "--json");
  assert.deepEqual(JSON.parse(get.stdout), { greeting: "5", names: ["a", "b"] });
});

Deno.test("broken lines of .env are named by number and never shown", async () => {
  await using it = await homeWith("");
  await Deno.writeTextFile(
    `${it.home.path}/.hermes/.env`,
    "# mine\nOPENAI_API_KEY=x\nsk-s3cret\n=bar\n",
    { mode: 0o600 },
  );
  const list = await it.hermes("config", "list");
  assert.match(list.stderr, /\.env:3: this line is ignored: it is no NAME=VALUE\n.*\.env:4: /);
  const { stdout } = await it.hermes("doctor");
  assert.match(stdout, /warn \.env: .*\.env:3 is ignored/);
  assert.doesNotMatch(stdout + list.stdout + list.stderr, /s3cret/);
});
