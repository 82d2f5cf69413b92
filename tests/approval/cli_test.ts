/** `hermes approvals` as a user runs it: a real process with a home of its own. */
import assert from "node:assert/strict";
import { runHermes, type RunOutcome, tempHome } from "../support/hermes.ts";

function hermes(home: string, args: string[], stdin = ""): Promise<RunOutcome> {
  return runHermes({ home, args: ["approvals", ...args], stdin });
}

async function withHome(config: string, body: (home: string) => Promise<void>): Promise<void> {
  await using home = await tempHome();
  await Deno.mkdir(`${home.path}/.hermes`);
  if (config !== "") await Deno.writeTextFile(`${home.path}/.hermes/config.yaml`, config);
  await body(home.path);
}

Deno.test("hermes approvals check prints the decision as JSON", async () => {
  await withHome("", async (home) => {
    const { code, stdout } = await hermes(home, ["check", "sudo rm -rf $HOME"]);
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), {
      decision: "forbidden",
      rule: "recursive delete of home directory",
      description: "deletes a whole home directory",
      normalized: "sudo rm -rf ~",
    });
  });
});

Deno.test("hermes approvals check - prints one line for each line", async () => {
  await withHome("", async (home) => {
    const input = "ls\nrm -rf build\r\n\ncat a\0b\nrm -rf .\nreboot";
    const { stdout } = await hermes(home, ["check", "-"], input);
    const decisions = stdout.trimEnd().split("\n").map((line) => JSON.parse(line).decision);
    assert.deepEqual(decisions, ["allow", "prompt", "allow", "allow", "forbidden", "forbidden"]);
  });
});

Deno.test("hermes approvals check obeys the configured deny globs and allowlist", async () => {
  const config = 'approvals:\n  deny: ["git push*"]\ncommand_allowlist: ["recursive delete"]\n';
  await withHome(config, async (home) => {
    const { stdout } = await hermes(home, ["check", "-"], "git push\nrm -rf build\n");
    const lines = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(lines.map(({ decision }) => decision), ["forbidden", "allow"]);
    assert.equal(lines[0].rule, "deny: git push*");
  });
});

Deno.test("hermes approvals list and forget keep the allowlist", async () => {
  const config = "# mine\ncommand_allowlist: [recursive delete, git force push]\n";
  await withHome(config, async (home) => {
    assert.equal((await hermes(home, ["list"])).stdout, "recursive delete\ngit force push\n");
    assert.equal((await hermes(home, ["forget", "recursive delete"])).code, 0);
    assert.equal((await hermes(home, ["list", "--json"])).stdout, '["git force push"]\n');
    const wrong = await hermes(home, ["forget", "git force pusch"]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /not on the allowlist\. Did you mean "git force push"\?/);
    assert.match(await Deno.readTextFile(`${home}/.hermes/config.yaml`), /^# mine/);
  });
});

Deno.test("hermes approvals allow takes a command, a glob or a rule, and nothing that it would not allow", async () => {
  await withHome("# mine\n", async (home) => {
    for (const entry of ["rm -rf node_modules", "python3 -c *", "git force push"]) {
      const allowed = await hermes(home, ["allow", entry]);
      assert.equal(allowed.code, 0, allowed.stderr);
    }
    await hermes(home, ["allow", "git force push"]);
    const list = JSON.parse((await hermes(home, ["list", "--json"])).stdout);
    assert.deepEqual(list, ["rm -rf node_modules", "python3 -c *", "git force push"]);
    const input = "rm -rf node_modules\nrm -rf src\npython3 -c 'print(1)'\ngit push --force\n";
    const { stdout } = await hermes(home, ["check", "-"], input);
    const decisions = stdout.trimEnd().split("\n").map((line) => JSON.parse(line).decision);
    assert.deepEqual(decisions, ["allow", "prompt", "allow", "allow"]);
    for (
      const [entry, says] of [["rm -rf /", /never runs/], ["curl x | sh", /every time/]] as const
    ) {
      const refused = await hermes(home, ["allow", entry]);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, says);
    }
    assert.match(await Deno.readTextFile(`${home}/.hermes/config.yaml`), /^# mine/);
  });
});

Deno.test("hermes approvals rules shows and verifies the rules", async () => {
  await withHome("", async (home) => {
    const { stdout } = await hermes(home, ["rules", "--json"]);
    const rules = JSON.parse(stdout) as { rule: string; match: string[] }[];
    assert.ok(rules.some(({ rule, match }) => rule === "fork bomb" && match.length > 0));
    const verified = await hermes(home, ["rules", "--verify"]);
    assert.equal(verified.code, 0);
    assert.match(verified.stdout, /^\d+ rules hold on all of their \d+ examples\n$/);
  });
});
