/**
 * Waits for one process: reads its output, ends its whole tree on timeout or abort, and does
 * not wait for what it left running in the background.
 */
import type { RawProcess } from "./raw_process.ts";
import { within } from "./within.ts";

export interface RunOptions {
  /** Ends the whole tree. */
  kill(): Promise<void>;
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  stdin?: Uint8Array | undefined;
  onChunk(chunk: Uint8Array): void;
}

export interface RunOutcome {
  exitCode: number;
  timedOut: boolean;
  interrupted: boolean;
}

/** After the process is gone: how long silence on a pipe that others hold is waited out, and noise. */
const DRAIN_IDLE_MS = 50;
const DRAIN_MAX_MS = 300;
/** How long an ended process may take to be reported; one that runs as another user never is. */
const REAP_MS = 1_000;

export async function runToEnd(process: RawProcess, options: RunOptions): Promise<RunOutcome> {
  const pump = new Pump(process, options.onChunk);
  if (options.stdin) feed(process, options.stdin);
  const stop = Promise.withResolvers<"timeout" | "abort">();
  const onAbort = () => stop.resolve("abort");
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  const timer = options.timeoutMs === undefined
    ? undefined
    : setTimeout(() => stop.resolve("timeout"), options.timeoutMs);
  try {
    const end = await Promise.race([process.exited, stop.promise]);
    clearTimeout(timer);
    if (typeof end === "string") {
      await options.kill();
      await within(process.exited, REAP_MS);
    }
    await pump.drain();
    return {
      exitCode: end === "timeout" ? 124 : end === "abort" ? 130 : end,
      timedOut: end === "timeout",
      interrupted: end === "abort",
    };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
    await process.dispose();
    await pump.ended;
  }
}

async function feed(process: RawProcess, data: Uint8Array): Promise<void> {
  try {
    await process.write(data);
    await process.closeStdin();
  } catch {
    // The command did not want all of it.
  }
}

/** Reads until the end of the output, or until the wait is given up. */
export class Pump {
  readonly ended: Promise<void>;
  #finished = false;
  #chunks = 0;

  constructor(process: RawProcess, onChunk: (chunk: Uint8Array) => void) {
    this.ended = this.#run(process, onChunk);
  }

  async #run(process: RawProcess, onChunk: (chunk: Uint8Array) => void): Promise<void> {
    try {
      for (let chunk; (chunk = await process.read());) {
        this.#chunks++;
        onChunk(chunk);
      }
    } finally {
      this.#finished = true;
    }
  }

  /** Waits for what is still on its way after the process has ended. */
  async drain(): Promise<void> {
    const deadline = performance.now() + DRAIN_MAX_MS;
    for (let seen = -1; !this.#finished && seen !== this.#chunks;) {
      seen = this.#chunks;
      if (performance.now() > deadline) return;
      await within(this.ended, DRAIN_IDLE_MS);
    }
  }
}
