import { deepEqual, equal, match, rejects } from "node:assert/strict";
import type { Clarifier, ClarifyQuestion } from "../src/protocol/services.ts";
import { createTempEnvironment } from "../tests/support/memory_environment.ts";
import {
  createTestContext,
  runTool,
  type TestContextOptions,
  type ToolReply,
} from "../tests/support/tool_context.ts";
import "./clarify.ts";

async function call(
  args: Record<string, unknown>,
  options: TestContextOptions = {},
): Promise<ToolReply> {
  await using env = await createTempEnvironment();
  return await runTool("clarify", args, createTestContext(env, options));
}

/** Answers with these and keeps the questions. */
function answering(answers: string[][]): Clarifier & { asked: ClarifyQuestion[] } {
  const asked: ClarifyQuestion[] = [];
  return {
    asked,
    ask(questions) {
      asked.push(...questions);
      return Promise.resolve(answers);
    },
  };
}

Deno.test("clarify marks the first choice as recommended and takes the mark off the answer", async () => {
  const clarifier = answering([["red (Recommended)"]]);
  const reply = await call({ question: "Colour?", choices: ["red", "blue"] }, { clarifier });
  deepEqual(clarifier.asked, [{
    id: "1",
    question: "Colour?",
    choices: ["red (Recommended)", "blue"],
    multiSelect: false,
  }]);
  deepEqual(reply, {
    question: "Colour?",
    choices_offered: ["red", "blue"],
    user_response: "red",
  });
});

Deno.test("clarify drops choices beyond four and flattens objects", async () => {
  const clarifier = answering([["c"]]);
  const choices = [{ label: "a" }, { description: "b" }, { text: "c" }, { title: "d" }, "e", ""];
  const reply = await call({ question: "?", choices }, { clarifier });
  deepEqual(reply.choices_offered, ["a", "b", "c", "d"]);
});

Deno.test("clarify asks an open question without choices and does not mark a single one", async () => {
  const clarifier = answering([["free words"]]);
  equal((await call({ question: "?" }, { clarifier })).user_response, "free words");
  await call({ question: "?", choices: ["only"] }, { clarifier });
  deepEqual(clarifier.asked.map(({ choices }) => choices), [[], ["only"]]);
});

Deno.test("clarify returns an array for several selections", async () => {
  const clarifier = answering([["a (Recommended)", "b"]]);
  const args = { question: "?", choices: ["a", "b"], "multi_select": true };
  deepEqual((await call(args, { clarifier })).user_response, ["a", "b"]);
});

Deno.test("clarify asks several questions at once and keeps their ids", async () => {
  const clarifier = answering([["x"], []]);
  const reply = await call({
    questions: [{ id: "one", question: "1?" }, { question: "2?", choices: ["a", "b"] }],
  }, { clarifier });
  deepEqual(reply.responses, [
    { id: "one", question: "1?", choices_offered: [], user_response: "x" },
    {
      question: "2?",
      choices_offered: ["a", "b"],
      user_response: "(no answer given: decide yourself)",
    },
  ]);
});

Deno.test("clarify tells the model to decide itself when nobody is there", async () => {
  const reply = await call({ question: "Which?", choices: ["a", "b"] });
  equal(reply.answered, false);
  match(String(reply.user_response), /Nobody is there.*Decide yourself/);
});

Deno.test("clarify tells the model that nobody answered in time", async () => {
  const clarifier: Clarifier = { ask: () => Promise.resolve("expired") };
  const reply = await call({ question: "?" }, { clarifier });
  deepEqual([reply.timed_out, reply.answered], [true, false]);
  match(String(reply.user_response), /No answer in time/);
});

Deno.test("clarify ends with the call's own signal", async () => {
  const stop = new AbortController();
  const clarifier: Clarifier = {
    ask(_, signal) {
      stop.abort(new Error("interrupted"));
      return Promise.reject(signal.reason);
    },
  };
  await rejects(call({ question: "?" }, { clarifier, signal: stop.signal }), /interrupted/);
});

Deno.test("clarify refuses no question and too many", async () => {
  match((await call({})).error, /question is missing/);
  match((await call({ questions: [{ question: " " }] })).error, /question is missing/);
  const questions = Array.from({ length: 6 }, () => ({ question: "?" }));
  match((await call({ questions })).error, /At most 5/);
});
