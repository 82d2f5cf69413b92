/** Children of named sessions between their runs: found by name, ended when idle, few at a time. */
import type { ChildHandle } from "../child/child_handle.ts";

const MAX_SESSIONS = 4;

interface Kept {
  child: ChildHandle;
  idleTimer: ReturnType<typeof setTimeout>;
}

export class SessionPool {
  readonly #idleMs: number;
  /** Oldest use first. */
  readonly #kept = new Map<string, Kept>();
  #closed = false;

  constructor(idleMs: number) {
    this.#idleMs = idleMs;
  }

  /** Hands out the child of a session, which is then the caller's; undefined when there is none. */
  take(key: string): ChildHandle | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    clearTimeout(kept.idleTimer);
    return kept.child;
  }

  /** Keeps a child until it is taken again, idle too long, or one too many. */
  async give(key: string, child: ChildHandle): Promise<void> {
    if (this.#closed) return await child.kill();
    // Another run of the same name may have been faster; the last one counts.
    await this.take(key)?.kill();
    const idleTimer = setTimeout(() => this.#end(key, child), this.#idleMs);
    // A forgotten session must not keep hermes from exiting.
    Deno.unrefTimer(idleTimer);
    this.#kept.set(key, { child, idleTimer });
    child.exited.then(() => this.#end(key, child));
    const [oldest] = this.#kept;
    if (this.#kept.size > MAX_SESSIONS) await this.#end(oldest![0], oldest![1].child);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#kept].map(([key, kept]) => this.#end(key, kept.child)));
  }

  /** Ends a child that is still kept; one that was taken meanwhile belongs to its run. */
  async #end(key: string, child: ChildHandle): Promise<void> {
    if (this.#kept.get(key)?.child !== child) return;
    this.take(key);
    await child.kill();
  }
}
