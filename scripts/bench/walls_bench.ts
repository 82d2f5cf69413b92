/**
 * Costs of the walls around commands: the same command with and without them in turns, memory of
 * a shell and of all that an environment keeps, and how many everyday commands still ask.
 * Usage: walls_bench.ts [--runs N] [--json]; exits 1 over the budget.
 */
import type { InsideWalls } from "../../src/approval/rules/inside_walls.ts";
import { createLocalEnvironment } from "../../environments/local/local_environment.ts";
import { resolveHome } from "../../src/config/home.ts";
import { loadSettings } from "../../src/config/load.ts";
import type { Environment } from "../../src/protocol/environment.ts";
import { SessionWalls } from "../../src/session/session_walls.ts";
import { sleep } from "../../src/util/sleep.ts";
import { SHELL_GROUPS } from "../../tests/walls/everyday_data.ts";
import { LANGUAGE_GROUPS } from "../../tests/walls/everyday_languages_data.ts";
import { median, pssMiB } from "./_process.ts";

const BUDGET_MS = 1;
const BUDGET_MIB = 1;
/** A model thinks at least this long between two commands; a shell is started ahead meanwhile. */
const THINK_MS = 60;
const FIXTURE = new URL("../../tests/fixtures/approval/everyday.txt", import.meta.url);
const SHELL_MEMORY = "sed -n 's/^Pss: *\\([0-9]*\\) kB/\\1/p' /proc/$$/smaps_rollup";

interface Place {
  home: string;
  cwd: string;
}

/** A local environment below `place`, behind walls or not. */
async function openEnvironment(place: Place, isWalled: boolean): Promise<Environment> {
  const env = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", HOME: place.home };
  const settings = await loadSettings({ home: resolveHome({ env }), env });
  const walls = new SessionWalls({
    policy: (facts) =>
      Promise.resolve({ settings, cwd: place.cwd, userHome: place.home, env, ...facts }),
    required: true,
    keptDir: settings.home.path("cache", "kept"),
    isBusy: () => false,
    notice: (line) => console.error(line),
  });
  return createLocalEnvironment({ ...place, env, ...isWalled ? { walls } : {} });
}

/** Proportional memory of everything below a process, in MiB, the process itself left out. */
async function memoryBelow(pid: number): Promise<number> {
  const children = await Deno.readTextFile(`/proc/${pid}/task/${pid}/children`);
  let total = 0;
  for (const child of children.split(" ").filter((text) => text.trim() !== "")) {
    total += await pssMiB(Number(child)) + await memoryBelow(Number(child));
  }
  return total;
}

interface Cost {
  /** Times of a shell that was started ahead, and of several commands one after the other. */
  idleMs: number[];
  busyMs: number[];
  firstMs: number;
  shellMiB: number;
  keptMiB: number;
}

async function measure(environment: Environment, cost: Cost): Promise<void> {
  const exec = async () => (await environment.exec("true")).durationMs;
  await sleep(THINK_MS);
  cost.idleMs.push(await exec());
  for (let i = 0; i < 3; i++) cost.busyMs.push(await exec());
}

async function memory(environment: Environment, cost: Cost): Promise<void> {
  const { output } = await environment.exec(SHELL_MEMORY);
  cost.shellMiB = Number(output.trim()) / 1024;
  await sleep(THINK_MS);
  cost.keptMiB = await memoryBelow(Deno.pid);
}

async function compare(runs: number): Promise<{ plain: Cost; walled: Cost }> {
  const home = await Deno.makeTempDir({ prefix: "walls-bench-" });
  const place = { home, cwd: `${home}/project` };
  await Deno.mkdir(place.cwd);
  const fresh = (): Cost => ({ idleMs: [], busyMs: [], firstMs: 0, shellMiB: 0, keptMiB: 0 });
  const plain = fresh();
  const walled = fresh();
  try {
    // Memory first, one environment at a time: later the two cannot be told apart.
    for (const [cost, isWalled] of [[plain, false], [walled, true]] as const) {
      const environment = await openEnvironment(place, isWalled);
      const from = performance.now();
      await environment.exec("true");
      cost.firstMs = performance.now() - from;
      await memory(environment, cost);
      await environment.close();
    }
    const outside = await openEnvironment(place, false);
    const inside = await openEnvironment(place, true);
    for (let run = 0; run < runs; run++) {
      // The second environment finds warmer caches, so the two take turns.
      const order = [[outside, plain], [inside, walled]] as const;
      for (const [environment, cost] of run % 2 === 0 ? order : order.toReversed()) {
        await measure(environment, cost);
      }
    }
    await outside.close();
    await inside.close();
  } finally {
    await Deno.remove(home, { recursive: true });
  }
  return { plain, walled };
}

