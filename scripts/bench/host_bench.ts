/**
 * `deno task bench host [SESSIONS]`: what many sessions in one process cost. Memory and timers of
 * idle sessions, turns at once against a model that answers at once, and one more listener. Prints
 * JSON; exits 1 when over budget.
 */
import { resolveHome } from "../../src/config/home.ts";
import { loadSettings } from "../../src/config/load.ts";
import { Host } from "../../src/host/host.ts";
import { RouteTable } from "../../src/host/routes.ts";
import type { AssistantMessage } from "../../src/protocol/message.ts";
import { zeroUsage } from "../../src/protocol/message.ts";
import type { ModelRequest, Provider, ProviderEvent } from "../../src/protocol/provider.ts";
import type { Session } from "../../src/session/session.ts";
import { median, pssMiB } from "./_process.ts";

const IDLE_SESSIONS = 1_000;
const IDLE_BUDGET_MIB = 150;
const TURNS = 100;
const CORES = 2;
/** Of p95 to one turn alone times the turns that share a core. */
const LATENCY_BUDGET = 4;
/** Of a turn, in percent. */
const LISTENER_BUDGET = 2;
const MORE_LISTENERS = 20;
const ROUNDS = 15;
const DELTAS = 40;

/** Calls a tool, then answers in pieces; never waits. */
class InstantModel implements Provider {
  readonly name = "bench";
  readonly model = { id: "instant", contextTokens: 100_000 };

  async *stream({ messages }: ModelRequest): AsyncIterable<ProviderEvent> {
    const isFirst = messages.at(-1)?.role !== "tool";
    const call = { type: "tool_call", id: "c", name: "todo", arguments: "{}" } as const;
    if (!isFirst) {
      for (let i = 0; i < DELTAS; i++) yield { type: "text_delta", text: "some words " };
    }
    const message: AssistantMessage = {
      role: "assistant",
      content: isFirst ? [call] : [{ type: "text", text: "some words ".repeat(DELTAS) }],
      stopReason: isFirst ? "tool_calls" : "end",
      provider: this.name,
      model: this.model.id,
      usage: zeroUsage(),
    };
    yield { type: "end", message };
  }
}

/** Counts timers that were started and not yet over. */
function countTimers(): () => number {
  let running = 0;
  const start = globalThis.setTimeout;
  const stop = globalThis.clearTimeout;
  const known = new Set<unknown>();
  globalThis.setTimeout = ((ring: () => void, ms?: number) => {
    const id = start(() => {
      known.delete(id);
      running = known.size;
      ring();
    }, ms);
    known.add(id);
    running = known.size;
    return id;
  }) as typeof setTimeout;
  globalThis.clearTimeout = ((id: number) => {
    known.delete(id);
    running = known.size;
    stop(id);
  }) as typeof clearTimeout;
  const interval = globalThis.setInterval;
  globalThis.setInterval = ((...args: Parameters<typeof setInterval>) => {
    running++;
    return interval(...args);
  }) as typeof setInterval;
  const timeout = AbortSignal.timeout;
  AbortSignal.timeout = (ms) => {
    running++;
    const signal = timeout.call(AbortSignal, ms);
    signal.addEventListener("abort", () => running--, { once: true });
    return signal;
  };
  return () => running;
}

async function openHost(directory: string): Promise<Host> {
  await Deno.mkdir(directory);
  const env = { HOME: directory, PATH: "/usr/bin:/bin" };
  const primary = new InstantModel();
  const target = { provider: "bench", model: "instant", baseUrl: "", wire: "openai_chat" as const };
  const route = { primary, fallbacks: [], source: "flag" as const, target };
  return new Host({
    settings: await loadSettings({ home: resolveHome({ env }), env }),
    cwd: directory,
    processEnv: env,
    routes: new RouteTable(() => Promise.resolve(route)),
  });
}

async function open(host: Host): Promise<Session> {
  return (await host.open({ surface: "run" })).session;
}

/** Milliseconds of one turn. */
async function turn(session: Session): Promise<number> {
  const startedAt = performance.now();
  session.submit({ op: "input", content: [{ type: "text", text: "go" }] });
  await session.idle;
  return performance.now() - startedAt;
}

async function measureIdle(directory: string, count: number) {
  const timers = countTimers();
  const host = await openHost(directory);
  await open(host);
  const before = { memory: await pssMiB(Deno.pid), timers: timers() };
  const startedAt = performance.now();
  for (let i = 0; i < count; i++) await open(host);
  const openMs = (performance.now() - startedAt) / count;
  const addedMiB = await pssMiB(Deno.pid) - before.memory;
  const addedTimers = timers() - before.timers;
  await host.close();
  return { sessions: count, addedMiB: round(addedMiB), addedTimers, openMs: round(openMs) };
}

async function measureTurns(directory: string) {
  const host = await openHost(directory);
  const sessions = await Promise.all(Array.from({ length: TURNS }, () => open(host)));
  // Everything a turn loads is loaded, and every session has its runtime.
  for (const session of sessions) await turn(session);
  const alone: number[] = [];
  for (const session of sessions) alone.push(await turn(session));
  const together = (await Promise.all(sessions.map(turn))).sort((a, b) => a - b);
  await host.close();
  const aloneMs = median(alone);
  const at = (share: number) => together[Math.floor((together.length - 1) * share)]!;
  const fair = aloneMs * TURNS / CORES;
  return {
    aloneMs: round(aloneMs),
    p50Ms: round(at(0.5)),
    p95Ms: round(at(0.95)),
    maxMs: round(at(1)),
    p95ToFairShare: round(at(0.95) / fair),
    maxToFairShare: round(at(1) / fair),
  };
}

/** Many more listeners at once, divided by their number: one alone is less than the noise. */
async function measureListener(directory: string) {
  const host = await openHost(directory);
  const [few, many] = [await open(host), await open(host)];
  const read = async (session: Session) => {
    for await (const item of session.subscribe()) void item;
  };
  const reading = [read(few), ...Array.from({ length: 1 + MORE_LISTENERS }, () => read(many))];
  const shares: number[] = [];
  for (let round = -3; round < ROUNDS; round++) {
    let [one, more] = [0, 0];
    for (let i = 0; i < 10; i++) {
      one += await turn(few);
      more += await turn(many);
    }
    if (round >= 0) shares.push((more / one - 1) / MORE_LISTENERS * 100);
  }
  await host.close();
  await Promise.all(reading);
  return { percentOfTurn: round(median(shares)) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

if (import.meta.main) {
  const directory = await Deno.makeTempDir();
  try {
    const count = Number(Deno.args[0] ?? IDLE_SESSIONS);
    const idle = await measureIdle(`${directory}/idle`, count);
    const turns = await measureTurns(`${directory}/turns`);
    const listener = await measureListener(`${directory}/listener`);
    console.log(JSON.stringify({ idle, turns, listener }, null, 2));
    const met = idle.addedMiB <= IDLE_BUDGET_MIB * count / IDLE_SESSIONS &&
      idle.addedTimers <= 0 && turns.maxToFairShare <= LATENCY_BUDGET &&
      listener.percentOfTurn <= LISTENER_BUDGET;
    console.log(
      `budget: ${IDLE_SESSIONS} idle sessions add ≤ ${IDLE_BUDGET_MIB} MiB and no timer; ` +
        `${TURNS} turns at once, the slowest too: ≤ ${LATENCY_BUDGET} × one alone × ${TURNS}/${CORES}; ` +
        `a listener ≤ ${LISTENER_BUDGET} % of a turn: ${met ? "met" : "MISSED"}`,
    );
    if (!met) Deno.exitCode = 1;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}
