/**
 * What a run may spend: model calls, tokens, money, time. Counts; the loop asks. Running out
 * of time aborts with `BudgetExceeded` as the reason, so that an interrupt and a time-out
 * are never confused.
 */
import type { Usage } from "../protocol/message.ts";
import { zeroUsage } from "../protocol/message.ts";

export class BudgetExceeded extends Error {
  override name = "BudgetExceeded";
}

export interface BudgetLimits {
  /** Model calls per turn. */
  maxIterations: number;
  /** Input and output tokens in all. */
  maxTokens?: number;
  maxCostUsd?: number;
}

export class Budget {
  readonly limits: BudgetLimits;
  /** Everything spent by this process for the session. */
  readonly total: Usage = zeroUsage();
  #iterations = 0;
  #deadlineAt = Infinity;

  constructor(limits: BudgetLimits) {
    this.limits = limits;
  }

  get iterations(): number {
    return this.#iterations;
  }

  beginTurn(): void {
    this.#iterations = 0;
  }

  /** Counts one model call; false when the turn has none left. */
  takeIteration(): boolean {
    if (this.#iterations >= this.limits.maxIterations) return false;
    this.#iterations++;
    return true;
  }

  /** True when the call that was just counted is the last one of the turn. */
  get isLastIteration(): boolean {
    return this.#iterations >= this.limits.maxIterations;
  }

  /** From the first call on the time for the whole run passes. */
  startClock(limitMs: number): void {
    if (this.#deadlineAt === Infinity) this.#deadlineAt = Date.now() + limitMs;
  }

  /** What is left of the run's time; without a limit infinite. */
  timeLeftMs(): number {
    return this.#deadlineAt - Date.now();
  }

  /** Adds what a call used. An unknown price makes the total unknown only as far as it goes. */
  add(usage: Usage): void {
    this.total.inputTokens += usage.inputTokens;
    this.total.outputTokens += usage.outputTokens;
    this.total.cachedInputTokens += usage.cachedInputTokens;
    this.total.cacheWriteTokens += usage.cacheWriteTokens;
    this.total.reasoningTokens += usage.reasoningTokens;
    if (usage.costUsd !== undefined) {
      this.total.costUsd = (this.total.costUsd ?? 0) + usage.costUsd;
    }
  }

  /** One line when tokens or money are spent, else undefined. */
  spent(): string | undefined {
    const { maxTokens, maxCostUsd } = this.limits;
    const tokens = this.total.inputTokens + this.total.outputTokens;
    if (maxTokens !== undefined && tokens >= maxTokens) {
      return `token budget spent: ${tokens} of ${maxTokens} tokens used`;
    }
    const cost = this.total.costUsd ?? 0;
    if (maxCostUsd !== undefined && cost >= maxCostUsd) {
      return `cost budget spent: $${cost.toFixed(4)} of $${maxCostUsd} used`;
    }
    return undefined;
  }
}
