/** `hermes model`: what is chosen, why, and choosing another. */
import assert from "node:assert/strict";
import { runHermes, tempHome } from "../support/hermes.ts";

const NO_SERVERS = { OLLAMA_HOST: "127.0.0.1:2", LM_BASE_URL: "http://127.0.0.1:2/v1" };

function hermesIn(home: string) {
  return (args: string[], env: Record<string, string> = {}) =>
    runHermes({ home, args, env: { ...NO_SERVERS, ...env } });
}

Deno.test("hermes model says which model answers and why", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const selection = async (env: Record<string, string>) =>
    JSON.parse((await hermes(["model", "--json"], env)).stdout);
  assert.equal((await selection({})).source, "offline");
  const byKey = await selection({ ANTHROPIC_API_KEY: "sk-x" });
  assert.deepEqual([byKey.provider, byKey.source], ["anthropic", "key"]);
  const set = byKey.providers.filter((row: { set?: string }) => row.set !== undefined);
  assert.deepEqual(set, [{
    provider: "anthropic",
    variables: ["ANTHROPIC_API_KEY"],
    needsKey: true,
    set: "ANTHROPIC_API_KEY",
  }]);
  const named = await selection({ OPENAI_API_KEY: "sk-x", HERMES_MODEL: "openai:gpt-x" });
  assert.deepEqual([named.model, named.because], ["gpt-x", "chosen in HERMES_MODEL"]);
});

Deno.test("hermes model NAME saves the choice and shows what it leads to", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const key = { OPENAI_API_KEY: "sk-x" };
  const chosen = await hermes(["model", "gpt-x", "--provider", "openai"], key);
  assert.deepEqual([chosen.code, chosen.stderr], [0, ""]);
  assert.match(
    chosen.stdout,
    /^Model +gpt-x\nProvider +openai \(.*\)\nBecause +chosen in config\.yaml\n$/,
  );
  assert.equal(
    await Deno.readTextFile(`${home.path}/.hermes/config.yaml`),
    "model:\n  provider: openai\n  default: gpt-x\n",
  );
  const other = await hermes(["model", "gpt-y"], key);
  assert.match(other.stderr, /the provider stays openai; .*--provider auto/);
});

Deno.test("hermes model tells a missing key and refuses an unknown provider", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const keyless = await hermes(["model", "claude-x", "--provider", "anthropic"]);
  assert.deepEqual([keyless.code, keyless.stderr], [2, "hermes: nothing was saved\n"]);
  await assert.rejects(Deno.stat(`${home.path}/.hermes/config.yaml`), Deno.errors.NotFound);
  assert.match(keyless.stdout, /^Problem +anthropic needs a key: set ANTHROPIC_API_KEY/m);
  const unknown = await hermes(["model", "x", "--provider", "antropic"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /unknown provider "antropic"\. Did you mean "anthropic"\?/);
});

Deno.test("hermes model offline chooses the embedded model, also beside a pinned provider", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  await hermes(["model", "gpt-x", "--provider", "openai"], { OPENAI_API_KEY: "sk-x" });
  const chosen = await hermes(["model", "offline"]);
  assert.deepEqual([chosen.code, chosen.stderr], [0, ""]);
  assert.match(chosen.stdout, /^Model +offline\nProvider +offline /);
  const run = await hermes(["run", "run `echo done-offline`"]);
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.stdout, /done-offline/);
});

Deno.test("hermes model saves a provider whose server is not there now", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  const chosen = await hermes(["model", "--provider", "ollama"]);
  assert.deepEqual([chosen.code, chosen.stderr], [0, ""]);
  assert.match(chosen.stdout, /^Problem +ollama at .* does not answer: start it/m);
  const shown = await hermes(["model"]);
  assert.equal(shown.code, 2);
});

Deno.test("hermes model says when a name is sent whole to an address, and whom it chose", async () => {
  await using home = await tempHome();
  const hermes = hermesIn(home.path);
  await hermes(["config", "set", "model.base_url", "http://127.0.0.1:2/v1"]);
  const sent = await hermes(["model", "openrouter/some/model"]);
  assert.equal(sent.code, 0);
  assert.match(sent.stderr, /still go to .*:2\/v1, .*: hermes config unset model\.base_url\n/);
  assert.equal((await hermes(["model", "org/model"])).stderr, "");
  await hermes(["config", "unset", "model.base_url"]);
  await hermes(["config", "unset", "model.default"]);
  const refused = await hermes(["model", "openrouter/some/model"]);
  assert.equal(refused.code, 2);
  assert.match(refused.stdout, /^Because +you asked for it$/m);
  assert.match((await hermes(["model"])).stdout, /^ +lmstudio +needs no key$/m);
});
