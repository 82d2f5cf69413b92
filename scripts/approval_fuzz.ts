/**
 * `deno run -A scripts/approval_fuzz.ts`: executes generated commands that the approval rules
 * allow in a throw-away container, and prints every one that had an effect without a decision.
 */
import { parseArgs } from "node:util";
import {
  Campaign,
  describeHole,
  type Hole,
  loadGrammar,
} from "../tests/approval/effect_fuzz/campaign.ts";
import { Container, type Runtime } from "../tests/approval/effect_fuzz/container.ts";
import { parseCase } from "../tests/approval/effect_fuzz/generate.ts";
import { WORKSPACE } from "../tests/approval/effect_fuzz/protocol.ts";
import { Random } from "../tests/approval/mutate.ts";

const HELP = `Executes generated commands in a throw-away container and compares what they did with
how they were judged: a command that the rules allow may have no effect that needs a decision.

usage: deno run -A scripts/approval_fuzz.ts [options]

  --seed N         start of the random stream; the same seed gives the same commands (default: now)
  --count N        commands to generate (default 20000)
  --minutes N      stop after so long, whatever the count
  --file FILE      judge and execute the lines of FILE instead (written as in found.txt)
  --run COMMAND    execute one command whatever the rules say, and print what it did
  --container HOW  "namespaces" (default: needs root, no daemon) or "docker" (a daemon is started
                   when none runs)
  --cwd DIR        directory for --file and --run, inside the container (default ${WORKSPACE})
  --help

Exit code 1 when a hole was found. Needs root on Linux; nothing outside the container is written.`;

/** The options after parsing. */
interface Options {
  seed: number;
  count: number;
  deadline: number;
  file: string | undefined;
  run: string | undefined;
  cwd: string;
  runtime: Runtime;
}

function parseOptions(args: string[]): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      seed: { type: "string" },
      count: { type: "string" },
      minutes: { type: "string" },
      file: { type: "string" },
      run: { type: "string" },
      cwd: { type: "string" },
      container: { type: "string" },
      help: { type: "boolean" },
    },
  });
  if (values.help) return undefined;
  const minutes = values.minutes === undefined ? Infinity : Number(values.minutes);
  return {
    seed: values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed),
    count: Number(values.count ?? (minutes === Infinity ? 20_000 : Infinity)),
    deadline: performance.now() + minutes * 60_000,
    file: values.file,
    run: values.run,
    cwd: values.cwd ?? WORKSPACE,
    runtime: values.container === "docker" ? "docker" : "namespaces",
  };
}

/** The commands of a file, one a line. */
async function readCases({ file = "", cwd }: Options) {
  return (await Deno.readTextFile(file)).split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => line.startsWith("[/") ? parseCase(line) : { ...parseCase(line), cwd });
}

/** Tries commands until the count or the time is used up; the holes as they are found. */
async function* findHoles(campaign: Campaign, options: Options): AsyncGenerator<Hole> {
  if (options.file !== undefined) {
    for (const tried of await readCases(options)) {
      const hole = await campaign.try(tried);
      if (hole) yield hole;
    }
    return;
  }
  const grammar = yield* campaign.singles(loadGrammar());
  const random = new Random(options.seed);
  yield* campaign.random(grammar, { random, count: options.count, deadline: options.deadline });
}

async function fuzz(container: Container, options: Options): Promise<number> {
  const campaign = new Campaign(container);
  const progress = () => {
    const { generated, executed, holes } = campaign.counts;
    return `${generated} generated, ${executed} executed, ${holes} holes`;
  };
  const timer = setInterval(() => console.error(progress()), 10_000);
  for await (const hole of findHoles(campaign, options)) console.log(`HOLE ${describeHole(hole)}`);
  clearInterval(timer);
  console.log(progress());
  return campaign.counts.holes === 0 ? 0 : 1;
}

if (import.meta.main) {
  const options = parseOptions(Deno.args);
  if (options === undefined) {
    console.log(HELP);
    Deno.exit(0);
  }
  const container = await Container.start({ runtime: options.runtime });
  let code = 0;
  try {
    if (options.run !== undefined) {
      console.log(JSON.stringify(await container.run(options.run, options.cwd), null, 2));
    } else {
      console.log(`container: ${container.how}; seed ${options.seed}`);
      code = await fuzz(container, options);
    }
  } finally {
    await container[Symbol.asyncDispose]();
  }
  Deno.exit(code);
}
