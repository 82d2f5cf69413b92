/** Starting and measuring a process the way the benchmarks need it. */

export interface Subject {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  /** Where it runs, if that matters. */
  cwd?: string;
}

/** Runs to the end; milliseconds from spawn to exit. Fails loudly on a non-zero exit. */
export async function runTimed(
  subject: Subject,
  onPid: (pid: number) => void = () => {},
): Promise<{ startedAt: number; tookMs: number }> {
  const startedAt = performance.now();
  const child = new Deno.Command(subject.command, {
    args: subject.args,
    env: subject.env,
    clearEnv: true,
    ...(subject.cwd === undefined ? {} : { cwd: subject.cwd }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  onPid(child.pid);
  const { code, stderr } = await child.output();
  if (code !== 0) {
    throw new Error(`${subject.name} exited ${code}: ${new TextDecoder().decode(stderr)}`);
  }
  return { startedAt, tookMs: performance.now() - startedAt };
}

/** Proportional memory of a process and its children-free self, in MiB; NaN where unknown. */
export async function pssMiB(pid: number): Promise<number> {
  try {
    const text = await Deno.readTextFile(`/proc/${pid}/smaps_rollup`);
    return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1]) / 1024;
  } catch {
    // Only Linux knows; the report says so by the missing number.
    return NaN;
  }
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}
