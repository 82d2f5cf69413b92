import { deepEqual, equal, rejects } from "node:assert/strict";
import { input, openTestHost } from "../../tests/support/test_host.ts";
import { SessionListener } from "./session_listener.ts";

const SPEC = { surface: "run", storage: "none", toolsets: { enabled: [] } } as const;

Deno.test("turn() resolves when its end was shown; idle() and closed() when everything was", async () => {
  await using bench = await openTestHost();
  const { session } = await bench.host.open(SPEC);
  const shown: string[] = [];
  const listener = new SessionListener(session, ({ type }) => shown.push(type));
  const end = await listener.turn(input("hi"));
  deepEqual([end.text, shown.at(-1)], ["done", "turn_end"]);
  session.submit(input("again"));
  await listener.idle();
  equal(shown.filter((type) => type === "turn_end").length, 2);
  await rejects(listener.submit({ op: "steer", text: "x" }, ["notice"]), /no turn is running/);
  await session.end("done");
  await listener.closed();
  equal(shown.at(-1), "session_end");
});

Deno.test("a listener that cannot show an event ends the turn and tells why", async () => {
  await using bench = await openTestHost({ respond: () => ({ text: "x", hang: true }) });
  const { session } = await bench.host.open(SPEC);
  const listener = new SessionListener(session, ({ type }) => {
    if (type === "message_delta") throw new Error("the disk is full");
  });
  await rejects(listener.turn(input("hi")), /the disk is full/);
  await session.idle;
  await rejects(listener.closed(), /the disk is full/);
});
