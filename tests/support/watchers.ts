/** Finds the small shells that end what a killed hermes has started (`src/process/end_watch.ts`). */

/** Ids of the watchers whose parent is the process `pid`. Linux only. */
export async function watchersOf(pid: number): Promise<number[]> {
  const found: number[] = [];
  for await (const { name } of Deno.readDir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await Deno.readTextFile(`/proc/${name}/stat`).catch(() => "");
    if (Number(/\) \S (\d+)/.exec(stat)?.[1]) !== pid) continue;
    const line = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (line.includes("\0hermes-watch\0")) found.push(Number(name));
  }
  return found;
}

/** True when the process has ended, whether or not its parent has asked for the exit code. */
export async function isGone(pid: number): Promise<boolean> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => ") Z");
  return /\) [ZX]/.test(stat);
}
