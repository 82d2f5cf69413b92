/** The grants that a yes leaves: never more than the words that were chosen. */
import assert from "node:assert/strict";
import type { ApprovalContext, Approver } from "../protocol/approval.ts";
import { context, gateWith, MemoryGrants, NOW, Person } from "../../tests/support/approval_gate.ts";
import type { GrantStore } from "./grant_store.ts";

Deno.test("checkCommand() remembers a yes for the session for that command alone", async () => {
  const person = new Person("session", "session");
  const gate = gateWith({ approver: person });
  await gate.checkCommand("rm -rf a; git push -f", context());
  assert.equal(
    (await gate.checkCommand("rm -rf a; git push -f", context())).by,
    "remembered answer",
  );
  const others = ["rm -rf a", "rm -rf b", "git push -f", "rm -rf a; git push -f; rm -rf b"];
  for (const other of others) {
    await gate.checkCommand(other, context());
    assert.equal(person.questions.at(-1)!.subject, other);
  }
  await gate.checkCommand("rm -rf a; git push -f", context({ cwd: "/srv/other" }));
  assert.equal(person.questions.length, 2 + others.length, "in another project it is asked again");
});

Deno.test("checkCommand() offers what a yes may cover, in words that say it", async () => {
  const person = new Person();
  const gate = gateWith({ approver: person, store: new MemoryGrants() });
  const offered = async (command: string, more: Partial<ApprovalContext> = {}) => {
    await gate.checkCommand(command, context(more));
    return person.questions.at(-1)!.choices!.map(({ id, text }) => `${id}: ${text}`);
  };
  assert.deepEqual(await offered("rm -rf build"), [
    "once: Allow this once",
    "session: Allow exactly `rm -rf build` in /srv/app until this session ends",
    "always: Always allow exactly `rm -rf build` in /srv/app",
    "shape: Always allow `rm -rf *` in /srv/app, where * is any name or path inside it",
    'rule: Always allow every command and action of the rule "recursive delete" ' +
    "(deletes whole directories) in /srv/app",
    "deny: Deny",
  ]);
  const ids = async (command: string, more: Partial<ApprovalContext> = {}) =>
    (await offered(command, more)).map((line) => line.split(":")[0]).join(" ");
  assert.equal(await ids("rm -rf a && git push -f"), "once session always rule deny");
  assert.equal(await ids('rm -rf "$X"'), "once session rule deny", "values are set elsewhere");
  assert.equal(await ids("bash -c 'rm -rf a'"), "once session always rule deny");
  assert.equal(await ids("echo 'open"), "once session deny", "nobody could read it");
  assert.equal(await ids("hermes config set approvals.mode off"), "once deny");
  assert.equal(await ids("rm -rf x", { environment: "ssh" }), "once session rule deny");
  const [, , always] = await offered(`rm -rf ${"a".repeat(80)}`);
  assert.equal(always, "always: Always allow exactly this command in /srv/app");
});

Deno.test("checkCommand() stores exactly what the chosen words said, and obeys it later", async () => {
  const commands = [
    "rm -rf build",
    "rm -rf dist",
    "rm -rf dist sub/x",
    "rm -r dist",
    "rm -rf ../x",
  ];
  const allowed: Record<string, string[]> = {
    always: ["rm -rf build"],
    shape: ["rm -rf build", "rm -rf dist", "rm -rf dist sub/x"],
    rule: commands,
  };
  for (const [choice, expected] of Object.entries(allowed)) {
    const store = new MemoryGrants();
    const given = await gateWith({ approver: new Person(choice), store })
      .checkCommand("rm -rf build", context());
    assert.deepEqual([given.answer, given.choice], ["always", choice]);
    const [grant] = store.grants;
    assert.deepEqual([grant!.scope, grant!.project, grant!.createdAt, store.grants.length], [
      "project",
      "/srv/app",
      NOW.toISOString(),
      1,
    ]);
    for (const command of commands) {
      const later = await gateWith({ policy: "never", store }).checkCommand(command, context());
      assert.equal(later.answer === "once", expected.includes(command), `${choice}: ${command}`);
      const elsewhere = context({ cwd: "/srv/other" });
      const there = await gateWith({ policy: "never", store }).checkCommand(command, elsewhere);
      assert.equal(there.answer, "deny", `${choice} elsewhere: ${command}`);
    }
  }
});

