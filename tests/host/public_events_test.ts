/** What real sessions tell is what the published schema of events says, no field more or less. */
import { deepEqual, ok } from "node:assert/strict";
import { AgentEventSchema } from "../../src/protocol/event_schema.ts";
import { messageText } from "../../src/protocol/message.ts";
import type { ModelRequest } from "../../src/protocol/provider.ts";
import type { ScriptedReply } from "../support/scripted_provider.ts";
import { EventLog, input, openTestHost } from "../support/test_host.ts";
import { pluginFiles } from "../plugins/_bench.ts";

const CALLS: Record<string, Record<string, unknown>[]> = {
  remove: [{ name: "terminal", arguments: { command: "rm -rf nothing-here" } }],
  ask: [{ name: "clarify", arguments: { question: "Which?", choices: ["a", "b"] } }],
  write: [
    { name: "write_file", arguments: { path: "a.txt", content: "one\n" } },
    { name: "todo", arguments: { todos: [{ id: "1", content: "x", status: "pending" }] } },
  ],
  script: [{
    name: "execute_code",
    arguments: {
      code:
        `import { read_file } from "hermes_tools";\nconsole.log(await read_file({ path: "a.txt" }));`,
    },
  }],
};

function respond({ messages }: ModelRequest): ScriptedReply {
  const last = messages.at(-1)!;
  if (last.role !== "user") return { text: "done", reasoning: "thinking" };
  const said = messageText(last);
  if (said === "hang") return { text: "half", hang: true };
  const calls = CALLS[said];
  return calls === undefined ? { text: "done" } : { calls: calls as never };
}

Deno.test("every event of a session is as the schema of events says", async () => {
  await using bench = await openTestHost({ respond });
  const { host, home } = bench;
  const command = `export function register(ctx: any) {
    ctx.registerCommand({ name: "who", description: "x", run: () => "me" }); }`;
  await Deno.mkdir(`${home}/demo`);
  for (const [path, text] of Object.entries(pluginFiles("demo", command))) {
    await Deno.writeTextFile(`${home}/demo/${path}`, text);
  }
  const { session } = await host.open({
    surface: "chat",
    extensions: { plugins: [`${home}/demo`], acceptPlugins: true },
  });
  const log = new EventLog(session);
  const answer = async (nth: number, given: Record<string, unknown>) => {
    const { question: { id: questionId, kind } } = await log.next("question_start", nth);
    session.submit({ op: "answer", questionId, answer: { kind, ...given } as never, by: "me" });
    await session.idle;
  };
  session.submit(input("remove"));
  await answer(0, { answer: "deny", reason: "no" });
  session.submit(input("ask"));
  await answer(1, { answers: [["b"]] });
  for (const said of ["write", "script"]) {
    session.submit(input(said));
    await session.idle;
  }
  session.submit(input("hang"));
  session.submit(input("next", { busy: "queue", by: "me" }));
  await log.next("message_delta");
  session.submit({ op: "interrupt" });
  await session.idle;
  session.submit({ op: "set_model", model: "other" });
  await log.next("model_change");
  session.submit({ op: "command", name: "who", argument: "" });
  await log.next("command_end");
  session.tell("a line");
  await host.close();
  await log.ended;
  const seen = new Set(log.types);
  const wanted = "session_start turn_start message_start message_delta message_end tool_start " +
    "tool_end approval_start approval_end question_start question_end queue command_end " +
    "model_change usage notice turn_end session_end";
  deepEqual(wanted.split(" ").filter((type) => !seen.has(type as never)), []);
  for (const event of log.events) {
    // As a program at the other end of a pipe gets it.
    const sent = JSON.parse(JSON.stringify(event));
    const read = AgentEventSchema.safeParse(sent);
    ok(read.success, `${event.type}: ${read.error?.message}`);
    deepEqual(read.data, sent, `${event.type} has fields that the schema does not name`);
  }
});
