/** `hermes sessions` as a person runs it: own process, own home. */
import assert from "node:assert/strict";
import { Store } from "../../src/store/store.ts";
import { runHermes, type RunOutcome, tempHome } from "../support/hermes.ts";

const SESSION = { source: "run", cwd: "/w", provider: "p", model: "m", systemPrompt: "sys" };

/** A home with one recent session `aa1` and one of 1970, `bb1`. */
function seed(home: string): void {
  using store = new Store(`${home}/.hermes/state.db`);
  store.createSession({ ...SESSION, id: "bb1", source: "chat" }, 1);
  store.createSession({ ...SESSION, id: "aa1" });
  store.appendMessages("aa1", [
    { role: "user", content: [{ type: "text", text: "list the \x1b[31mfiles" }] },
    {
      role: "assistant",
      content: [{ type: "tool_call", id: "c", name: "terminal", arguments: '{"command":"ls"}' }],
      stopReason: "tool_calls",
      provider: "p",
      model: "m",
    },
    { role: "tool", toolCallId: "c", name: "terminal", content: "a.txt", isError: false },
    {
      role: "assistant",
      content: [{ type: "text", text: "There is one file." }],
      stopReason: "end",
      provider: "p",
      model: "m",
    },
  ]);
}

type Sessions = (...args: string[]) => Promise<RunOutcome>;

async function withHome(
  test: (sessions: Sessions, home: string) => Promise<void>,
): Promise<void> {
  await using home = await tempHome();
  seed(home.path);
  await test((...args) => runHermes({ home: home.path, args: ["sessions", ...args] }), home.path);
}

Deno.test("hermes sessions list prints sessions, newest first, without escapes", async () => {
  await withHome(async (sessions) => {
    const plain = await sessions();
    assert.equal(plain.code, 0);
    assert.match(plain.stdout, /^aa1 .* run .* 4 messages .*list the .*files\nbb1 .* chat /);
    assert.equal(plain.stdout.includes("\x1b"), false);
    const json = await sessions("list", "--json", "--limit", "1");
    assert.equal(JSON.parse(json.stdout).id, "aa1");
    assert.match((await sessions("list", "--source", "chat")).stdout, /^bb1/);
    const none = await sessions("list", "--here");
    assert.equal(none.stdout, "");
    assert.match(none.stderr, /No sessions/);
  });
});

Deno.test("hermes sessions show prints the conversation", async () => {
  await withHome(async (sessions) => {
    const shown = await sessions("show", "latest");
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /user\nlist the files\n/);
    assert.match(shown.stdout, /→ terminal \{"command":"ls"\}\n\n✓ terminal a\.txt\n/);
    assert.match(shown.stdout, /There is one file\./);
    const json = JSON.parse((await sessions("show", "aa", "--json")).stdout);
    assert.equal(json.session.systemPrompt, "sys");
    assert.equal(json.messages.length, 4);
  });
});

Deno.test("hermes sessions search finds messages", async () => {
  await withHome(async (sessions) => {
    const found = await sessions("search", "one", "file");
    assert.match(found.stdout, /^aa1 .*assistant\n {2}There is one file\.\n$/);
    const byRole = await sessions("search", "a.txt", "--role", "tool", "--json");
    assert.equal(JSON.parse(byRole.stdout).sessionId, "aa1");
    const nothing = await sessions("search", "absent");
    assert.deepEqual([nothing.code, nothing.stdout], [0, ""]);
  });
});

Deno.test("hermes sessions export and import move a session to another home", async () => {
  await withHome(async (sessions, home) => {
    const { stdout } = await sessions("export", "aa1");
    await using other = await tempHome();
    const imported = await runHermes({
      home: other.path,
      args: ["sessions", "import", "-"],
      stdin: stdout,
    });
    assert.deepEqual([imported.code, imported.stdout], [0, "aa1 added\n"]);
    const again = await runHermes({ home: other.path, args: ["sessions", "export"] });
    assert.equal(again.stdout, stdout);
    const file = `${home}/all.jsonl`;
    assert.equal((await sessions("export", "--output", file)).code, 0);
    assert.equal((await sessions("import", file)).stdout, "bb1 unchanged\naa1 unchanged\n");
  });
});

Deno.test("hermes sessions rename gives a title that finds the session", async () => {
  await withHome(async (sessions) => {
    assert.equal((await sessions("rename", "aa1", "my", "files")).code, 0);
    assert.match((await sessions("show", "my files")).stdout, /^my files\n/);
  });
});

Deno.test("hermes sessions delete and prune want a yes when nobody can be asked", async () => {
  await withHome(async (sessions) => {
    const refused = await sessions("delete", "aa1");
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /--yes/);
    assert.equal((await sessions("prune")).code, 2);
    const dry = await sessions("prune", "--dry-run");
    assert.match(dry.stdout, /^bb1/);
    const pruned = await sessions("prune", "--older-than", "30", "--yes");
    assert.equal(pruned.stdout, "1 session and 0 unused images deleted\n");
    assert.equal((await sessions("delete", "aa1", "-y")).stdout, "aa1 deleted\n");
    assert.match((await sessions("stats")).stdout, /^0 sessions, 0 messages\n/);
  });
});

Deno.test("hermes sessions answers wrong input with one clear line", async () => {
  await withHome(async (sessions, home) => {
    const cases: [args: string[], message: RegExp][] = [
      [["show", "zz"], /no session is called "zz"/],
      [["shwo"], /Did you mean "show"\?/],
      [["search"], /needs QUERY/],
      [["list", "--limit", "-2"], /--limit must be a whole number/],
      [["import", `${home}/none`], /cannot read .*none: No such file or directory/],
      [["import", "/proc/self/exe"], /is binary/],
      [["export", "--output", `${home}/no/file`], /cannot write --output .*No such file/],
      [["rename", "aa1", "x".repeat(101)], /at most 100/],
      [["-p", "none"], /there is no profile "none"/],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await sessions(...args);
      assert.deepEqual([code, stdout], [2, ""], args.join(" "));
      assert.match(stderr, message);
      assert.equal(stderr.includes("    at "), false);
    }
  });
});

Deno.test("hermes sessions repairs a damaged database and says so in one line", async () => {
  await withHome(async (sessions, home) => {
    await Deno.writeTextFile(`${home}/.hermes/state.db`, "garbage".repeat(1000));
    const repaired = await sessions("list");
    assert.equal(repaired.code, 0);
    assert.match(repaired.stderr, /^hermes: The session database was damaged: .*\.damaged-/m);
    assert.equal((await sessions("list")).stderr, "No sessions.\n");
  });
});

Deno.test("hermes sessions list refuses a source that no session has", async () => {
  await using home = await tempHome();
  const list = (source: string) =>
    runHermes({ home: home.path, args: ["sessions", "list", "--source", source] });
  const { code, stderr } = await list("chta");
  assert.equal(code, 2);
  assert.match(stderr, /no session has the source "chta"\. Did you mean "chat"/);
  assert.equal((await list("chat")).code, 0);
});
