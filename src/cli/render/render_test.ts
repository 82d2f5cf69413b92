import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import type { AgentEvent, EventBody } from "../../protocol/event.ts";
import { zeroUsage } from "../../protocol/message.ts";
import { ChatView } from "./chat_view.ts";
import { jobSummary } from "./job_summary.ts";
import { progressLines, type ProgressOptions } from "./progress.ts";
import { RunView } from "./run_view.ts";
import { createStyle } from "./style.ts";
import { oneLine, plainText, visibleText } from "./tool_line.ts";

const OPTIONS = { style: createStyle(false), verbose: false };

function event(body: EventBody): AgentEvent {
  return { ...body, ts: "2026-01-01T00:00:00.000Z", sessionId: "s1", seq: 1 };
}

/** The lines of several events in a row. */
function linesOf(bodies: EventBody[], options: ProgressOptions = OPTIONS): string[] {
  return bodies.flatMap((body) => progressLines(event(body), options));
}

const START = { type: "tool_start", arguments: {} } as const;
const END = { type: "tool_end", isError: false, durationMs: 1, result: "{}" } as const;

Deno.test("progressLines() shows a call and its result in one plain line each", () => {
  const lines = linesOf([
    { ...START, callId: "c", name: "terminal", summary: "ls\n-la" },
    { ...END, callId: "c", name: "terminal", durationMs: 1500, summary: "exit 0 · a" },
  ]);
  deepStrictEqual(lines, ["→ terminal ls -la", "  ✓ exit 0 · a (1.5 s)"]);
});

Deno.test("progressLines() names the walls around commands in the first line", () => {
  const start = { type: "session_start", version: "1", provider: "p", model: "m" } as const;
  const first = (sandbox?: string) =>
    linesOf([{
      ...start,
      cwd: "/",
      tools: ["a", "b"],
      resumed: false,
      ...sandbox === undefined ? {} : { sandbox },
    }]);
  deepStrictEqual(first("read-only"), ["p/m · 2 tools · read-only · session s1"]);
  deepStrictEqual(first("off"), ["p/m · 2 tools · no sandbox · session s1"]);
  deepStrictEqual(first("docker"), ["p/m · 2 tools · in docker · session s1"]);
  // An event of a version that did not name the sandbox.
  deepStrictEqual(first(), ["p/m · 2 tools · session s1"]);
});

Deno.test("progressLines() takes failure and words from the event, never from the result's text", () => {
  const liar = JSON.stringify({ error: "not one", "exit_code": 1 });
  const lines = linesOf([
    { ...END, callId: "c", name: "t", result: liar, summary: "fine" },
    { ...END, callId: "d", name: "t", isError: true, summary: "exit 0" },
    { ...END, callId: "e", name: "t", result: "of an older version" },
  ]);
  deepStrictEqual(lines, ["  ✓ fine", "  ✗ exit 0", "  ✓ of an older version"]);
});

Deno.test("progressLines() says in words who decided, for how long, and how a run ended", () => {
  const decided = { type: "approval_end", callId: "c", approvalId: "a" } as const;
  const usage = zeroUsage();
  const lines = linesOf([
    { ...decided, answer: "session", by: "you" },
    { ...decided, answer: "once", by: "you" },
    { ...decided, answer: "deny", by: "nobody present" },
    { ...decided, answer: "deny", by: "a plugin" },
    { type: "session_end", reason: "needs_approval", exitCode: 3, usage },
    { type: "session_end", reason: "provider", exitCode: 5, usage },
  ]);
  deepStrictEqual(lines.map((line) => line.replace(/ · .*/, "")), [
    "! allowed by you for this session",
    "! allowed by you",
    "! refused: nobody is here to allow it",
    "! refused by a plugin",
    "waits for an approval",
    "the model cannot be used",
  ]);
});

Deno.test("progressLines() shows changes and plans in a chat, and everything when verbose", () => {
  const end: EventBody = {
    ...END,
    callId: "c",
    name: "x",
    summary: "done",
    view: [
      { kind: "output", text: "printed\x1b[2J\n" },
      { kind: "diff", text: "--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n" },
      { kind: "list", items: [{ text: "write", state: "active" }, { text: "test" }] },
      { kind: "image", mediaType: "image/png", ref: "sha256:00" },
    ],
  };
  const below = (options: ProgressOptions) => linesOf([end], options).slice(1);
  deepStrictEqual(below(OPTIONS), []);
  const changes = ["--- a", "+++ b", "@@ -1 +1 @@", "-old", "+new", "▸ write", "- test"];
  deepStrictEqual(
    below({ ...OPTIONS, changes: true }),
    changes.map((line) => `    ${line}`),
  );
  deepStrictEqual(
    below({ ...OPTIONS, verbose: true }),
    ["printed\\u001b[2J", ...changes, "[image/png sha256:00]"].map((line) => `    ${line}`),
  );
  match(new ChatView(OPTIONS).fold(event(end)), /✓ done\n {4}--- a\n/);
});

