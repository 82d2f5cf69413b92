import assert from "node:assert/strict";
import type { AssistantMessage, Message } from "../protocol/message.ts";
import { messageText, toolCallsOf } from "../protocol/message.ts";
import { planSteps } from "./offline_plan.ts";
import { createChatProvider } from "./openai_chat.ts";
import { OFFLINE_BASE_URL } from "./catalog_data.ts";
import { networkFetch } from "./wire_fetch.ts";

const ALL = new Set(["terminal", "read_file", "write_file", "search_files"]);

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

async function answer(
  messages: Message[],
  options: { tools?: Iterable<string>; toolChoice?: "none" } = {},
): Promise<AssistantMessage> {
  const provider = createChatProvider({
    name: "offline",
    model: { id: "offline", contextTokens: 128_000 },
    baseUrl: OFFLINE_BASE_URL,
    wireFetch: networkFetch,
  });
  const tools = [...options.tools ?? ALL]
    .map((name) => ({ name, description: "", parameters: { type: "object" } }));
  const events = await Array.fromAsync(
    provider.stream({ system: "s", messages, ...options, tools }, new AbortController().signal),
  );
  const last = events.at(-1)!;
  assert.equal(last.type, "end");
  return (last as { message: AssistantMessage }).message;
}

function result(message: AssistantMessage, content: unknown): Message {
  const [call] = toolCallsOf(message);
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return { role: "tool", toolCallId: call!.id, name: call!.name, content: text, isError: false };
}

Deno.test("planSteps() turns each known shape into one tool call", () => {
  const plans: [string, string, Record<string, unknown>][] = [
    ["Run `uname -a`", "terminal", { command: "uname -a" }],
    ["please execute `echo 'a; b' then`", "terminal", { command: "echo 'a; b' then" }],
    ["`git status`", "terminal", { command: "git status" }],
    ["Read README.md.", "read_file", { path: "README.md" }],
    ['show me the contents of the file "a b.txt"', "read_file", { path: "a b.txt" }],
    ["read `src/main.ts`", "read_file", { path: "src/main.ts" }],
    ["list files in src", "terminal", { command: "ls -la -- src" }],
    ["List the directory tools", "terminal", { command: "ls -la -- tools" }],
    ["list files", "terminal", { command: "ls -la -- ." }],
    ["list the files in this directory", "terminal", { command: "ls -la -- ." }],
    ["List all files in the current directory.", "terminal", { command: "ls -la -- ." }],
    ["list files here please", "terminal", { command: "ls -la -- ." }],
    ["show me the files", "terminal", { command: "ls -la -- ." }],
    ["show the contents of this folder", "terminal", { command: "ls -la -- ." }],
    ["list this directory", "terminal", { command: "ls -la -- ." }],
    ["What files are here?", "terminal", { command: "ls -la -- ." }],
    ["which files are in src?", "terminal", { command: "ls -la -- src" }],
    ["what is in this directory?", "terminal", { command: "ls -la -- ." }],
    ["What's in src?", "terminal", { command: "ls -la -- src" }],
    ["What is in README.md?", "read_file", { path: "README.md" }],
    ["can you show me README.md?", "read_file", { path: "README.md" }],
    ["what does README.md say?", "read_file", { path: "README.md" }],
    ["print the contents of deno.json", "read_file", { path: "deno.json" }],
    ["display notes.txt", "read_file", { path: "notes.txt" }],
    ["search this project for fetch", "search_files", { pattern: "fetch", path: "." }],
    ["find needle in this directory", "search_files", { pattern: "needle", path: "." }],
    ["search for needle here", "search_files", { pattern: "needle", path: "." }],
    ["where is planSteps used?", "search_files", { pattern: "planSteps", path: "." }],
    ['which files contain "a b"?', "search_files", { pattern: "a b", path: "." }],
    ["count the files in this directory", "terminal", { command: "find . -type f | wc -l" }],
    ["How many files are here?", "terminal", { command: "find . -type f | wc -l" }],
    ["how many files are there in this repository", "terminal", {
      command: "find . -type f | wc -l",
    }],
    ["How many lines does README.md have?", "terminal", { command: "wc -l < README.md" }],
    ["count the number of lines in README.md", "terminal", { command: "wc -l < README.md" }],
    ["run ls -la", "terminal", { command: "ls -la" }],
    ["execute the command git status", "terminal", { command: "git status" }],
    ['search for "needle" in src', "search_files", { pattern: "needle", path: "src" }],
    ["grep fetch", "search_files", { pattern: "fetch", path: "." }],
    ["search src for fetch", "search_files", { pattern: "fetch", path: "src" }],
    ["count lines in deno.json", "terminal", { command: "wc -l < deno.json" }],
    ["How many lines are there in `a b`?", "terminal", { command: "wc -l < 'a b'" }],
    ["count the files in src", "terminal", { command: "find src -type f | wc -l" }],
    ["count files in .", "terminal", { command: "find . -type f | wc -l" }],
    ["list files in ..", "terminal", { command: "ls -la -- .." }],
    ["count .ts files in src", "terminal", { command: "find src -type f -name '*.ts' | wc -l" }],
    ['write "hello" to out.txt', "write_file", { path: "out.txt", content: "hello" }],
    ["create a file notes.md with 'some text'", "write_file", {
      path: "notes.md",
      content: "some text",
    }],
  ];
  for (const [request, tool, args] of plans) {
    const steps = planSteps(request, ALL);
    assert.deepEqual(steps.map((step) => [step.tool, step.args]), [[tool, args]], request);
  }
});

