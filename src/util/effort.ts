/**
 * How much comparing one call may do. Comparing texts that are merely similar takes time with the
 * product of their lengths, and nothing can interrupt it: whoever compares foreign texts spends
 * from here, and gives up when nothing is left. Counts work, not time: the same call ends the
 * same way everywhere.
 */

/** About a second of comparing characters. */
const UNITS = 400_000_000;

/** Thrown by `spend()`; caught where the comparing began. */
export class EffortSpent extends Error {
  override name = "EffortSpent";
}

export class Effort {
  #left: number;

  constructor(units: number = UNITS) {
    this.#left = units;
  }

  /** True once something was given up. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** @throws {EffortSpent} when nothing is left. */
  spend(units: number): void {
    this.#left -= units;
    if (this.#left < 0) throw new EffortSpent("too much to compare");
  }

  /** What `work` gives, or `otherwise` when it takes too much. */
  within<T>(work: () => T, otherwise: T): T {
    if (this.isSpent) return otherwise;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof EffortSpent)) throw error;
      return otherwise;
    }
  }
}
