/**
 * Kills `hermes run` with SIGKILL at random moments, hundreds of times in one home, and proves
 * that nothing it had shown is missing, that the store opens clean, and that `--resume` goes on.
 */
import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import type { AgentEvent } from "../../src/protocol/event.ts";
import type { Message } from "../../src/protocol/message.ts";
import { Store } from "../../src/store/store.ts";
import { startFakeModel } from "../support/fake_model_server.ts";
import { runHermes, startHermes, tempHome } from "../support/hermes.ts";
import { LONG_TEST } from "../../scripts/test_limits.ts";

const KILLS = 200;
const AT_ONCE = 2;
/** Every third run dies at a random time while starting, the others after a random number of events. */
const START_MS = 150;
const MOST_EVENTS = 40;
const AFTER_EVENT_MS = 10;

interface Killed {
  sessionId: string | undefined;
  events: AgentEvent[];
}

Deno.test(
  "hermes run loses nothing it has shown when it is killed at any moment",
  LONG_TEST,
  async () => {
    await using home = await tempHome();
    await using model = startFakeModel({
      replies: (_, index) => ({
        text: `step ${index}`,
        toolCalls: [{ name: "terminal", arguments: { command: `echo ${index}` } }],
      }),
    });
    const args = ["run", "--base-url", model.url, "--model", "m", "--json", "never stop"];
    const killed: Killed[] = [];
    let left = KILLS;
    async function killer(): Promise<void> {
      while (left-- > 0) killed.push(await killAtRandom({ home: home.path, args }, left % 3 === 0));
    }
    await Promise.all(Array.from({ length: AT_ONCE }, killer));

    strictEqual(killed.length, KILLS);
    const path = `${home.path}/.hermes/state.db`;
    const notices: string[] = [];
    using store = new Store(path, { onNotice: (text) => notices.push(text) });
    deepStrictEqual(notices, [], "the store needed repair");
    let shown = 0;
    for (const run of killed) {
      if (run.sessionId !== undefined) shown += checkRun(store, run);
    }
    ok(shown > KILLS, `only ${shown} messages were shown before the kills: the test proves little`);

    const ids = [
      ...new Set(killed.flatMap((run) => store.getSession(run.sessionId ?? "")?.id ?? [])),
    ];
    for (const id of pick(ids, 5)) await checkResume(home.path, id);
  },
);

async function killAtRandom(
  run: { home: string; args: string[] },
  early: boolean,
): Promise<Killed> {
  const child = startHermes(run);
  const kill = () => child.kill("SIGKILL");
  let timer = early ? setTimeout(kill, Math.random() * START_MS) : undefined;
  const enough = early ? Infinity : Math.ceil(Math.random() * MOST_EVENTS);
  const errors = new Response(child.stderr).text();
  let text = "";
  let seen = 0;
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    seen += chunk.split("\n").length - 1;
    if (seen >= enough) timer ??= setTimeout(kill, Math.random() * AFTER_EVENT_MS);
  }
  const { signal } = await child.status;
  clearTimeout(timer);
  strictEqual(signal, "SIGKILL", await errors);
  await errors;
  const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter(Boolean);
  const events = lines.map((line) => JSON.parse(line) as AgentEvent);
  return { sessionId: events[0]?.sessionId, events };
}

/** Every message the run showed whole is stored as it was shown. Returns how many there were. */
function checkRun(store: Store, run: Killed): number {
  const stored = store.messages(run.sessionId!).map(({ message }) => message);
  let shown = 0;
  for (const event of run.events) {
    if (event.type === "message_end") {
      ok(stored.some((message) => same(message, event.message)), "a shown answer is missing");
      shown++;
    }
    if (event.type === "tool_end") {
      const kept = stored.some((message) =>
        message.role === "tool" && message.toolCallId === event.callId &&
        message.content === event.result
      );
      ok(kept, `the shown result of ${event.callId} is missing`);
      shown++;
    }
  }
  return shown;
}

async function checkResume(home: string, id: string): Promise<void> {
  await using model = startFakeModel({ replies: [{ text: "back again" }] });
  const outcome = await runHermes({
    home,
    args: ["run", "--base-url", model.url, "--model", "m", "--resume", id, "are you there?"],
  });
  deepStrictEqual([outcome.code, outcome.stdout], [0, "back again\n"], outcome.stderr);
  const messages: { role: string; tool_calls?: { id: string }[]; tool_call_id?: string }[] =
    model.requests[0]!.body.messages;
  const called = messages.flatMap((message) => message.tool_calls?.map((call) => call.id) ?? []);
  const answered = messages.flatMap((message) => message.tool_call_id ?? []);
  deepStrictEqual(answered.toSorted(), called.toSorted(), "an unpaired tool call was sent");
}

function same(a: Message, b: Message): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function pick<T>(items: readonly T[], count: number): T[] {
  const step = Math.max(1, Math.floor(items.length / count));
  return items.filter((_, index) => index % step === 0).slice(0, count);
}
