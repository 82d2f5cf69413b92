/** Questions about what the walls stop: a person answers them, or a stored yes, and nothing else. */
import assert from "node:assert/strict";
import { APPROVAL_POLICIES, type WantedGrant } from "../protocol/approval.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { context, gateWith, MemoryGrants, NOW, Person } from "../../tests/support/approval_gate.ts";

const OUTSIDE: WantedGrant = { kind: "outside", value: "docker ps", reason: "needs the socket" };
const PLACES: ProtectedPlaces = {
  homes: ["/home/me"],
  hermesHomes: ["/home/me/.hermes"],
  trustedBase: ["/opt/hermes"],
};

Deno.test("checkGrant() is answered by no policy, no reviewer and no trust in sub-agents", async () => {
  for (const policy of APPROVAL_POLICIES) {
    for (const unattended of [false, true]) {
      const gate = gateWith({
        policy,
        approveUnattended: true,
        smart: { review: () => assert.fail("a model is asked") },
        rules: { allowlist: ["*", "sandbox: outside", "docker ps"] },
      });
      const outcome = await gate.checkGrant(OUTSIDE, context({ unattended }));
      assert.equal(outcome.answer, "deny", policy);
      assert.match(outcome.reason!, /^BLOCKED: /);
    }
  }
});

Deno.test("checkGrant() asks a person also under always, with words that say what is stored", async () => {
  const cases: [WantedGrant, string][] = [
    [OUTSIDE, "Always allow exactly `docker ps`, outside the sandbox, in /srv/app"],
    [
      { kind: "path-write", value: "/var/data", reason: "" },
      "Always allow writing to /var/data and everything in it, by commands in /srv/app",
    ],
    [
      { kind: "path-read", value: "/home/me/.npmrc", reason: "" },
      "Always allow reading /home/me/.npmrc and everything in it, by commands in /srv/app",
    ],
    [
      { kind: "host", value: "example.com", reason: "" },
      "Always allow connections of commands to the host example.com in /srv/app",
    ],
  ];
  for (const [wanted, text] of cases) {
    const [store, person] = [new MemoryGrants(), new Person("always")];
    const options = { policy: "always" as const, store, rules: { places: PLACES } };
    const gate = gateWith({ ...options, approver: person });
    assert.equal((await gate.checkGrant(wanted, context())).answer, "always");
    const { choices, rule } = person.questions[0]!;
    assert.deepEqual(choices!.map(({ id }) => id), ["once", "session", "always", "deny"]);
    assert.equal(choices![2]!.text, text);
    assert.equal(rule, `sandbox: ${wanted.kind}`);
    const { kind, value } = wanted;
    const grant = { scope: "project", kind, value, project: "/srv/app" };
    assert.deepEqual(store.grants, [{ ...grant, createdAt: NOW.toISOString() }]);
    const later = gateWith({ ...options, policy: "never" });
    assert.equal((await later.checkGrant(wanted, context())).by, "remembered answer");
    const other = context({ cwd: "/srv/other" });
    assert.equal((await later.checkGrant(wanted, other)).answer, "deny");
    const wider = { ...wanted, value: kind === "host" ? `x.${value}` : `${value}x` };
    assert.equal((await later.checkGrant(wider, context())).answer, "deny");
  }
});

Deno.test("checkGrant() names the action where nobody can answer, and a yes to its id counts", async () => {
  const ids: string[] = [];
  const here = context({ asked: ({ id }) => ids.push(id!) });
  const refused = await gateWith({ policy: "ask" }).checkGrant(OUTSIDE, here);
  assert.deepEqual([refused.answer, refused.unanswerable], ["deny", true]);
  const gate = gateWith({ policy: "ask", once: new Set(ids) });
  assert.equal((await gate.checkGrant(OUTSIDE, here)).answer, "once");
  assert.equal((await gate.checkGrant(OUTSIDE, here)).answer, "deny");
});

Deno.test("checkGrant() offers nothing that is hardline, of hermes, or a whole home", async () => {
  const person = new Person("always");
  const gate = gateWith({ approver: person, store: new MemoryGrants(), rules: { places: PLACES } });
  const never: WantedGrant[] = [
    { kind: "outside", value: "rm -rf /", reason: "" },
    { kind: "path-write", value: "/home/me/.hermes/config.yaml", reason: "" },
    { kind: "path-read", value: "/home/me/.hermes", reason: "" },
    { kind: "path-write", value: "/opt/hermes/bin", reason: "" },
    { kind: "path-write", value: "/home/me", reason: "" },
    { kind: "path-read", value: "/", reason: "" },
  ];
  for (const wanted of never) {
    const outcome = await gate.checkGrant(wanted, context());
    assert.match(outcome.reason ?? "", /^BLOCKED \(hardline\)/, wanted.value);
  }
  assert.equal(person.questions.length, 0);
});

Deno.test("checkGrant() remembers no yes to a command or file that needs one every time", async () => {
  const person = new Person("always", "deny", "always", "deny");
  const gate = gateWith({ approver: person, store: new MemoryGrants(), rules: { places: PLACES } });
  const cautious: WantedGrant[] = [
    { kind: "outside", value: "hermes config set approvals.mode off", reason: "" },
    { kind: "path-write", value: "/home/me/.bashrc", reason: "" },
  ];
  for (const wanted of cautious) {
    assert.equal((await gate.checkGrant(wanted, context())).answer, "once");
    assert.deepEqual(person.questions.at(-1)!.choices!.map(({ id }) => id), ["once", "deny"]);
    assert.equal((await gate.checkGrant(wanted, context())).answer, "deny");
  }
});

Deno.test("checkGrant() lets a plan read what was allowed, and change nothing", async () => {
  const store = new MemoryGrants();
  const grant = { scope: "project", project: "/srv/app", createdAt: NOW.toISOString() } as const;
  store.grants.push(
    { ...grant, kind: "outside", value: "docker ps" },
    { ...grant, kind: "path-write", value: "/var/data" },
    { ...grant, kind: "path-read", value: "/var/data" },
  );
  const gate = gateWith({ policy: "plan", store, approver: new Person("once", "once") });
  const answers = async (kind: WantedGrant["kind"], value: string) =>
    (await gate.checkGrant({ kind, value, reason: "" }, context())).answer;
  assert.equal(await answers("outside", "docker ps"), "deny");
  assert.equal(await answers("path-write", "/var/data"), "deny");
  assert.equal(await answers("path-read", "/var/data/x"), "once");
});
