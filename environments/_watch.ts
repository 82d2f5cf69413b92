/**
 * Which lines of a running process are worth a notice, and how many notices are too many.
 * Time comes from the caller.
 */

const WINDOW_MS = 15_000;
const MAX_LINES = 20;
const MAX_CHARS = 2_000;
const MAX_STRIKES = 3;
/** A line without an end is looked at up to here. */
const MAX_PARTIAL = 4_096;
const BREAKER_WINDOW_MS = 10_000;
const BREAKER_EVENTS = 15;
const BREAKER_MUTE_MS = 30_000;

/** Finds lines that contain a pattern; at most one answer in a window of 15 s. */
export class LineWatcher {
  readonly #patterns: readonly string[];
  readonly #now: () => number;
  #partial = "";
  #partialTold = false;
  #windowEndsAt = 0;
  #struck = false;
  #strikes = 0;
  #suppressed = 0;

  constructor(patterns: readonly string[], now: () => number) {
    this.#patterns = patterns;
    this.#now = now;
  }

  /** True when three windows in a row had more to tell than they may: watching makes no sense. */
  get exhausted(): boolean {
    return this.#strikes >= MAX_STRIKES;
  }

  /** Takes output; returns what to tell, if anything. */
  push(text: string): string | undefined {
    const hits = this.#match(text);
    if (hits.length === 0) return undefined;
    if (this.#now() < this.#windowEndsAt) {
      this.#suppressed += hits.length;
      if (!this.#struck) this.#strikes++;
      this.#struck = true;
      return undefined;
    }
    if (!this.#struck) this.#strikes = 0;
    this.#struck = false;
    this.#windowEndsAt = this.#now() + WINDOW_MS;
    const missed = this.#suppressed > 0 ? `\n(${this.#suppressed} earlier matches not shown)` : "";
    this.#suppressed = 0;
    return hits.slice(0, MAX_LINES).join("\n").slice(0, MAX_CHARS) + missed;
  }

  /** A prompt has no line end: an unfinished line counts once, and not again when it is finished. */
  #match(text: string): string[] {
    const lines = (this.#partial + text).split("\n");
    const partial = lines.pop()!.slice(-MAX_PARTIAL);
    const hits = lines.filter((line, i) => this.#fits(line) && !(i === 0 && this.#partialTold));
    if (lines.length > 0) this.#partialTold = false;
    if (!this.#partialTold && this.#fits(partial)) {
      this.#partialTold = true;
      hits.push(partial);
    }
    this.#partial = partial;
    return hits;
  }

  #fits(line: string): boolean {
    return this.#patterns.some((pattern) => line.includes(pattern));
  }
}

/** Stops all watch notices for a while when together they are too many. */
export class NoticeBreaker {
  readonly #now: () => number;
  #times: number[] = [];
  #mutedUntil = 0;
  #dropped = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The notices to give instead of this one: itself, nothing, or word about the mute. */
  admit(notice: string): string[] {
    const now = this.#now();
    if (now < this.#mutedUntil) {
      this.#dropped++;
      return [];
    }
    const released = this.#dropped > 0
      ? [`[Watch notices are on again; ${this.#dropped} were dropped]`]
      : [];
    this.#dropped = 0;
    this.#times = this.#times.filter((time) => time > now - BREAKER_WINDOW_MS);
    this.#times.push(now);
    if (this.#times.length <= BREAKER_EVENTS) return [...released, notice];
    this.#mutedUntil = now + BREAKER_MUTE_MS;
    this.#times = [];
    this.#dropped = 1;
    return [...released, "[Too many watch notices: muted for 30 s]"];
  }
}
