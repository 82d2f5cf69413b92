/** `hermes approvals` as a user runs it: a real process with a home of its own. */
import assert from "node:assert/strict";
import type { Grant } from "../../src/protocol/grant.ts";
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

Deno.test("hermes approvals list says of old entries what they are, and forget takes them back", async () => {
  const config =
    "# mine\ncommand_allowlist: [recursive delete, git force push, npm run *, rm -rf x]\n";
  await withHome(config, async (home) => {
    assert.equal(
      (await hermes(home, ["list"])).stdout,
      'settings    every command and action of the rule "recursive delete" ' +
        "(deletes whole directories), everywhere\n" +
        'settings    every command and action of the rule "git force push" ' +
        "(overwrites history on the remote), everywhere\n" +
        "settings    one plain command that fits `npm run *`, everywhere\n" +
        "settings    exactly `rm -rf x`, everywhere\n",
    );
    assert.equal((await hermes(home, ["forget", "recursive delete"])).code, 0);
    const wrong = await hermes(home, ["forget", "git force pusch"]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /not allowed for good\. Did you mean "git force push"\?/);
    for (const entry of ["git force push", "npm run *", "rm -rf x"]) {
      assert.equal((await hermes(home, ["forget", entry])).code, 0);
    }
    assert.equal((await hermes(home, ["list"])).stdout, "nothing is allowed for good\n");
    assert.match(await Deno.readTextFile(`${home}/.hermes/config.yaml`), /^# mine/);
  });
});

/** A grant of each kind, as the gate stores it. */
function storedGrants(project: string): Grant[] {
  const given = { scope: "project", project, createdAt: "2026-02-03T04:05:06.000Z" } as const;
  return [
    { ...given, kind: "command", value: "rm -rf build", rules: ["recursive delete"] },
    { ...given, kind: "shape", value: "rm -rf *", rules: ["recursive delete"] },
    { ...given, kind: "rule", value: "git force push" },
    { ...given, kind: "path-write", value: "/var/data" },
    { ...given, kind: "host", value: "example.com" },
    { ...given, kind: "outside", value: "docker ps" },
  ];
}

Deno.test("hermes approvals list shows grants in the words of the question, and forget takes each back", async () => {
  await withHome("", async (home) => {
    const grants = storedGrants("/srv/app");
    await Deno.writeTextFile(`${home}/.hermes/grants.json`, JSON.stringify({ grants }));
    const { stdout } = await hermes(home, ["list"]);
    const lines = stdout.trimEnd().split("\n");
    assert.deepEqual(lines.map((line) => line.replace(/^[0-9a-f]{10} {2}/, "")), [
      "exactly `rm -rf build` in /srv/app, since 2026-02-03",
      "`rm -rf *` in /srv/app, where * is any name or path inside it, since 2026-02-03",
      'every command and action of the rule "git force push" (overwrites history on the ' +
      "remote) in /srv/app, since 2026-02-03",
      "writing to /var/data and everything in it, by commands in /srv/app, since 2026-02-03",
      "connections of commands to the host example.com in /srv/app, since 2026-02-03",
      "exactly `docker ps`, outside the sandbox, in /srv/app, since 2026-02-03",
    ]);
    const json = JSON.parse((await hermes(home, ["list", "--json"])).stdout);
    assert.deepEqual(Object.keys(json[0]), ["id", "kind", "value", "project", "createdAt", "text"]);
    const [id] = lines[0]!.split(" ");
    assert.equal(json[0].id, id);
    const forgot = await hermes(home, ["forget", id!]);
    assert.equal(forgot.stdout, "forgot exactly `rm -rf build` in /srv/app\n", forgot.stderr);
    assert.equal((await hermes(home, ["forget", "example.com"])).code, 0);
    const left = JSON.parse((await hermes(home, ["list", "--json"])).stdout) as Grant[];
    assert.deepEqual(left.map(({ kind }) => kind), ["shape", "rule", "path-write", "outside"]);
    assert.equal((await hermes(home, ["forget", id!])).code, 2);
  });
});

Deno.test("hermes approvals list says when its file is damaged", async () => {
  await withHome("", async (home) => {
    await Deno.writeTextFile(`${home}/.hermes/grants.json`, "{");
    const { code, stderr } = await hermes(home, ["list"]);
    assert.equal(code, 1);
    assert.match(stderr, /grants\.json is damaged: what was allowed for good cannot be read/);
  });
});

Deno.test("hermes approvals check counts what is allowed in this project, and only there", async () => {
  await withHome("", async (home) => {
    const project = await Deno.realPath(home);
    const write = (where: string) =>
      Deno.writeTextFile(
        `${home}/.hermes/grants.json`,
        JSON.stringify({ grants: storedGrants(where) }),
      );
    const decisions = async () => {
      const input = "rm -rf build\nrm -rf other\nrm -rf ../x\nrm -r build\ngit push --force\n";
      const { stdout } = await runHermes({
        home,
        args: ["approvals", "check", "-"],
        stdin: input,
        cwd: `${home}/app`,
      });
      return stdout.trimEnd().split("\n").map((line) => JSON.parse(line).decision);
    };
    await Deno.mkdir(`${home}/app/.git`, { recursive: true });
    await write(`${project}/app`);
    assert.deepEqual(await decisions(), ["allow", "allow", "prompt", "prompt", "allow"]);
    await write(`${project}/elsewhere`);
    assert.deepEqual(await decisions(), Array(5).fill("prompt"));
  });
});

Deno.test("hermes approvals allow takes a command, a glob or a rule, and nothing that it would not allow", async () => {
  await withHome("# mine\n", async (home) => {
    for (const entry of ["rm -rf node_modules", "python3 -c *", "git force push"]) {
      const allowed = await hermes(home, ["allow", entry]);
      assert.equal(allowed.code, 0, allowed.stderr);
    }
    await hermes(home, ["allow", "git force push"]);
    const list = JSON.parse((await hermes(home, ["list", "--json"])).stdout) as Grant[];
    assert.deepEqual(list.map(({ kind, value, project }) => [kind, value, project]), [
      ["command", "rm -rf node_modules", null],
      ["glob", "python3 -c *", null],
      ["rule", "git force push", null],
    ]);
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
