import assert from "node:assert/strict";
import type {
  ApprovalAnswer,
  ApprovalContext,
  ApprovalRequest,
  Approver,
} from "../protocol/approval.ts";
import {
  context,
  gateWith,
  MemoryGrants,
  Person,
  SILENT,
} from "../../tests/support/approval_gate.ts";
import type { ApprovalGateOptions } from "./gate.ts";

const ACTION: ApprovalRequest = {
  tool: "write_file",
  subject: "write AGENTS.md",
  rule: "protected file",
  description: "changes instructions",
  allowAlways: true,
};

Deno.test("checkCommand() lets harmless commands pass without asking", async () => {
  const person = new Person();
  const outcome = await gateWith({ approver: person }).checkCommand("ls", context());
  assert.deepEqual(outcome, { answer: "once", by: "rules" });
  assert.equal(person.questions.length, 0);
});

Deno.test("checkCommand() refuses hardline and denied commands under every policy", async () => {
  for (const policy of ["never", "ask", "smart", "always"] as const) {
    for (const environment of ["local", "docker", "modal", "ssh"]) {
      const person = new Person("always");
      const gate = gateWith({
        policy,
        approver: person,
        approveUnattended: true,
        rules: { allowlist: ["*", "rm -rf /"], denyGlobs: ["git push*"] },
        smart: { review: () => Promise.resolve("APPROVE") },
      });
      for (const command of ["rm -rf /", "git push", "echo x | sudo -S ls"]) {
        const outcome = await gate.checkCommand(
          command,
          context({ environment, unattended: true }),
        );
        assert.equal(outcome.answer, "deny", `${policy} ${environment} ${command}`);
        assert.match(outcome.reason!, /^BLOCKED \(hardline\): .*Do not retry.*rephrase/s);
      }
      assert.equal(person.questions.length, 0);
    }
  }
});

Deno.test("checkCommand() asks with what would happen and passes the answer on", async () => {
  const person = new Person("once", "deny");
  const gate = gateWith({ approver: person });
  const asked: ApprovalRequest[] = [];
  const here = context({ asked: (request) => asked.push(request) });
  assert.deepEqual(await gate.checkCommand("rm -rf build", here), { answer: "once", by: "person" });
  const denied = await gate.checkCommand("rm -rf build", here);
  assert.equal(denied.answer, "deny");
  assert.match(denied.reason!, /^BLOCKED: deletes whole directories\. The user denied it\./);
  const { id, choices, ...question } = person.questions[0]!;
  assert.match(id!, /^[0-9a-f]{24}$/);
  assert.deepEqual(choices!.map((choice) => choice.id), ["once", "session", "rule", "deny"]);
  assert.deepEqual(question, {
    tool: "terminal",
    subject: "rm -rf build",
    rule: "recursive delete",
    description: "deletes whole directories",
    allowAlways: false,
  });
  assert.deepEqual(asked, person.questions);
});

Deno.test("checkCommand() does what the policy says when a yes is needed", async () => {
  const run = (options: Partial<ApprovalGateOptions>, here = context()) =>
    gateWith(options).checkCommand("rm -rf build", here);
  assert.deepEqual(await run({ policy: "always" }), { answer: "once", by: "policy" });
  const never = await run({ policy: "never", approver: new Person("once") });
  assert.equal(never.answer, "deny");
  assert.equal(never.unanswerable, undefined);
  assert.match(never.reason!, /^BLOCKED: .*this run refuses what needs approval/);
  const nobody = await run({ policy: "ask" });
  assert.equal(nobody.unanswerable, true);
  assert.match(nobody.reason!, /nobody is here/);
  const isolated = await run({ policy: "never" }, context({ environment: "docker" }));
  assert.deepEqual(isolated, { answer: "once", by: "isolated environment" });
  const mounted = await run(
    { policy: "never", isIsolated: () => false },
    context({ environment: "docker" }),
  );
  assert.equal(mounted.answer, "deny");
});

Deno.test("checkCommand() never prompts for sub-agents", async () => {
  const person = new Person("once");
  const sub = context({ unattended: true });
  for (const policy of ["ask", "smart"] as const) {
    const outcome = await gateWith({ policy, approver: person }).checkCommand("rm -rf a", sub);
    assert.equal(outcome.answer, "deny");
    assert.equal(outcome.unanswerable, undefined);
  }
  assert.equal(person.questions.length, 0);
  const trusting = gateWith({ approver: person, approveUnattended: true });
  assert.equal((await trusting.checkCommand("rm -rf a", sub)).answer, "once");
});

