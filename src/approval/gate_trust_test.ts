/** The strict modes of trust: every command and write asked about, or nothing changed at all. */
import assert from "node:assert/strict";
import { context, gateWith, MemoryGrants, Person } from "../../tests/support/approval_gate.ts";

Deno.test("ask-all asks about every command, whatever the rules and lists say", async () => {
  const person = new Person();
  const gate = gateWith({ policy: "ask-all", approver: person, rules: { allowlist: ["ls", "*"] } });
  for (const environment of ["local", "docker"]) {
    for (const command of ["ls", "npm test", "rm -rf build"]) {
      assert.equal((await gate.checkCommand(command, context({ environment }))).answer, "deny");
      assert.equal(person.questions.at(-1)!.subject, command);
    }
  }
  assert.match((await gate.checkCommand("rm -rf /", context())).reason!, /hardline/);
  const nobody = await gateWith({ policy: "ask-all" }).checkCommand("ls", context());
  assert.equal(nobody.unanswerable, true);
});

Deno.test("ask-all remembers a command or its shape, and offers no yes to all commands", async () => {
  const store = new MemoryGrants();
  const person = new Person("shape", "session");
  const gate = gateWith({ policy: "ask-all", approver: person, store });
  await gate.checkCommand("npm run build", context());
  const ids = person.questions[0]!.choices!.map(({ id }) => id);
  assert.deepEqual(ids, ["once", "session", "always", "shape", "deny"]);
  assert.equal(store.grants[0]!.value, "npm run *");
  assert.equal((await gate.checkCommand("npm run test", context())).by, "remembered answer");
  for (
    const other of ["npm test", "npm run a b", "npm run ../x", "npm run a; ls", "npm install x"]
  ) {
    await gate.checkCommand(other, context());
    assert.equal(person.questions.at(-1)!.subject, other);
  }
});

Deno.test("ask-all is not satisfied by a yes that was given for another reason", async () => {
  const store = new MemoryGrants();
  await gateWith({ approver: new Person("always"), store }).checkCommand("rm -rf build", context());
  const strict = gateWith({ policy: "ask-all", store });
  assert.equal((await strict.checkCommand("rm -rf build", context())).answer, "deny");
});

Deno.test("ask-all asks about writing tools and those that do not say what they do, not about reading", async () => {
  const person = new Person("session");
  const gate = gateWith({ policy: "ask-all", approver: person });
  const check = async (effects: string[] | undefined, exact: string) =>
    (await gate.checkEffects!({ subject: "t x", effects }, context({ tool: "t", exact }))).answer;
  assert.ok(gate.judgesEffects);
  assert.equal(await check([], "1"), "once");
  assert.equal(await check(["execute"], "1"), "once");
  assert.equal(person.questions.length, 0);
  assert.equal(await check(["write", "execute"], "1"), "session");
  assert.equal(await check(["write", "execute"], "1"), "once", "the same call again");
  assert.equal(await check(["write", "execute"], "2"), "deny", "another call");
  assert.equal(await check(["send"], "3"), "deny");
  assert.equal(await check(undefined, "4"), "deny");
  assert.deepEqual(person.questions.map(({ description }) => description), [
    "changes files",
    "changes files",
    "talks to the network",
    "does not say what it does, so it counts as a change",
  ]);
  assert.ok(!person.questions.some(({ choices }) => choices!.some(({ id }) => id === "rule")));
});

Deno.test("plan runs what is known to read, and refuses the rest without asking", async () => {
  const person = new Person("once");
  const store = new MemoryGrants();
  for (const environment of ["local", "docker"]) {
    const gate = gateWith({ policy: "plan", approver: person, store, once: new Set(["x"]) });
    const here = context({ environment });
    for (const command of ["ls -la", "git log --oneline | head -3", "cd src && cat a.ts"]) {
      assert.equal((await gate.checkCommand(command, here)).answer, "once", command);
    }
    for (const command of ["npm test", "touch x", "rm x", "ls > x", "unknown", "python3 -c 1"]) {
      const { answer, reason } = await gate.checkCommand(command, here);
      assert.equal(answer, "deny", command);
      assert.match(reason!, /only plans.*step of the plan/s);
      assert.doesNotMatch(reason!, /in a row/);
    }
    const effects = async (list: string[] | undefined) =>
      (await gate.checkEffects!({ subject: "t", effects: list }, here)).answer;
    assert.deepEqual(
      [await effects([]), await effects(["execute"]), await effects(["write"])],
      ["once", "once", "deny"],
    );
    assert.equal(await effects(undefined), "deny");
  }
  assert.equal(person.questions.length, 0);
});

Deno.test("plan asks a person about a read that needs a yes, and refuses it where nobody is", async () => {
  const rules = { home: "/home/me" };
  const person = new Person("once");
  const read = "cat /home/me/.ssh/id_rsa";
  const asked = gateWith({ policy: "plan", approver: person, rules });
  assert.equal((await asked.checkCommand(read, context())).answer, "once");
  const refused = await gateWith({ policy: "plan", rules }).checkCommand(read, context());
  assert.deepEqual([refused.answer, refused.unanswerable], ["deny", undefined]);
});

Deno.test("a gate follows a policy that changes while it runs", async () => {
  const gate = gateWith({ policy: "always" });
  const run = async () => (await gate.checkCommand("touch x", context())).answer;
  assert.equal(await run(), "once");
  gate.policy = "plan";
  assert.deepEqual([await run(), gate.judgesEffects], ["deny", true]);
  gate.policy = "always";
  assert.deepEqual([await run(), gate.judgesEffects], ["once", false]);
});
