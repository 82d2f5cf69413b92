/** An allowance that fills up again with time: so much at once, so much in each minute from then on. */

export interface Rate {
  /** What may be taken at once. */
  capacity: number;
  perMinute: number;
}

const MINUTE_MS = 60_000;

export class TokenBucket {
  readonly #rate: Rate;
  readonly #now: () => number;
  #left: number;
  #filledAt: number;

  /** `now` counts milliseconds from anywhere. */
  constructor(rate: Rate, now: () => number = () => performance.now()) {
    this.#rate = rate;
    this.#now = now;
    this.#left = rate.capacity;
    this.#filledAt = now();
  }

  /** Takes from what is left; false, and takes nothing, when that is too little. */
  take(amount = 1): boolean {
    this.#fill();
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }

  /** Milliseconds until that much can be taken. */
  waitMs(amount = 1): number {
    this.#fill();
    const missing = Math.min(amount, this.#rate.capacity) - this.#left;
    return Math.max(0, missing * MINUTE_MS / this.#rate.perMinute);
  }

  #fill(): void {
    const now = this.#now();
    const gained = (now - this.#filledAt) * this.#rate.perMinute / MINUTE_MS;
    this.#left = Math.min(this.#rate.capacity, this.#left + gained);
    this.#filledAt = now;
  }
}
