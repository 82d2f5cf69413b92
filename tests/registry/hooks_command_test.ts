import assert from "node:assert/strict";
import { runHermes, tempHome } from "../support/hermes.ts";

async function hermes(home: string, ...args: string[]) {
  return await runHermes({
    home,
    args,
    env: { HERMES_HOME: `${home}/.hermes`, SECRET_TOKEN: "t0p" },
  });
}

async function configure(home: string, yaml: string): Promise<void> {
  await Deno.mkdir(`${home}/.hermes`, { recursive: true });
  await Deno.writeTextFile(`${home}/.hermes/config.yaml`, yaml);
}

const GUARD = `hooks:
  pre_tool_call:
    - command: ./guard.sh strict
      matcher: terminal
      fail_closed: true
  post_tool_call:
    - command: "true"
`;

Deno.test("hermes hooks list, approve and revoke agree on what may run", async () => {
  await using home = await tempHome();
  await configure(home.path, GUARD);
  const before = await hermes(home.path, "hooks", "list");
  assert.equal(before.code, 0);
  assert.match(
    before.stdout,
    /pre_tool_call \[terminal\]: \.\/guard\.sh strict\n {2}NOT APPROVED.*60 s, fails closed/,
  );
  const missing = await hermes(home.path, "hooks", "approve", "./guard.sh strict");
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /cannot approve \.\/guard\.sh strict: \.\/guard\.sh is not there/);
  const guard = `${home.path}/guard.sh`;
  await Deno.writeTextFile(guard, "#!/bin/sh\n", { mode: 0o755 });
  const approved = await hermes(home.path, "hooks", "approve", "./guard.sh strict");
  assert.equal(
    approved.stdout,
    "approved for pre_tool_call: ./guard.sh strict\n" +
      "  /bin/sh (the system's, by its path)\n" +
      `  ${guard} (as it is now)\n`,
  );
  const consent = JSON.parse(
    await Deno.readTextFile(`${home.path}/.hermes/shell-hooks-allowlist.json`),
  );
  const [approval] = consent.approvals;
  assert.deepEqual([approval.event, approval.command], ["pre_tool_call", "./guard.sh strict"]);
  assert.match(approval.seal, /^[0-9a-f]{96}$/);
  const listed = JSON.parse((await hermes(home.path, "hooks", "--json")).stdout);
  assert.deepEqual(listed.hooks.map((hook: { approved: boolean }) => hook.approved), [true, false]);
  assert.match(
    (await hermes(home.path, "hooks", "approve")).stdout,
    /^approved for post_tool_call: true\n {2}\S+\/true(?: -> \S+)? \(the system's, by its path\)\n$/,
  );
  assert.equal(
    (await hermes(home.path, "hooks", "revoke", "true")).stdout,
    "revoked for post_tool_call: true\n",
  );
  const again = await hermes(home.path, "hooks", "revoke", "true");
  assert.equal(again.code, 2);
});

Deno.test("hermes hooks test runs a hook with a payload and without credentials", async () => {
  await using home = await tempHome();
  await configure(home.path, GUARD);
  const script = `#!/bin/sh
input=$(cat)
case "$input" in *'"rm -rf x"'*) echo "no $1 $SECRET_TOKEN" >&2; exit 2;; esac
`;
  await Deno.writeTextFile(`${home.path}/guard.sh`, script, { mode: 0o755 });
  const fine = await hermes(home.path, "hooks", "test", "pre_tool_call");
  assert.equal(fine.code, 0);
  assert.match(fine.stdout, /ok, exit code 0, \d+ ms\n {2}says: nothing/);
  await Deno.writeTextFile(`${home.path}/p.json`, '{"args":{"command":"rm -rf x"}}');
  const blocked = await hermes(
    home.path,
    ...["hooks", "test", "pre_tool_call", "--payload-file", "p.json", "--json"],
  );
  assert.deepEqual(JSON.parse(blocked.stdout).answer, { action: "block", message: "no strict" });
});

Deno.test("hermes hooks test reports a hook that fails and a payload that is none", async () => {
  await using home = await tempHome();
  await configure(home.path, GUARD);
  const missing = await hermes(home.path, "hooks", "test", "pre_tool_call");
  assert.equal(missing.code, 1);
  assert.match(missing.stdout, /FAILED: cannot run \.\/guard\.sh: not found/);
  const other = await hermes(home.path, "hooks", "test", "pre_tool_call", "--for-tool", "patch");
  assert.match(other.stderr, /no hook of pre_tool_call for the tool patch/);
  const none = await hermes(home.path, "hooks", "test", "on_session_end");
  assert.match(none.stderr, /there is no hook of on_session_end\n/);
  const event = await hermes(home.path, "hooks", "test", "pre_tool");
  assert.equal(event.code, 2);
  assert.match(event.stderr, /Did you mean "pre_tool_call"/);
  const payload = await hermes(
    home.path,
    "hooks",
    "test",
    "pre_tool_call",
    "--payload-file",
    "none",
  );
  assert.equal(payload.code, 2);
});

Deno.test("hermes hooks list names what is wrong with the configuration", async () => {
  await using home = await tempHome();
  await configure(home.path, "hooks:\n  pre_tool_cal:\n    - command: x\n");
  const { code, stderr } = await hermes(home.path, "hooks");
  assert.equal(code, 2);
  assert.match(stderr, /there is no such event\. Did you mean "pre_tool_call"\?/);
});
