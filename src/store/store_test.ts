import assert from "node:assert/strict";
import { UsageError } from "../protocol/error.ts";
import type { Message } from "../protocol/message.ts";
import type { NewSession } from "./record.ts";
import { Store } from "./store.ts";

const SESSION: NewSession = {
  source: "run",
  cwd: "/work",
  provider: "openrouter",
  model: "m1",
  systemPrompt: "Be brief.",
};

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function withStore(test: (store: Store, directory: string) => void): void {
  const directory = Deno.makeTempDirSync();
  try {
    using store = new Store(`${directory}/state.db`);
    test(store, directory);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

Deno.test("Store.createSession() keeps everything it was given", () => {
  withStore((store) => {
    const id = store.createSession({ ...SESSION, title: "t", parentId: "p" }, 1000);
    assert.deepEqual(store.getSession(id), {
      id,
      title: "t",
      ...SESSION,
      parentId: "p",
      createdAt: 1000,
      updatedAt: 1000,
      messageCount: 0,
      toolCallCount: 0,
    });
    assert.equal(store.getSession("none"), undefined);
  });
});

Deno.test("Store.appendMessages() gives every kind of message back as it was", () => {
  withStore((store) => {
    const id = store.createSession(SESSION);
    const messages: Message[] = [
      { ...user("look"), synthetic: true } as Message,
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm", opaque: { signature: "x=", nested: [1, null] } },
          { type: "text", text: "ünïcödé 🎉 \u2028 \0" },
          { type: "tool_call", id: "c1", name: "read_file", arguments: '{"path": "a' },
        ],
        stopReason: "tool_calls",
        provider: "p",
        model: "m",
        usage: {
          inputTokens: 1,
          outputTokens: 2,
          cachedInputTokens: 3,
          cacheWriteTokens: 4,
          reasoningTokens: 5,
          costUsd: 0.1,
        },
      },
      { role: "tool", toolCallId: "c1", name: "read_file", content: "{}", isError: true },
    ];
    const ids = store.appendMessages(id, messages);
    assert.equal(ids.length, 3);
    assert.deepEqual(store.messages(id).map((stored) => stored.message), messages);
    assert.deepEqual(store.messages(id).map((stored) => stored.id), ids);
    const session = store.getSession(id)!;
    assert.equal(session.messageCount, 3);
    assert.equal(session.toolCallCount, 1);
    assert.ok(session.updatedAt >= session.createdAt);
  });
});

Deno.test("Store.appendMessage() stores images by reference only", () => {
  withStore((store) => {
    const id = store.createSession(SESSION);
    const ref = `sha256:${"0".repeat(64)}`;
    store.appendMessage(id, {
      role: "user",
      content: [{ type: "image", mediaType: "image/png", ref, data: "AAAA" }],
    });
    assert.deepEqual(store.messages(id)[0]?.message.content, [
      { type: "image", mediaType: "image/png", ref },
    ]);
    assert.deepEqual(store.blobRefs(), new Set([ref]));
    store.deleteSession(id);
    assert.deepEqual(store.blobRefs(), new Set());
  });
});

Deno.test("Store.appendMessage() keeps details and the references of a result's images", () => {
  withStore((store) => {
    const id = store.createSession(SESSION);
    const ref = `sha256:${"1".repeat(64)}`;
    const image = { type: "image" as const, mediaType: "image/png", ref };
    const message = {
      role: "tool" as const,
      toolCallId: "c",
      name: "look",
      content: "seen",
      isError: true,
      details: { kind: "command" as const, exitCode: 1, output: "no" },
    };
    store.appendMessage(id, { ...message, images: [{ ...image, data: "AAAA" }] });
    assert.deepEqual(store.messages(id)[0]?.message, { ...message, images: [image] });
    assert.deepEqual(store.blobRefs(), new Set([ref]), "its blob is not collected");
  });
});

Deno.test("Store.appendMessages() stores all or nothing", () => {
  withStore((store) => {
    const id = store.createSession(SESSION);
    const broken = { role: "user", content: [], toJSON: () => undefined } as unknown as Message;
    assert.throws(() => store.appendMessages(id, [user("a"), broken]));
    assert.throws(() => store.appendMessage("no such session", user("a")), /FOREIGN KEY/);
    assert.equal(store.messages(id).length, 0);
    store.appendMessage(id, user("b"));
    assert.equal(store.getSession(id)?.messageCount, 1);
  });
});

Deno.test("Store.endSession() marks the end until the session goes on", () => {
  withStore((store) => {
    const id = store.createSession(SESSION);
    store.endSession(id, "done");
    assert.equal(store.getSession(id)?.endReason, "done");
    assert.ok(store.getSession(id)?.endedAt);
    store.appendMessage(id, user("more"));
    assert.equal(store.getSession(id)?.endReason, undefined);
    assert.equal(store.getSession(id)?.endedAt, undefined);
  });
});

Deno.test("Store.recordUsage() adds up, and knows no cost where no price was known", () => {
  withStore((store) => {
    const id = store.createSession(SESSION);
    const usage = {
      inputTokens: 10,
      outputTokens: 1,
      cachedInputTokens: 4,
      cacheWriteTokens: 2,
      reasoningTokens: 1,
    };
    assert.equal(store.totalUsage(id).inputTokens, 0);
    store.recordUsage(id, { provider: "p", model: "m", usage });
    assert.deepEqual(store.totalUsage(id), usage);
    store.recordUsage(id, { provider: "p", model: "m", usage: { ...usage, costUsd: 0.5 } });
    assert.equal(store.totalUsage(id).inputTokens, 20);
    assert.equal(store.totalUsage(id).costUsd, 0.5);
    assert.equal(store.usageOf(id).length, 2);
  });
});

