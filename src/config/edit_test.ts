import assert from "node:assert/strict";
import { HermesError, UsageError } from "../protocol/error.ts";
import { describeKeys } from "./describe.ts";
import { editConfig, editVariable, parseSetting } from "./edit.ts";
import { resolveHome } from "./home.ts";
import { HIDDEN, isSecretPath, isVariableName, showValue } from "./secrets.ts";

async function tempHome() {
  const dir = await Deno.makeTempDir({ prefix: "hermes-edit-" });
  return {
    dir,
    home: resolveHome({ env: { HERMES_HOME: `${dir}/home` } }),
    file: `${dir}/home/config.yaml`,
    [Symbol.asyncDispose]: () => Deno.remove(dir, { recursive: true }),
  };
}

Deno.test("editConfig() creates the file for its owner only", async () => {
  await using at = await tempHome();
  await editConfig(at.home, { key: "agent.max_turns", change: () => 5 });
  assert.equal(await Deno.readTextFile(at.file), "agent:\n  max_turns: 5\n");
  assert.equal((await Deno.stat(at.file)).mode! & 0o777, 0o600);
});

Deno.test("editConfig() refuses a value that does not fit and leaves the file alone", async () => {
  await using at = await tempHome();
  await editConfig(at.home, { key: "agent.max_turns", change: () => 5 });
  await assert.rejects(
    editConfig(at.home, { key: "agent.max_turns", change: () => "ten" }),
    (error: unknown) => error instanceof UsageError && /must be a number/.test(error.message),
  );
  await assert.rejects(editConfig(at.home, { key: "agent", change: () => 5 }), /must be a mapping/);
  await assert.rejects(editConfig(at.home, { key: "a..b", change: () => 5 }), /is no key/);
  assert.equal(await Deno.readTextFile(at.file), "agent:\n  max_turns: 5\n");
});

Deno.test("editConfig() can repair one of several wrong keys but not broken YAML", async () => {
  await using at = await tempHome();
  await Deno.mkdir(`${at.dir}/home`);
  await Deno.writeTextFile(at.file, "agent: { max_turns: x }\nterminal: { timeout: y }\n");
  await editConfig(at.home, { key: "agent.max_turns", change: () => undefined });
  assert.equal(await Deno.readTextFile(at.file), "terminal: { timeout: y }\n");
  await Deno.writeTextFile(at.file, "a: [\n");
  await assert.rejects(editConfig(at.home, { key: "model", change: () => "m" }), /broken YAML/);
});

Deno.test("editConfig() refuses an unknown key with the nearest one, and removes one", async () => {
  await using at = await tempHome();
  const meant: [key: string, nearest: string][] = [
    ["agent.max_turn", "agent.max_turns"],
    ["termnal.backend", "terminal.backend"],
    ["provider", "model.provider"],
  ];
  for (const [key, nearest] of meant) {
    await assert.rejects(editConfig(at.home, { key, change: () => "x" }), {
      message: `there is no setting "${key}". Did you mean "${nearest}"?`,
    });
  }
  await assert.rejects(Deno.stat(at.file), Deno.errors.NotFound);
  await Deno.mkdir(`${at.dir}/home`, { recursive: true });
  await Deno.writeTextFile(at.file, "termnal: { backend: x }\n");
  await editConfig(at.home, { key: "termnal", change: () => undefined });
  assert.equal(await Deno.readTextFile(at.file), "");
});

Deno.test("editConfig() loses no edit when many happen at once", async () => {
  await using at = await tempHome();
  const append = (word: string) =>
    editConfig(at.home, {
      key: "command_allowlist",
      change: (current) => [...(current as string[] | undefined) ?? [], word],
    });
  const words = Array.from({ length: 20 }, (_, i) => `w${i}`);
  await Promise.all(words.map(append));
  const { before } = await editConfig(at.home, {
    key: "command_allowlist",
    change: (current) => current,
  });
  assert.deepEqual((before as string[]).toSorted(), words.toSorted());
});

Deno.test("editConfig() writes through a symlink", async () => {
  await using at = await tempHome();
  await Deno.mkdir(`${at.dir}/home`);
  await Deno.writeTextFile(`${at.dir}/real.yaml`, "# mine\n");
  await Deno.symlink(`${at.dir}/real.yaml`, at.file);
  await editConfig(at.home, { key: "model", change: () => "m" });
  assert.ok((await Deno.lstat(at.file)).isSymlink);
  assert.equal(await Deno.readTextFile(`${at.dir}/real.yaml`), "# mine\nmodel:\n  default: m\n");
});

Deno.test("editConfig() says when the home cannot be written", async () => {
  await using at = await tempHome();
  await Deno.writeTextFile(`${at.dir}/home`, "a file");
  await assert.rejects(
    editConfig(at.home, { key: "model", change: () => "m" }),
    (error: unknown) => error instanceof HermesError && /^cannot write /.test(error.message),
  );
});

Deno.test("editVariable() keeps secrets readable by the owner only", async () => {
  await using at = await tempHome();
  const file = await editVariable(at.home, { name: "OPENAI_API_KEY", value: "sk-1" });
  await editVariable(at.home, { name: "OTHER_KEY", value: "2" });
  assert.equal(await Deno.readTextFile(file), "OPENAI_API_KEY=sk-1\nOTHER_KEY=2\n");
  assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
  await editVariable(at.home, { name: "OPENAI_API_KEY", value: undefined });
  assert.equal(await Deno.readTextFile(file), "OTHER_KEY=2\n");
});

Deno.test("parseSetting() reads the kind of value its key holds", () => {
  assert.equal(parseSetting("model.default", "123"), "123");
  assert.equal(parseSetting("agent.max_turns", "12"), 12);
  assert.equal(parseSetting("agent.stall_guards", "off"), false);
  assert.deepEqual(parseSetting("toolsets", "web, file"), ["web", "file"]);
  assert.deepEqual(parseSetting("toolsets", `["a,b"]`), ["a,b"]);
  assert.deepEqual(parseSetting("terminal.docker_env", `{"A":"b"}`), { A: "b" });
  assert.equal(parseSetting("context_file_max_chars", "null"), null);
  assert.equal(parseSetting("model.context_length", "8192"), 8192);
  assert.throws(() => parseSetting("terminal.docker_env", "{A:b}"), /looks like JSON but is not/);
});

Deno.test("isSecretPath() and showValue() hide secrets wherever they stand", () => {
  assert.equal(isSecretPath("model.api_key"), true);
  assert.equal(isSecretPath("providers.x.extra_headers.Accept"), true);
  assert.equal(isSecretPath("model.max_tokens"), false);
  assert.equal(isSecretPath("terminal.ssh_key"), false);
  const secret = describeKeys().map((key) => key.path).filter(isSecretPath);
  assert.deepEqual(secret, ["model.api_key", "providers.*.api_key", "auxiliary.*.api_key"]);
  assert.equal(isVariableName("OPENAI_API_KEY"), true);
  assert.equal(isVariableName("model"), false);
  assert.deepEqual(
    showValue("providers", { x: { api_key: "k", base_url: "u" }, y: { api_key: "" } }),
    { x: { api_key: HIDDEN, base_url: "u" }, y: { api_key: "" } },
  );
});
