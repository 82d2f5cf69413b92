/**
 * Tells whether a process is about to end: it has been killed and still gives back what it had,
 * which takes a while on a busy machine. Linux only: `/proc` tells.
 */

/** SIGKILL in a mask of pending signals. */
const KILL_BIT = 1n << 8n;
/** `PF_EXITING` among the kernel's flags of a process. */
const EXITING_FLAG = 0x4;

/** True when `pid` is gone or cannot go on. */
export async function isDying(pid: number | string): Promise<boolean> {
  try {
    // In this order: a signal that is no longer pending has led to the flag.
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    return isKilled(status) || isExiting(await Deno.readTextFile(`/proc/${pid}/stat`));
  } catch {
    return true; // It has gone.
  }
}

/** Whether `/proc/PID/status` shows a SIGKILL that has not been taken yet. */
export function isKilled(status: string): boolean {
  const masks = status.matchAll(/^(?:SigPnd|ShdPnd):\s([0-9a-f]{16})$/gm);
  return masks.some(([, mask]) => (BigInt(`0x${mask}`) & KILL_BIT) !== 0n);
}

/** Whether `/proc/PID/stat` shows a process that is ending or that nobody has asked about yet. */
export function isExiting(stat: string): boolean {
  // The name in parentheses may hold anything.
  const [state = "Z", , , , , , flags = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state === "Z" || state === "X" || (Number(flags) & EXITING_FLAG) !== 0;
}
