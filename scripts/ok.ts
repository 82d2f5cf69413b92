/**
 * The one gate, `deno task ok`: every check, two at a time, one line each with its time and the
 * output of those that fail; then the tests, unless a check failed or `--no-test` leaves them out.
 */
import { LOCKED, ROOT, runDeno } from "./_tree.ts";

/** The long ones first: the short ones fill what is left of the time. */
const STEPS: readonly [name: string, args: string[]][] = [
  ["expressions", ["run", "-A", "--quiet", "scripts/check_regex.ts"]],
  ["types", ["check", "--quiet", ...LOCKED, "."]],
  ["lint", ["lint", "--quiet"]],
  ["format", ["fmt", "--check"]],
  ["sizes", ["run", "-A", "--quiet", "scripts/check_size.ts"]],
  ["layers", ["run", "-A", "--quiet", "scripts/check_layers.ts"]],
  ["dependencies", ["run", "-A", "--quiet", "scripts/check_deps.ts"]],
  ["effects of tools", ["run", "-A", "--quiet", "scripts/check_effects.ts"]],
  ["generated files", ["run", "-A", "--quiet", "scripts/gen.ts", "--check"]],
  ["generated tables of docs", ["run", "-A", "--quiet", "scripts/gen_docs.ts", "--check"]],
  ["generated plugin files", ["run", "-A", "--quiet", "scripts/gen_plugins.ts", "--check"]],
];

/** Runs one step quietly; prints its output only when it fails. */
async function runStep(name: string, args: string[]): Promise<boolean> {
  const startedAt = performance.now();
  const { code, stdout, stderr } = await runDeno(args);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (code !== 0) console.error(`${stdout}${stderr}`.trimEnd());
  console.log(`${code === 0 ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
  return code === 0;
}

/** Runs every step, two at a time. False when one fails. */
async function runSteps(): Promise<boolean> {
  const left = [...STEPS];
  let isOk = true;
  async function work(): Promise<void> {
    for (let step = left.shift(); step !== undefined; step = left.shift()) {
      if (!await runStep(...step)) isOk = false;
    }
  }
  await Promise.all([work(), work()]);
  return isOk;
}

if (import.meta.main) {
  if (!await runSteps()) Deno.exit(1);
  if (!Deno.args.includes("--no-test")) {
    const tests = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "scripts/test.ts", "--no-check"],
      cwd: ROOT,
    }).spawn();
    Deno.exit((await tests.status).code);
  }
}
