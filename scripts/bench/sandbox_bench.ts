/**
 * What scripts cost: from spawn to the first call, calls per second, and one job done by a
 * script and by turns, side by side. Usage: sandbox_bench.ts [--json]
 */
import type { ScriptRequest } from "../../src/protocol/script.ts";
import { SandboxRunner } from "../../src/sandbox/script/runner.ts";
import { type Reply, startFakeModel } from "../../tests/support/fake_model_server.ts";
import { runHermes, tempHome } from "../../tests/support/hermes.ts";
import { median } from "./_process.ts";

const RUNS = 30;
const WARM_UP = 3_000;
const SEQUENTIAL = 20_000;
const PARALLEL = 60_000;
const FILES = 10;
const THINKING_MS = 500;

const TOOL = {
  name: "read_file",
  description: "Does nothing.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

const FIRST_CALL = {
  typescript: `import { read_file } from "hermes_tools";
const answer: unknown = await read_file({ path: "a" });`,
  python: `from hermes_tools import read_file\nread_file("a")`,
};

const RATES = {
  typescript: `import { read_file } from "hermes_tools";
async function rate(total: number, lanes: number) {
  let started = 0;
  const from = performance.now();
  await Promise.all(Array.from({ length: lanes }, async () => {
    while (started++ < total) await read_file({ path: "a" });
  }));
  return Math.round(total / (performance.now() - from) * 1000);
}
await rate(${WARM_UP}, 1);
console.log(await rate(${SEQUENTIAL}, 1), await rate(${PARALLEL}, 16));`,
  python: `from hermes_tools import read_file
import time
started = time.time()
for _ in range(${SEQUENTIAL}): read_file("a")
print(round(${SEQUENTIAL} / (time.time() - started)))`,
};

type Language = keyof typeof FIRST_CALL;

function request(language: Language, code: string, onCall?: () => void): ScriptRequest {
  return {
    code,
    language,
    tools: [TOOL],
    otherTools: [],
    limits: {
      timeoutMs: 60_000,
      maxToolCalls: Infinity,
      maxStdoutBytes: 50_000,
      maxStderrBytes: 10_000,
      memoryMb: 512,
    },
    signal: new AbortController().signal,
    callTool() {
      onCall?.();
      return Promise.resolve({ content: '{"ok":true}', isError: false });
    },
  };
}

/** Milliseconds from asking for a run to its first call; the first run of the process apart. */
async function startTimes(sandbox: SandboxRunner, language: Language) {
  const times: number[] = [];
  for (let i = 0; i <= RUNS; i++) {
    const startedAt = performance.now();
    await sandbox.run(request(language, FIRST_CALL[language], () => {
      times.push(performance.now() - startedAt);
    }));
  }
  const [first, ...rest] = times;
  return { firstMs: first!, medianMs: median(rest), minMs: Math.min(...rest) };
}

async function rates(sandbox: SandboxRunner, language: Language): Promise<number[]> {
  const { output, errors } = await sandbox.run(request(language, RATES[language]));
  if (errors !== "") throw new Error(errors);
  return output.trim().split(" ").map(Number);
}

const JOB_SCRIPT = `import { read_file, patch } from "hermes_tools";
let changed = 0;
for (let i = 0; i < ${FILES}; i++) {
  const path = "module_" + i + ".txt";
  const { content } = await read_file({ path });
  if (!content.includes("OPEN")) continue;
  await patch({ path, old_string: "OPEN", new_string: "DONE" });
  changed++;
}
console.log(changed + " files changed");`;

/** The same work as the model does it without scripts: read a file, look, patch it. */
function jobTurns(): Reply[] {
  return Array.from({ length: FILES }, (_, i) => {
    const path = `module_${i}.txt`;
    const edit = { path, "old_string": "OPEN", "new_string": "DONE" };
    return [
      { toolCalls: [{ name: "read_file", arguments: { path } }] },
      { toolCalls: [{ name: "patch", arguments: edit }] },
    ];
  }).flat();
}

async function job(calls: Reply[], delayMs = 0) {
  await using home = await tempHome();
  const replies = [...calls, { text: "done" }].map((reply) => ({ ...reply, delayMs }));
  await using model = startFakeModel({ replies });
  const filler = "A line of an ordinary source file, as long as such lines are.\n".repeat(60);
  for (let i = 0; i < FILES; i++) {
    await Deno.writeTextFile(`${home.path}/module_${i}.txt`, `${filler}OPEN: finish ${i}\n`);
  }
  const startedAt = performance.now();
  const args = ["run", "--base-url", model.url, "--model", "fake", "--quiet", "go"];
  const { code, stderr } = await runHermes({ home: home.path, args });
  const wallMs = performance.now() - startedAt;
  if (code !== 0) throw new Error(stderr);
  for (let i = 0; i < FILES; i++) {
    const text = await Deno.readTextFile(`${home.path}/module_${i}.txt`);
    if (!text.includes("DONE")) throw new Error(`module_${i}.txt was not changed`);
  }
  const bytes = model.requests.reduce((sum, { body }) => sum + JSON.stringify(body).length, 0);
  return { requests: model.requests.length, bytes, wallMs };
}

async function measure() {
  const sandbox = new SandboxRunner({ searchPath: "/usr/local/bin:/usr/bin:/bin" });
  try {
    const start = await startTimes(sandbox, "typescript");
    const [sequential = 0, parallel = 0] = await rates(sandbox, "typescript");
    const python = sandbox.availability().python.available
      ? {
        start: await startTimes(sandbox, "python"),
        sequential: (await rates(sandbox, "python"))[0]!,
      }
      : undefined;
    const script = { name: "execute_code", arguments: { code: JOB_SCRIPT } };
    const byScript = await job([{ toolCalls: [script] }]);
    const byTurns = await job(jobTurns());
    const slowMs = [
      (await job([{ toolCalls: [script] }], THINKING_MS)).wallMs,
      (await job(jobTurns(), THINKING_MS)).wallMs,
    ];
    return { start, sequential, parallel, python, byScript, byTurns, slowMs };
  } finally {
    await sandbox.close();
  }
}

function row(what: string, value: string, budget = ""): void {
  console.log(`${what.padEnd(46)}${value.padStart(24)}  ${budget}`);
}

if (import.meta.main) {
  const report = await measure();
  const { start, python, byScript, byTurns } = report;
  if (Deno.args.includes("--json")) console.log(JSON.stringify(report));
  else {
    const times = ({ medianMs, minMs, firstMs }: typeof start) =>
      `${medianMs.toFixed(0)} ms (min ${minMs.toFixed(0)}, cold ${firstMs.toFixed(0)})`;
    row("spawn → first call, every wall up", times(start), "≤ 60 ms");
    row("calls per second, one after the other", `${report.sequential}`, "≥ 8 000");
    row("calls per second, 16 in flight", `${report.parallel}`, "≥ 25 000");
    if (python) row("Python: spawn → first call", times(python.start));
    if (python) row("Python: calls per second", `${python.sequential}`);
    const both = (key: keyof typeof byScript) =>
      `${Math.round(byScript[key])} / ${Math.round(byTurns[key])}`;
    row(`${FILES * 2}-step job, script / turns: requests`, both("requests"));
    row("  bytes sent to the model", both("bytes"));
    row("  wall time, a model that answers at once (ms)", both("wallMs"));
    const slow = report.slowMs.map(Math.round).join(" / ");
    row(`  wall time, a model that takes ${THINKING_MS} ms`, slow);
  }
  const met = start.medianMs <= 60 && report.sequential >= 8_000 && report.parallel >= 25_000;
  if (!met) Deno.exit(1);
}
