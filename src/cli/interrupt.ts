/** Ctrl-C and friends: the first asks politely, the second leaves at once. */
import { EXIT } from "../protocol/error.ts";

/** Whoever started hermes (npm, a task runner) passes on what the terminal has sent already. */
const ECHO_MS = 100;

/** Tells one press of Ctrl-C from the next: a press may arrive twice. */
export class KeyPresses {
  #lastAt = -Infinity;

  /** False for what is the echo of the press before. */
  count(): boolean {
    const now = performance.now();
    if (now - this.#lastAt <= ECHO_MS) return false;
    this.#lastAt = now;
    return true;
  }

  /** Resolves when the echo of the last press can no longer come: what comes then is a new one. */
  async settled(): Promise<void> {
    const waitMs = this.#lastAt + ECHO_MS - performance.now();
    // A timer may ring a little early.
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs + 5));
  }
}

/** Why a run was stopped from outside; the code is what shells expect of that signal. */
export class Interruption extends Error {
  override name = "Interruption";
  readonly exitCode: number;

  constructor(signal: Deno.Signal) {
    super(`received ${signal}`);
    this.exitCode = codeOf(signal);
  }
}

function codeOf(signal: Deno.Signal): number {
  if (signal === "SIGTERM") return EXIT.terminated;
  return signal === "SIGHUP" ? EXIT.hungUp : EXIT.interrupted;
}

/** The exit code of what an abort ended. */
export function interruptedCode(signal: AbortSignal): number {
  return signal.reason instanceof Interruption ? signal.reason.exitCode : EXIT.interrupted;
}

/** Calls `stop` at the first signal and exits at the second. Returns a function that stops listening. */
export function onInterrupt(stop: (reason: Interruption) => void): () => void {
  let askedAt: number | undefined;
  const listeners = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const listener = () => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        stop(new Interruption(signal));
      } else if (performance.now() - askedAt > ECHO_MS) Deno.exit(codeOf(signal));
    };
    Deno.addSignalListener(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) Deno.removeSignalListener(signal, listener);
  };
}
