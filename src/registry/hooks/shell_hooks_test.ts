import assert from "node:assert/strict";
import { FakeTime } from "../../../tests/support/fake_time.ts";
import type { HookPayload } from "../../protocol/hook.ts";
import { Seal } from "../../util/seal.ts";
import { HookConsents } from "./hook_consent.ts";
import { isGone } from "../../../tests/support/watchers.ts";
import { helperEnvironment } from "../../process/child_environment.ts";
import { spawnHook } from "./hook_process.ts";
import { Hooks } from "./hooks.ts";
import {
  attachShellHooks,
  consentTo,
  matches,
  parseShellHooks,
  runShellHook,
  splitWords,
  unrunnable,
} from "./shell_hooks.ts";

const PAYLOAD: HookPayload = {
  sessionId: "s1",
  toolName: "terminal",
  args: { command: "ls" },
  cwd: "/tmp",
  callId: "c1",
};
const SIGNAL = new AbortController().signal;
const ENV = { PATH: "/usr/bin:/bin", HOME: "/nowhere", API_KEY: "x", OWN: "x", NODE_ENV: "yes" };

function quote(script: string): string {
  return `sh -c '${script.replaceAll("'", `'\\''`)}'`;
}

async function run(script: string, rest: Record<string, unknown> = {}) {
  const lines: string[] = [];
  const { hooks, problems } = parseShellHooks({
    "pre_tool_call": [{ command: quote(script), ...rest }],
  });
  assert.deepEqual(problems, []);
  const options = {
    spawn: spawnHook,
    env: ENV,
    cwd: "/tmp",
    log: (line: string) => lines.push(line),
  };
  const report = await runShellHook(hooks[0]!, PAYLOAD, { ...options, signal: SIGNAL });
  return { ...report, lines };
}

Deno.test("splitWords() reads quotes and backslashes and expands nothing", () => {
  const rows: [string, string[] | undefined][] = [
    ["a b  c", ["a", "b", "c"]],
    [`a 'b c' "d e"`, ["a", "b c", "d e"]],
    [`a\\ b "c\\"d" 'e\\f' "g\\h"`, ["a b", 'c"d', "e\\f", "g\\h"]],
    [`x'' "" y`, ["x", "", "y"]],
    ["$HOME *.ts ~", ["$HOME", "*.ts", "~"]],
    ["a 'b", undefined],
    ["", []],
  ];
  for (const [line, words] of rows) assert.deepEqual(splitWords(line), words, line);
});

Deno.test("parseShellHooks() reads entries and says what is wrong with the others", () => {
  const { hooks, problems, missingGuards } = parseShellHooks({
    "pre_tool_call": [
      { command: "guard", matcher: ")", "fail_closed": true },
      { command: "check --fast", matcher: "terminal|patch", timeout: 5, "fail_closed": true },
      { command: "  " },
      { command: "a 'b" },
      { command: "x", matcher: "(" },
    ],
    "post_tool_call": [{ command: "note", timeout: 9999, "fail_closed": true }],
    "pre_tool_cal": [{ command: "x" }],
  });
  assert.deepEqual(hooks, [
    {
      event: "pre_tool_call",
      command: "check --fast",
      argv: ["check", "--fast"],
      matcher: "terminal|patch",
      timeoutMs: 5_000,
      failClosed: true,
    },
    {
      event: "post_tool_call",
      command: "note",
      argv: ["note"],
      timeoutMs: 300_000,
      failClosed: false,
    },
  ]);
  assert.deepEqual(problems, [
    "hooks.pre_tool_call: a hook needs a command",
    "hooks.pre_tool_call: unbalanced quotes in: a 'b",
    'hooks.pre_tool_call: the matcher "(" is no regular expression',
    'hooks.pre_tool_cal: there is no such event. Did you mean "pre_tool_call"?',
  ]);
  assert.deepEqual(missingGuards, [
    'hooks.pre_tool_call: the matcher ")" is no regular expression',
  ]);
  assert.deepEqual(parseShellHooks(undefined), { hooks: [], problems: [], missingGuards: [] });
});

