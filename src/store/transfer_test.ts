import assert from "node:assert/strict";
import { UsageError } from "../protocol/error.ts";
import { BlobStore } from "./blobs.ts";
import { Store } from "./store.ts";
import { type Archive, exportSession, importSessions } from "./transfer.ts";

async function withArchives(
  test: (here: Archive, there: Archive) => Promise<void>,
): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    using here = new Store(`${directory}/here/state.db`);
    using there = new Store(`${directory}/there/state.db`);
    await test(
      { store: here, blobs: new BlobStore(`${directory}/here/blobs`) },
      { store: there, blobs: new BlobStore(`${directory}/there/blobs`) },
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function exported(archive: Archive, id: string): Promise<string> {
  return (await Array.fromAsync(exportSession(archive, id))).map((line) => `${line}\n`).join("");
}

/** A session with every kind of line. */
async function makeSession({ store, blobs }: Archive): Promise<string> {
  const id = store.createSession({
    source: "chat",
    title: "ünï",
    cwd: "/w",
    provider: "p",
    model: "m",
    systemPrompt: "line\nline \u2028",
    parentId: "older",
  });
  const ref = await blobs.put(new Uint8Array([0, 255, 10]));
  const call = { type: "tool_call" as const, id: "c", name: "x", arguments: "{" };
  store.appendMessages(id, [
    {
      role: "user",
      content: [{ type: "text", text: "look" }, { type: "image", mediaType: "image/png", ref }],
      synthetic: true,
    },
    {
      role: "assistant",
      content: [{ type: "reasoning", text: "r", opaque: { 10: "b", 2: "a", z: [1.5e300] } }, call],
      stopReason: "tool_calls",
      provider: "p",
      model: "m",
    },
    {
      role: "tool",
      toolCallId: "c",
      name: "x",
      content: "\ud83d\ude00\0",
      isError: false,
      images: [{ type: "image", mediaType: "image/png", ref }],
      details: { kind: "data", data: { any: ["thing"] } },
    },
  ]);
  const usage = {
    inputTokens: 1,
    outputTokens: 2,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  store.recordUsage(id, { provider: "p", model: "m", usage: { ...usage, costUsd: 0.1 + 0.2 } });
  store.recordUsage(id, { provider: "p", model: "m", usage });
  store.logScriptCall(id, {
    parentCallId: "c",
    name: "read_file",
    arguments: "{}",
    result: "r",
    isError: true,
    durationMs: 5,
  });
  store.endSession(id, "done");
  return id;
}

Deno.test("importSessions() gives back the bytes that exportSession() wrote", async () => {
  await withArchives(async (here, there) => {
    const id = await makeSession(here);
    const text = await exported(here, id);
    assert.equal(text.split("\n").length, 9);
    assert.deepEqual(await importSessions(there, text), [
      { id, originalId: id, outcome: "added" },
    ]);
    assert.equal(await exported(there, id), text);
    assert.equal(there.store.search("look").length, 1);
  });
});

Deno.test("importSessions() leaves what is there and copies what differs", async () => {
  await withArchives(async (here) => {
    const id = await makeSession(here);
    const text = await exported(here, id);
    assert.equal((await importSessions(here, text))[0]?.outcome, "unchanged");
    here.store.setTitle(id, "changed since");
    const [copy] = await importSessions(here, text);
    assert.equal(copy?.outcome, "copied");
    assert.notEqual(copy?.id, id);
    assert.equal(here.store.getSession(id)?.title, "changed since");
    assert.equal(here.store.getSession(copy!.id)?.title, "ünï");
    assert.equal(here.store.messages(copy!.id).length, 3);
  });
});

Deno.test("importSessions() keeps lineage when a parent gets a new id", async () => {
  await withArchives(async (here, there) => {
    const base = { source: "run", cwd: "/", provider: "p", model: "m", systemPrompt: "" };
    here.store.createSession({ ...base, id: "parent" });
    here.store.createSession({ ...base, id: "child", parentId: "parent" });
    const text = await exported(here, "parent") + await exported(here, "child");
    there.store.createSession({ ...base, id: "parent", cwd: "/elsewhere" });
    const [parent, child] = await importSessions(there, text);
    assert.equal(parent?.outcome, "copied");
    assert.equal(there.store.getSession(child!.id)?.parentId, parent?.id);
  });
});

Deno.test("importSessions() names the line and what is wrong, and adds nothing", async () => {
  await withArchives(async (here, there) => {
    const id = await makeSession(here);
    const lines = (await exported(here, id)).trimEnd().split("\n");
    const cases: [line: number, text: string, message: RegExp][] = [
      [0, "", /no session in this file|session" line must come first/],
      [0, lines[2]!, /^line 1: a "session" line must come first/],
      [0, lines[0]!.replace('"format":1', '"format":2'), /^line 1: format 2 is unknown/],
      [
        0,
        lines[0]!.replace('"cwd":"/w"', '"cwd":7'),
        /^line 1: session: "cwd" must be of type string/,
      ],
      [
        0,
        lines[0]!.replace(/"createdAt":\d+/, '"createdAt":1.5'),
        /"createdAt" must be of type integer/,
      ],
      [1, lines[1]!.replace("AP8K", "AP8L"), /^line 2: the data of sha256:\w+ is not what/],
      [1, lines[1]!.replace("AP8K", "?"), /^line 2: "data" is no base64/],
      [2, "{ not json", /^line 3 is no JSON object/],
      [2, "null", /^line 3 is no JSON object/],
      [
        2,
        lines[2]!.replace('"role":"user"', '"role":"root"'),
        /"role" must be user, assistant or tool/,
      ],
      [2, lines[2]!.replace('"type":"image"', '"type":"video"'), /content of unknown type "video"/],
      [3, lines[3]!.replace('"arguments":"{"', '"arguments":{}'), /tool_call: "arguments" must be/],
      [4, lines[4]!.replace('"isError":false', '"isError":0'), /"isError" must be of type boolean/],
      [4, lines[4]!.replace('"mediaType":', '"media":'), /image: "mediaType" must be of type/],
      [4, lines[4]!.replace('"kind":"data"', '"kind":1'), /details: "kind" must be of type string/],
      [
        5,
        lines[5]!.replace('"outputTokens":2', '"outputTokens":"2"'),
        /^line 6: usage: "outputTokens"/,
      ],
      [7, lines[7]!.replace('"script_call"', '"script"'), /^line 8: unknown type "script"/],
    ];
    for (const [line, text, message] of cases) {
      const broken = lines.with(line, text).join("\n");
      await assert.rejects(importSessions(there, broken), (error) => {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(error.message, message);
        return true;
      });
      assert.equal(there.store.listSessions().length, 0);
    }
  });
});

Deno.test("importSessions() takes no id that is a path, a flag or a word of the command line", async () => {
  await withArchives(async (here, there) => {
    const [line = "", ...rest] = (await exported(here, await makeSession(here))).split("\n");
    const withFields = (fields: object) => {
      const { session, ...head } = JSON.parse(line);
      return [JSON.stringify({ ...head, session: { ...session, ...fields } }), ...rest].join("\n");
    };
    for (const id of ["../../x", "/etc/x", "latest", "-y", "", "a b", "a\n", "x".repeat(65)]) {
      await assert.rejects(importSessions(there, withFields({ id })), UsageError, id);
    }
    for (const cwd of [".", "../x", ".hermes", "/a\0b"]) {
      await assert.rejects(importSessions(there, withFields({ cwd })), /absolute path/, cwd);
    }
    assert.equal(there.store.listSessions().length, 0);
    for (const id of ["20250101_120000_ab12cd", "Ab-1"]) {
      assert.equal((await importSessions(there, withFields({ id })))[0]?.id, id);
    }
    await importSessions(there, withFields({ id: "recovered", cwd: "" }));
  });
});
