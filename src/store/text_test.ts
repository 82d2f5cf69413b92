import assert from "node:assert/strict";
import type { Message } from "../protocol/message.ts";
import { makeSnippet, parseQuery, searchableText, segment } from "./text.ts";

Deno.test("searchableText() takes text, tool names and arguments, not reasoning", () => {
  const assistant: Message = {
    role: "assistant",
    content: [
      { type: "reasoning", text: "hidden" },
      { type: "text", text: "Reading." },
      { type: "tool_call", id: "1", name: "read_file", arguments: '{"path":"a.ts"}' },
    ],
    stopReason: "tool_calls",
    provider: "p",
    model: "m",
  };
  assert.equal(searchableText(assistant), 'Reading.\nread_file {"path":"a.ts"}');
  const tool: Message = {
    role: "tool",
    toolCallId: "1",
    name: "read_file",
    content: "text",
    isError: false,
  };
  assert.equal(searchableText(tool), "read_file text");
});

Deno.test("segment() cuts unspaced scripts into pairs and leaves the rest", () => {
  assert.equal(segment("plain words"), "plain words");
  assert.equal(segment("in 東京都!"), "in  東京 京都 都 !");
  assert.equal(segment("𠮷野"), " 𠮷野 野 ");
});

Deno.test("parseQuery() builds quoted expressions", () => {
  const cases: [query: string, words: string][] = [
    ["one two", '("one") AND ("two")'],
    ['"one two" three', '("one two") AND ("three")'],
    ["a OR b c", '("a" OR "b") AND ("c")'],
    ["a -b", '(("a")) NOT ("b")'],
    ["a NOT b", '(("a")) NOT ("b")'],
    ["conf*", '("conf" *)'],
    ["con*", '("con")'],
    ["foo-bar", '("foo-bar")'],
    ["OR a AND", '("a")'],
    ['say "hi', '("say") AND ("hi")'],
    ["東京", '("東京")'],
    ["東", '("東" *)'],
    ["東京都", '("東京 京都")'],
    ["x東", '("x 東" *)'],
  ];
  for (const [query, words] of cases) assert.equal(parseQuery(query)?.words, words, query);
});

Deno.test("parseQuery() finds nothing to look for in operators and punctuation", () => {
  for (const query of ["", "   ", "* ( ) :", "NOT x", "-x", '""', "AND OR NOT"]) {
    assert.equal(parseQuery(query), undefined, query);
  }
});

Deno.test("parseQuery() offers trigrams only when every term is long enough", () => {
  assert.equal(parseQuery("abc de")?.trigrams, undefined);
  assert.equal(parseQuery("abc def")?.trigrams, '("abc") AND ("def")');
});

Deno.test("makeSnippet() shows the surroundings of the first match on one line", () => {
  const text = `${"before ".repeat(40)}\n\nNeedle\there ${"after ".repeat(40)}`;
  const snippet = makeSnippet(text, ["needle"]);
  assert.match(snippet, /^….*before Needle here after.*…$/);
  assert.ok(snippet.length <= 162);
  assert.equal(makeSnippet("short", ["nothing"]), "short");
});