Deno.test("checkCommand() lets the reviewer approve, deny or escalate", async () => {
  const run = async (answer: string | Error, approver?: Person) => {
    const prompts: string[] = [];
    const gate = gateWith({
      policy: "smart",
      approver,
      smart: {
        review: (prompt) => {
          prompts.push(prompt);
          return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
        },
      },
    });
    const outcome = await gate.checkCommand("rm -rf build", context());
    assert.equal(prompts.length, 1);
    return outcome;
  };
  assert.deepEqual(await run("APPROVE"), { answer: "once", by: "smart review" });
  const alone = await run("DENY");
  assert.equal(alone.by, "smart review");
  assert.match(alone.reason!, /^BLOCKED: .*automatic review denied it/);
  for (const answer of ["ESCALATE", "Sure!", "", new Error("model is down")]) {
    const person = new Person("session");
    assert.equal((await run(answer, person)).answer, "session", String(answer));
    assert.equal(person.questions.length, 1);
    assert.equal((await run(answer)).answer, "deny");
  }
});

Deno.test("checkCommand() offers only once after a reviewer's no", async () => {
  const person = new Person("always", "deny");
  const gate = gateWith({
    policy: "smart",
    approver: person,
    store: { read: () => Promise.resolve([]), add: () => assert.fail("must not be stored") },
    smart: { review: () => Promise.resolve("DENY") },
  });
  assert.equal((await gate.checkCommand("rm -rf a", context())).answer, "once");
  const [question] = person.questions;
  assert.deepEqual([question!.allowAlways, question!.onceOnly], [false, true]);
  assert.equal((await gate.checkCommand("rm -rf a", context())).answer, "deny");
});

Deno.test("checkCommand() takes silence for a no", async () => {
  const outcome = await gateWith({ approver: SILENT, timeoutMs: 5 })
    .checkCommand("rm -rf a", context());
  assert.deepEqual([outcome.answer, outcome.by], ["deny", "timeout"]);
  assert.match(outcome.reason!, /nobody answered in time/);
});

Deno.test("checkCommand() takes a broken approver for a no", async () => {
  const approver: Approver = { ask: () => Promise.reject(new Error("terminal is gone")) };
  const outcome = await gateWith({ approver }).checkCommand("rm -rf a", context());
  assert.deepEqual([outcome.answer, outcome.by], ["deny", "failure"]);
});

Deno.test("checkCommand() rejects when aborted, asked or still waiting for its turn", async () => {
  const gate = gateWith({ approver: SILENT });
  const controllers = [new AbortController(), new AbortController()];
  const checks = controllers.map(({ signal }) =>
    gate.checkCommand("rm -rf a", context({ signal }))
  );
  controllers[1]!.abort(new Error("stop waiting"));
  await assert.rejects(checks[1]!, /stop waiting/);
  controllers[0]!.abort(new Error("stop asking"));
  await assert.rejects(checks[0]!, /stop asking/);
});

Deno.test("checkCommand() asks one question at a time, in order", async () => {
  const open: { subject: string; answer(answer: ApprovalAnswer): void }[] = [];
  let wake = () => {};
  const approver: Approver = {
    ask: ({ subject }) =>
      new Promise((resolve) => {
        open.push({ subject, answer: (answer) => resolve({ answer, by: "person" }) });
        wake();
      }),
  };
  const asked = () => new Promise<void>((resolve) => wake = resolve);
  const gate = gateWith({ approver });
  let next = asked();
  const first = gate.checkCommand("rm -rf a", context());
  const second = gate.checkCommand("rm -rf a", context());
  const third = gate.checkCommand("git push -f", context());
  await next;
  assert.deepEqual(open.map(({ subject }) => subject), ["rm -rf a"]);
  next = asked();
  open[0]!.answer("session");
  // The second is covered by the answer to the first and is not asked at all.
  assert.equal((await second).by, "remembered answer");
  await next;
  assert.deepEqual(open.map(({ subject }) => subject), ["rm -rf a", "git push -f"]);
  open[1]!.answer("deny");
  assert.deepEqual([(await first).answer, (await third).answer], ["session", "deny"]);
});

Deno.test("checkCommand() tells the model to stop after refusals in a row", async () => {
  const approver = new Person("deny", "deny", "once", "deny");
  const gate = gateWith({ approver, denialLimit: 2 });
  const refuse = async () => (await gate.checkCommand("rm -rf a", context())).reason!;
  assert.doesNotMatch(await refuse(), /in a row/);
  assert.match(await refuse(), /2 refusals in a row: stop trying/);
  assert.equal((await gate.checkCommand("rm -rf a", context())).answer, "once");
  assert.doesNotMatch(await refuse(), /in a row/);
});

