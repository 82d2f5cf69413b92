/**
 * `deno task bench store [MESSAGES]`: one message made durable, and session search over a million
 * messages (minutes to build) or as many as named. Prints JSON; exits 1 when over budget.
 */
import type { Message } from "../../src/protocol/message.ts";
import { Store } from "../../src/store/store.ts";

const ONSETS = "t s c m p d b r f h l n w g v st pr tr th ch sh bl cr qu j k z".split(" ");
const VOWELS = "e a i o u ea ou ai io".split(" ");
const CODAS = ["", "n", "r", "s", "t", "l", "d", "m", "ng", "nt", "st", "ck", "x"];
const VOCABULARY = 30_000;
const ROLES = ["user", "assistant", "tool"] as const;
const SESSION = { source: "bench", cwd: "/", provider: "p", model: "m", systemPrompt: "" };

/** The same pseudo-random numbers in every run. */
class Random {
  #state = 12_345;

  next(): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return this.#state / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Below `limit`, small numbers far more often, as words are in a language. */
  zipf(limit: number): number {
    return Math.min(limit - 1, Math.floor(Math.exp(this.next() * Math.log(limit))) - 1);
  }
}

/** Messages that look like conversation: common and rare words, some Chinese, longer tool output. */
export class MessageGenerator {
  readonly words: string[];
  #random = new Random();

  constructor() {
    const words = new Set<string>();
    while (words.size < VOCABULARY) {
      const length = 1 + this.#random.below(4);
      words.add(Array.from({ length }, () => this.#syllable()).join(""));
    }
    this.words = [...words];
  }

  #syllable(): string {
    return [ONSETS, VOWELS, CODAS].map((part) => part[this.#random.zipf(part.length)]).join("");
  }

  message(index: number): Message {
    const role = ROLES[index % ROLES.length]!;
    const length = role === "tool" ? 20 + this.#random.below(150) : 10 + this.#random.below(50);
    let text = Array.from({ length }, () => this.words[this.#random.zipf(VOCABULARY)]).join(" ");
    if (index % 10 === 0) text += ` ${this.chinese(40)}`;
    if (role === "user") return { role, content: [{ type: "text", text }] };
    if (role === "tool") {
      return { role, toolCallId: "c", name: "terminal", content: text, isError: false };
    }
    return {
      role,
      content: [{ type: "text", text }],
      stopReason: "end",
      provider: "p",
      model: "m",
    };
  }

  chinese(length: number): string {
    return String.fromCodePoint(
      ...Array.from({ length }, () => 0x4e00 + this.#random.zipf(3_000)),
    );
  }

  /** One of the queries a person types: words common and rare, phrases, exclusions, CJK, parts, misses. */
  query(): string {
    const word = () => this.words[this.#random.zipf(VOCABULARY)]!;
    const forms = [
      word,
      () => `${word()} ${word()}`,
      () => `"${word()} ${word()}"`,
      () => `${word()} -${word()}`,
      () => `${word()} OR ${word()} ${word()}`,
      () => this.chinese(1 + this.#random.below(3)),
      () => `${word().slice(0, 5)}*`,
      () => `${word()}${word()}x`,
    ];
    return forms[this.#random.below(forms.length)]!();
  }
}

/** Milliseconds. */
export const DURABLE_BUDGET_MS = 2;
const SEARCH_BUDGET_MS = 50;

export interface StoreBench {
  openMs: number;
  durableMs: { p50: number; p95: number; max: number };
  messages: number;
  indexSeconds: number;
  megabytes: number;
  searchMs: { p50: number; p95: number; max: number };
}

/** Runs the whole measurement in a temporary directory. */
export function benchStore(messages: number): StoreBench {
  const directory = Deno.makeTempDirSync();
  try {
    const path = `${directory}/state.db`;
    new Store(path).close();
    const openMs = time(() => new Store(path).close());
    using store = new Store(path);
    const generator = new MessageGenerator();
    const durable = timeAppends(store, generator);
    fill(store, generator, messages);
    const indexSeconds = time(() => store.search("warm up")) / 1000;
    const search = Array.from({ length: 400 }, () => {
      const query = generator.query();
      return time(() => store.search(query));
    });
    return {
      openMs: round(openMs),
      durableMs: percentiles(durable),
      messages,
      indexSeconds: round(indexSeconds),
      megabytes: Math.round(store.stats().bytes / 1e6),
      searchMs: percentiles(search),
    };
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

/** The median time until one message is on disk. */
export function measureDurable(directory: string): number {
  using store = new Store(`${directory}/durable.db`);
  return percentiles(timeAppends(store, new MessageGenerator())).p50;
}

function timeAppends(store: Store, generator: MessageGenerator): number[] {
  const id = store.createSession(SESSION);
  return Array.from({ length: 500 }, (_, i) => {
    const message = generator.message(i);
    return time(() => store.appendMessage(id, message));
  });
}

function fill(store: Store, generator: MessageGenerator, messages: number): void {
  const perSession = 500;
  for (let start = 0; start < messages; start += perSession) {
    const id = store.createSession(SESSION);
    const count = Math.min(perSession, messages - start);
    store.appendMessages(id, Array.from({ length: count }, (_, i) => generator.message(start + i)));
  }
}

function time(action: () => unknown): number {
  const startedAt = performance.now();
  action();
  return performance.now() - startedAt;
}

function percentiles(samples: number[]): { p50: number; p95: number; max: number } {
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number) => round(sorted[Math.floor((sorted.length - 1) * share)]!);
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

if (import.meta.main) {
  const result = benchStore(Number(Deno.args[0] ?? 1_000_000));
  console.log(JSON.stringify(result, null, 2));
  const met = result.durableMs.p50 <= DURABLE_BUDGET_MS && result.searchMs.p95 <= SEARCH_BUDGET_MS;
  const budgets = `one message ≤ ${DURABLE_BUDGET_MS} ms, search p95 ≤ ${SEARCH_BUDGET_MS} ms`;
  console.log(`${budgets}: ${met ? "met" : "OVER"}`);
  Deno.exitCode = met ? 0 : 1;
}