Deno.test("planSteps() does several requests in order and ignores what it cannot read", () => {
  const steps = planSteps(
    'Hello there. Write "x, then y" to a.txt, then read a.txt and then run `wc a.txt`; bye',
    ALL,
  );
  assert.deepEqual(steps.map((step) => step.kind), ["write", "read", "run"]);
  const plain = ["What is the meaning of life?", "run the tests", "fix the failing test"];
  for (const request of plain) assert.deepEqual(planSteps(request, ALL), [], request);
});

Deno.test("planSteps() counts and lists without a terminal", () => {
  const tools = new Set(["read_file", "search_files"]);
  assert.deepEqual(planSteps("count lines in a", tools)[0]!.tool, "read_file");
  assert.deepEqual(planSteps("count files in a", tools)[0]!.args["target"], "files");
  assert.deepEqual(planSteps("list a", tools)[0]!.tool, "search_files");
});

Deno.test("offlineFetch() says what it is when it cannot help", async () => {
  const message = await answer([user("What is the meaning of life?")]);
  assert.match(messageText(message), /offline model.*no network and no intelligence/);
  assert.match(messageText(message), /OPENROUTER_API_KEY/);
  assert.equal(messageText(message).split("\n").length, 3);
  assert.ok(message.usage!.inputTokens > 0 && message.usage!.outputTokens > 0);
});

Deno.test("offlineFetch() drives one tool per answer and reports each result", async () => {
  const messages = [
    user('run `false` then search for "x" in src then count lines in a then read b'),
  ];
  const results = [
    { output: "line 1\nline 2", exit_code: 1, error: null },
    { total_count: 2, matches: [{ path: "src/a.ts", line: 3, content: "x = 1" }] },
    { output: "42\n", exit_code: 0 },
    { error: "File not found: b" },
  ];
  const ids = new Set<string>();
  for (const content of results) {
    const message = await answer(messages);
    assert.equal(message.stopReason, "tool_calls");
    ids.add(toolCallsOf(message)[0]!.id);
    messages.push(message, result(message, content));
  }
  assert.equal(ids.size, results.length);
  const text = messageText(await answer(messages));
  assert.match(text, /^I am the offline model/);
  assert.match(text, /Running `false`: exit code 1, 2 lines of output\n {2}line 1\n {2}line 2/);
  assert.match(text, /Searching for "x": 2 matches\n {2}src\/a.ts:3: x = 1/);
  assert.match(text, /a has 42 lines\./);
  assert.match(text, /Reading b failed: File not found: b/);
});

Deno.test("offlineFetch() starts anew with each turn of the conversation", async () => {
  const messages = [user("run `true`")];
  const call = await answer(messages);
  messages.push(call, result(call, { output: "", exit_code: 0 }));
  messages.push(await answer(messages), user("hello"));
  assert.match(messageText(await answer(messages)), /backticked/);
  messages.push(await answer(messages), user("run `pwd`"));
  assert.equal(toolCallsOf(await answer(messages))[0]!.arguments, '{"command":"pwd"}');
});

Deno.test("offlineFetch() says what it did not do when tools are missing or forbidden", async () => {
  const missing = await answer([user("run `ls`")], { tools: ["read_file"] });
  assert.equal(toolCallsOf(missing).length, 0);
  assert.match(messageText(missing), /Not done: Running `ls`\. The tool terminal is not available/);
  const forbidden = await answer([user("run `ls`")], { toolChoice: "none" });
  assert.equal(toolCallsOf(forbidden).length, 0);
});

Deno.test("offlineFetch() shows plain text results and long ones bounded", async () => {
  const messages = [user("read big")];
  const call = await answer(messages);
  const content = Array.from({ length: 50 }, (_, i) => `${i}`).join("\n");
  const text = messageText(await answer([...messages, call, result(call, content)]));
  assert.match(text, /… 30 more lines$/);
});
