/**
 * The one gate, `deno task ok`: every check in order, one line each with its time, stopping at
 * the first failure with its output. `--no-test` leaves the tests out.
 */
import { LOCKED, ROOT, runDeno } from "./_tree.ts";

const STEPS: readonly [name: string, args: string[]][] = [
  ["format", ["fmt", "--check"]],
  ["lint", ["lint", "--quiet"]],
  ["types", ["check", "--quiet", ...LOCKED, "."]],
  ["sizes", ["run", "-A", "--quiet", "scripts/check_size.ts"]],
  ["layers", ["run", "-A", "--quiet", "scripts/check_layers.ts"]],
  ["expressions", ["run", "-A", "--quiet", "scripts/check_regex.ts"]],
  ["dependencies", ["run", "-A", "--quiet", "scripts/check_deps.ts"]],
  ["generated files", ["run", "-A", "--quiet", "scripts/gen.ts", "--check"]],
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

if (import.meta.main) {
  for (const [name, args] of STEPS) {
    if (!await runStep(name, args)) Deno.exit(1);
  }
  if (!Deno.args.includes("--no-test")) {
    const tests = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--quiet", "scripts/test.ts", "--no-check"],
      cwd: ROOT,
    }).spawn();
    Deno.exit((await tests.status).code);
  }
}
