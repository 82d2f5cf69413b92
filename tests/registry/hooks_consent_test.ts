/** What a hook was approved as is all that runs: through `hermes run`, with everything that is kept. */
import assert from "node:assert/strict";
import { Seal } from "../../src/util/seal.ts";
import { runHermes, type RunOutcome, tempHome } from "../support/hermes.ts";

/** A home with one approved hook that leaves a file behind when it runs. */
async function withHook(
  { command, failClosed = false }: { command: string; failClosed?: boolean },
  body: (hook: ApprovedHook) => Promise<void>,
): Promise<void> {
  await using home = await tempHome();
  const hook = new ApprovedHook(home.path);
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.mkdir(`${home.path}/hooks`);
  await hook.script("ran");
  await Deno.writeTextFile(`${home.path}/notes.txt`, "the true text\n");
  const hooks = { "pre_tool_call": [{ command, "fail_closed": failClosed }] };
  await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, JSON.stringify({ hooks }));
  const approved = await hook.hermes("hooks", "approve");
  assert.equal(approved.code, 0, approved.stderr);
  assert.match(
    approved.stdout,
    /approved for pre_tool_call: .*\n[\s\S]*hook\.sh.*\(as it is now\)/,
  );
  await body(hook);
}

class ApprovedHook {
  readonly home: string;

  constructor(home: string) {
    this.home = home;
  }

  get consentFile(): string {
    return `${this.home}/.hermes/shell-hooks-allowlist.json`;
  }

  async script(leaves: string): Promise<void> {
    const text = `#!/bin/sh\ncat > /dev/null\n: > ${this.home}/${leaves}\n`;
    await Deno.writeTextFile(`${this.home}/hooks/hook.sh`, text);
    await Deno.chmod(`${this.home}/hooks/hook.sh`, 0o755);
  }

  async hermes(...args: string[]): Promise<RunOutcome> {
    return await runHermes({
      home: this.home,
      args,
      env: { HERMES_HOME: `${this.home}/.hermes` },
    });
  }

  async run(): Promise<RunOutcome> {
    return await this.hermes("run", "--json", "--provider", "offline", "Read notes.txt");
  }

  async left(name: string): Promise<boolean> {
    return await Deno.remove(`${this.home}/${name}`).then(() => true, () => false);
  }
}

Deno.test("an approved hook whose script is overwritten does not run until it is approved again", async () => {
  await withHook({ command: "sh hooks/hook.sh" }, async (hook) => {
    const first = await hook.run();
    assert.ok(await hook.left("ran"), first.stderr);
    assert.doesNotMatch(first.stderr, /approve/);
    await hook.script("evil");
    const changed = await hook.run();
    assert.equal(changed.code, 0, "the run goes on");
    assert.match(changed.stdout, /the true text/);
    assert.match(
      changed.stderr,
      /Hook for pre_tool_call is not approved and does not run: sh hooks\/hook\.sh \(it is not what was approved: \S+\/hooks\/hook\.sh has changed; see: hermes hooks approve\)/,
    );
    assert.equal(await hook.left("evil"), false);
    assert.match((await hook.hermes("hooks", "list")).stdout, /NOT APPROVED, .*has changed\)/);
    assert.equal((await hook.hermes("hooks", "approve")).code, 0);
    await hook.run();
    assert.ok(await hook.left("evil"), "somebody has looked at it");
  });
});

Deno.test("a guard that fails closed blocks when its script was overwritten", async () => {
  await withHook({ command: "hooks/hook.sh", failClosed: true }, async (hook) => {
    await hook.script("evil");
    assert.match((await hook.run()).stdout, /Blocked by a hook: the hook .* is not approved/);
    assert.equal(await hook.left("evil"), false);
  });
});

Deno.test("a hook that is overwritten while hermes runs does not run again", async () => {
  await using home = await tempHome();
  const hook = new ApprovedHook(home.path);
  await Deno.mkdir(`${home.path}/.hermes`);
  const script = `${home.path}/hook.sh`;
  // The first call overwrites the script, as a tool of the model would between two calls.
  const next = `#!/bin/sh\n: > ${home.path}/evil\n`;
  await Deno.writeTextFile(`${home.path}/next`, next);
  const text = `#!/bin/sh\ncp ${home.path}/next ${script}\n`;
  await Deno.writeTextFile(script, text, { mode: 0o755 });
  await Deno.writeTextFile(`${home.path}/notes.txt`, "x\n");
  const hooks = { "pre_tool_call": [{ command: script }], "post_tool_call": [{ command: script }] };
  await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, JSON.stringify({ hooks }));
  assert.equal((await hook.hermes("hooks", "approve")).code, 0);
  const { code, stderr } = await hook.run();
  assert.equal(code, 0, stderr);
  assert.equal(await Deno.readTextFile(script), next, "the first one ran");
  assert.equal(await hook.left("evil"), false);
  assert.match(stderr, /Hook for post_tool_call is not approved .*hook\.sh has changed/);
});

Deno.test("a consent that hermes did not write counts for nothing", async (t) => {
  await withHook({ command: "sh hooks/hook.sh" }, async (hook) => {
    const good = JSON.parse(await Deno.readTextFile(hook.consentFile));
    const [approval] = good.approvals;
    await hook.script("evil");
    const evil = await Deno.readFile(`${hook.home}/hooks/hook.sh`);
    const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", evil)).toHex();
    const files = approval.files.map((file: { sha256?: string }) =>
      file.sha256 === undefined ? file : { ...file, sha256 }
    );
    const guessed = new Seal(`${hook.home}/guessed.key`);
    const { event, command } = approval;
    const text = JSON.stringify([event, command, files]);
    const forged: Record<string, unknown> = {
      "of an older hermes": { event, command },
      "with new hashes under the old seal": { ...approval, files },
      "without a seal": { event, command, files },
      "sealed with a guessed key": {
        ...approval,
        files,
        seal: await guessed.sign("shell hook", text),
      },
    };
    for (const [what, record] of Object.entries(forged)) {
      await t.step(what, async () => {
        await Deno.writeTextFile(hook.consentFile, JSON.stringify({ approvals: [record] }));
        const { stderr } = await hook.run();
        assert.equal(await hook.left("evil"), false);
        assert.match(stderr, /is not approved and does not run: .*its approval has no seal/);
      });
    }
    // Nor does the record of one event do for another.
    const other = { ...approval, event: "post_tool_call" };
    await Deno.writeTextFile(hook.consentFile, JSON.stringify({ approvals: [other] }));
    await hook.script("ran");
    await hook.run();
    assert.equal(await hook.left("ran"), false);
    await Deno.writeTextFile(hook.consentFile, JSON.stringify(good));
    await hook.run();
    assert.ok(await hook.left("ran"), "the true one still does");
  });
});

Deno.test("--accept-hooks stands in for every consent, and for nothing after it", async () => {
  await withHook({ command: "sh hooks/hook.sh" }, async (hook) => {
    await hook.script("evil");
    const args = ["run", "--json", "--provider", "offline", "Read notes.txt"];
    await hook.hermes(...args.toSpliced(1, 0, "--accept-hooks"));
    assert.ok(await hook.left("evil"));
    await hook.hermes(...args);
    assert.equal(await hook.left("evil"), false);
  });
});
