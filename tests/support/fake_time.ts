/**
 * A clock that a test moves: timers, `Date.now()` and `performance.now()` of this isolate stand
 * still until `tick()`. What the operating system does (processes, sockets) goes on meanwhile.
 * Every test file has an isolate of its own, and its tests run one after the other.
 */

interface Timer {
  at: number;
  fire: () => void;
  /** Set for an interval. */
  everyMs?: number;
}

type Handler = (...args: unknown[]) => void;

/** What is replaced, by its owner. */
interface Saved {
  owner: object;
  name: string;
  descriptor: PropertyDescriptor;
}

export class FakeTime implements Disposable {
  readonly #timers = new Map<number, Timer>();
  readonly #saved: Saved[] = [];
  readonly #realTimeout = globalThis.setTimeout;
  readonly #startedAt = Date.now();
  #elapsedMs = 0;
  #lastId = 0;

  constructor() {
    const add = (everyMs: boolean) => (fn: Handler, ms = 0, ...args: unknown[]): number =>
      this.#add(() => fn(...args), ms, everyMs);
    const remove = (id?: number): void => void this.#timers.delete(id ?? 0);
    this.#replace(globalThis, { setTimeout: add(false), setInterval: add(true) });
    this.#replace(globalThis, { clearTimeout: remove, clearInterval: remove });
    this.#replace(Deno, { refTimer: () => {}, unrefTimer: () => {} });
    this.#replace(Date, { now: () => this.#startedAt + this.#elapsedMs });
    this.#replace(performance, { now: () => this.#elapsedMs });
    this.#replace(AbortSignal, { timeout: (ms: number) => this.#signal(ms) });
  }

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Moves on, one timer after the other; what a timer sets going runs before the next. */
  async tick(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms;
    await this.settle();
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      const [id, timer] = next;
      this.#elapsedMs = Math.max(this.#elapsedMs, timer.at);
      if (timer.everyMs === undefined) this.#timers.delete(id);
      else timer.at += Math.max(1, timer.everyMs);
      timer.fire();
      await this.settle();
    }
    this.#elapsedMs = end;
  }

  /** Moves on until `work` has ended, from one timer to the next. */
  async until<T>(work: Promise<T>): Promise<T> {
    let hasEnded = false;
    work.catch(() => {}).finally(() => hasEnded = true);
    await this.settle();
    while (!hasEnded) {
      const [, next] = this.#next(Infinity) ?? [];
      // Without a timer it waits for the operating system.
      await this.tick(next === undefined ? 0 : next.at - this.#elapsedMs);
    }
    return await work;
  }

  /** Lets everything run that waits for no timer. */
  async settle(): Promise<void> {
    await new Promise<void>((resolve) => this.#realTimeout.call(globalThis, () => resolve(), 0));
  }

  [Symbol.dispose](): void {
    for (const { owner, name, descriptor } of this.#saved) {
      Object.defineProperty(owner, name, descriptor);
    }
  }

  #add(fire: () => void, ms: number, isInterval: boolean): number {
    const at = this.#elapsedMs + Math.max(0, ms);
    this.#timers.set(++this.#lastId, { at, fire, ...isInterval ? { everyMs: ms } : {} });
    return this.#lastId;
  }

  #next(end: number): [number, Timer] | undefined {
    const due = [...this.#timers].filter(([, { at }]) => at <= end);
    return due.reduce<[number, Timer] | undefined>(
      (first, timer) => first !== undefined && first[1].at <= timer[1].at ? first : timer,
      undefined,
    );
  }

  #signal(ms: number): AbortSignal {
    const controller = new AbortController();
    const late = () => controller.abort(new DOMException("Signal timed out.", "TimeoutError"));
    this.#add(late, ms, false);
    return controller.signal;
  }

  #replace(owner: object, values: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(values)) {
      const own = Object.getOwnPropertyDescriptor(owner, name);
      const descriptor = own ??
        { value: Reflect.get(owner, name), configurable: true, writable: true };
      this.#saved.unshift({ owner, name, descriptor });
      Object.defineProperty(owner, name, { value, configurable: true, writable: true });
    }
  }
}