Deno.test("checkCommand() asks again when a stored command is found to do something else", async () => {
  const store = new MemoryGrants();
  const disk = { realPath: (path: string) => path, readText: () => text };
  let text = "rm -rf build\n";
  const gate = gateWith({ approver: new Person("always"), store, rules: { disk } });
  assert.equal((await gate.checkCommand("bash x.sh", context())).answer, "always");
  const later = () => gateWith({ policy: "never", store, rules: { disk } });
  assert.equal((await later().checkCommand("bash x.sh", context())).answer, "once");
  text = "rm -rf build\ngit push --force\n";
  assert.equal((await later().checkCommand("bash x.sh", context())).answer, "deny");
});

Deno.test("checkCommand() takes a bare `always` for this command, never for a rule", async () => {
  const store = new MemoryGrants();
  await gateWith({ approver: new Person("always"), store }).checkCommand("rm -rf a", context());
  assert.deepEqual(store.grants.map(({ kind, value }) => [kind, value]), [["command", "rm -rf a"]]);
  const forged: Approver = {
    ask: () => Promise.resolve({ answer: "always", choice: "everything", by: "x" }),
  };
  const gate = gateWith({ approver: forged, store });
  assert.equal((await gate.checkCommand("rm -rf b", context())).answer, "deny");
  assert.equal(store.grants.length, 1);
});

Deno.test("checkCommand() binds a command that names a directory above to its directory", async () => {
  const store = new MemoryGrants();
  const projectOf = () => ({ name: "/srv/app", isLasting: true });
  const person = new Person("always");
  await gateWith({ approver: person, store, projectOf })
    .checkCommand("rm -rf ../x", context({ cwd: "/srv/app/sub" }));
  assert.match(
    person.questions[0]!.choices![2]!.text,
    /exactly `rm -rf ..\/x` in \/srv\/app\/sub$/,
  );
  const later = gateWith({ policy: "never", store, projectOf });
  const at = async (cwd: string) =>
    (await later.checkCommand("rm -rf ../x", context({ cwd }))).answer;
  assert.deepEqual([await at("/srv/app/sub"), await at("/srv/app")], ["once", "deny"]);
});

Deno.test("checkCommand() makes a yes for good last the session when it cannot be stored", async () => {
  const broken: GrantStore = {
    read: () => Promise.reject(new Error("damaged")),
    add: () => Promise.reject(new Error("disk full")),
  };
  for (const store of [undefined, broken]) {
    const gate = gateWith({ approver: new Person("always"), store });
    assert.equal((await gate.checkCommand("rm -rf a", context())).answer, "session");
    assert.equal((await gate.checkCommand("rm -rf a", context())).by, "remembered answer");
    assert.equal((await gate.checkCommand("rm -rf b", context())).answer, "deny");
  }
});

Deno.test("checkCommand() never stores a yes to what it could not parse", async () => {
  const store = new MemoryGrants();
  const person = new Person("always");
  const gate = gateWith({ approver: person, store });
  assert.equal((await gate.checkCommand("echo 'open", context())).answer, "session");
  assert.equal(person.questions[0]!.allowAlways, false);
  assert.deepEqual(store.grants, []);
});

Deno.test("checkCommand() neither stores nor repeats a command with a secret in it", async () => {
  const store = new MemoryGrants();
  const person = new Person("session");
  const redact = (text: string) => text.replaceAll("hunter2", "***");
  const gate = gateWith({ approver: person, store, redact });
  assert.equal((await gate.checkCommand("rm -rf hunter2", context())).answer, "session");
  assert.ok(!JSON.stringify(person.questions).includes("hunter2"));
  assert.ok(!person.questions[0]!.choices!.some(({ id }) => id === "always" || id === "shape"));
  assert.equal((await gate.checkCommand("rm -rf hunter2", context())).by, "remembered answer");
  assert.equal((await gate.checkCommand("rm -rf ***", context())).answer, "deny");
});
