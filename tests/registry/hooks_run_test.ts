import assert from "node:assert/strict";
import { runHermes, type RunOutcome, tempHome } from "../support/hermes.ts";

interface Line {
  type: string;
  name?: string;
  result?: string;
  arguments?: unknown;
}

/** One run of the offline model, which reads the file it is asked to read. */
async function run(home: string, hooks: unknown, ...flags: string[]): Promise<Line[]> {
  const { stdout } = await outcome(home, hooks, ...flags);
  return stdout.trim().split("\n").map((line) => JSON.parse(line));
}

async function outcome(home: string, hooks: unknown, ...flags: string[]): Promise<RunOutcome> {
  await Deno.mkdir(`${home}/.hermes`, { recursive: true });
  // JSON is YAML.
  await Deno.writeTextFile(`${home}/.hermes/config.yaml`, JSON.stringify({ hooks }));
  await Deno.writeTextFile(`${home}/notes.txt`, "the true text\n");
  await Deno.writeTextFile(`${home}/other.txt`, "another text\n");
  return await runHermes({
    home,
    args: ["run", "--json", "--provider", "offline", ...flags, "Read notes.txt"],
    env: { HERMES_HOME: `${home}/.hermes` },
  });
}

function endOf(lines: readonly Line[]): Line {
  const end = lines.find((line) => line.type === "tool_end");
  assert.equal(end?.name, "read_file");
  return end!;
}

async function script(home: string, name: string, body: string): Promise<string> {
  await Deno.writeTextFile(`${home}/${name}`, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  return `${home}/${name}`;
}

Deno.test("hermes run obeys a hook that blocks", async () => {
  await using home = await tempHome();
  const command = await script(home.path, "guard", "echo not today >&2; exit 2");
  const hooks = { "pre_tool_call": [{ command, matcher: "read_.*" }] };
  const end = endOf(await run(home.path, hooks, "--accept-hooks"));
  assert.equal(end.result, '{"error":"Blocked by a hook: not today"}');
});

Deno.test("hermes run reads what a hook points it to", async () => {
  await using home = await tempHome();
  const answer = '{"action":"modify","args":{"path":"other.txt"}}';
  const command = await script(home.path, "rewrite", `echo '${answer}'`);
  const lines = await run(home.path, { "pre_tool_call": [{ command }] }, "--accept-hooks");
  assert.match(endOf(lines).result!, /another text/);
  const start = lines.find((line) => line.type === "tool_start")!;
  assert.equal((start.arguments as { path: string }).path, "other.txt");
});

Deno.test("hermes run leaves a hook alone that nobody approved, unless it fails closed", async () => {
  await using home = await tempHome();
  const command = await script(home.path, "touch", `touch ${home.path}/ran; exit 2`);
  const open = await run(home.path, { "pre_tool_call": [{ command }] });
  assert.match(endOf(open).result!, /the true text/);
  const closed = await run(home.path, { "pre_tool_call": [{ command, "fail_closed": true }] });
  assert.match(endOf(closed).result!, /Blocked by a hook: the hook .* is not approved/);
  await assert.rejects(Deno.stat(`${home.path}/ran`));
});

Deno.test("hermes run says which hooks are not on duty", async () => {
  await using home = await tempHome();
  const command = await script(home.path, "guard", "exit 2");
  const plain = `${home.path}/plain`;
  await Deno.writeTextFile(plain, "#!/bin/sh\n");
  const hooks = {
    "pre_tool_call": [{ command }],
    "pre_tool_cal": [{ command }],
    "post_tool_call": [{ command: plain }],
  };
  const { stderr } = await outcome(home.path, hooks);
  assert.match(
    stderr,
    /Hook for post_tool_call cannot run: .*plain is not there or not executable/,
  );
  assert.match(stderr, /Hook for pre_tool_call is not approved and does not run/);
  assert.match(stderr, /hooks\.pre_tool_cal: there is no such event/);
  const consented = await outcome(home.path, { "pre_tool_call": [{ command }] }, "--accept-hooks");
  assert.doesNotMatch(consented.stderr, /not approved/);
});

Deno.test("hermes run does not start without a guard it cannot understand", async () => {
  await using home = await tempHome();
  const guard = { command: "true", matcher: "(", "fail_closed": true };
  const { code, stdout, stderr } = await outcome(home.path, { "pre_tool_call": [guard] });
  assert.deepEqual([code, stdout], [2, ""]);
  assert.match(
    stderr,
    /hooks\.pre_tool_call: the matcher "\(" is no regular expression\n.*config edit/,
  );
});

Deno.test("hermes run does not start under a damaged list of consents", async () => {
  await using home = await tempHome();
  await Deno.mkdir(`${home.path}/.hermes`);
  await Deno.writeTextFile(`${home.path}/.hermes/shell-hooks-allowlist.json`, "{");
  const { code, stdout, stderr } = await outcome(home.path, {
    "pre_tool_call": [{ command: "x" }],
  });
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /shell-hooks-allowlist\.json is damaged\n.*hermes hooks approve/);
});

