import assert from "node:assert/strict";
import type { Message } from "../protocol/message.ts";
import { Store } from "./store.ts";

const SESSIONS = 10;
const MESSAGES = 60;

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** Ten sessions of sixty messages, all in the main file. */
function fill(path: string): void {
  using store = new Store(path);
  const text = "padding ".repeat(100);
  for (let s = 0; s < SESSIONS; s++) {
    const id = `session-${s}`;
    store.createSession({
      source: "run",
      cwd: "/",
      provider: "p",
      model: "m",
      systemPrompt: "prompt ".repeat(50),
      id,
    });
    store.appendMessages(
      id,
      Array.from({ length: MESSAGES }, (_, i) => user(`number${s}-${i} ${text}`)),
    );
  }
}

interface Outcome {
  notices: string[];
  sessions: number;
  /** Texts of all messages that are there. */
  texts: string[];
  /** Files beside the database. */
  files: string[];
}

/** Fills a database, damages it, opens it again, and uses it. */
function afterDamage(damage: (path: string) => void): Outcome {
  const directory = Deno.makeTempDirSync();
  try {
    const path = `${directory}/state.db`;
    fill(path);
    damage(path);
    const notices: string[] = [];
    using store = new Store(path, { onNotice: (text) => notices.push(text) });
    const sessions = store.listSessions();
    const texts = sessions.flatMap(({ id }) =>
      store.messages(id).map(({ message }) => JSON.stringify(message))
    );
    const id = store.createSession({
      source: "run",
      cwd: "/",
      provider: "p",
      model: "m",
      systemPrompt: "",
    });
    store.appendMessage(id, user("after"));
    assert.equal(store.messages(id).length, 1);
    const files = Array.from(Deno.readDirSync(directory), ({ name }) => name);
    return { notices, sessions: sessions.length, texts, files };
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

function cutTo(share: number): (path: string) => void {
  return (path) => Deno.truncateSync(path, Math.floor(Deno.statSync(path).size * share));
}

/** Makes an empty file look as if it had been there for a while. */
function age(path: string): void {
  Deno.utimeSync(path, 1_000_000_000, 1_000_000_000);
}

const CUTS: [what: string, share: number, leastMessages: number][] = [
  ["a quarter", 0.25, 100],
  ["half", 0.5, 250],
  ["three quarters", 0.75, 400],
  ["99 %, inside a page", 0.99, 580],
];

for (const [what, share, least] of CUTS) {
  Deno.test(`new Store() saves what ${what} of a file still holds`, () => {
    const { notices, texts, sessions, files } = afterDamage(cutTo(share));
    assert.ok(texts.length >= least, `${texts.length} messages`);
    assert.ok(texts.length < SESSIONS * MESSAGES);
    assert.ok(sessions >= 1);
    for (const text of texts) assert.match(text, /number\d-\d+ (?:padding ){100}/);
    assert.equal(new Set(texts).size, texts.length);
    assert.equal(notices.length, 1);
    assert.match(notices[0]!, /was cut short \(\d+ of \d+ bytes\): saved \d+ messages of \d+ sess/);
    assert.equal(files.filter((name) => /damaged-[0-9TZ-]+$/.test(name)).length, 1);
    assert.deepEqual(files.filter((name) => /padded|rebuilt|repair|suspect/.test(name)), []);
  });
}

Deno.test("new Store() saves what stands before a cut in the middle of the file and behind a hole", () => {
  const { texts, notices } = afterDamage((path) => {
    using file = Deno.openSync(path, { write: true });
    file.seekSync(60 * 4096, Deno.SeekMode.Start);
    file.writeSync(new Uint8Array(2 * 4096));
    Deno.writeTextFileSync(`${path}.suspect`, "");
  });
  assert.ok(texts.length >= 500 && texts.length < SESSIONS * MESSAGES, `${texts.length} messages`);
  assert.match(notices[0]!, /was damaged: saved/);
});

const LOST: [what: string, damage: (path: string) => void, notice: RegExp][] = [
  ["only its header", (path) => Deno.truncateSync(path, 100), /was cut short \(100 of \d+ bytes\)/],
  ["not even a header", (path) => Deno.truncateSync(path, 50), /was damaged: saved 0 messages/],
  [
    "nothing but zeros",
    (path) => Deno.writeFileSync(path, new Uint8Array(Deno.statSync(path).size)),
    /was overwritten with zeros: saved 0 messages of 0 sessions .*; the damaged file is .*damaged-/,
  ],
  ["a few zeros", (path) => Deno.writeFileSync(path, new Uint8Array(10)), /overwritten with zeros/],
  [
    "nothing",
    (path) => {
      Deno.truncateSync(path, 0);
      age(path);
    },
    /was empty: saved 0 messages of 0 sessions .*state\.db held nothing that could be kept/,
  ],
];

for (const [what, damage, notice] of LOST) {
  Deno.test(`new Store() says so when the file holds ${what}`, () => {
    const { notices, texts } = afterDamage(damage);
    assert.equal(texts.length, 0);
    assert.equal(notices.length, 1, notices.join("\n"));
    assert.match(notices[0]!, notice);
  });
}

Deno.test("new Store() takes the log of an emptied file as far as it goes, and keeps it", () => {
  const { notices, texts, files } = afterDamage((path) => {
    // A whole database in a log: what a process leaves that was killed before its first checkpoint.
    const other = `${path}.other`;
    const store = new Store(other);
    store.createSession({
      source: "run",
      cwd: "/",
      provider: "p",
      model: "m",
      systemPrompt: "",
      id: "logged",
    });
    store.appendMessage("logged", user("number0-0 " + "padding ".repeat(100)));
    Deno.copyFileSync(`${other}-wal`, `${path}-wal`);
    store.close();
    Deno.removeSync(other);
    Deno.truncateSync(path, 0);
  });
  assert.equal(texts.length, 1);
  assert.match(
    notices[0]!,
    /was empty: saved 1 messages of 1 sessions .*its log is .*damaged-.*-wal/,
  );
  assert.equal(files.filter((name) => /damaged-.*-wal$/.test(name)).length, 1);
});

Deno.test("new Store() opens a file whose log is gone, with what was in the file", () => {
  const { notices, texts } = afterDamage((path) => {
    const store = new Store(path);
    store.appendMessage("session-0", user("only in the log"));
    const saved = Deno.readFileSync(path);
    store.close();
    Deno.writeFileSync(path, saved);
    try {
      Deno.removeSync(`${path}-wal`);
    } catch {
      // Closing the last connection has removed it already.
    }
  });
  assert.equal(texts.length, SESSIONS * MESSAGES);
  assert.deepEqual(notices, []);
});

Deno.test("new Store() takes a new empty file for what it is", () => {
  const directory = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${directory}/state.db`, "");
    const notices: string[] = [];
    using store = new Store(`${directory}/state.db`, { onNotice: (text) => notices.push(text) });
    assert.deepEqual(store.listSessions(), []);
    assert.deepEqual(notices, []);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});
