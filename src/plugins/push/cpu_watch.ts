/**
 * CPU time of a process that stays on, limited by rate: a total that fits a call would end every
 * service some day. Looks at the process and its children as the kernel counts them; on systems
 * without `/proc` it sees nothing.
 */
import { TokenBucket } from "./token_bucket.ts";

/** Seconds of CPU time at once, and in each minute from then on. */
const ALLOWANCE = { capacity: 300, perMinute: 30 } as const;
const TICKS_PER_SECOND = 100;

export class CpuWatch {
  readonly #allowance: TokenBucket;
  readonly #read: (pid: number) => number | undefined;
  #pid: number | undefined;
  #counted = 0;

  constructor(options: { now?: () => number; read?: (pid: number) => number | undefined } = {}) {
    this.#allowance = new TokenBucket(ALLOWANCE, options.now);
    this.#read = options.read ?? groupCpuSeconds;
  }

  /** Why the process has to be stopped; undefined while it is within its allowance. */
  check(pid: number): string | undefined {
    const seconds = this.#read(pid);
    if (seconds === undefined) return undefined;
    const before = pid === this.#pid ? this.#counted : 0;
    this.#pid = pid;
    this.#counted = Math.max(before, seconds);
    if (this.#allowance.take(this.#counted - before)) return undefined;
    const { capacity, perMinute } = ALLOWANCE;
    return `it used more CPU time than it may: ${capacity} s at once and ${perMinute} s a minute`;
  }
}

/** CPU seconds of every living process of a group, with the ended children they have waited for. */
export function groupCpuSeconds(leader: number): number | undefined {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync("/proc")];
  } catch {
    return undefined; // Not Linux, or not to be seen.
  }
  let ticks = 0;
  for (const { name } of entries) {
    const fields = /^\d+$/.test(name) ? statFields(name) : undefined;
    // Counted from the state on: 2 is the group, 11 to 14 are own and children's times.
    if (fields?.[2] !== String(leader)) continue;
    for (const field of fields.slice(11, 15)) ticks += Number(field);
  }
  return ticks / TICKS_PER_SECOND;
}

function statFields(pid: string): string[] | undefined {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    // The name of the program is in brackets and may hold anything.
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return undefined; // It has just ended.
  }
}
