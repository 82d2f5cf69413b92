/** Why a child ended that nobody stopped, where its exit tells. */

/** One line, or undefined for a process that ended by itself. */
export function exitLine(exit: Deno.CommandStatus, memoryMb: number): string | undefined {
  switch (exit.signal) {
    case null:
      return undefined;
    case "SIGTRAP":
    case "SIGABRT":
    case "SIGILL":
      return `Stopped: out of memory (limit ${memoryMb} MB).`;
    case "SIGXCPU":
      return "Stopped: used up its CPU time.";
    default:
      return `Its process died (${exit.signal}).`;
  }
}
