/** The process behind `environment_memory_cases.ts`: runs one scenario, prints how far its peak rose in kB. */
import { equal } from "node:assert/strict";
import { type EnvironmentTarget, type OpenEnvironment, openTarget } from "./environment_suite.ts";

const SCENARIOS: Record<string, (opened: OpenEnvironment, megabytes: number) => Promise<void>> = {
  async output({ env }, megabytes) {
    const { totalBytes } = await env.exec(`head -c ${megabytes << 20} /dev/zero | tr '\\0' x`);
    equal(totalBytes, megabytes << 20);
  },
  async background({ env }, megabytes) {
    const process = await env.spawn(`head -c ${megabytes << 20} /dev/zero | tr '\\0' x`);
    await process.exited;
    equal(process.output().totalBytes, megabytes << 20);
  },
  async range({ env }) {
    await env.exec("truncate -s 1G sparse; printf end >>sparse");
    const data = await env.readFile("sparse", { start: 2 ** 30, length: 100 });
    equal(new TextDecoder().decode(data), "end");
  },
};

async function peakKb(): Promise<number> {
  const status = await Deno.readTextFile("/proc/self/status");
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]);
}

if (import.meta.main) {
  const [target, scenario, megabytes = "100"] = Deno.args;
  const opened = await openTarget(JSON.parse(target!) as EnvironmentTarget);
  try {
    await opened.env.exec("seq 1 20000");
    const before = await peakKb();
    await SCENARIOS[scenario!]!(opened, Number(megabytes));
    console.log(await peakKb() - before);
  } finally {
    await opened.close();
  }
}
