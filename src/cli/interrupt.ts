/** Ctrl-C and friends: the first asks politely, the second leaves at once. */
import { EXIT } from "../protocol/error.ts";

/** Calls `stop` at the first signal and exits at the second. Returns a function that stops listening. */
export function onInterrupt(stop: (signal: string) => void): () => void {
  let asked = false;
  const listeners = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
    const listener = () => {
      if (asked) Deno.exit(EXIT.interrupted);
      asked = true;
      stop(signal);
    };
    Deno.addSignalListener(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) Deno.removeSignalListener(signal, listener);
  };
}
