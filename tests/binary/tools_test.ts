/** Every tool does its work in the artefact; a new tool must be added here. */
import assert from "node:assert/strict";
import { type Reply, startFakeModel } from "../support/fake_model_server.ts";
import { withInstalled } from "./support.ts";

interface ToolCase {
  arguments: Record<string, unknown>;
  /** What the model must be told. */
  expect: RegExp;
}

const SCRIPT = `import { read_file } from "hermes_tools";
const file = await read_file({ path: "note.txt" });
console.log("lines:", file.total_lines);`;

/** In this order, in one session and one directory. */
const CASES: Readonly<Record<string, ToolCase>> = {
  "write_file": {
    arguments: { path: "note.txt", content: "alpha\nbeta\n" },
    expect: /"bytes_written":11/,
  },
  "read_file": { arguments: { path: "note.txt" }, expect: /2\|beta/ },
  patch: {
    arguments: { path: "note.txt", old_string: "beta", new_string: "gamma" },
    expect: /"success":true/,
  },
  "search_files": { arguments: { pattern: "gam+a" }, expect: /note\.txt/ },
  terminal: { arguments: { command: "cat note.txt" }, expect: /alpha\\ngamma/ },
  process: { arguments: { action: "list" }, expect: /"processes":/ },
  todo: {
    arguments: { todos: [{ id: "1", content: "look", status: "pending" }] },
    expect: /"content":"look"/,
  },
  clarify: { arguments: { question: "Which one?" }, expect: /nobody|no one|not available|decide/i },
  "execute_code": { arguments: { code: SCRIPT }, expect: /lines: 2/ },
};

Deno.test("every tool that hermes offers works in the artefact", async () => {
  const calls = Object.entries(CASES);
  const replies: Reply[] = [
    ...calls.map(([name, { arguments: args }]) => ({ toolCalls: [{ name, arguments: args }] })),
    { text: "done" },
  ];
  await using model = startFakeModel({ replies });
  await withInstalled(async ({ hermes, machine }) => {
    const args = ["run", "--base-url", model.url, "--model", "fake-model", "--quiet", "go"];
    const outcome = await hermes(args);
    assert.equal(outcome.code, 0, outcome.stderr);
    const left = await Array.fromAsync(Deno.readDir(machine.home), ({ name }) => name);
    assert.deepEqual(left.sort(), [".cache", ".hermes", "note.txt"], "caches are the build's own");
  });
  const { tools, messages } = model.requests.at(-1)!.body;
  const offered = tools.map((tool: { function: { name: string } }) => tool.function.name).sort();
  assert.deepEqual(offered, Object.keys(CASES).sort());
  const results = messages.filter(({ role }: { role: string }) => role === "tool");
  for (const [index, [name, { expect }]] of calls.entries()) {
    assert.match(results[index].content, expect, name);
  }
});
