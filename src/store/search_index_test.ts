import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Message } from "../protocol/message.ts";
import { Store } from "./store.ts";

const SESSION = { source: "run", cwd: "/", provider: "p", model: "m", systemPrompt: "" };

/** Lets a test write into the index's own tables; the type does not know `defensive` yet. */
const UNGUARDED: object = { timeout: 1000, defensive: false };

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function tool(content: string): Message {
  return { role: "tool", toolCallId: "1", name: "terminal", content, isError: false };
}

/** A store with one session `s` that holds these messages. */
function withMessages(messages: Message[], test: (store: Store, path: string) => void): void {
  const directory = Deno.makeTempDirSync();
  try {
    using store = new Store(`${directory}/state.db`);
    store.createSession({ ...SESSION, id: "s", title: "T" });
    store.appendMessages("s", messages);
    test(store, `${directory}/state.db`);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

function found(store: Store, query: string): string[] {
  return store.search(query).map((hit) => hit.snippet);
}

Deno.test("Store.search() finds words, phrases, prefixes and alternatives, newest first", () => {
  withMessages([user("red apple pie"), user("green apple"), user("Résumé of pears")], (store) => {
    assert.deepEqual(found(store, "apple"), ["green apple", "red apple pie"]);
    assert.deepEqual(found(store, "apple red"), ["red apple pie"]);
    assert.deepEqual(found(store, '"apple red"'), []);
    assert.deepEqual(found(store, '"red apple"'), ["red apple pie"]);
    assert.deepEqual(found(store, "gree*"), ["green apple"]);
    assert.deepEqual(found(store, "pie OR pears"), ["Résumé of pears", "red apple pie"]);
    assert.deepEqual(found(store, "apple -red"), ["green apple"]);
    assert.deepEqual(found(store, "resume"), ["Résumé of pears"]);
    assert.deepEqual(found(store, "absent"), []);
  });
});

Deno.test("Store.search() finds parts of words when no whole word fits", () => {
  withMessages([user("the tokenizer failed")], (store) => {
    assert.deepEqual(found(store, "okeniz"), ["the tokenizer failed"]);
    assert.deepEqual(found(store, "okeniz aile"), ["the tokenizer failed"]);
    assert.deepEqual(found(store, "okeniz xyz"), []);
  });
});

Deno.test("Store.search() finds any part of Chinese, Japanese and Korean text", () => {
  withMessages([user("昨日は東京都で機械学習の勉強"), tool("서울특별시 날씨")], (store) => {
    for (const query of ["東京", "京都", "都", "機械学習", "学習の", "強", "昨日 勉強"]) {
      assert.equal(found(store, query).length, 1, query);
    }
    assert.equal(found(store, "特別").length, 0);
    assert.equal(found(store, "특별").length, 1);
    assert.equal(found(store, "習学").length, 0);
  });
});

Deno.test("Store.search() takes any text as a query", () => {
  withMessages([user("plain")], (store) => {
    const odd = [
      '"',
      "'",
      "a AND",
      "NEAR(a b)",
      "text:plain",
      "^a",
      "{x} : y",
      "a\0b",
      "-",
      "(*)",
      "%_",
    ];
    for (const query of [...odd, "x ".repeat(5000), "\ud800", "🎉"]) store.search(query);
    assert.equal(found(store, "plain ) (").length, 1);
  });
});

Deno.test("Store.search() filters by role and session and limits", () => {
  withMessages([user("alpha one"), tool("alpha two"), user("alpha three")], (store) => {
    store.createSession({ ...SESSION, id: "other" });
    store.appendMessage("other", user("alpha four"));
    assert.equal(store.search("alpha").length, 4);
    assert.equal(store.search("alpha", { limit: 2 }).length, 2);
    assert.deepEqual(store.search("alpha", { role: "tool" }).map((hit) => hit.role), ["tool"]);
    assert.equal(store.search("alpha", { sessionId: "other" }).length, 1);
    assert.equal(store.search("alpha", { sessionId: "s", role: "user" }).length, 2);
    assert.equal(store.search("lph", { sessionId: "s", role: "user" }).length, 2);
    assert.equal(store.search("alpha", { sessionId: "none" }).length, 0);
    const [hit] = store.search("one");
    assert.equal(hit?.sessionId, "s");
    assert.equal(hit?.title, "T");
  });
});

Deno.test("Store.search() is complete after every write and forgets what was deleted", () => {
  withMessages([user("first")], (store, path) => {
    assert.equal(found(store, "first").length, 1);
    store.appendMessage("s", user("second"));
    assert.equal(found(store, "second").length, 1);
    store.deleteSession("s");
    assert.equal(found(store, "first").length, 0);
    store.createSession({ ...SESSION, id: "again" });
    store.appendMessage("again", user("third"));
    assert.equal(found(store, "third").length, 1);
    using raw = new DatabaseSync(path, { readOnly: true });
    assert.equal(raw.prepare("SELECT count(*) AS n FROM words").get()?.["n"], 1);
  });
});

Deno.test("Store.search() builds a damaged or outdated index anew", () => {
  withMessages([user("needle")], (store, path) => {
    assert.equal(found(store, "needle").length, 1);
    {
      using raw = new DatabaseSync(path, UNGUARDED);
      raw.exec("UPDATE words_data SET block = x'ff00ff' WHERE id > 1");
    }
    assert.equal(found(store, "needle").length, 1);
    {
      using raw = new DatabaseSync(path, { timeout: 1000 });
      raw.exec("UPDATE search_state SET version = 0; DELETE FROM words");
    }
    assert.equal(found(store, "needle").length, 1);
  });
});
