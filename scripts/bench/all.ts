/**
 * Every measurement by name: `all.ts [NAME…|all] [FLAGS]`. Without a name it is the budgets of
 * the design (`main.ts`); flags go to each script as they are.
 */
import { didYouMean } from "../../src/util/nearest.ts";

const BENCHES = ["budgets", "dispatch", "approval", "search", "sandbox", "store"] as const;
type Bench = typeof BENCHES[number];

function isBench(name: string): name is Bench {
  return (BENCHES as readonly string[]).includes(name);
}

function scriptOf(bench: Bench): string {
  const file = bench === "budgets" ? "main.ts" : `${bench}_bench.ts`;
  return new URL(file, import.meta.url).pathname;
}

if (import.meta.main) {
  const names = Deno.args.filter((arg) => !arg.startsWith("-") && !/^\d+$/.test(arg));
  const flags = Deno.args.filter((arg) => !names.includes(arg));
  const wanted = names.includes("all") ? BENCHES : names.length > 0 ? names : ["budgets"];
  let failed = false;
  for (const name of wanted) {
    if (!isBench(name)) {
      console.error(`bench: there is no "${name}".${didYouMean(name, BENCHES)}`);
      console.error(`  Choose from: ${BENCHES.join(", ")}, all`);
      Deno.exit(2);
    }
    if (wanted.length > 1) console.log(`\n# ${name}`);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "-q", scriptOf(name), ...flags],
      stdin: "null",
    }).spawn().status;
    failed ||= code !== 0;
  }
  Deno.exit(failed ? 1 : 0);
}
