/** What a plugin's process pushes, from the process to a real session. */
import assert from "node:assert/strict";
import {
  createSession,
  lastInput,
  MemoryInbox,
  nextItem,
  registering,
  scripted,
  until,
  withServed,
} from "./_push.ts";
import { manifest, type OpenOptions, PluginBench } from "./_bench.ts";

const WAKING = `
  tool("poke", async (args: any) => ({ receipt: await ctx.wake(args) }));
  tool("tell", async (args: any) => ({ receipt: await ctx.notify(args) }));
`;
const SENDING = `
  ctx.registerPlatform({ name: "pigeon", send: async () => ({ id: "1" }) });
  tool("arrive", async (args: any) => ({ receipt: await ctx.deliver(args) }));
`;
const MESSAGE = { platform: "pigeon", id: "m1", chat: "c1", user: "u1", text: "hello" };

/** How a process starts from source and the portable build, and in a compiled one. */
const MODES = ["deno", "reexec"] as const;

for (const mode of MODES) {
  Deno.test(`a plugin wakes an idle session (${mode}), and the model reads who speaks`, async () => {
    await wakeOnce({ mode });
  });
}

Deno.test("a plugin inside hermes itself pushes in the same way", async () => {
  await wakeOnce({ entries: { demo: { trust: "full" } } });
});

async function wakeOnce(options: OpenOptions): Promise<void> {
  const permissions = { sessions: ["wake"] };
  await withServed({ permissions, code: WAKING, options }, async (served) => {
    const provider = scripted("I saw it");
    const session = createSession(provider);
    served.host.attach(session);
    const events = session.subscribe({ snapshot: false })[Symbol.asyncIterator]();
    const { receipt } = await served.bench.call("poke", { sessionId: "s1", text: "a.txt changed" });
    assert.deepEqual(receipt, { status: "accepted" });
    const end = await nextItem(events, (item) => {
      return item.type === "event" && item.event.type === "turn_end";
    });
    assert.ok(end.type === "event" && end.event.type === "turn_end");
    assert.equal(end.event.text, "I saw it");
    assert.match(
      lastInput(provider),
      /Message from the plugin demo, not from the user:\\na\.txt changed/,
    );
    const [input] = session.snapshot().transcript;
    assert.ok(input?.role === "user" && input.synthetic);
    await session.end("done");
  });
}

Deno.test("what comes while a turn runs waits, steers or gives up, as the plugin says", async () => {
  await withServed({ permissions: { sessions: ["wake"] }, code: WAKING }, async (served) => {
    const provider = scripted("x");
    provider.stream = async function* (_request, signal) {
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      yield { type: "failure", failure: { action: "fatal", kind: "aborted", message: "" } };
    };
    const session = createSession(provider);
    served.host.attach(session);
    session.submit({ op: "input", content: [{ type: "text", text: "go" }] });
    const poke = async (busy?: string) =>
      (await served.bench.call("poke", { sessionId: "s1", text: "x", busy })).receipt;
    assert.deepEqual(await poke(), { status: "queued", position: 1 });
    assert.deepEqual(await poke("steer"), { status: "accepted" });
    assert.deepEqual(await poke("reject"), {
      status: "rejected",
      reason: "a turn is running",
      retry: true,
    });
    // Ending a person's turn is no right of a plugin.
    assert.deepEqual(await poke("interrupt"), {
      status: "rejected",
      reason: "busy must be one of queue, steer, reject",
      retry: false,
    });
    await session.end("done");
    assert.deepEqual(await poke(), {
      status: "rejected",
      reason: "the session is closed",
      retry: true,
    });
  });
});

Deno.test("a plugin reaches only sessions that use it, and only as its manifest declares", async () => {
  await withServed({ permissions: { sessions: ["notify"] }, code: WAKING }, async (served) => {
    const session = createSession(scripted());
    const view = served.host.session();
    view.attach(session);
    const tell = async (sessionId: string) =>
      (await served.bench.call("tell", { sessionId, text: "50 %\n\x1b[2Jdone" })).receipt;
    const events = session.subscribe({ snapshot: false })[Symbol.asyncIterator]();
    assert.deepEqual(await tell("s1"), { status: "accepted" });
    const item = await nextItem(events, ({ type }) => type === "event");
    assert.ok(item.type === "event" && item.event.type === "notice");
    assert.equal(item.event.text, "demo: 50 % done");
    const unknown = {
      status: "rejected",
      reason: "no session of that id uses this plugin",
      retry: false,
    };
    assert.deepEqual(await tell("s2"), unknown);
    const { receipt } = await served.bench.call("poke", { sessionId: "s1", text: "x" });
    assert.deepEqual(receipt, {
      status: "rejected",
      reason: "its manifest does not declare permissions.sessions: [wake]",
      retry: false,
    });
    await view.close();
    assert.deepEqual(await tell("s1"), unknown);
    await session.end("done");
  });
});

Deno.test("turns beyond the rate are refused, and named once", async () => {
  const options = { entries: { demo: { turns_per_minute: 3 } } };
  const permissions = { sessions: ["wake"] };
  await withServed({ permissions, code: WAKING, options }, async ({ bench, host }) => {
    const session = createSession(scripted(..."abcdefgh"));
    host.attach(session);
    const answers: unknown[] = [];
    for (let i = 0; i < 6; i++) {
      const { receipt } = await bench.call("poke", { sessionId: "s1", text: String(i) });
      answers.push((receipt as { status: string }).status);
      await session.idle;
    }
    assert.deepEqual(answers, [...Array(3).fill("accepted"), ...Array(3).fill("rejected")]);
    assert.deepEqual(bench.reports, [
      "Plugin demo: it pushes too much: more than 3 turns a minute are refused",
    ]);
    await session.end("done");
  });
});

