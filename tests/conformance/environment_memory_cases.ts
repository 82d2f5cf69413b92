/**
 * Conformance in constant memory. Each case runs in a process of its own, because only a whole
 * process can tell its peak honestly (`VmHWM` of /proc/self/status).
 */
import { ok } from "node:assert/strict";
import type { CaseContext, EnvironmentCase } from "./environment_suite.ts";

/** Growth allowed over a process that has already run one command. */
const MEMORY = { megabytes: 100, limitKb: 48 << 10 };

async function wantFlat(context: CaseContext, scenario: string): Promise<void> {
  const { megabytes, limitKb } = context.target.memory ?? MEMORY;
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      new URL("./environment_memory_probe.ts", import.meta.url).href,
      JSON.stringify(context.target),
      scenario,
      String(megabytes),
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  ok(code === 0, new TextDecoder().decode(stderr));
  const grownKb = Number(new TextDecoder().decode(stdout));
  ok(grownKb < limitKb, `memory grew by ${grownKb} kB, allowed are ${limitKb}`);
}

export const MEMORY_CASES: readonly EnvironmentCase[] = [
  {
    name: "takes 100 MB of output in constant memory",
    run: (context) => wantFlat(context, "output"),
  },
  {
    name: "takes 100 MB of background output in constant memory",
    run: (context) => wantFlat(context, "background"),
  },
  {
    name: "reads a part of a 1 GB file in constant memory",
    run: (context) => wantFlat(context, "range"),
  },
];
