/**
 * `deno task bench [NAME…|all] [FLAGS]`: every `NAME_bench.ts` beside this file by its name.
 * Without a name it is the budgets of the design (`main.ts`). Flags go to each script as they are.
 */
import { didYouMean } from "../../src/util/nearest.ts";

const HERE = new URL(".", import.meta.url).pathname;
const BUDGETS = "budgets";

async function benches(): Promise<Map<string, string>> {
  const found = new Map([[BUDGETS, "main.ts"]]);
  const names = (await Array.fromAsync(Deno.readDir(HERE))).map((entry) => entry.name).sort();
  for (const file of names) {
    const name = /^(\w+)_bench\.ts$/.exec(file)?.[1];
    if (name !== undefined) found.set(name, file);
  }
  return found;
}

if (import.meta.main) {
  const known = await benches();
  const cut = Deno.args.findIndex((arg) => /^(?:-|\d)/.test(arg));
  const names = cut < 0 ? Deno.args : Deno.args.slice(0, cut);
  const flags = cut < 0 ? [] : Deno.args.slice(cut);
  const wanted = names.includes("all") ? [...known.keys()] : names.length > 0 ? names : [BUDGETS];
  const unknown = wanted.find((name) => !known.has(name));
  if (unknown !== undefined) {
    console.error(`bench: there is no "${unknown}".${didYouMean(unknown, [...known.keys()])}`);
    console.error(`  Choose from: ${[...known.keys(), "all"].join(", ")}`);
    Deno.exit(2);
  }
  let failed = false;
  for (const name of wanted) {
    if (wanted.length > 1) console.log(`\n# ${name}`);
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "-q", HERE + known.get(name)!, ...flags],
      stdin: "null",
    }).spawn().status;
    failed ||= code !== 0;
  }
  Deno.exit(failed ? 1 : 0);
}
