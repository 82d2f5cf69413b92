/** A database that somebody else changed: programs in its schema, rows that are no messages. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { HermesError } from "../protocol/error.ts";
import { Store } from "./store.ts";

const SESSION = { source: "run", cwd: "/", provider: "p", model: "m", systemPrompt: "" };
const ENDLESS = "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) " +
  "SELECT count(*) FROM c)";

function withPath(test: (path: string) => void): void {
  const directory = Deno.makeTempDirSync();
  try {
    const path = `${directory}/state.db`;
    using store = new Store(path);
    store.createSession({ ...SESSION, id: "s" });
    for (const text of ["first", "second"]) {
      store.appendMessage("s", { role: "user", content: [{ type: "text", text }] });
    }
    store.close();
    test(path);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

function change(path: string, sql: string): void {
  using db = new DatabaseSync(path);
  db.exec(sql);
}

Deno.test("new Store() runs no program that a schema brings along", () => {
  const programs = [
    `CREATE TRIGGER t AFTER INSERT ON messages BEGIN UPDATE sessions SET title = ${ENDLESS}; END`,
    `CREATE TRIGGER t BEFORE UPDATE ON sessions BEGIN SELECT ${ENDLESS}; END`,
    "ALTER TABLE sessions RENAME TO kept; " +
    `CREATE VIEW sessions AS SELECT * FROM kept WHERE id = ${ENDLESS}`,
    "CREATE VIEW harmless AS SELECT 1",
  ];
  for (const sql of programs) {
    withPath((path) => {
      change(path, sql);
      assert.throws(() => new Store(path), (error) => {
        assert.ok(error instanceof HermesError, String(error));
        assert.match(error.message, /triggers or views/);
        return true;
      });
    });
  }
});

Deno.test("Store shows every other message when one is none", () => {
  const bodies = [
    "not json",
    "null",
    "7",
    '{"role":"system","content":[]}',
    '{"role":"user","content":"text"}',
    '{"role":"user","content":[null]}',
    '{"role":"assistant","content":[{"type":"tool_call","name":"x"}]}',
    '{"role":"tool","content":[]}',
  ];
  for (const body of bodies) {
    withPath((path) => {
      change(path, `UPDATE messages SET body = '${body}' WHERE id = 1`);
      using store = new Store(path);
      const [first, second] = store.messages("s");
      assert.equal(first?.isDamaged, true, body);
      assert.match(JSON.stringify(first?.message), /can no longer be read/);
      assert.equal(second?.isDamaged, undefined);
      assert.match(store.listSessions()[0]?.preview ?? "", /can no longer be read/);
      assert.deepEqual(store.search("second").map((hit) => hit.messageId), [2]);
    });
  }
});

Deno.test("new Store() waits for nothing that is no file", () => {
  withPath((path) => {
    Deno.removeSync(path);
    const link = (to: string) => () => Deno.symlinkSync(to, path);
    const pipe = () => {
      assert.ok(new Deno.Command("mkfifo", { args: [path] }).outputSync().success);
    };
    for (const make of [() => Deno.mkdirSync(path), pipe, link("/dev/zero"), link("/dev/null")]) {
      make();
      assert.throws(() => new Store(path), /no regular file/);
      Deno.removeSync(path);
    }
  });
  withPath((path) => {
    assert.ok(new Deno.Command("mkfifo", { args: [`${path}.repair`] }).outputSync().success);
    Deno.writeTextFileSync(`${path}.suspect`, "");
    using store = new Store(path);
    assert.equal(store.messages("s").length, 2);
  });
});
