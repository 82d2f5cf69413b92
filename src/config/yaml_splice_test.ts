import assert from "node:assert/strict";
import { inlineYaml, setInYaml, unsetInYaml } from "./yaml_splice.ts";

const FILE = `# My settings
model:
  default: a/b   # the good one
  provider: auto
# terminal things
terminal:
  backend: local
  docker_volumes:   # mounts
    - /a:/a
    - /b:/b
  # end of terminal

agent: { max_turns: 5, stall_guards: true } # short form
hooks:
fallback_providers:
  - provider: x   # first
    model: y
`;

Deno.test("setInYaml() changes one line and keeps every comment when the key exists", () => {
  assert.equal(
    setInYaml(FILE, "model.default", "c/d"),
    FILE.replace("a/b   # the good one", "c/d   # the good one"),
  );
  assert.equal(
    setInYaml(FILE, "terminal.backend", "docker"),
    FILE.replace("backend: local", "backend: docker"),
  );
});

Deno.test("setInYaml() adds a missing key after its last sibling", () => {
  assert.equal(
    setInYaml(FILE, "model.base_url", "http://127.0.0.1:1"),
    FILE.replace("provider: auto\n", `provider: auto\n  base_url: "http://127.0.0.1:1"\n`),
  );
  assert.equal(
    setInYaml(FILE, "display.show_cost", true),
    `${FILE}display:\n  show_cost: true\n`,
  );
});

Deno.test("setInYaml() replaces a block list but not the comment beside its key", () => {
  assert.equal(
    setInYaml(FILE, "terminal.docker_volumes", ["/c:/c"]),
    FILE.replace("    - /a:/a\n    - /b:/b\n", `    ["/c:/c"]\n`),
  );
});

Deno.test("setInYaml() rewrites a flow mapping in place", () => {
  assert.equal(
    setInYaml(FILE, "agent.max_turns", 9),
    FILE.replace("max_turns: 5", "max_turns: 9"),
  );
  assert.equal(
    setInYaml(FILE, "agent.system_prompt", "be: brief"),
    FILE.replace("stall_guards: true }", `stall_guards: true, system_prompt: "be: brief" }`),
  );
});

Deno.test("setInYaml() fills an empty key and reaches into lists", () => {
  assert.equal(
    setInYaml(FILE, "hooks.pre_tool_call", []),
    FILE.replace("hooks:\n", "hooks:\n  pre_tool_call: []\n"),
  );
  assert.equal(
    setInYaml(FILE, "fallback_providers.0.provider", "z"),
    FILE.replace("provider: x   #", "provider: z   #"),
  );
});

Deno.test("setInYaml() grows the short form of model into its mapping", () => {
  assert.equal(
    setInYaml("model: a/b # mine\n", "model.provider", "openai"),
    "model: { default: a/b, provider: openai } # mine\n",
  );
});

Deno.test("setInYaml() starts a file and keeps CRLF line ends", () => {
  assert.equal(setInYaml("", "agent.max_turns", 3), "agent:\n  max_turns: 3\n");
  assert.equal(setInYaml("# only a comment", "a", 1), "# only a comment\na: 1\n");
  assert.equal(
    setInYaml("a: 1\r\nb:\r\n  c: 2 # x\r\n", "b.d", 3),
    "a: 1\r\nb:\r\n  c: 2 # x\r\n  d: 3\r\n",
  );
});

Deno.test("setInYaml() refuses what it cannot do without losing something", () => {
  assert.throws(() => setInYaml("agent: 5\n", "agent.max_turns", 3), /cannot change/);
  assert.throws(() => setInYaml("a: &x {b: 1}\nc: *x\n", "c.b", 2), /cannot change/);
});

Deno.test("unsetInYaml() removes the key's lines and parents left empty", () => {
  assert.equal(unsetInYaml(FILE, "model.provider"), FILE.replace("  provider: auto\n", ""));
  assert.equal(
    unsetInYaml(FILE, "terminal.docker_volumes"),
    FILE.replace("  docker_volumes:   # mounts\n    - /a:/a\n    - /b:/b\n", ""),
  );
  assert.equal(unsetInYaml("a:\n  b:\n    c: 1\nd: 2\n", "a.b.c"), "d: 2\n");
  assert.equal(
    unsetInYaml(FILE, "agent.max_turns"),
    FILE.replace("max_turns: 5, ", ""),
  );
  assert.equal(
    unsetInYaml(FILE, "fallback_providers.0.provider"),
    FILE.replace("provider: x   # first\n    model", "model"),
  );
  assert.equal(unsetInYaml(FILE, "nothing.here"), FILE);
});

Deno.test("setInYaml() loses no comment over many edits in a row", () => {
  let text = FILE;
  const values: unknown[] = [
    "plain",
    "with: colon",
    "# hash",
    "",
    "yes",
    "1",
    1,
    true,
    null,
    [],
    {
      k: ["v", "a, b"],
    },
    "multi\nline",
    "'\"\\",
    "ünï",
  ];
  const paths = ["model.default", "terminal.cwd", "agent.max_turns", "new.deep.key", "hooks.x.y"];
  for (const value of values) {
    for (const path of paths) text = setInYaml(text, path, value);
  }
  for (const comment of FILE.match(/#.*/g)!) assert.ok(text.includes(comment), comment);
});

Deno.test("inlineYaml() quotes what a reader could take for something else", () => {
  assert.equal(inlineYaml(["a", "no", "1", "-x", "a b"]), `[a, "no", "1", "-x", "a b"]`);
  assert.equal(inlineYaml({}), "{}");
});