Deno.test("Store.logScriptCall() is kept apart from the conversation", () => {
  withStore((store) => {
    const id = store.createSession(SESSION);
    const call = {
      parentCallId: "c1",
      name: "read_file",
      arguments: "{}",
      result: "{}",
      isError: false,
      durationMs: 3.7,
    };
    store.logScriptCall(id, call);
    const [logged] = store.scriptCallsOf(id);
    assert.deepEqual({ ...logged, createdAt: 0 }, { ...call, durationMs: 4, createdAt: 0 });
    assert.equal(store.messages(id).length, 0);
  });
});

Deno.test("Store.findSession() understands ids, beginnings, titles and latest", () => {
  withStore((store) => {
    assert.throws(() => store.findSession("latest"), /there is no session yet/);
    const first = store.createSession({ ...SESSION, id: "01abc1" }, 1);
    const second = store.createSession({ ...SESSION, id: "01abc2" }, 2);
    store.setTitle(first, "01 fix 100% of it");
    assert.equal(store.findSession("01abc1").id, first);
    assert.equal(store.findSession("01ABC2").id, second);
    assert.equal(store.findSession("latest").id, second);
    assert.equal(store.findSession("01 fix 100% of it").id, first);
    assert.throws(() => store.findSession("01abc"), /fits several sessions: 01abc1, 01abc2/);
    for (const unknown of ["", "%", "zz", "01abc1'; --"]) {
      assert.throws(() => store.findSession(unknown), UsageError, unknown);
    }
  });
});

Deno.test("Store.latestSession() filters by source and directory", () => {
  withStore((store) => {
    const run = store.createSession(SESSION, 1);
    const chat = store.createSession({ ...SESSION, source: "chat", cwd: "/other" }, 2);
    assert.equal(store.latestSession()?.id, chat);
    assert.equal(store.latestSession({ source: "run" })?.id, run);
    assert.equal(store.latestSession({ cwd: "/other" })?.id, chat);
    assert.equal(store.latestSession({ source: "run", cwd: "/other" }), undefined);
  });
});

Deno.test("Store.latestSession() is not led astray by a clock that was wrong once", () => {
  withStore((store) => {
    const future = store.createSession(SESSION, Date.parse("2090-01-01"));
    assert.equal(store.latestSession()?.id, future);
    const now = store.createSession(SESSION);
    assert.equal(store.latestSession()?.id, now);
    assert.equal(store.findSession("latest").id, now);
    assert.equal(store.latestSession({ cwd: SESSION.cwd })?.id, now);
  });
});

Deno.test("Store.listSessions() is newest first with a preview", () => {
  withStore((store) => {
    const first = store.createSession(SESSION, 1);
    const second = store.createSession(SESSION, 2);
    store.appendMessage(first, user(`What\n is  ${"x".repeat(200)}`));
    const list = store.listSessions();
    assert.deepEqual(list.map((session) => session.id), [first, second]);
    assert.equal(list[0]?.preview, `What is ${"x".repeat(72)}`);
    assert.equal(list[1]?.preview, "");
    assert.equal("systemPrompt" in list[0]!, false);
    assert.equal(store.listSessions({ limit: 1 }).length, 1);
    assert.equal(store.listSessions({ source: "chat" }).length, 0);
  });
});

Deno.test("Store.prune() removes sessions not used for long and reports stats before and after", () => {
  withStore((store) => {
    const old = store.createSession(SESSION, 1);
    const recent = store.createSession({ ...SESSION, source: "chat" });
    store.appendMessage(recent, user("keep"));
    assert.deepEqual(store.stats().sessionsBySource, { chat: 1, run: 1 });
    assert.deepEqual(store.prune({ before: 1000, source: "chat" }), []);
    assert.deepEqual(store.prune({ before: 1000 }), [old]);
    const stats = store.stats();
    assert.equal(stats.sessions, 1);
    assert.equal(stats.messages, 1);
    assert.ok(stats.bytes > 0);
    assert.equal(store.search("keep").length, 1);
  });
});

Deno.test("Store.setNote() keeps one text of a name, until it is forgotten or the session is gone", () => {
  withStore((store) => {
    const [a, b] = [store.createSession(SESSION), store.createSession(SESSION)];
    store.setNote(a, "asking", "call-1");
    store.setNote(a, "asking", "call-2");
    store.setNote(b, "model_address", "http://one/v1");
    assert.deepEqual([store.note(a, "asking"), store.note(b, "asking")], ["call-2", ""]);
    store.setNote(a, "asking", "");
    assert.equal(store.note(a, "asking"), "");
    store.deleteSession(b);
    assert.equal(store.note(b, "model_address"), "");
  });
});

Deno.test("Store makes its directory and files private", () => {
  withStore((store, directory) => {
    using nested = new Store(`${directory}/a/b/state.db`);
    nested.createSession(SESSION);
    assert.equal(Deno.statSync(`${directory}/a/b`).mode! & 0o777, 0o700);
    for (const file of ["state.db", "state.db-wal"]) {
      assert.equal(Deno.statSync(`${directory}/a/b/${file}`).mode! & 0o777, 0o600, file);
    }
    assert.equal(store.path, `${directory}/state.db`);
  });
});