/** Of every 1 000 everyday commands, how many need a yes: of the corpus, and of the test rows. */
async function questions(): Promise<Record<string, Record<string, number>>> {
  const { decide } = await import("../../src/approval/decide.ts");
  const corpus = (await Deno.readTextFile(FIXTURE)).split("\n")
    .filter((line) => line !== "" && !line.startsWith("# "));
  const rows = [...SHELL_GROUPS, ...LANGUAGE_GROUPS].flatMap((group) => group.rows)
    .filter(({ differs }) => differs === undefined).map(({ command }) => command);
  const place = { home: "/home/me", cwd: "/home/me/project" };
  const changeable = [place.cwd];
  const ask = (commands: readonly string[], walls?: InsideWalls) => {
    const asked = commands.filter((command) =>
      decide(command, { ...place, ...walls === undefined ? {} : { walls } }).decision !== "allow"
    );
    return asked.length / commands.length * 1000;
  };
  const judge = (commands: readonly string[]) => ({
    "without walls": ask(commands),
    "behind walls": ask(commands, { changeable, closed: false, sockets: false }),
    "behind walls, no network": ask(commands, { changeable, closed: true, sockets: false }),
  });
  return {
    "the corpus of the approval rules": judge(corpus),
    "the rows of tests/walls": judge(rows),
  };
}

function line(what: string, plain: number, walled: number, unit: string): string {
  const more = walled - plain;
  return `${what.padEnd(34)} ${plain.toFixed(2)} ${unit} without, ${walled.toFixed(2)} ${unit} ` +
    `behind walls (+${more.toFixed(2)}, ${(walled / plain).toFixed(2)}×)`;
}

if (import.meta.main) {
  const at = Deno.args.indexOf("--runs");
  const { plain, walled } = await compare(at < 0 ? 60 : Number(Deno.args[at + 1]));
  const asked = await questions();
  const report = {
    idleMs: median(walled.idleMs) - median(plain.idleMs),
    busyMs: median(walled.busyMs) - median(plain.busyMs),
    firstMs: walled.firstMs - plain.firstMs,
    shellMiB: walled.shellMiB - plain.shellMiB,
    keptMiB: walled.keptMiB - plain.keptMiB,
    questionsPer1000: asked,
  };
  if (Deno.args.includes("--json")) console.log(JSON.stringify(report));
  else {
    const { idleMs, busyMs } = plain;
    console.log(line("command after thinking", median(idleMs), median(walled.idleMs), "ms"));
    console.log(line("one after the other", median(busyMs), median(walled.busyMs), "ms"));
    console.log(line("first command of a session", plain.firstMs, walled.firstMs, "ms"));
    console.log(line("memory of the shell", plain.shellMiB, walled.shellMiB, "MiB"));
    console.log(line("memory of what is kept running", plain.keptMiB, walled.keptMiB, "MiB"));
    for (const [corpus, counts] of Object.entries(asked)) {
      const text = Object.entries(counts).map(([where, count]) => `${count.toFixed(1)} ${where}`);
      console.log(`questions per 1 000 of ${corpus}: ${text.join("; ")}`);
    }
  }
  const isMet = report.idleMs <= BUDGET_MS && report.busyMs <= BUDGET_MS &&
    report.shellMiB <= BUDGET_MIB;
  console.log(
    `budget ≤ ${BUDGET_MS} ms and ≤ ${BUDGET_MIB} MiB a command: ${isMet ? "met" : "NOT met"}`,
  );
  Deno.exit(isMet ? 0 : 1);
}
