/**
 * What the proxy refused, counted by host: bounded, so that a program that tries a thousand names
 * costs nothing. The terminal tool takes it after a command and names it in the result.
 */
import { formatHostPort, type HostPort } from "./host_list.ts";

export interface Refusal {
  /** Canonical, without brackets. */
  readonly host: string;
  readonly port: number;
  /** One line for people and the model: which host, and how to allow it. */
  readonly message: string;
  readonly count: number;
}

const MAX_KEPT = 50;

export class Refusals {
  readonly #kept = new Map<string, Refusal>();
  #others = 0;

  /** Counts a refusal and gives it back with its count. */
  add(target: HostPort, message: string): Refusal {
    const key = `${formatHostPort(target)} ${message}`;
    const count = (this.#kept.get(key)?.count ?? 0) + 1;
    const refusal = { host: target.host.text, port: target.port, message, count };
    if (count > 1 || this.#kept.size < MAX_KEPT) this.#kept.set(key, refusal);
    else this.#others++;
    return refusal;
  }

  /** In the order in which they first came. */
  list(): Refusal[] {
    return [...this.#kept.values()];
  }

  /** Refusals of further hosts, of which only the number is kept. */
  get others(): number {
    return this.#others;
  }

  clear(): void {
    this.#kept.clear();
    this.#others = 0;
  }
}
