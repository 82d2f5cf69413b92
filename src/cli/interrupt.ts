/** Ctrl-C and friends: the first asks politely, the second leaves at once. */
import { EXIT } from "../protocol/error.ts";

/** Whoever started hermes (npm, a task runner) passes on what the terminal has sent already. */
const ECHO_MS = 100;

/** Calls `stop` at the first signal and exits at the second. Returns a function that stops listening. */
export function onInterrupt(stop: (signal: string) => void): () => void {
  let askedAt: number | undefined;
  const listeners = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const listener = () => {
      if (askedAt === undefined) {
        askedAt = performance.now();
        stop(signal);
      } else if (performance.now() - askedAt > ECHO_MS) Deno.exit(EXIT.interrupted);
    };
    Deno.addSignalListener(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) Deno.removeSignalListener(signal, listener);
  };
}
