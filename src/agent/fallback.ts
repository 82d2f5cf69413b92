/**
 * Which provider of the chain answers: after a failure the next one, for the rest of the turn; at
 * the next turn the first one again, unless it asked for more time. Knows no provider by name.
 */
import type { Provider, ProviderFailure } from "../protocol/provider.ts";

export interface ProviderChain {
  active: Provider;
  /** Not yet tried, in order. */
  readonly fallbacks: Provider[];
  /** Those that failed before the active one, in order; absent until one does. */
  failed?: FailedProvider[];
  /** How often each has failed since its last answer. */
  failures?: Map<Provider, number>;
}

export interface FailedProvider {
  provider: Provider;
  /** Not asked again before this instant. */
  restUntil: number;
}

/** What a provider refuses now it refuses a moment later too. */
const REST_MS: Partial<Record<ProviderFailure["kind"], number>> = {
  "rate_limit": 60_000,
  overloaded: 60_000,
  billing: 600_000,
  auth: 600_000,
};
const MAX_REST_MS = 4 * 3_600_000;

/** Makes the next provider the active one; undefined when none is left. */
export function moveOn(
  chain: ProviderChain,
  { failure, now }: { failure: ProviderFailure; now: number },
): Provider | undefined {
  const next = chain.fallbacks.shift();
  if (next === undefined) return undefined;
  const failures = chain.failures ??= new Map();
  const times = (failures.get(chain.active) ?? 0) + 1;
  failures.set(chain.active, times);
  const rest = (REST_MS[failure.kind] ?? 0) * 2 ** (times - 1);
  const restMs = Math.max(failure.retryAfterMs ?? 0, Math.min(rest, MAX_REST_MS));
  (chain.failed ??= []).push({ provider: chain.active, restUntil: now + restMs });
  chain.active = next;
  return next;
}

/** Goes back to the first provider that has rested; undefined when the active one stays. */
export function returnToFirst(chain: ProviderChain, now: number): Provider | undefined {
  const at = chain.failed?.findIndex(({ restUntil }) => restUntil <= now) ?? -1;
  if (at < 0) return undefined;
  const [{ provider }, ...later] = chain.failed!.splice(at) as [
    FailedProvider,
    ...FailedProvider[],
  ];
  chain.fallbacks.unshift(...later.map((failed) => failed.provider), chain.active);
  chain.active = provider;
  return provider;
}

/** An answer ends a row of failures. */
export function answered({ active, failures }: ProviderChain): void {
  failures?.delete(active);
}