Deno.test("parseShellHooks() says why nothing is sent under a name of other builds", () => {
  const { hooks, problems, missingGuards } = parseShellHooks({
    "subagent_stop": [{ command: "note" }],
    "constructor": [{ command: "note" }],
  });
  assert.deepEqual(hooks, []);
  assert.deepEqual(problems, [
    "hooks.subagent_stop: nothing sends it, because hermes has no sub-agents; remove it",
    "hooks.constructor: there is no such event.",
  ]);
  assert.deepEqual(missingGuards, []);
});

Deno.test("unrunnable() names programs that are not there or cannot be run", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/plain.sh`, "#!/bin/sh\n");
    await Deno.writeTextFile(`${dir}/good.sh`, "#!/bin/sh\n", { mode: 0o700 });
    const commands = ["sh -c x", "./good.sh", "~/good.sh", "./plain.sh", "no-such-program", dir];
    const { hooks } = parseShellHooks({
      "post_llm_call": commands.map((command) => ({ command })),
    });
    const why = "is not there or not executable";
    assert.deepEqual(await unrunnable(hooks, { env: { ...ENV, HOME: dir }, cwd: dir }), [
      `Hook for post_llm_call cannot run: ./plain.sh ${why}`,
      `Hook for post_llm_call cannot run: no-such-program ${why}`,
      `Hook for post_llm_call cannot run: ${dir} ${why}`,
    ]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("matches() wants the whole name", () => {
  const hook = parseShellHooks({ "pre_tool_call": [{ command: "x", matcher: "term.*|patch" }] })
    .hooks[0]!;
  assert.equal(matches(hook, "terminal"), true);
  assert.equal(matches(hook, "patch"), true);
  assert.equal(matches(hook, "patchwork"), false);
  assert.equal(matches({ ...hook, matcher: "*" }, "anything"), true);
});

Deno.test("runShellHook() speaks JSON on standard input", async () => {
  const { answer } = await run(`printf '{"action":"modify","args":%s}' "$(cat)"`);
  assert.deepEqual(answer, {
    action: "modify",
    args: {
      "hook_event_name": "pre_tool_call",
      "tool_name": "terminal",
      "tool_input": { command: "ls" },
      "session_id": "s1",
      cwd: "/tmp",
      extra: { "call_id": "c1" },
    },
  });
});

Deno.test("runShellHook() says where it is, also when no tool is called", async () => {
  const { hooks } = parseShellHooks({ "on_session_end": [{ command: quote("cat") }] });
  const options = { spawn: spawnHook, env: ENV, cwd: "/tmp", log() {}, signal: SIGNAL };
  const payload = { sessionId: "s1", reason: "done" };
  assert.deepEqual((await runShellHook(hooks[0]!, payload, options)).answer, {
    "hook_event_name": "on_session_end",
    "tool_name": null,
    "tool_input": null,
    "session_id": "s1",
    cwd: "/tmp",
    extra: { reason: "done" },
  });
});

Deno.test("runShellHook() blocks on exit code 2 in the hook's words", async () => {
  assert.deepEqual((await run("echo no way >&2; exit 2")).answer, {
    action: "block",
    message: "no way",
  });
  const spoken = await run(`echo '{"decision":"block","reason":"because"}'; exit 2`);
  assert.deepEqual(spoken.answer, { action: "block", message: "because" });
  assert.match(
    String(((await run("exit 2")).answer as { message: string }).message),
    /refused the call/,
  );
});

Deno.test("runShellHook() fails open, or closed where that is wanted", async () => {
  const open = await run("echo oops >&2; exit 1");
  assert.equal(open.answer, undefined);
  assert.equal(open.failure, "exit code 1: oops");
  assert.equal(open.lines.length, 1);
  const closed = await run("echo oops >&2; exit 1", { "fail_closed": true });
  assert.match((closed.answer as { message: string }).message, /failed: exit code 1: oops/);
  const garbage = await run("echo hello", { "fail_closed": true });
  assert.match((garbage.answer as { message: string }).message, /not JSON: hello/);
  for (const answer of [`"block"`, `{"action":"deny"}`, `{"action":"modify","args":"x"}`]) {
    const odd = await run(`echo '${answer}'`, { "fail_closed": true });
    assert.match((odd.answer as { message: string }).message, /its answer is no directive: /);
  }
  assert.equal((await run("exit 3")).failure, "exit code 3");
  const silent = await run("cat >/dev/null", { "fail_closed": true });
  assert.deepEqual([silent.answer, silent.failure], [undefined, undefined]);
});

Deno.test("runShellHook() reports a missing program and ends one that takes too long", async () => {
  const { hooks } = parseShellHooks({ "pre_tool_call": [{ command: "/no/such/program x" }] });
  const options = { spawn: spawnHook, env: ENV, cwd: "/tmp", log() {}, signal: SIGNAL };
  assert.match((await runShellHook(hooks[0]!, PAYLOAD, options)).failure!, /not found/);
  const slow = await run("sleep 60 & sleep 60", { timeout: 0.1 });
  assert.equal(slow.failure, "timed out after 0.1 s");
});

Deno.test("runShellHook() waits for the program, not for what it left behind", async () => {
  const { answer, durationMs } = await run(`sleep 60 & echo '{"action":"block","message":"m"}'`);
  assert.deepEqual(answer, { action: "block", message: "m" });
  assert.ok(durationMs < 10_000, `${durationMs} ms`);
});

const onLinux = { ignore: Deno.build.os !== "linux" }; // elsewhere there is no setsid

Deno.test("runShellHook() waits for nobody who has left the program's group", onLinux, async () => {
  using time = new FakeTime();
  const dir = await Deno.makeTempDir();
  // Holds every pipe open, and reads nothing of a payload that fills one.
  const stranger =
    `echo $$ >${dir}/hook; exec 3<&0; setsid sh -c 'echo $$ >${dir}/pid; exec sleep 60' &
    while ! [ -s ${dir}/pid ]; do sleep 0.01; done`;
  const options = { spawn: spawnHook, env: ENV, cwd: "/tmp", log() {}, signal: SIGNAL };
  const payload = { ...PAYLOAD, args: { command: "x".repeat(1_000_000) } };
  const entry = (script: string) => ({ command: quote(script), timeout: 6, "fail_closed": true });
  try {
    for (
      const [rest, expected] of [
        [`echo '{"action":"block","message":"m"}'`, undefined],
        ["sleep 60", "timed out after 6 s"],
      ] as const
    ) {
      const { hooks } = parseShellHooks({ "pre_tool_call": [entry(`${stranger}; ${rest}`)] });
      const running = runShellHook(hooks[0]!, payload, options);
      while (await Deno.readTextFile(`${dir}/pid`).catch(() => "") === "") await time.settle();
      const hook = Number(await Deno.readTextFile(`${dir}/hook`));
      if (expected !== undefined) await time.tick(6_000);
      while (!await isGone(hook)) await time.settle();
      const report = await time.until(running);
      assert.equal(report.failure, expected);
      assert.equal((report.answer as { action: string }).action, "block");
      const pid = Number(await Deno.readTextFile(`${dir}/pid`));
      // A deadline ends the whole tree, also who left the group.
      if (expected === undefined) Deno.kill(pid, "SIGKILL");
      else assert.ok(await isGone(pid));
      await Deno.remove(`${dir}/pid`);
    }
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("spawnHook() gives the program no credentials", async () => {
  const { exit } = await run("cat >/dev/null; env | sort");
  assert.doesNotMatch(exit!.stdout, /API_KEY|OWN/);
  assert.match(exit!.stdout, /NODE_ENV=yes/);
  assert.deepEqual(
    helperEnvironment({
      PWD: "/x",
      A: "sk-abcdefghij1234567890",
      DB: "pg://u:p@h/d",
      PGPASSWORD: "x",
    }),
    { PWD: "/x" },
  );
});

Deno.test("attachShellHooks() runs only what was approved", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const file = `${dir}/shell-hooks-allowlist.json`;
    const { hooks: configured } = parseShellHooks({
      "pre_tool_call": [
        { command: quote(`echo '{"action":"block","message":"agreed"}'`), matcher: "agreed" },
        { command: quote("touch ran"), matcher: "open" },
        { command: quote("true"), matcher: "closed", "fail_closed": true },
      ],
    });
    const consents = await HookConsents.read(file, new Seal(`${dir}/key`));
    const { program } = await consentTo(configured[0]!, { consents, env: ENV, cwd: dir });
    await consents.approve(configured[0]!, program!.files);
    const notices: string[] = [];
    const hooks = new Hooks({ log() {} });
    await attachShellHooks(hooks, configured, {
      spawn: spawnHook,
      env: ENV,
      cwd: dir,
      log() {},
      notice: (line) => notices.push(line),
      consents,
      copies: `${dir}/copies`,
      accept: false,
    });
    const verdict = (toolName: string) => hooks.preToolCall({ ...PAYLOAD, toolName }, SIGNAL);
    assert.deepEqual(await verdict("agreed"), [{ action: "block", message: "agreed" }]);
    assert.deepEqual(await verdict("open"), []);
    await assert.rejects(Deno.stat(`${dir}/ran`));
    assert.match((await verdict("closed"))[0]!.action, /block/);
    assert.deepEqual(await verdict("other"), []);
    assert.equal(notices.filter((line) => line.includes("is not approved")).length, 2);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("HookConsents survives, can be taken back, and believes no other key", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const file = `${dir}/list.json`;
    const read = (key = "key") => HookConsents.read(file, new Seal(`${dir}/${key}`));
    const a = { event: "pre_tool_call", command: "a" };
    const b = { event: "post_tool_call", command: "b" };
    const files = [{ path: "/a", sha256: "1" }];
    const consents = await read();
    for (const hook of [a, b]) await consents.approve(hook, files);
    assert.equal((await read()).objection(a, files), undefined);
    assert.equal((await read()).objection({ ...a, event: b.event }, files), "it is not approved");
    assert.match((await read("other")).objection(a, files)!, /its approval has no seal/);
    assert.match((await read()).objection(a, [])!, /\/a is not what it runs any more/);
    assert.deepEqual(await consents.revoke("a"), [a]);
    assert.equal((await read()).objection(a, files), "it is not approved");
    assert.equal((await read()).objection(b, files), undefined);
    await Deno.writeTextFile(file, "{broken");
    await assert.rejects(read(), /is damaged/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("HookConsents keeps one command's consents for several places apart", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const consents = await HookConsents.read(`${dir}/list.json`, new Seal(`${dir}/key`));
    const hook = { event: "pre_tool_call", command: "./hook.sh" };
    const at = (place: string, sha256: string) => [{ path: `/${place}/hook.sh`, sha256 }];
    await consents.approve(hook, at("one", "1"));
    await consents.approve(hook, at("two", "2"));
    assert.equal(consents.objection(hook, at("one", "1")), undefined);
    assert.equal(consents.objection(hook, at("two", "2")), undefined);
    await consents.approve(hook, at("one", "3"));
    assert.match(consents.objection(hook, at("one", "1"))!, /not what was approved/);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("parseShellHooks() takes a guard under a mistyped event for a missing guard", () => {
  const { problems, missingGuards } = parseShellHooks({
    "pre_tol_call": [{ command: "guard", fail_closed: true }],
    "post_tol_call": { command: "observer" },
  });
  assert.deepEqual(missingGuards, [
    'hooks.pre_tol_call: there is no such event. Did you mean "pre_tool_call"?',
  ]);
  assert.equal(problems.length, 1);
});
