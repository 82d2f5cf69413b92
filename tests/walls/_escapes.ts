/**
 * Runs attempts in one mode as one user, all in one invocation, and tells which of them got
 * through: attempts that spoil the workspace have an invocation of their own.
 */
import type { SandboxMode } from "../../src/protocol/sandbox.ts";
import { shellQuote } from "../../src/util/shell_quote.ts";
import { sleep } from "../../src/util/sleep.ts";
import { type AnyRow, World } from "./_escape_world.ts";
import type { Machine } from "./_machine.ts";
import { plainRun, sandboxRun, type WallsUser } from "./_sandbox_run.ts";

const ROW_SECONDS = 8;
const RUN_MS = 120_000;
/** Victims look at themselves this often, several times over. */
const SETTLE_MS = 150;

export interface AttemptRun {
  machine: Machine;
  user: WallsUser;
  mode: SandboxMode;
  network?: string;
  withoutNamespaces?: boolean;
  helper: string;
}

export interface Attempted {
  gotThrough: boolean;
  output: string;
}

/** Compiles `escape.c`; undefined and a printed reason where there is no compiler. */
export async function compileHelper(machine: Machine): Promise<string | undefined> {
  const source = new URL("./escape.c", import.meta.url).pathname;
  const target = `${machine.directory}/escape`;
  const env = { PATH: machine.path, TMPDIR: machine.directory };
  for (const flags of [["-static"], []]) {
    try {
      await plainRun(["cc", "-O1", ...flags, "-o", target, source], { env });
      return target;
    } catch (error) {
      if (flags.length === 0) console.log(`  no attempts by system calls: ${error}`);
    }
  }
  return undefined;
}

/** What came of every row, by id. */
export async function attemptAll(
  rows: readonly AnyRow[],
  run: AttemptRun,
): Promise<Map<string, Attempted>> {
  const found = new Map<string, Attempted>();
  const sets = [...Map.groupBy(rows, (row) => row.alone ?? "").values()];
  const work = async (): Promise<void> => {
    for (let set = sets.shift(); set !== undefined; set = sets.shift()) {
      for (const [id, result] of await attemptSet(set, run)) found.set(id, result);
    }
  };
  await Promise.all([work(), work()]);
  return found;
}

async function attemptSet(
  rows: readonly AnyRow[],
  run: AttemptRun,
): Promise<Map<string, Attempted>> {
  const { machine, user, mode, network, helper, withoutNamespaces = false } = run;
  const world = await World.create({ machine, user, rows, helper });
  try {
    const script = `${world.base}/attempts.sh`;
    await Deno.writeTextFile(script, attemptsScript(rows, world));
    const outcome = await sandboxRun({
      mode,
      ...network === undefined ? {} : { network },
      user,
      withoutNamespaces,
      home: world.home,
      cwd: world.workspace,
      env: world.env,
      argv: ["bash", script],
      timeoutMs: RUN_MS,
    });
    if (outcome.code !== 0) throw new Error(`${mode}: exit ${outcome.code}: ${outcome.stderr}`);
    await sleep(Math.max(SETTLE_MS, ...rows.map(({ settleMs = 0 }) => settleMs)));
    const said = parse(outcome.stdout);
    const found = new Map<string, Attempted>();
    for (const row of rows) {
      const output = said.get(row.id);
      if (output === undefined) throw new Error(`${row.id} did not run: ${outcome.stderr}`);
      found.set(row.id, { output, gotThrough: await world.happened(row, output) });
    }
    return found;
  } finally {
    await world.close();
  }
}

/** Every attempt in a shell of its own; what it prints follows its id in base64. */
function attemptsScript(rows: readonly AnyRow[], world: World): string {
  const lines = [
    "export HERMES_PID=$PPID",
    'run() { local out; out=$(cd "$WS/$1" && ' +
    `timeout -k 1 ${ROW_SECONDS} bash -c "$2" < /dev/null 2>&1 | base64 -w0); echo "$1 $out"; }`,
  ];
  for (const row of rows) {
    for (const [name, value] of Object.entries(world.variablesOf(row))) {
      lines.push(`export ${name}=${shellQuote(value)}`);
    }
    lines.push(`run ${row.id} ${shellQuote(row.attempt)}`);
  }
  return [...lines, "exit 0"].join("\n");
}

function parse(stdout: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of stdout.trimEnd().split("\n")) {
    const [id = "", text = ""] = line.split(" ");
    found.set(id, new TextDecoder().decode(Uint8Array.fromBase64(text)));
  }
  return found;
}
