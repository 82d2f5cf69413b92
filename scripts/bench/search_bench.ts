/**
 * `search_files` against ripgrep on a tree of 50 000 files, with ripgrep installed and without,
 * and the memory that `read_file` takes for a page of a gigabyte. Usage: search_bench.ts [--json]
 */
import { createEnvironment } from "../../environments/manifest.ts";
import type { Environment, ExecResult } from "../../src/protocol/environment.ts";
import { createTestContext, runTool } from "../../tests/support/tool_context.ts";
import "../../tools/read_file.ts";
import "../../tools/search_files.ts";

const DIRECTORIES = 500;
const FILES_PER_DIRECTORY = 100;
const ROUNDS = 7;
const BUDGET = { withRipgrep: 1.5, without: 5, memoryMiB: 64 };
const WORDS = "alpha beta gamma delta function return import const needle value error path".split(
  " ",
);

const QUERIES: { name: string; args: Record<string, unknown>; ripgrep: string[] }[] = [
  {
    name: "rare word",
    args: { pattern: "special_target_\\d+" },
    ripgrep: ["-n", "special_target_\\d+"],
  },
  { name: "frequent words", args: { pattern: "needle value" }, ripgrep: ["-n", "needle value"] },
  {
    name: "files by name",
    args: { pattern: "*.py", target: "files" },
    ripgrep: ["--files", "--sortr=modified", "-g", "*.py"],
  },
];

async function makeTree(root: string): Promise<void> {
  let seed = 1;
  function random(below: number): number {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed % below;
  }
  for (let d = 0; d < DIRECTORIES; d++) {
    const directory = `${root}/d${d % 25}/e${d}`;
    await Deno.mkdir(directory, { recursive: true });
    for (let f = 0; f < FILES_PER_DIRECTORY; f++) {
      const lines = Array.from(
        { length: 20 + random(120) },
        () => "  " + Array.from({ length: 6 }, () => WORDS[random(WORDS.length)]).join(" "),
      );
      if ((d * FILES_PER_DIRECTORY + f) % 97 === 0) lines.push(`special_target_${f}`);
      await Deno.writeTextFile(`${directory}/file${f}.${f % 3 ? "ts" : "py"}`, lines.join("\n"));
    }
  }
  await Deno.writeTextFile(`${root}/.gitignore`, "*.log\nnode_modules/\n");
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

function localEnvironment(cwd: string): Promise<Environment> {
  const path = Deno.env.get("PATH") ?? "/usr/bin:/bin";
  return createEnvironment("local", { cwd, env: { PATH: path, HOME: cwd }, home: cwd });
}

/** The same machine without a single program. */
function withoutPrograms(env: Environment): Environment {
  const notFound: Partial<ExecResult> = { exitCode: 127, output: "" };
  return new Proxy(env, {
    get(target, key) {
      if (key === "exec") return () => Promise.resolve(notFound);
      const value = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Medians of rounds in which every contender takes its turn, so that a busy machine slows all alike. */
async function compare(root: string): Promise<Record<string, number>[]> {
  const local = await localEnvironment(root);
  const contenders: [string, Environment][] = [
    ["withRipgrep", local],
    ["without", withoutPrograms(local)],
  ];
  const rows: Record<string, number>[] = [];
  for (const { args, ripgrep } of QUERIES) {
    const times: Record<string, number[]> = { ripgrep: [], withRipgrep: [], without: [] };
    for (let round = 0; round <= ROUNDS; round++) {
      const command = new Deno.Command("rg", { args: [...ripgrep, root] });
      const measured: Record<string, number> = { ripgrep: await timed(() => command.output()) };
      for (const [name, env] of contenders) {
        measured[name] = await timed(() => runTool("search_files", args, createTestContext(env)));
      }
      // The first round warms the disk cache and the compiler.
      if (round > 0) { for (const [name, ms] of Object.entries(measured)) times[name]!.push(ms); }
    }
    rows.push(Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)])));
  }
  await local.close();
  return rows;
}

/** Growth of this process while it reads pages of a sparse gigabyte, in MiB. */
async function readMemory(root: string): Promise<{ grownMiB: number; ms: number }> {
  const env = await localEnvironment(root);
  const file = `${root}/huge.txt`;
  await Deno.writeTextFile(file, "a line of text\n".repeat(100_000));
  await Deno.truncate(file, 1 << 30);
  const before = Deno.memoryUsage().rss;
  let peak = before;
  const sampler = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 5);
  const ms = await timed(async () => {
    for (const offset of [1, 50_000, 99_000]) {
      await runTool("read_file", { path: file, offset, limit: 500 }, createTestContext(env));
    }
  });
  clearInterval(sampler);
  await env.close();
  return { grownMiB: (peak - before) / 2 ** 20, ms };
}

async function main(): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "hermes-search-bench-" });
  try {
    await makeTree(root);
    const rows = await compare(root);
    const memory = await readMemory(root);
    const report = {
      queries: QUERIES.map(({ name }, i) => ({ name, ...rows[i] })),
      readFile: memory,
    };
    if (Deno.args.includes("--json")) return console.log(JSON.stringify(report));
    let met = memory.grownMiB <= BUDGET.memoryMiB;
    for (const [i, { name }] of QUERIES.entries()) {
      const { ripgrep = NaN, withRipgrep = NaN, without = NaN } = rows[i]!;
      const ratios = [withRipgrep / ripgrep, without / ripgrep];
      met &&= ratios[0]! <= BUDGET.withRipgrep && ratios[1]! <= BUDGET.without;
      console.log(
        `${name.padEnd(16)} rg ${ripgrep.toFixed(0)} ms, search_files ${
          withRipgrep.toFixed(0)
        } ms ` +
          `(${ratios[0]!.toFixed(2)} ×, budget ${BUDGET.withRipgrep}), without rg ` +
          `${without.toFixed(0)} ms (${ratios[1]!.toFixed(2)} ×, budget ${BUDGET.without})`,
      );
    }
    console.log(
      `read_file 1 GB   3 pages in ${memory.ms.toFixed(0)} ms, ` +
        `${memory.grownMiB.toFixed(1)} MiB more memory (budget ${BUDGET.memoryMiB})`,
    );
    if (!met) Deno.exitCode = 1;
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

await main();