Deno.test("hermes run tells an observer the result and survives its failure", async () => {
  await using home = await tempHome();
  const command = await script(home.path, "note", `cat > ${home.path}/seen.json; exit 7`);
  const hooks = { "post_tool_call": [{ command }] };
  assert.match(endOf(await run(home.path, hooks, "--accept-hooks")).result!, /the true text/);
  const seen = JSON.parse(await Deno.readTextFile(`${home.path}/seen.json`));
  assert.equal(seen["tool_name"], "read_file");
  assert.equal(seen.extra.status, "ok");
  assert.match(seen.extra.result, /the true text/);
});

Deno.test("hermes run tells hooks of every model call, of every turn, and that a session is over", async () => {
  await using home = await tempHome();
  const seen = `${home.path}/seen`;
  const command = await script(home.path, "witness", `cat >> ${seen}; echo >> ${seen}`);
  const names = ["pre_turn", "pre_llm_call", "post_llm_call", "post_turn", "on_session_finalize"];
  const hooks = Object.fromEntries(names.map((name) => [name, [{ command }]]));
  await run(home.path, hooks, "--accept-hooks");
  const told = (await Deno.readTextFile(seen)).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(told.map((payload) => payload.hook_event_name), [
    "pre_turn",
    "pre_llm_call",
    "post_llm_call",
    "pre_llm_call",
    "post_llm_call",
    "post_turn",
    "on_session_finalize",
  ]);
  const [, first, , second, last] = told.map((payload) => payload.extra);
  assert.deepEqual([first.provider, first.model], ["offline", "offline"]);
  assert.deepEqual(first.messages.map((message: { role: string }) => message.role), ["user"]);
  assert.deepEqual(second.messages.map((message: { role: string }) => message.role), [
    "user",
    "assistant",
    "tool",
  ]);
  assert.match(last.response, /the true text/);
  assert.equal(last.stop_reason, "end");
});

Deno.test("hermes run lets hooks replace the result of a tool and the answer", async () => {
  await using home = await tempHome();
  const result = await script(home.path, "filter", `echo '{"text":"a filtered text"}'`);
  const answer = await script(home.path, "sign", `echo '{"text":"answered by a hook"}'`);
  const hooks = {
    "transform_tool_result": [{ command: result, matcher: "read_file" }],
    "transform_llm_output": [{ command: answer }],
  };
  const lines = await run(home.path, hooks, "--accept-hooks") as (Line & { text?: string })[];
  assert.equal(endOf(lines).result, "a filtered text");
  assert.equal(lines.find((line) => line.type === "turn_end")!.text, "answered by a hook");
  const plain = await runHermes({
    home: home.path,
    args: ["run", "--model", "offline", "--accept-hooks", "Read notes.txt"],
  });
  assert.equal(plain.stdout, "answered by a hook\n");
  const other = { "transform_tool_result": [{ command: result, matcher: "terminal" }] };
  assert.match(endOf(await run(home.path, other, "--accept-hooks")).result!, /the true text/);
});
