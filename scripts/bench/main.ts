/**
 * `deno task bench`: the budgets of the design, measured beside the floor agent in one run and
 * printed as ratios. Writes `dist/bench.json`. Usage: bench [--runs N] [--bin PATH]
 */
import { BenchModel } from "./_model.ts";
import { median, pssMiB, runTimed, type Subject } from "./_process.ts";
import { buildApp } from "../build_app.ts";

const ROOT = new URL("../..", import.meta.url).pathname.replace(/\/$/, "");
const TOOL_TURNS = 20;

interface Budget {
  what: string;
  unit: string;
  floor: number;
  hermes: Record<string, number>;
  /** Largest allowed ratio to the floor, or value where there is none. */
  limit: { ratio: number } | { value: number };
}

function argument(name: string): string | undefined {
  const at = Deno.args.indexOf(`--${name}`);
  return at < 0 ? undefined : Deno.args[at + 1];
}

const runs = Number(argument("runs") ?? 15);
const temporary = await Deno.makeTempDir({ prefix: "hermes-bench-" });
const model = new BenchModel();
const environment = {
  HOME: temporary,
  PATH: Deno.env.get("PATH") ?? "",
  DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno`,
  NO_COLOR: "1",
};

function denoSubject(name: string, script: string, args: string[]): Subject {
  return {
    name,
    command: Deno.execPath(),
    args: ["run", "-A", "-q", "--no-prompt", script, ...args],
    env: environment,
  };
}

/** Every build under test, as a function from hermes arguments to a process. */
async function builds(): Promise<Map<string, (args: string[]) => Subject>> {
  const app = await buildApp(`${temporary}/app`);
  const all = new Map<string, (args: string[]) => Subject>([
    ["source", (args) => denoSubject("source", `${ROOT}/main.ts`, args)],
    ["bundle", (args) => denoSubject("bundle", app, args)],
  ]);
  const binary = argument("bin");
  if (binary !== undefined) {
    all.set("binary", (args) => ({ name: "binary", command: binary, args, env: environment }));
  }
  return all;
}

function jobArgs(): string[] {
  return ["run", "--base-url", model.url, "--model", "bench", "--quiet", "go"];
}

async function medianOf(measure: () => Promise<number>): Promise<number> {
  await measure();
  await measure();
  const values: number[] = [];
  for (let i = 0; i < runs; i++) values.push(await measure());
  return median(values);
}

async function firstRequestMs(subject: Subject): Promise<number> {
  model.reset(0);
  const { startedAt } = await runTimed(subject);
  return model.requests[0]!.at - startedAt;
}

async function perTurnMs(subject: Subject): Promise<number> {
  model.reset(TOOL_TURNS);
  await runTimed(subject);
  const [first, last] = [model.requests[1]!, model.requests[TOOL_TURNS]!];
  return (last.at - first.at) / (TOOL_TURNS - 1);
}

/** The highest PSS seen at any request of a run with one tool turn. */
async function peakMiB(subject: Subject): Promise<number> {
  model.reset(1);
  let pid = 0;
  let peak = 0;
  model.onRequest = async () => {
    peak = Math.max(peak, await pssMiB(pid));
  };
  await runTimed(subject, (started) => pid = started);
  model.onRequest = () => Promise.resolve();
  return peak;
}

async function measureAll(): Promise<Budget[]> {
  const all = await builds();
  const empty = `${temporary}/empty.ts`;
  await Deno.writeTextFile(empty, "export {};\n");
  const floor = denoSubject("floor", `${ROOT}/scripts/bench/floor_agent.ts`, [model.url, "go"]);
  const hermes = async (args: () => string[], measure: (subject: Subject) => Promise<number>) => {
    const values: Record<string, number> = {};
    for (const [name, build] of all) values[name] = await medianOf(() => measure(build(args())));
    return values;
  };
  const wall = async (subject: Subject) => (await runTimed(subject)).tookMs;
  const budgets: Budget[] = [{
    what: "hermes --version (floor: empty script)",
    unit: "ms",
    floor: await medianOf(() => wall(denoSubject("empty", empty, []))),
    hermes: await hermes(() => ["--version"], wall),
    limit: { ratio: 2 },
  }, {
    what: "start to first request",
    unit: "ms",
    floor: await medianOf(() => firstRequestMs(floor)),
    hermes: await hermes(jobArgs, firstRequestMs),
    limit: { ratio: 2 },
  }, {
    what: "per tool turn",
    unit: "ms",
    floor: await medianOf(() => perTurnMs(floor)),
    hermes: await hermes(jobArgs, perTurnMs),
    limit: { ratio: 2 },
  }, {
    what: "peak memory (PSS)",
    unit: "MiB",
    floor: await medianOf(() => peakMiB(floor)),
    hermes: await hermes(jobArgs, peakMiB),
    limit: { ratio: 2 },
  }];
  const chars = model.requests.at(-1)!.fixedChars;
  budgets.push({
    what: "system prompt and tool schemas",
    unit: "chars",
    floor: NaN,
    hermes: { source: chars },
    limit: { value: 16_000 },
  });
  return budgets;
}

function report(budgets: Budget[]): boolean {
  let met = true;
  console.log(`${"what".padEnd(42)} ${"floor".padStart(8)}  build: value (ratio), budget`);
  for (const { what, unit, floor, hermes, limit } of budgets) {
    const values = Object.entries(hermes).map(([name, value]) => {
      const ratio = value / floor;
      const good = "ratio" in limit ? ratio <= limit.ratio : value <= limit.value;
      met &&= good || name === "source";
      const shown = "ratio" in limit ? ` (${ratio.toFixed(2)}×)` : "";
      return `${name}: ${value.toFixed(1)}${shown} ${good ? "ok" : "OVER"}`;
    });
    const budget = "ratio" in limit ? `≤ ${limit.ratio}×` : `≤ ${limit.value}`;
    const base = Number.isNaN(floor) ? "–" : floor.toFixed(1);
    console.log(
      `${`${what}, ${unit}`.padEnd(42)} ${base.padStart(8)}  ${values.join("  ")}  ${budget}`,
    );
  }
  return met;
}

try {
  const budgets = await measureAll();
  const met = report(budgets);
  await Deno.mkdir(`${ROOT}/dist`, { recursive: true });
  const file = `${ROOT}/dist/bench.json`;
  await Deno.writeTextFile(
    file,
    JSON.stringify({ runs, arch: Deno.build.arch, deno: Deno.version.deno, budgets }, null, 2),
  );
  console.log(`report: dist/bench.json; ${met ? "all budgets met" : "a budget is NOT met"}`);
} finally {
  await model.close();
  await Deno.remove(temporary, { recursive: true });
}
