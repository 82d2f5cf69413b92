/**
 * What a decision on a shell command costs: loading, the first of a process, and then the
 * corpora of the tests. Usage: approval_bench.ts [--json]
 */
const BUDGET_MS = 1;
const PASSES = 5;
const FIXTURES = new URL("../../tests/fixtures/approval/", import.meta.url);

function corpus(): string[] {
  const files = ["everyday", "dangerous", "dangerous_held_out", "dangerous_phrasings", "forbidden"];
  return files.flatMap((name) =>
    Deno.readTextFileSync(new URL(`${name}.txt`, FIXTURES)).split("\n")
      .filter((line) => line !== "" && !line.startsWith("# "))
  );
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

if (import.meta.main) {
  const startedAt = performance.now();
  const { decide } = await import("../../src/approval/decide.ts");
  const loadMs = performance.now() - startedAt;
  const policy = { home: "/home/me", cwd: "/home/me/project" };
  const time = (command: string) => {
    const from = performance.now();
    decide(command, policy);
    return performance.now() - from;
  };
  const firstMs = time("git status");
  const commands = corpus();
  const coldPassMs = commands.reduce((sum, command) => sum + time(command), 0);
  const times: number[] = [];
  for (let pass = 0; pass < PASSES; pass++) {
    for (const command of commands) times.push(time(command));
  }
  times.sort((a, b) => a - b);
  // Built from ordinary parts and as long as is read at all.
  const largestMs = time("make all && grep -n 'x' a.ts | head -5; ".repeat(3_200));
  const report = {
    loadMs,
    firstMs,
    commands: commands.length,
    coldMeanMs: coldPassMs / commands.length,
    medianMs: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    largestMs,
  };
  if (Deno.args.includes("--json")) console.log(JSON.stringify(report));
  else {
    console.log(`loading                     ${loadMs.toFixed(1)} ms`);
    console.log(`first decision, rules verified  ${firstMs.toFixed(1)} ms`);
    console.log(`${commands.length} commands, cold mean     ${report.coldMeanMs.toFixed(3)} ms`);
    console.log(
      `median                      ${report.medianMs.toFixed(4)} ms (budget ${BUDGET_MS} ms)`,
    );
    console.log(`99th percentile             ${report.p99Ms.toFixed(4)} ms`);
    console.log(`120 000 characters          ${largestMs.toFixed(0)} ms`);
  }
  if (report.medianMs > BUDGET_MS) Deno.exit(1);
}
