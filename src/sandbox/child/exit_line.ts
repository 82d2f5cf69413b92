/** Why a child ended that hermes did not stop, where its exit tells. */

/** A runtime that may map no more memory ends by itself when it wants one more thread. */
const NO_THREAD = "unable to create worker threads";

/** One line, or undefined for a process that ended by itself. `printed` is the end of what it said. */
export function exitLine(
  exit: Deno.CommandStatus,
  memoryMb: number,
  printed = "",
): string | undefined {
  const outOfMemory = `Stopped: out of memory (limit ${memoryMb} MB).`;
  switch (exit.signal) {
    case null:
      return exit.code === 1 && printed.includes(NO_THREAD) ? outOfMemory : undefined;
    case "SIGTRAP":
    case "SIGABRT":
    case "SIGILL":
      return outOfMemory;
    case "SIGXCPU":
      return "Stopped: used up its CPU time.";
    default:
      return `Its process died (${exit.signal}).`;
  }
}
