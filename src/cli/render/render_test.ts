import { deepStrictEqual, doesNotMatch, match, strictEqual } from "node:assert/strict";
import type { AgentEvent, EventBody } from "../../protocol/event.ts";
import { zeroUsage } from "../../protocol/message.ts";
import { ChatView } from "./chat_view.ts";
import { jobSummary } from "./job_summary.ts";
import { progressLines } from "./progress.ts";
import { RunView } from "./run_view.ts";
import { createStyle } from "./style.ts";
import { oneLine, plainText, visibleText } from "./tool_line.ts";

const OPTIONS = { style: createStyle(false), verbose: false };

function event(body: EventBody): AgentEvent {
  return { ...body, ts: "2026-01-01T00:00:00.000Z", sessionId: "s1", seq: 1 };
}

Deno.test("progressLines() shows a call and its result in one plain line each", () => {
  const start = event({
    type: "tool_start",
    callId: "c",
    name: "terminal",
    arguments: { command: "ls\n-la" },
  });
  const end = event({
    type: "tool_end",
    callId: "c",
    name: "terminal",
    isError: false,
    durationMs: 1500,
    result: JSON.stringify({ output: "a\nb\n", exit_code: 0 }),
  });
  deepStrictEqual(progressLines(start, OPTIONS), ["→ terminal ls -la"]);
  deepStrictEqual(progressLines(end, OPTIONS), ["  ✓ exit 0 · a (+1 lines) (1.5 s)"]);
});

Deno.test("progressLines() never passes control characters on", () => {
  const lines = progressLines(
    event({
      type: "tool_start",
      callId: "c",
      name: "terminal",
      arguments: { command: "x\x1b]0;evil\x07" },
    }),
    OPTIONS,
  );
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
  strictEqual(text, "Hel\\u001b[2Jlo\n→ todo {}\n[interrupted]\n");
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
    { answer: "\n", progress: "→ todo {}\n" },
    { answer: "lo\n", progress: "" },
    { answer: "", progress: "" },
  ]);
  strictEqual(view.hasStreamed, true);
  const quiet = new RunView({ ...OPTIONS, quiet: true, stream: false });
  deepStrictEqual([say("x"), start].map((one) => quiet.fold(one)), [
    { answer: "", progress: "" },
    { answer: "", progress: "" },
  ]);
  strictEqual(quiet.hasStreamed, false);
});

Deno.test("RunView names the call of a result only where calls ran side by side", () => {
  const view = new RunView({ ...OPTIONS, quiet: false, stream: false });
  const call = (callId: string, command: string) =>
    event({ type: "tool_start", callId, name: "terminal", arguments: { command } });
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
