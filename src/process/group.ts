/** Signals to the process group that a child leads. */

/** Tells the whole group of `child`. Silent when nothing of it is left. */
export function signalGroup(
  child: Pick<Deno.ChildProcess, "pid" | "kill">,
  signal: Deno.Signal,
): void {
  try {
    return Deno.kill(-child.pid, signal);
  } catch {
    // The group is gone, or the child was started a moment ago and leads none yet.
  }
  try {
    child.kill(signal);
  } catch {
    // The child is gone too: that is what was wanted.
  }
}