Deno.test("checkCommand() tells hooks about question and answer, secrets removed", async () => {
  const told: unknown[] = [];
  const person = new Person("once");
  const gate = gateWith({
    approver: person,
    redact: (text) => text.replace("hunter2", "***"),
    notify: (name, payload) => Promise.resolve(void told.push([name, payload])),
  });
  await gate.checkCommand("rm -rf hunter2", context());
  const request = {
    sessionId: "s",
    callId: "c1",
    id: person.questions[0]!.id,
    tool: "terminal",
    subject: "rm -rf ***",
    rule: "recursive delete",
    description: "deletes whole directories",
    allowAlways: false,
  };
  assert.deepEqual(told, [
    ["pre_approval_request", request],
    ["post_approval_response", { ...request, answer: "once", by: "person" }],
  ]);
  assert.equal(person.questions[0]!.subject, "rm -rf ***");
});

Deno.test("checkCommand() names what nobody could answer, and a yes to its id counts one time", async () => {
  const asked: ApprovalRequest[] = [];
  const here = context({ asked: (request) => asked.push(request) });
  const refused = await gateWith().checkCommand("rm -rf build", here);
  assert.deepEqual([refused.unanswerable, refused.by], [true, "nobody present"]);
  assert.deepEqual([asked[0]!.subject, asked[0]!.rule], ["rm -rf build", "recursive delete"]);
  const gate = gateWith({ once: new Set([asked[0]!.id!]) });
  assert.equal((await gate.checkCommand("rm -rf other", here)).unanswerable, true);
  const allowed = await gate.checkCommand("rm -rf build", here);
  assert.deepEqual(allowed, { answer: "once", by: "your yes to this action" });
  assert.equal((await gate.checkCommand("rm -rf build", here)).unanswerable, true);
});

Deno.test("checkCommand() takes an answer that came by default for silence", async () => {
  const ask = () => Promise.resolve({ answer: "deny", by: "timeout", expired: true } as const);
  const gate = gateWith({ approver: { ask } });
  const outcome = await gate.checkCommand("rm -rf build", context());
  assert.equal(outcome.by, "timeout");
  assert.match(outcome.reason!, /nobody answered in time/);
});

Deno.test("checkAction() asks, remembers the action and obeys the policy", async () => {
  const person = new Person("session");
  const gate = gateWith({ approver: person });
  assert.equal((await gate.checkAction(ACTION, context())).answer, "session");
  assert.equal((await gate.checkAction(ACTION, context())).by, "remembered answer");
  assert.equal(person.questions.length, 1);
  await gate.checkAction({ ...ACTION, subject: "write CLAUDE.md" }, context());
  await gate.checkAction(ACTION, context({ exact: "{}" }));
  await gate.checkAction({ ...ACTION, tool: "patch" }, context());
  assert.equal(person.questions.length, 4, "another action is another question");
  const allowed = gateWith({ policy: "never", rules: { allowlist: ["protected file"] } });
  assert.equal((await allowed.checkAction(ACTION, context())).answer, "once");
  const never = await gateWith({ policy: "never" }).checkAction(ACTION, context());
  assert.match(never.reason!, /^BLOCKED: changes instructions\./);
  assert.equal((await gateWith().checkAction(ACTION, context())).unanswerable, true);
});

Deno.test("checkCommand() takes nothing for a yes that is none of the answers", async () => {
  for (const wrong of ["yes", "Deny", "", undefined]) {
    const store = new MemoryGrants();
    const gate = gateWith({
      approver: { ask: () => Promise.resolve({ answer: wrong as never, by: "surface" }) },
      store,
    });
    const { answer } = await gate.checkCommand("rm -rf a", context());
    assert.deepEqual([answer, store.grants], ["deny", []]);
  }
});

Deno.test("an id stands for one action in one place: elsewhere, or with other arguments, it is no yes", async () => {
  const ids: string[] = [];
  const call = { exact: '{"content":"a"}' };
  const here = context({ ...call, asked: ({ id }) => ids.push(id!) });
  const asking = gateWith({ policy: "never" });
  await asking.checkCommand("rm -rf build", here);
  await asking.checkAction(ACTION, here);
  const places: [Partial<ApprovalContext>, string][] = [
    [{}, "once"],
    [{ cwd: "/srv/other" }, "deny"],
    [{ environment: "ssh" }, "deny"],
    [{ exact: '{"content":"b"}' }, "deny"],
  ];
  for (const [changes, expected] of places) {
    const gate = gateWith({ policy: "never", once: new Set(ids) });
    const there = context({ ...call, ...changes });
    assert.equal((await gate.checkCommand("rm -rf build", there)).answer, expected);
    assert.equal((await gate.checkCommand("rm -rf build", there)).answer, "deny");
    assert.equal((await gate.checkAction(ACTION, there)).answer, expected);
  }
});
