/**
 * What availability checks found out about this machine, kept from one run to the next: looking
 * costs milliseconds just before the first request. Only hints; whoever acts looks again.
 */
import { writeFileAtomic } from "../util/atomic_write.ts";

interface Entry {
  fingerprint: string;
  at: number;
  value: unknown;
}

/** A program may be installed or removed without the fingerprint changing. */
const KEEP_MS = 6 * 3_600_000;

export class CheckMemory {
  #path: string;
  #entries: Record<string, Entry> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** The remembered value of `key`, or a fresh one that is then remembered. */
  async recall<T>(
    { key, fingerprint }: { key: string; fingerprint: string },
    look: () => Promise<T>,
  ): Promise<T> {
    const entries = this.#entries ??= readEntries(this.#path);
    const known = entries[key];
    if (known?.fingerprint === fingerprint && Date.now() - known.at < KEEP_MS) {
      return known.value as T;
    }
    const value = await look();
    entries[key] = { fingerprint, at: Date.now(), value };
    // A home that cannot be written costs the next run the same look again, nothing else.
    await writeFileAtomic(this.#path, JSON.stringify(entries)).catch(() => {});
    return value;
  }
}

function readEntries(path: string): Record<string, Entry> {
  try {
    return JSON.parse(Deno.readTextFileSync(path)) as Record<string, Entry>;
  } catch {
    // Absent or damaged: looking again repairs it.
    return {};
  }
}