Deno.test("a message is acknowledged once it is stored, and repeated ones are one", async () => {
  const permissions = { platforms: ["pigeon"] };
  await withServed({ permissions, code: SENDING }, async ({ bench, inbox }) => {
    const mayStore = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    inbox.before = () => {
      arrived.resolve();
      return mayStore.promise;
    };
    let isAnswered = false;
    const answer = bench.call("arrive", MESSAGE).then((result) => {
      isAnswered = true;
      return result;
    });
    await arrived.promise;
    assert.equal(isAnswered, false);
    mayStore.resolve();
    assert.deepEqual((await answer).receipt, { status: "accepted" });
    assert.deepEqual((await bench.call("arrive", MESSAGE)).receipt, { status: "accepted" });
    assert.deepEqual(inbox.stored, [{ ...MESSAGE, plugin: "demo" }]);
    const foreign = await bench.call("arrive", { ...MESSAGE, platform: "telegram" });
    assert.deepEqual(foreign.receipt, {
      status: "rejected",
      reason: '"telegram" is no platform of this plugin',
      retry: false,
    });
    const shapeless = await bench.call("arrive", { ...MESSAGE, id: "" });
    assert.match(JSON.stringify(shapeless.receipt), /id must be text of 1 to 256 characters/);
    inbox.before = () => Promise.reject(new Error("the disk is full"));
    const failed = await bench.call("arrive", { ...MESSAGE, id: "m2" });
    assert.deepEqual(failed.receipt, {
      status: "rejected",
      reason: "the disk is full",
      retry: true,
    });
  });
});

Deno.test("five hundred messages at once arrive in order, a window at a time", async () => {
  const code = `${SENDING}
    tool("rush", async () => {
      const message = ${JSON.stringify(MESSAGE)};
      const all = Array.from({ length: 500 }, (_, i) => ctx.deliver({ ...message, id: "n" + i }));
      const receipts = await Promise.all(all);
      return { accepted: receipts.filter((one: any) => one.status === "accepted").length };
    });`;
  await withServed({ permissions: { platforms: ["pigeon"] }, code }, async ({ bench, inbox }) => {
    let [atOnce, most] = [0, 0];
    inbox.before = async () => {
      most = Math.max(most, ++atOnce);
      await Promise.resolve();
      atOnce--;
    };
    assert.deepEqual(await bench.call("rush"), { accepted: 500 });
    assert.deepEqual(inbox.stored.map(({ id }) => id), Array.from(Array(500), (_, i) => `n${i}`));
    assert.equal(most, 1);
  });
});

Deno.test("a plugin that overcomes its own half of the window is stopped, and no other suffers", async () => {
  await using bench = await PluginBench.create();
  const code = `${SENDING}
    tool("flood", () => {
      Object.defineProperty(Map.prototype, "size", { get: () => 0 });
      const message = ${JSON.stringify(MESSAGE)};
      for (let i = 0; i < 1000; i++) ctx.deliver({ ...message, id: "n" + i });
      return { done: true };
    });`;
  await bench.user("bad", {
    "plugin.yaml": manifest("bad", { platforms: ["pigeon"] }),
    "mod.ts": registering(code),
  });
  await bench.user("good", {
    "plugin.yaml": manifest("good", { sessions: ["wake"] }),
    "mod.ts": registering(WAKING),
  });
  const host = await bench.open({ enabled: ["bad", "good"] });
  const inbox = new MemoryInbox();
  inbox.before = () => new Promise(() => {});
  await host.serve({ inbox, intervals: { firstPauseMs: 60_000 } });
  const session = createSession(scripted("ok"));
  host.attach(session);
  await bench.call("flood");
  await until(() => bench.reports.length > 0, "the flood is named");
  assert.match(
    bench.reports[0]!,
    /^Plugin bad: it floods hermes: more than 64 events, .* It starts again in \d+ s$/,
  );
  const { error } = await bench.call("arrive", MESSAGE);
  assert.match(String(error), /the plugin bad was stopped: it ended and is started again/);
  const { receipt } = await bench.call("poke", { sessionId: "s1", text: "x" });
  assert.deepEqual(receipt, { status: "accepted" });
  await session.end("done");
});

Deno.test("nothing is taken where nobody serves, and nothing before register() has returned", async () => {
  await using bench = await PluginBench.create();
  const early = `
    let said = "nothing";
    ctx.wake({ sessionId: "s", text: "x" }).catch((error: Error) => said = error.message);
    tool("said", () => ({ said }));
    ${WAKING}`;
  await bench.load({
    "plugin.yaml": manifest("demo", { sessions: ["wake"] }),
    "mod.ts": registering(early),
  });
  assert.deepEqual(await bench.call("said"), {
    said: "nothing can be pushed before register() has returned",
  });
  assert.deepEqual((await bench.call("poke", { sessionId: "s", text: "x" })).receipt, {
    status: "rejected",
    reason: "hermes takes no events from plugins here",
    retry: false,
  });
});
