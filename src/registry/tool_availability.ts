/**
 * Whether a tool can work here and now. Runs each distinct `check` once per build, caches
 * it, and forgives a short failure of a probe that succeeded moments ago. A check that
 * throws makes its tools unavailable, never the build.
 */
import type { CheckContext, ToolSpec } from "../protocol/tool.ts";
import type { ToolRegistry } from "./registry.ts";

const CACHE_MS = 30_000;
const GRACE_MS = 60_000;

type Check = NonNullable<ToolSpec["check"]>;

interface Probe {
  reason: string | undefined;
  at: number;
  lastGoodAt: number;
}

export interface AvailabilityOptions {
  registry: ToolRegistry;
  context: CheckContext;
  now?: () => number;
}

export class Availability {
  #registry: ToolRegistry;
  /** What the checks look at. */
  readonly context: CheckContext;
  #now: () => number;
  #probes = new Map<Check, Probe>();

  constructor(options: AvailabilityOptions) {
    this.#registry = options.registry;
    this.context = options.context;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Why each of these tools cannot be used, by name; absent names can. Imports a tool's
   * module only when its manifest entry says there is something to check.
   */
  async unavailable(names: readonly string[]): Promise<Map<string, string>> {
    const imports = names.filter((name) => this.#registry.pending(name)?.checked);
    if (imports.length > 0) await Promise.all(imports.map((name) => this.#registry.load(name)));
    const reasons = new Map<string, string>();
    const runs = new Map<Check, Promise<string | undefined>>();
    for (const name of names) {
      const failure = this.#registry.loadFailure(name);
      if (failure !== undefined) reasons.set(name, failure);
      const check = this.#registry.get(name)?.check;
      if (check && !runs.has(check)) runs.set(check, this.#run(check));
    }
    if (runs.size === 0) return reasons;
    for (const name of names) {
      const check = this.#registry.get(name)?.check;
      const reason = check && await runs.get(check);
      if (reason !== undefined) reasons.set(name, reason);
    }
    return reasons;
  }

  /** Forgets every result, the good ones included. */
  invalidate(): void {
    this.#probes.clear();
  }

  async #run(check: Check): Promise<string | undefined> {
    const known = this.#probes.get(check);
    const at = this.#now();
    if (known && at - known.at < CACHE_MS) return known.reason;
    const reason = await this.#probe(check);
    const lastGoodAt = reason === undefined ? at : known?.lastGoodAt ?? -Infinity;
    // A flicker of a probe that worked a moment ago is not cached: the next build asks again.
    if (reason !== undefined && at - lastGoodAt < GRACE_MS) return undefined;
    this.#probes.set(check, { reason, at, lastGoodAt });
    return reason;
  }

  async #probe(check: Check): Promise<string | undefined> {
    try {
      const answer = await check(this.context);
      if (answer === true) return undefined;
      return answer === false || answer === "" ? "its check says no" : answer;
    } catch (error) {
      return `its check failed: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
