import assert from "node:assert/strict";
import { parseLenientJson, repairToolName } from "./repair.ts";

Deno.test("repairToolName() finds the tool that was meant", () => {
  const tools = ["read_file", "write_file", "terminal", "search_files", "todo"];
  const rows: [string, string | undefined][] = [
    ["read_file", "read_file"],
    ["Read_File", "read_file"],
    ["read-file", "read_file"],
    ["read file", "read_file"],
    ["ReadFile", "read_file"],
    ["read_file_tool", "read_file"],
    ["ReadFileTool", "read_file"],
    ["terminaltool", "terminal"],
    ['terminal" command="ls', "terminal"],
    ["terminal<arg>", "terminal"],
    ["serch_files", "search_files"],
    ["bash", undefined],
    ["", undefined],
  ];
  for (const [name, expected] of rows) assert.equal(repairToolName(name, tools), expected, name);
});

Deno.test("parseLenientJson() mends what models break", () => {
  const rows: [text: string, value: unknown][] = [
    ["", {}],
    ["  \n", {}],
    ['{"a":1}', { a: 1 }],
    ['{"a":1,}', { a: 1 }],
    ['{"a":[1,2,],}', { a: [1, 2] }],
    ['{"a":"x\ny\tz"}', { a: "x\ny\tz" }],
    ['{"a":"\u0001"}', { a: "\u0001" }],
    ['{"a":{"b":1}', { a: { b: 1 } }],
    ['{"a":[1,{"b":2}]', { a: [1, { b: 2 }] }],
    ['{"a":1}}', { a: 1 }],
    ['{"a":[1,2}', { a: [1, 2] }],
    ['```json\n{"a":1}\n```', { a: 1 }],
    ['\ufeff{"a":1}', { a: 1 }],
    ['{"p":"\\d+\\.ts"}', { p: "\\d+\\.ts" }],
    ['{"p":"it\\\'s"}', { p: "it's" }],
    ['{"p":"C:\\users"}', { p: "C:\\users" }],
    ['{"c":"if (a) { b() }"}', { c: "if (a) { b() }" }],
  ];
  for (const [text, value] of rows) {
    const result = parseLenientJson(text);
    assert.ok(result.ok, text);
    assert.deepEqual(result.value, value, text);
  }
});

Deno.test("parseLenientJson() refuses text that was cut off", () => {
  const cut = [
    '{"a":1',
    '{"a":"x',
    '{"a":"function() { }',
    '{"a":[1,',
    '{"a"',
    '{"content":"line\\',
  ];
  for (const text of cut) {
    const result = parseLenientJson(text);
    assert.ok(!result.ok && result.truncated, text);
  }
});

Deno.test("parseLenientJson() says what is wrong with anything else", () => {
  for (const text of ["hello}", '{"a" 1}', "{a:1}"]) {
    const result = parseLenientJson(text);
    assert.ok(!result.ok && !result.truncated, text);
    assert.match(result.message, /JSON|property|Expected|Unexpected/i);
  }
});
