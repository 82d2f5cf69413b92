/** Constructs that execute text they were given: none of them gets a command past the gate. */
import assert from "node:assert/strict";
import { type CommandPolicy, decide, evaluate } from "../../src/approval/decide.ts";

const FIXTURES = new URL("../fixtures/approval/", import.meta.url);
const POLICY: CommandPolicy = {
  home: "/home/me",
  cwd: "/home/me/project",
  places: {
    homes: ["/home/me", "/data/me"],
    hermesHomes: ["/home/me/.hermes"],
    trustedBase: ["/home/me/.cache/hermes/bin"],
  },
  hermesPrograms: ["/opt/tool/agent"],
};

function commands(name: string): string[] {
  return Deno.readTextFileSync(new URL(name, FIXTURES)).split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "));
}

function decision(command: string, policy: CommandPolicy = POLICY): string {
  return decide(command, policy).decision;
}

Deno.test("decide() never allows a command of the bypass corpus", () => {
  const corpus = commands("bypass.txt");
  assert.ok(corpus.length >= 1_000);
  assert.equal(new Set(corpus).size, corpus.length, "a command is listed twice");
  assert.deepEqual(corpus.filter((command) => decision(command) === "allow"), []);
});

Deno.test("decide() allows harmless commands with the same constructs", () => {
  assert.deepEqual(commands("harmless.txt").filter((command) => decision(command) !== "allow"), []);
});

Deno.test("decide() joins continued lines as a shell does", () => {
  for (const name of ["r\\\nm", "$\\\n(echo rm)", "$\\\n{x:-rm}"]) {
    assert.notEqual(decision(`${name} -rf ~/x`), "allow", name);
  }
});

Deno.test("evaluate() stores no lasting yes for text that nobody could read", () => {
  for (const command of ['eval "$x"', "echo $(($x))", "hermes hooks approve"]) {
    const { findings } = evaluate(command, POLICY);
    assert.ok(findings.some(({ once }) => once === true), command);
  }
});

const PLACES: [command: string, cwd: string, realCwd: string | undefined, wanted: string][] = [
  ["rm -rf *", "/home/me", undefined, "forbidden"],
  ["rm -rf *", "/data/me", undefined, "forbidden"],
  ["rm -rf *", "/home/me/project/link", "/home/me", "forbidden"],
  ["rm -rf .", "/home/me/project/link", "/", "forbidden"],
  ["cd .. && rm -rf *", "/srv/link", "/home/me/project", "forbidden"],
  ["env -C .. rm -rf *", "/home/me/project", undefined, "forbidden"],
  ["rm -rf /data/me", "/srv", undefined, "forbidden"],
  ["ls", "/home/me/project/link", "/home/me", "allow"],
];

Deno.test("decide() judges a directory by each of its names", () => {
  for (const [command, cwd, realCwd, wanted] of PLACES) {
    assert.equal(decision(command, { ...POLICY, cwd, realCwd }), wanted, `${command} in ${cwd}`);
  }
});

const SELF: [command: string, wanted: string][] = [
  ["hermes --version", "allow"],
  ["hermes doctor", "allow"],
  ["hermes config get model.default", "allow"],
  ["/opt/tool/agent sessions list", "allow"],
  ["hermes run --approve never x", "allow"],
  ["/opt/tool/agent hooks approve", "prompt"],
  ["cd /opt && tool/agent update", "prompt"],
  ["hermes model gpt", "prompt"],
  ["npx tool config set approvals.mode off", "prompt"],
];

Deno.test("decide() lets hermes look at itself, and asks before it changes itself", () => {
  for (const [command, wanted] of SELF) assert.equal(decision(command), wanted, command);
});
