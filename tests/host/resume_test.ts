/** What a session is resumed with: the model it had last, and a prompt that is still true. */
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import type { SessionSpec } from "../../src/protocol/session_spec.ts";
import type { Opened } from "../../src/host/host.ts";
import { Store } from "../../src/store/store.ts";
import { input, openTestHost, type TestHost } from "../support/test_host.ts";

const SPEC: SessionSpec = { surface: "run", toolsets: { enabled: [] } };

/** A host whose model keeps the prompts it was sent. */
async function openBench() {
  const prompts: string[] = [];
  const bench = await openTestHost({
    respond(request) {
      prompts.push(request.system);
      return { text: "done" };
    },
  });
  return { bench, prompts };
}

async function turn({ session }: Opened): Promise<void> {
  equal(session.submit(input("go")).status, "accepted");
  await session.idle;
}

/** Ends a session and opens it again; gives the lines that a person would see. */
async function reopen(bench: TestHost, id: string, spec: SessionSpec = SPEC) {
  await bench.host.get(id)?.end("done");
  const lines: string[] = [];
  const opened = await bench.host.open({ ...spec, resume: { session: id } }, {
    tell: (line) => lines.push(line),
  });
  return { opened, lines };
}

/** The row as it is on disk. */
function row(bench: TestHost, id: string) {
  using store = new Store(bench.host.settings.home.path("state.db"));
  return store.getSession(id)!;
}

Deno.test("a session goes on with the model that set_model chose last", async () => {
  const { bench } = await openBench();
  await using _ = bench;
  const first = await bench.host.open(SPEC);
  const { id } = first.session;
  const setModel = async (model: string) => {
    const session = bench.host.get(id)!;
    equal(session.submit({ op: "set_model", model }).status, "accepted");
    while (session.model !== `fake/${model}`) await Promise.resolve();
  };
  // Before there is a row, and after.
  await setModel("early");
  await turn(first);
  equal(row(bench, id).model, "early");
  await setModel("late");
  equal(row(bench, id).model, "late");
  const { opened } = await reopen(bench, id);
  equal(opened.session.model, "fake/late");
  // One that the spec names is kept as well, once a turn was taken with it.
  const named = await reopen(bench, id, { ...SPEC, model: { name: "named" } });
  equal(row(bench, id).model, "late");
  await turn(named.opened);
  const last = await reopen(bench, id);
  equal(last.opened.session.model, "fake/named");
});

Deno.test("a resumed session keeps its prompt to the byte while nothing has changed", async () => {
  const { bench, prompts } = await openBench();
  await using _ = bench;
  const own = { ...SPEC, prompt: "Speak French." };
  const first = await bench.host.open(own);
  await turn(first);
  const { opened, lines } = await reopen(bench, first.session.id);
  await turn(opened);
  equal(prompts[1], prompts[0]);
  match(prompts[0]!, /Speak French\./);
  deepEqual(lines, []);
});

Deno.test("a resumed session gets a new prompt when what it was made of changed, and says so", async () => {
  const { bench, prompts } = await openBench();
  await using _ = bench;
  await Deno.writeTextFile(`${bench.home}/AGENTS.md`, "Use tabs.");
  const first = await bench.host.open({ ...SPEC, prompt: "Speak French." });
  const { id } = first.session;
  await turn(first);
  await Deno.writeTextFile(`${bench.home}/AGENTS.md`, "Use spaces.");
  const changed = await reopen(bench, id);
  match(
    changed.lines.join("\n"),
    /are made anew: project instructions, settings or plugins have changed$/,
  );
  // Nothing is changed on disk by a look.
  match(row(bench, id).systemPrompt, /Use tabs/);
  await turn(changed.opened);
  match(prompts[1]!, /Use spaces\.[\s\S]*Speak French\./);
  ok(!prompts[1]!.includes("Use tabs."));
  // From now on this one is the session's own.
  const again = await reopen(bench, id);
  await turn(again.opened);
  deepEqual([again.lines, prompts[2]], [[], prompts[1]]);
  const other = await reopen(bench, id, { ...SPEC, prompt: "Speak Welsh." });
  await turn(other.opened);
  match(prompts[3]!, /Speak Welsh\./);
  ok(!prompts[3]!.includes("French"));
});

Deno.test("a prompt of another day is made anew; one of an older version is kept", async () => {
  const { bench, prompts } = await openBench();
  await using _ = bench;
  const first = await bench.host.open(SPEC);
  const { id } = first.session;
  await turn(first);
  await first.session.end("done");
  const yesterday = prompts[0]!.replace(/Date: \d{4}-\d\d-\d\d/, "Date: 2001-01-01");
  notEqual(yesterday, prompts[0]);
  {
    using store = new Store(bench.host.settings.home.path("state.db"));
    store.changePrompt(id, { systemPrompt: yesterday });
    store.createSession({ ...row(bench, id), id: "old", systemPrompt: yesterday });
    store.appendMessage("old", { role: "user", content: [{ type: "text", text: "x" }] });
  }
  const later = await reopen(bench, id);
  match(later.lines.join("\n"), /made anew: the date is another/);
  await turn(later.opened);
  equal(prompts[1], prompts[0]);
  {
    const { DatabaseSync } = await import("node:sqlite");
    using raw = new DatabaseSync(bench.host.settings.home.path("state.db"));
    raw.exec("DELETE FROM session_notes WHERE session_id = 'old'");
  }
  const old = await reopen(bench, "old");
  deepEqual(old.lines, []);
  await turn(old.opened);
  equal(prompts[2], yesterday);
});
