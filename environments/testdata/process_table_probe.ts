/**
 * Starts 200 background processes at once, four times over, each with more output than is
 * kept, and prints what this process held after the first and the last time: resident
 * (/proc/self/status) and in use by the runtime. Needs
 * `--v8-flags=--expose-gc`: what is not collected yet is not held.
 */
import { createLocalEnvironment } from "../local/local_environment.ts";
import { createProcessTable } from "../process_table.ts";

const COUNT = 200;
const ROUNDS = 4;

interface Memory {
  residentKb: number;
  usedKb: number;
}

/** Memory in use once everything that can be collected is. */
async function measure(): Promise<Memory> {
  // Buffers are swept by a thread after the collection; the next one waits for it.
  for (let i = 0; i < 3; i++) {
    (globalThis as unknown as { gc(): void }).gc();
    await new Promise((resolve) => setTimeout(resolve));
  }
  const { heapUsed, external } = Deno.memoryUsage();
  return { residentKb: await statusKb("VmRSS"), usedKb: (heapUsed + external) >> 10 };
}

async function statusKb(field: string): Promise<number> {
  const status = await Deno.readTextFile("/proc/self/status");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)![1]);
}

if (import.meta.main) {
  const dir = await Deno.makeTempDir({ prefix: "hermes-probe-" });
  const env = createLocalEnvironment({
    cwd: dir,
    home: dir,
    env: { PATH: "/usr/bin:/bin", TMPDIR: dir },
  });
  let first: Memory | undefined;
  for (let round = 0; round < ROUNDS; round++) {
    const table = createProcessTable();
    const all = await Promise.all(
      Array.from(
        { length: COUNT },
        () => table.start(env, "head -c 300000 /dev/zero | tr '\\0' x; read line; exit 7", {}),
      ),
    );
    await Promise.all(all.map(({ process }) => process.write("go\n")));
    const codes = await Promise.all(all.map(({ process }) => process.exited));
    if (codes.some((code) => code !== 7)) throw new Error(`Exit codes: ${codes.join(" ")}`);
    if (all.some(({ process }) => process.output().totalBytes !== 300_000)) {
      throw new Error("Output was lost");
    }
    await table.closeAll();
    first ??= await measure();
  }
  const report = JSON.stringify({ first, last: await measure(), peakKb: await statusKb("VmHWM") });
  await Deno.stdout.write(new TextEncoder().encode(report));
  await env.close();
  await Deno.remove(dir, { recursive: true });
}
