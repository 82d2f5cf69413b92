/** `host.close()` with everything under way at once: it ends in time, and leaves no process. */
import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import { Store } from "../../src/store/store.ts";
import { messageText } from "../../src/protocol/message.ts";
import type { ModelRequest } from "../../src/protocol/provider.ts";
import type { ScriptedReply } from "../support/scripted_provider.ts";
import { EventLog, input, openTestHost } from "../support/test_host.ts";
import { isRunning, writtenFile } from "../support/written_file.ts";

/** Ignores the polite signal. */
const STUBBORN = "trap '' TERM; echo $$ > stubborn; while :; do sleep 1; done";
const CALLS: Record<string, { name: string; arguments: Record<string, unknown> }> = {
  background: {
    name: "terminal",
    arguments: { command: "echo $$ > background; exec sleep 300", background: true },
  },
  foreground: { name: "terminal", arguments: { command: STUBBORN } },
  script: {
    name: "execute_code",
    arguments: {
      code: `import { terminal } from "hermes_tools";
await terminal({ command: "echo $$ > script; exec sleep 300" });`,
    },
  },
};

function respond({ messages }: ModelRequest): ScriptedReply {
  const last = messages.at(-1)!;
  if (last.role === "tool") return { text: "done" };
  const call = last.role === "user" ? CALLS[messageText(last)] : undefined;
  return call === undefined ? { text: "waiting", hang: true } : { calls: [call] };
}

Deno.test("close() ends turns, commands, scripts and background processes in time", async () => {
  await using bench = await openTestHost({ respond });
  const { host, home } = bench;
  const toolsets = { enabled: ["terminal", "process", "code_execution"] };
  const open = async (text: string) => {
    const { session } = await host.open({
      surface: "run",
      toolsets,
      approval: { policy: "always" },
    });
    const log = new EventLog(session);
    session.submit(input(text));
    return { session, log };
  };
  const idle = await open("background");
  await idle.session.idle;
  const busy = [await open("foreground"), await open("script"), await open("think")];
  await busy[2]!.log.next("message_delta");
  const pids = await Promise.all(
    ["background", "stubborn", "script"].map((name) => writtenFile(`${home}/${name}`)),
  );
  for (const pid of pids) ok(await isRunning(pid));
  const began = performance.now();
  await host.close({ graceMs: 50 });
  const tookMs = performance.now() - began;
  ok(tookMs < 12_000, `${tookMs} ms`);
  for (const pid of pids) ok(!await isRunning(pid), `${pid} still runs`);
  using store = new Store(host.settings.home.path("state.db"));
  for (const { session, log } of [idle, ...busy]) {
    await log.ended;
    equal(log.types.at(-1), "session_end");
    equal(store.getSession(session.id)!.endReason, "done");
    // Every call has its result, so that the session can go on.
    const stored = store.messages(session.id).map(({ message }) => message);
    const calls = stored.flatMap((one) =>
      one.role === "assistant" ? one.content.filter(({ type }) => type === "tool_call") : []
    );
    deepEqual(stored.filter(({ role }) => role === "tool").length, calls.length);
  }
  deepEqual(
    busy.map(({ log }) => log.events.findLast(({ type }) => type === "turn_end")),
    busy.map(({ log }) =>
      log.events.find((event) => event.type === "turn_end" && event.reason === "interrupted")
    ),
  );
});

Deno.test("close() ends the processes of a session whose own end failed", async () => {
  const { host, home } = await openTestHost({ respond });
  const toolsets = { enabled: ["terminal", "process"] };
  const { session } = await host.open({ surface: "run", toolsets, storage: "none" });
  session.submit(input("background"));
  await session.idle;
  const pid = await writtenFile(`${home}/background`);
  const end = session.end.bind(session);
  // A hook or an environment that fails would do the same.
  session.end = () => Promise.reject(new Error("cannot end"));
  await rejects(host.close(), /cannot end/);
  ok(!await isRunning(pid), "it outlived its host");
  await end("done");
  await Deno.remove(home, { recursive: true });
});

Deno.test("close() does not wait for a session that never finishes opening", async () => {
  const opening = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const rings: (() => void)[] = [];
  const clock = {
    now: () => new Date(),
    timer: (_ms: number, ring: () => void) => (rings.push(ring), () => {}),
  };
  const { RouteTable } = await import("../../src/host/routes.ts");
  const { RespondingProvider } = await import("../support/test_host.ts");
  const routes = new RouteTable(async () => {
    asked.resolve();
    await opening.promise;
    const target = { provider: "fake", model: "m", baseUrl: "", wire: "openai_chat" as const };
    const primary = new RespondingProvider(() => ({ text: "x" }));
    return { primary, fallbacks: [], source: "flag", target };
  });
  await using bench = await openTestHost({ routes, clock });
  const open = bench.host.open({ surface: "run", toolsets: { enabled: [] } });
  await asked.promise;
  const closed = bench.host.close();
  while (rings.length === 0) await Promise.resolve();
  rings[0]!();
  await closed;
  // Whoever waited for the session is told, and nothing of it stays.
  opening.resolve();
  await rejects(open, /hermes is closing/);
  deepEqual(bench.host.list(), []);
});
