/** Two that want the same session at once: two hermes of one home, and an opening beside a closing. */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { Host } from "../../src/host/host.ts";
import { RouteTable } from "../../src/host/routes.ts";
import type { ModelRequest } from "../../src/protocol/provider.ts";
import { EventLog, input, openTestHost, routesTo } from "../support/test_host.ts";
import type { ScriptedReply } from "../support/scripted_provider.ts";

const SPEC = { surface: "run", toolsets: { enabled: ["todo"] } };

/** Calls a tool when it is asked to, and waits before that for whoever holds the gate. */
function model(gate: Promise<void>) {
  return async ({ messages }: ModelRequest): Promise<ScriptedReply> => {
    const last = messages.at(-1);
    if (last?.role === "tool") {
      await gate;
      return { text: "late" };
    }
    const part = last?.role === "user" ? last.content[0] : undefined;
    return part?.type === "text" && part.text === "work"
      ? { calls: [{ name: "todo", arguments: {} }] }
      : { text: "said" };
  };
}

Deno.test("a session that another hermes goes on with takes no more from the first: nothing is mixed", async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await openTestHost({ respond: model(gate.promise) });
  const { host, home } = bench;
  const other = new Host({
    settings: host.settings,
    cwd: home,
    processEnv: { HOME: home },
    routes: routesTo(model(Promise.resolve())),
  });
  const { session } = await host.open(SPEC);
  const log = new EventLog(session);
  session.submit(input("work"));
  await log.next("tool_end");
  const { session: second } = await other.open({ ...SPEC, resume: { session: session.id } });
  second.submit(input("hello"));
  await second.idle;
  gate.resolve();
  await session.idle;
  const { message } = await log.next("error");
  match(message, /went on in another hermes/);
  equal(session.submit(input("more")).status, "rejected");
  await other.close();
  // Of no use any more, it is not given to the next who asks.
  const { session: third } = await host.open({ ...SPEC, resume: { session: session.id } });
  await log.ended;
  ok(third !== session && third.id === session.id);
  const roles = third.snapshot().transcript.map(({ role }) => role);
  deepEqual(roles, ["user", "assistant", "tool", "user", "assistant"]);
});

Deno.test("opening a session that a crash left in the middle changes nothing before it goes on", async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await openTestHost({ respond: model(gate.promise) });
  const { host, home } = bench;
  const { session } = await host.open(SPEC);
  const log = new EventLog(session);
  session.submit(input("work"));
  await log.next("tool_end");
  const routes = routesTo(model(Promise.resolve()));
  const other = new Host({
    settings: host.settings,
    cwd: home,
    processEnv: { HOME: home },
    routes,
  });
  await other.open({ ...SPEC, resume: { session: session.id } });
  await other.close({ abandon: true });
  gate.resolve();
  await session.idle;
  equal(session.failure, undefined);
  equal(session.snapshot().transcript.length, 4);
  await session.end("done");
  await log.ended;
});

Deno.test("open() of a session that ends while the host closes is refused in words", async () => {
  const gate = Promise.withResolvers<void>();
  await using bench = await openTestHost({ respond: model(gate.promise) });
  const { host } = bench;
  const { session } = await host.open(SPEC);
  const log = new EventLog(session);
  session.submit(input("work"));
  await log.next("tool_end");
  const ending = session.end("done");
  const opening = host.open({ ...SPEC, resume: { session: session.id } });
  const refused = opening.then(() => "opened", (error) => String(error.message));
  await Promise.all([host.close(), ending]);
  equal(await refused, "hermes is closing");
  ok(host.list().length === 0);
  await log.ended;
});

Deno.test("close() leaves an opening behind that hangs, and what comes of it later is not kept", async () => {
  const route = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const routes = new RouteTable(async (options) => {
    asked.resolve();
    await route.promise;
    return await routesTo(() => ({ text: "x" })).find(options);
  });
  const rings: number[] = [];
  const timer = (ms: number, ring: () => void) => {
    rings.push(ms);
    queueMicrotask(ring);
    return () => {};
  };
  await using bench = await openTestHost({ routes, clock: { now: () => new Date(0), timer } });
  const { host } = bench;
  const opening = host.open({ ...SPEC, storage: "none" });
  const refused = opening.then(() => "opened", (error) => String(error.message));
  await asked.promise;
  await host.close({ graceMs: 1_000 });
  deepEqual(rings, [5_000]);
  route.resolve();
  equal(await refused, "hermes is closing");
  deepEqual(host.list(), []);
});

Deno.test("of two replays at once the second is refused, and the first goes on", async () => {
  await using bench = await openTestHost({ respond: () => ({ text: "said" }) });
  const { host, home } = bench;
  const tape = `${home}/tape`;
  const recording = await host.open({ ...SPEC, cassette: { record: tape } });
  await recording.session.end("done");
  const replay = { ...SPEC, cassette: { replay: tape } };
  const both = await Promise.allSettled([host.open(replay), host.open(replay)]);
  deepEqual(both.map(({ status }) => status), ["fulfilled", "rejected"]);
  const [first] = host.list();
  equal(host.list().length, 1);
  equal(first!.submit(input("go")).status, "accepted");
  await first!.end("done");
  // It is over: another may begin.
  const { session } = await host.open(replay);
  await session.end("done");
});
