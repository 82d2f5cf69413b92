import { equal } from "node:assert/strict";
import { operationProblem } from "./operation_check.ts";

const TEXT = { type: "text", text: "x" };

Deno.test("operationProblem() takes every operation as it is meant", () => {
  const image = { type: "image", mediaType: "image/png", ref: "sha256:0" };
  const blank = { type: "text", text: "" };
  const answer = { kind: "confirm", yes: true };
  for (
    const operation of [
      { op: "input", content: [TEXT, image], busy: "steer", by: "web:7", v: 1 },
      { op: "input", content: [image] },
      { op: "input", content: [blank, image] },
      { op: "continue" },
      { op: "steer", text: "x" },
      { op: "interrupt", reason: "x" },
      { op: "answer", questionId: "q1", answer },
      { op: "command", name: "x", argument: "" },
      { op: "compact" },
      { op: "set_model", model: "x" },
      { op: "close" },
    ]
  ) equal(operationProblem(operation), undefined);
});

Deno.test("operationProblem() names what is wrong with anything else", () => {
  const problems: [unknown, string][] = [
    [null, "an operation is an object"],
    ["close", "an operation is an object"],
    [{ op: "close", v: 2 }, "operations of version 2 are not known, only 1"],
    [{ op: "close", v: "1" }, "operations of version 1 are not known, only 1"],
    [{}, "there is no operation undefined"],
    [{ op: "explode" }, "there is no operation explode"],
    [{ op: "toString" }, "there is no operation toString"],
    [{ op: "close", v: { toString: 1 } }, "operations of version object are not known, only 1"],
    [{ op: "close", by: 7 }, "close: by is a text of at most 200 characters"],
    [
      { op: "close", by: "x".repeat(201) },
      "close: by is a text of at most 200 characters",
    ],
    [
      { op: "close", reason: "__proto__" },
      "close: reason is one of done, failed, needs_approval, budget, provider, schema, interrupted",
    ],
    [{ op: "interrupt", reason: {} }, "interrupt: reason is a text"],
    [{ op: "compact", topic: 1 }, "compact: topic is a text"],
    [{ op: "continue", outputSchema: null }, "continue: outputSchema is an object"],
    [{ op: "input", content: [TEXT], synthetic: 1 }, "input: synthetic is true or false"],
    [{ op: "input", content: [TEXT], outputSchema: "x" }, "input: outputSchema is an object"],
    [{ op: "input" }, "input: content is a list of text and image parts"],
    [{ op: "input", content: "x" }, "input: content is a list of text and image parts"],
    [{ op: "input", content: [null] }, "input: content is a list of text and image parts"],
    [
      { op: "input", content: [{ type: "text" }] },
      "input: content is a list of text and image parts",
    ],
    [
      { op: "input", content: [TEXT], busy: "later" },
      "input: busy is one of queue, steer, interrupt, reject",
    ],
    [{ op: "input", content: [] }, "input: content is empty"],
    [{ op: "input", content: [{ type: "text", text: "" }] }, "input: content is empty"],
    [
      { op: "input", content: [{ type: "text", text: " \n" }, { type: "text", text: "" }] },
      "input: content is empty",
    ],
    [{ op: "steer" }, "steer: text is a text"],
    [{ op: "steer", text: " " }, "steer: text is empty"],
    [{ op: "answer", questionId: "q1" }, "answer: questionId is a text and answer has a kind"],
    [{ op: "answer", answer: { kind: "x" } }, "answer: questionId is a text and answer has a kind"],
    [{ op: "command", name: "x" }, "command: argument is a text"],
    [{ op: "set_model" }, "set_model: model is a text"],
    [{ op: "set_model", model: "x", provider: 1 }, "set_model: provider is a text"],
    [{ op: "interrupt", reason: {} }, "interrupt: reason is a text"],
    [{ op: "answer", questionId: "q1", answer: {}, by: "timeout" }, "answer: by cannot be timeout"],
    [
      { op: "close", reason: "bored" },
      "close: reason is one of done, failed, needs_approval, budget, provider, schema, interrupted",
    ],
  ];
  for (const [operation, problem] of problems) equal(operationProblem(operation), problem);
});
