import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { HermesError } from "../protocol/error.ts";
import type { Message } from "../protocol/message.ts";
import { Database } from "./database.ts";
import { Store } from "./store.ts";

const SESSION = { source: "run", cwd: "/", provider: "p", model: "m", systemPrompt: "" };
const PAGE = 4096;

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function withPath(test: (path: string, directory: string) => void): void {
  const directory = Deno.makeTempDirSync();
  try {
    test(`${directory}/state.db`, directory);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

/** One session `s` with 500 numbered messages, all in the main file. */
function fill(path: string): void {
  using store = new Store(path);
  store.createSession({ ...SESSION, id: "s" });
  const text = "padding ".repeat(20);
  store.appendMessages("s", Array.from({ length: 500 }, (_, i) => user(`number${i} ${text}`)));
}

function overwrite(path: string, page: number, count = 1): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync(page * PAGE, Deno.SeekMode.Start);
  file.writeSync(new Uint8Array(PAGE * count).fill(0x5a));
}

function filesBeside(directory: string, pattern: RegExp): string[] {
  return Array.from(Deno.readDirSync(directory), (entry) => entry.name)
    .filter((name) => pattern.test(name));
}

function assertHermesError(action: () => unknown, message: RegExp, hint: RegExp): void {
  assert.throws(action, (error) => {
    assert.ok(error instanceof HermesError, String(error));
    assert.match(error.message, message);
    assert.match(error.hint ?? "", hint);
    assert.equal(error.exitCode, 1);
    return true;
  });
}

Deno.test("new Store() refuses a database from a newer hermes and leaves it alone", () => {
  withPath((path) => {
    new Store(path).close();
    using raw = new DatabaseSync(path);
    raw.exec("PRAGMA user_version = 99");
    assertHermesError(() => new Store(path), /newer hermes \(format 99/, /--no-session/);
    assert.equal(raw.prepare("PRAGMA user_version").get()?.["user_version"], 99);
  });
});

Deno.test("new Database() brings an older file forward, whole or not at all", () => {
  withPath((path) => {
    const first = "CREATE TABLE notes (text TEXT NOT NULL) STRICT;";
    const second = "ALTER TABLE notes ADD COLUMN author TEXT NOT NULL DEFAULT 'nobody';";
    const version = (db: Database) => db.get("PRAGMA user_version")?.["user_version"];
    {
      using older = new Database(path, { migrations: [first] });
      older.run("INSERT INTO notes VALUES ('kept')");
    }
    const broken = [first, `${second} CREATE TABLE notes (again);`];
    assert.throws(() => new Database(path, { migrations: broken }), /already exists/);
    {
      using older = new Database(path, { migrations: [first] });
      assert.equal(version(older), 1);
      assert.deepEqual({ ...older.get("SELECT * FROM notes") }, { text: "kept" });
    }
    using newer = new Database(path, { migrations: [first, second] });
    assert.equal(version(newer), 2);
    assert.deepEqual({ ...newer.get("SELECT * FROM notes") }, { text: "kept", author: "nobody" });
    assert.throws(() => new Database(path, { migrations: [first] }), /newer hermes \(format 2/);
  });
});

Deno.test("new Store() refuses the database of another program", () => {
  withPath((path) => {
    using raw = new DatabaseSync(path);
    raw.exec("CREATE TABLE theirs (x)");
    assertHermesError(() => new Store(path), /another program/, /HERMES_HOME/);
    assert.equal(raw.prepare("PRAGMA journal_mode").get()?.["journal_mode"], "delete");
  });
});

Deno.test("Store waits for a lock and then says who is in the way", () => {
  withPath((path) => {
    using store = new Store(path, { busyTimeoutMs: 150 });
    using raw = new DatabaseSync(path);
    raw.exec("BEGIN IMMEDIATE");
    const create = () => store.createSession({ ...SESSION, id: "s" });
    assertHermesError(create, /locked by another process/, /--no-session/);
    raw.exec("ROLLBACK");
    assert.equal(create(), "s");
  });
});

Deno.test("Store.tidy() waits for nobody and fails for nothing", () => {
  withPath((path) => {
    using store = new Store(path);
    store.createSession({ ...SESSION, id: "s" });
    store.appendMessage("s", user("needle"));
    using raw = new DatabaseSync(path);
    raw.exec("BEGIN IMMEDIATE");
    const startedAt = performance.now();
    store.tidy();
    assert.ok(performance.now() - startedAt < 5000);
    raw.exec("ROLLBACK");
    assert.equal(store.search("needle").length, 1);
  });
});

Deno.test("new Store() says in one line when the home cannot be written", () => {
  withPath((path, directory) => {
    Deno.writeTextFileSync(`${directory}/file`, "");
    const cannot = /cannot open the session database .* for writing/;
    assertHermesError(() => new Store(`${directory}/file/state.db`), cannot, /--no-session/);
    Deno.mkdirSync(path);
    assertHermesError(() => new Store(path), cannot, /HERMES_HOME/);
    assertHermesError(() => new Store("/proc/hermes/state.db"), cannot, /HERMES_HOME/);
  });
});

Deno.test("new Store() replaces a file that is no database and keeps it beside", () => {
  withPath((path, directory) => {
    Deno.writeTextFileSync(path, "not a database ".repeat(1000));
    const notices: string[] = [];
    using store = new Store(path, { onNotice: (text) => notices.push(text) });
    store.createSession(SESSION);
    assert.equal(notices.length, 1);
    assert.match(notices[0]!, /damaged: saved 0 messages of 0 sessions/);
    const kept = filesBeside(directory, /\.damaged-[0-9TZ-]+$/);
    assert.equal(kept.length, 1);
    assert.match(Deno.readTextFileSync(`${directory}/${kept[0]}`), /^not a database/);
    assert.deepEqual(filesBeside(directory, /repair|suspect|rebuilt/), []);
  });
});

Deno.test("Store reports damage met while reading, and the next start saves what is readable", () => {
  withPath((path, directory) => {
    fill(path);
    overwrite(path, Math.floor(Deno.statSync(path).size / PAGE / 2), 3);
    {
      using store = new Store(path);
      assertHermesError(() => store.messages("s"), /is damaged/, /repairs it/);
    }
    assert.deepEqual(filesBeside(directory, /suspect$/), ["state.db.suspect"]);
    const notices: string[] = [];
    using store = new Store(path, { onNotice: (text) => notices.push(text) });
    const saved = store.messages("s").length;
    assert.ok(saved >= 400 && saved < 500, `${saved} of 500 messages saved`);
    assert.equal(store.getSession("s")?.messageCount, saved);
    assert.match(notices[0]!, new RegExp(`saved ${saved} messages of 1 sessions`));
    assert.equal(store.search("number0").length, 1);
    assert.equal(store.search("number499").length, 1);
    store.appendMessage("s", user("after"));
    assert.deepEqual(filesBeside(directory, /suspect|rebuilt|repair/), []);
  });
});

Deno.test("new Store() keeps a sound file that was only suspected", () => {
  withPath((path, directory) => {
    fill(path);
    Deno.writeTextFileSync(`${path}.suspect`, "");
    const notices: string[] = [];
    using store = new Store(path, { onNotice: (text) => notices.push(text) });
    assert.equal(store.messages("s").length, 500);
    assert.deepEqual(notices, []);
    assert.deepEqual(filesBeside(directory, /suspect|damaged/), []);
  });
});

Deno.test("new Store() gives messages whose session was lost a session again", () => {
  withPath((path) => {
    fill(path);
    {
      using raw = new DatabaseSync(path);
      const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'sessions'";
      const root = raw.prepare(sql).get()?.["rootpage"] as number;
      raw.close();
      overwrite(path, root - 1);
    }
    Deno.writeTextFileSync(`${path}.suspect`, "");
    using store = new Store(path);
    assert.equal(store.messages("s").length, 500);
    assert.equal(store.getSession("s")?.title, "recovered");
  });
});

Deno.test("Store says in one line when the disk is full", async () => {
  const directory = await Deno.makeTempDir();
  try {
    const writer = new URL("../../tests/support/store_writer.ts", import.meta.url).pathname;
    const command = `trap '' XFSZ; ulimit -f 256; exec "$0" run -A --no-check -q "$@"`;
    const { code, stderr, stdout } = await new Deno.Command("sh", {
      args: ["-c", command, Deno.execPath(), writer, `${directory}/state.db`, "s", "100000"],
    }).output();
    assert.equal(code, 1);
    const message = new TextDecoder().decode(stderr);
    assert.match(message, /HermesError: cannot write the session database .*state\.db/);
    const acknowledged = new TextDecoder().decode(stdout).split("\n").length - 1;
    using store = new Store(`${directory}/state.db`);
    assert.ok(store.messages("s").length >= acknowledged);
    assert.ok(acknowledged > 0);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
