/** The store under real processes: many writers at once, and writers that are killed. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Store } from "../../src/store/store.ts";
import { withJob } from "../support/run_job.ts";

const WRITER = new URL("../support/store_writer.ts", import.meta.url).pathname;

function startWriter(path: string, name: string, count: number): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--quiet", WRITER, path, name, String(count)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
}

function assertSound(path: string): void {
  using db = new DatabaseSync(path);
  assert.equal(db.prepare("PRAGMA integrity_check").get()?.["integrity_check"], "ok");
}

async function withTempDir(test: (directory: string) => Promise<void>): Promise<void> {
  const directory = await Deno.makeTempDir();
  try {
    await test(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("Store loses nothing when eight processes create it and write at once", async () => {
  await withTempDir(async (directory) => {
    const path = `${directory}/home/state.db`;
    const names = Array.from({ length: 8 }, (_, i) => `writer${i}`);
    const results = await Promise.all(
      names.map((name) => startWriter(path, name, 100).output()),
    );
    assert.deepEqual(results.map((result) => result.code), names.map(() => 0));
    using store = new Store(path);
    for (const name of names) {
      const texts = store.messages(name).map(({ message }) => JSON.stringify(message.content));
      assert.equal(texts.length, 100);
      texts.forEach((text, i) => assert.ok(text.includes(`${name} number${i}"`)));
      assert.equal(store.getSession(name)?.messageCount, 100);
      assert.equal(store.search(`${name} number99`).length, 1);
    }
    assertSound(path);
  });
});

Deno.test("eight runs at once in a new home all answer and are all kept", async () => {
  const replies = (_: unknown, index: number) => ({ text: `answer ${index}` });
  await withJob(replies, async (job) => {
    const prompts = Array.from({ length: 8 }, (_, i) => `prompt ${i}`);
    const outcomes = await Promise.all(prompts.map((prompt) => job.run(["--quiet", prompt])));
    for (const { code, stderr } of outcomes) assert.deepEqual([code, stderr], [0, ""]);
    using store = new Store(`${job.home}/.hermes/state.db`);
    assert.deepEqual(store.listSessions().map(({ preview }) => preview).toSorted(), prompts);
    for (const { messageCount } of store.listSessions()) assert.equal(messageCount, 2);
    assertSound(store.path);
  });
});

Deno.test("Store keeps every acknowledged message when its writers are killed", async () => {
  await withTempDir(async (directory) => {
    const path = `${directory}/state.db`;
    for (let round = 0; round < 12; round++) {
      const name = `round${round}`;
      const writer = startWriter(path, name, 100_000);
      const acknowledged = await readThenKill(writer, 1 + Math.floor(Math.random() * 60));
      assertSound(path);
      using store = new Store(path);
      const stored = store.messages(name).length;
      assert.ok(stored >= acknowledged, `${stored} stored, ${acknowledged} acknowledged`);
      assert.equal(store.getSession(name)?.messageCount, stored);
      assert.equal(store.search(`"${name} number0"`).length, 1);
    }
  });
});

/** Kills the writer after `lines` acknowledgements; returns how many it gave in all. */
async function readThenKill(writer: Deno.ChildProcess, lines: number): Promise<number> {
  const decoder = new TextDecoder();
  let text = "";
  let killed = false;
  for await (const chunk of writer.stdout) {
    text += decoder.decode(chunk, { stream: true });
    if (killed || text.split("\n").length <= lines) continue;
    killed = true;
    writer.kill("SIGKILL");
  }
  assert.equal((await writer.status).signal, "SIGKILL");
  return text.split("\n").length - 1;
}