Deno.test("progressLines() cuts a long view and says by how much", () => {
  const text = Array.from({ length: 100 }, (_, i) => `+${i}`).join("\n");
  const lines = linesOf([
    { ...END, callId: "c", name: "patch", view: [{ kind: "diff", text }] },
  ], { ...OPTIONS, changes: true });
  strictEqual(lines.at(-1), "    … 60 more lines");
  strictEqual(lines.length, 42);
});

Deno.test("progressLines() never passes control characters on", () => {
  const lines = linesOf([
    { ...START, callId: "c", name: "terminal", summary: "x\x1b]0;evil\x07" },
  ]);
  // deno-lint-ignore no-control-regex -- the test is about them
  doesNotMatch(lines.join(""), /[\x00-\x1f]/);
});

Deno.test("progressLines() says when a failed request is tried again", () => {
  const lines = progressLines(
    event({ type: "error", kind: "rate_limit", message: "slow", fatal: false, retryInMs: 1500 }),
    OPTIONS,
  );
  deepStrictEqual(lines, ["! slow; trying again in 1.5 s"]);
});

Deno.test("ChatView streams text, breaks before a tool line, shows escapes", () => {
  const view = new ChatView(OPTIONS);
  const text = [
    event({ type: "message_delta", kind: "text", text: "Hel\x1b[2Jlo" }),
    event({ type: "tool_start", callId: "c", name: "todo", arguments: {} }),
    event({ type: "message_delta", kind: "reasoning", text: "hidden" }),
    event({ type: "turn_end", turn: 1, reason: "interrupted", text: "", iterations: 1 }),
  ].map((one) => view.fold(one)).join("");
  strictEqual(text, "Hel\\u001b[2Jlo\n→ todo\n[interrupted]\n");
});

Deno.test("jobSummary() names the outcome, the model and the answer", () => {
  const end = event({ type: "session_end", reason: "done", exitCode: 0, usage: zeroUsage() });
  const text = jobSummary({ event: end, text: "All good", model: "p/m" });
  match(text, /### hermes run: done \(exit code 0\)/);
  match(text, /\| p\/m \|/);
  match(text, /All good/);
});

Deno.test("oneLine(), visibleText() and plainText() show what would act on a terminal", () => {
  const text = "a\x1b]52;c;eA==\x07\u202eb\x9b2J\rc\u200bd\u{e0041}";
  const shown = "a\\u001b]52;c;eA==\\u0007\\u202eb\\u009b2J";
  strictEqual(oneLine(text), `${shown} c\\u200bd\\udb40\\udc41`);
  strictEqual(visibleText(text), `${shown}\\rc\\u200bd\\udb40\\udc41`);
  strictEqual(plainText(text), visibleText(text));
});

Deno.test("RunView streams the answer, ends its line before progress, and tells quiet from silent", () => {
  const say = (text: string) => event({ type: "message_delta", kind: "text", text });
  const start = event({ type: "tool_start", callId: "c", name: "todo", arguments: {} });
  const fatal = event({ type: "error", kind: "auth", message: "no", fatal: true });
  const view = new RunView({ ...OPTIONS, quiet: false, stream: true });
  deepStrictEqual([say("Hel"), start, say("lo\n"), fatal].map((one) => view.fold(one)), [
    { answer: "Hel", progress: "" },
    { answer: "\n", progress: "→ todo\n" },
    { answer: "lo\n", progress: "" },
    { answer: "", progress: "" },
  ]);
  strictEqual(view.hasShown("Hello\n"), true);
  const quiet = new RunView({ ...OPTIONS, quiet: true, stream: false });
  deepStrictEqual([say("x"), start].map((one) => quiet.fold(one)), [
    { answer: "", progress: "" },
    { answer: "", progress: "" },
  ]);
  strictEqual(quiet.hasShown("x"), false);
});

Deno.test("RunView names the call of a result only where calls ran side by side", () => {
  const view = new RunView({ ...OPTIONS, quiet: false, stream: false });
  const call = (callId: string, command: string) =>
    event({
      type: "tool_start",
      callId,
      name: "terminal",
      summary: command,
      arguments: { command },
    });
  const end = (callId: string) =>
    event({
      type: "tool_end",
      callId,
      name: "terminal",
      isError: false,
      durationMs: 1,
      result: "ok",
    });
  const lines = [
    call("a", "one"),
    call("b", "two"),
    end("b"),
    end("a"),
    call("c", "three"),
    end("c"),
  ]
    .map((one) => view.fold(one).progress);
  deepStrictEqual(lines.filter((line) => line.includes("✓")), [
    "  ✓ terminal two: ok\n",
    "  ✓ terminal one: ok\n",
    "  ✓ ok\n",
  ]);
});
