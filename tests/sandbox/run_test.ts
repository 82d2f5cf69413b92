/** Scripts end to end: a scripted model writes them, `hermes run` executes them. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type JobOptions, parseEvents, withJob } from "../support/run_job.ts";
import type { RunOutcome } from "../support/hermes.ts";

interface Answer {
  status: string;
  output: string;
  errors: string;
  "tool_calls_made": number;
  "duration_seconds": number;
}

interface Rest {
  outcome: RunOutcome;
  /** Bodies of the requests to the model. */
  requests: string[];
  home: string;
}

/** Runs one script, then the `after` calls, and gives what the model was told. */
async function runCode(
  args: Record<string, unknown>,
  body: (answer: Answer, rest: Rest) => void,
  options: JobOptions & {
    flags?: string[];
    after?: { name: string; arguments: Record<string, unknown> }[];
  } = {},
): Promise<void> {
  const { flags = [], after = [], ...jobOptions } = options;
  const replies = [{ name: "execute_code", arguments: args }, ...after]
    .map((call) => ({ toolCalls: [call] }));
  await withJob([...replies, { text: "done" }], async (job) => {
    const outcome = await job.run(["--json", ...flags, "go"], jobOptions);
    assert.equal(outcome.code, 0, outcome.stderr);
    const tools = job.model.requests.at(-1)!.body.messages
      .filter((message: { role: string }) => message.role === "tool");
    assert.equal(tools.length, 1 + after.length);
    const requests = job.model.requests.map((request) => JSON.stringify(request.body));
    body(JSON.parse(tools[0].content), { outcome, requests, home: job.home });
  });
}

Deno.test("execute_code shares directory and exports with normal calls", async () => {
  const code = `import { terminal, write_file, read_file } from "hermes_tools";
await terminal({ command: "mkdir -p deep && cd deep && export COLOUR=blue" });
await write_file({ path: "note.txt", content: "one\\ntwo\\n" });
const { content } = await read_file({ path: "note.txt" });
console.log(content.split("\\n").length, (await terminal({ command: "basename $PWD" })).output);`;
  await runCode({ code }, (answer, { outcome }) => {
    assert.deepEqual([answer.status, answer.tool_calls_made], ["success", 4], answer.errors);
    assert.match(answer.output, /^\d deep\n$/);
    const last = parseEvents(outcome.stdout).findLast((event) => event.type === "tool_end")!;
    assert.match(String(last.result), /deep blue/);
  }, { after: [{ name: "terminal", arguments: { command: "echo $(basename $PWD) $COLOUR" } }] });
});

Deno.test("execute_code emits each call as an event and keeps it out of the history", async () => {
  const code = `import { terminal } from "hermes_tools";
for (const word of ["alpha", "beta"]) await terminal({ command: "echo secret-" + word });
console.log("summary");`;
  await runCode({ code }, (answer, { outcome, requests, home }) => {
    assert.equal(answer.output, "summary\n");
    const events = parseEvents(outcome.stdout);
    const nested = events.filter((event) => event.sandbox === true);
    assert.deepEqual(
      nested.map((event) => [event.type, event.name]),
      Array(2).fill([["tool_start", "terminal"], ["tool_end", "terminal"]]).flat(),
    );
    const script = events.find((event) => event.name === "execute_code")!;
    assert.ok(nested.every((event) => event.parentCallId === script.callId));
    assert.match(String(nested[1]!.result), /secret-alpha/);
    assert.doesNotMatch(requests[1]!, /secret-alpha\\\\n/);
    const progress = events.filter((event) =>
      event.type === "tool_delta" && event.callId === script.callId
    );
    assert.match(String(progress[0]?.text), /^0\/1 calls, 0 s$/);
    const store = new DatabaseSync(`${home}/.hermes/state.db`, { readOnly: true });
    const logged = store.prepare("SELECT name, arguments FROM script_calls ORDER BY id").all();
    store.close();
    assert.deepEqual(
      logged.map((row) => `${row.name} ${row.arguments}`),
      ["alpha", "beta"].map((word) => `terminal {"command":"echo secret-${word}"}`),
    );
  });
});

Deno.test("execute_code asks for approval as a normal call does", async () => {
  const command = "git push --force";
  const code = `import { terminal } from "hermes_tools";
console.log((await terminal({ command: "${command}" })).error);`;
  await runCode({ code }, (answer, { outcome }) => {
    const normal = parseEvents(outcome.stdout).findLast((event) => event.type === "tool_end")!;
    const { error } = JSON.parse(String(normal.result));
    assert.match(error, /approv/i);
    assert.equal(answer.output, `${error}\n`);
  }, { flags: ["--approve", "never"], after: [{ name: "terminal", arguments: { command } }] });
});

Deno.test("execute_code runs Python and re-executed children", async () => {
  const python = `from hermes_tools import terminal
print(terminal(command="echo from python")["output"])`;
  await runCode({ code: python, language: "python" }, (answer) => {
    assert.deepEqual([answer.output, answer.errors], ["from python\n", ""]);
  }, { env: { PATH: "/usr/local/bin:/usr/bin:/bin" } });
  const code = `import { terminal } from "hermes_tools";
console.log((await terminal({ command: "echo again" })).output);`;
  await runCode({ code }, (answer) => {
    assert.deepEqual([answer.output, answer.errors], ["again\n", ""]);
  }, { env: { HERMES_SANDBOX_MODE: "reexec" } });
});

Deno.test("execute_code gives its errors to the model", async () => {
  await runCode({ code: "const x = ;" }, (answer) => {
    assert.equal(answer.status, "error");
    assert.match(answer.errors, /script\.ts:1:11/);
  });
  await runCode({ code: "  " }, (answer) => {
    assert.match((answer as unknown as { error: string }).error, /code is empty/);
  });
});
