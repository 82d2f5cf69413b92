/**
 * `deno task bench startup [--runs N] [--bin FILE]`: where the start of every build spends its
 * time. Deno itself says when it has begun and when V8 is ready (`DENO_STARTUP_PHASES`); the
 * model sees the first request. Then, from source, the modules that V8's profiler sees most.
 */
import { parseArgs } from "node:util";
import { ROOT } from "../_tree.ts";
import { BenchModel } from "./_model.ts";
import { median, type Subject } from "./_process.ts";
import { prepareSubjects } from "./_subjects.ts";

/** The ends of the phases, as Deno reports them on standard error. */
const MARKS = ["main start", "after create_main_worker"];
const PHASES = ["shell, exec", "runtime", "program", "end"];
const TOP_MODULES = 12;

/** Milliseconds of each phase. What ends the program's phase is told by `reached`. */
async function phasesMs(subject: Subject, reached: () => number | undefined): Promise<number[]> {
  const startedAt = performance.now();
  const child = new Deno.Command(subject.command, {
    args: subject.args,
    env: { ...subject.env, DENO_STARTUP_PHASES: "1" },
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const ends: number[] = [];
  let printedAt: number | undefined;
  const output = async () => {
    for await (const _ of child.stdout) printedAt ??= performance.now();
  };
  const phases = async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      MARKS.forEach((mark, index) => {
        if (text.includes(mark)) ends[index] = performance.now();
      });
    }
  };
  await Promise.all([output(), phases(), child.status]);
  const endedAt = performance.now();
  const times = [startedAt, ...ends, reached() ?? printedAt ?? endedAt, endedAt];
  return PHASES.map((_, index) => times[index + 1]! - times[index]!);
}

async function report(
  what: string,
  builds: ReadonlyMap<string, () => Promise<number[]>>,
  runs: number,
): Promise<void> {
  console.log(
    `\n${what}, ms`.padEnd(38) + [...PHASES, "all"].map((name) => name.padStart(12)).join(""),
  );
  const rounds = new Map([...builds.keys()].map((name) => [name, [] as number[][]]));
  for (let round = -2; round < runs; round++) {
    for (const [name, measure] of builds) {
      const times = await measure();
      if (round >= 0) rounds.get(name)!.push(times);
    }
  }
  for (const [name, list] of rounds) {
    const medians = PHASES.map((_, index) => median(list.map((times) => times[index]!)));
    const all = median(list.map((times) => times.reduce((sum, time) => sum + time)));
    const shown = [...medians, all].map((time) => time.toFixed(1).padStart(12));
    console.log(`  ${name}`.padEnd(37) + shown.join(""));
  }
}

interface CpuProfile {
  nodes: { id: number; callFrame: { url: string; functionName: string } }[];
  samples: number[];
  timeDeltas: number[];
}

/** Where V8 was found, by module: time in it, without what it called. */
function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): [place: string, ms: number][] {
  const places = new Map(nodes.map(({ id, callFrame: { url, functionName } }) => [
    id,
    url === "" ? functionName : url.replace(`file://${ROOT}/`, ""),
  ]));
  const times = new Map<string, number>();
  samples.forEach((id, index) => {
    const place = places.get(id)!;
    if (place === "(idle)") return;
    times.set(place, (times.get(place) ?? 0) + timeDeltas[index]! / 1000);
  });
  return [...times].sort(([, a], [, b]) => b - a);
}

async function profile(subject: Subject, directory: string): Promise<void> {
  const [command, ...rest] = subject.args;
  const args = [
    command!,
    `--cpu-prof-dir=${directory}/profile`,
    "--cpu-prof-interval=100",
    ...rest,
  ];
  await new Deno.Command(subject.command, { args, env: subject.env, clearEnv: true }).output();
  for await (const { name } of Deno.readDir(`${directory}/profile`)) {
    const text = await Deno.readTextFile(`${directory}/profile/${name}`);
    console.log("\nmodules of one run from source, own time in ms");
    for (const [place, ms] of selfTimes(JSON.parse(text)).slice(0, TOP_MODULES)) {
      console.log(`  ${ms.toFixed(1).padStart(6)}  ${place}`);
    }
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { runs: { type: "string", default: "15" }, bin: { type: "string" } },
  });
  const directory = await Deno.makeTempDir({ prefix: "hermes-startup-" });
  const model = new BenchModel();
  try {
    await model.start();
    const { builds, floor, empty } = await prepareSubjects({ directory, binary: values.bin });
    const job = ["run", "--base-url", model.url, "--model", "bench", "--quiet", "go"];
    const runs = Number(values.runs);
    await report(
      "hermes --version",
      new Map([
        ["empty script", () => phasesMs(empty, () => undefined)],
        ...[...builds].map(([name, build]) =>
          [name, () => phasesMs(build(["--version"]), () => undefined)] as const
        ),
      ]),
      runs,
    );
    const toRequest = (subject: Subject) => () => {
      model.reset(0);
      return phasesMs(subject, () => model.requests[0]?.at);
    };
    await report(
      "hermes run, to the first request",
      new Map([
        ["floor", toRequest(floor([model.url, "go"]))],
        ...[...builds].map(([name, build]) => [name, toRequest(build(job))] as const),
      ]),
      runs,
    );
    await profile(builds.get("source")!(job), directory);
  } finally {
    await model.close();
    await Deno.remove(directory, { recursive: true });
  }
}
