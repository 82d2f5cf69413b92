/** Text that waits for a turn: the model reads it in the order in which it came. */
import { deepEqual, equal } from "node:assert/strict";
import { messageText } from "../../src/protocol/message.ts";
import type { Session } from "../../src/session/session.ts";
import { EventLog, input, openTestHost } from "../support/test_host.ts";

const SPEC = { surface: "run", storage: "none", toolsets: { enabled: [] as string[] } } as const;

/** What a session was told, in order. */
function userTexts(session: Session): string[] {
  return session.snapshot().transcript.filter(({ role }) => role === "user").map(messageText);
}

Deno.test("steering that an interrupt left over is read before the next input", async () => {
  const asked = Promise.withResolvers<void>();
  await using bench = await openTestHost({
    async respond(request, signal) {
      const text = messageText(request.messages.at(-1)!);
      if (text !== "slow") return { text };
      asked.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return { text: "late" };
    },
  });
  const { session } = await bench.host.open(SPEC);
  const log = new EventLog(session);
  session.submit(input("slow"));
  await asked.promise;
  equal(session.submit({ op: "steer", text: "faster" }).status, "accepted");
  equal(session.submit({ op: "interrupt" }).status, "accepted");
  await session.idle;
  session.submit(input("something else"));
  await session.idle;
  deepEqual(userTexts(session), ["slow", "faster", "something else"]);
  equal((await log.next("turn_end", 1)).text, "something else");
});

Deno.test("a notice that waited for a turn is read before that turn's input", async () => {
  await using bench = await openTestHost();
  const { session } = await bench.host.open(SPEC);
  deepEqual(session.wake("a process ended"), { status: "queued", position: 1 });
  session.submit(input("hello"));
  await session.idle;
  deepEqual(userTexts(session), ["a process ended", "hello"]);
});
