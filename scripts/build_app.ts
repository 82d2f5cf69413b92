/**
 * Bundles the program into one directory of minified, split chunks: what the portable and the
 * compiled builds carry. `deno bundle` resolves and splits; esbuild minifies, because the one
 * inside Deno 2.9.5 drops `using` declarations when it does. What is repaired on the way keeps
 * start-up fast; every figure is measured.
 */
import type { BuildOptions as MinifyOptions } from "npm:esbuild@0.28.2";
import { failedExample, RULES } from "../src/approval/rules/rules.ts";
import { LOCKED, runDeno } from "./_tree.ts";

/** The bundler's `require` helper would load `node:module` for every command: 20 ms. */
const EAGER_REQUIRE =
  /import \{ createRequire as (\w+) \} from "node:module";\s*var (\w+) = \1\(import\.meta\.url\);/g;
const LAZY_REQUIRE =
  'var $2=(...x)=>process.getBuiltinModule("node:module").createRequire(import.meta.url)(...x);';
/** Deno reads every chunk whose import it can see before the first line runs: 10 ms. */
const LAZY_IMPORT = /\bimport\("(\.\/[^"]+\.js)"\)/g;
/** A sequence expression is the same specifier, but not one that static analysis follows. */
const HIDDEN_IMPORT = 'import((0,"$1"))';

/** Modules that the source hides from Deno's own analysis, because of what they would fetch. */
const HEAVY_MODULES = ["src/deps/modal.ts", "src/deps/daytona.ts"];
const HEAVY_IMPORT = /"(?:\.\.\/)+src\/deps\/(modal|daytona)\.ts"/g;

/** Where children begin: each in one file, because every module more costs half a millisecond. */
const CHILDREN = ["src/sandbox/child/child_main.ts", "src/sandbox/child/strip_main.ts"];

/** The lazy modules on the way from the command line to the first request of `hermes run`. */
const HOT = ["dispatch", "run", "openai_chat"];
/** Entries that must stay as small as they are: the version, and children that trust nobody. */
const APART = ["main", "child_main", "strip_main"];

export interface BuildOptions {
  /** Where `hermes update` looks for releases. */
  releasesUrl?: string | undefined;
}

/** Bundles `main.ts` into `outdir` and returns the entry's path. @throws when a bundler fails. */
export async function buildApp(outdir: string, options: BuildOptions = {}): Promise<string> {
  verifyRules();
  const split = await Deno.makeTempDir({ prefix: "hermes-split-" });
  const whole = await Deno.makeTempDir({ prefix: "hermes-whole-" });
  try {
    await bundle(split, ["--code-splitting", "main.ts"]);
    await bundle(split, ["--code-splitting", ...HEAVY_MODULES]);
    await bundle(whole, CHILDREN);
    const entries = await prepareChunks(split);
    await minify(entries, { ...options, outdir, splitting: true });
    const children = (await scripts(whole)).map((name) => `${whole}/${name}`);
    await minify(children, { outdir, splitting: false });
  } finally {
    await Deno.remove(split, { recursive: true });
    await Deno.remove(whole, { recursive: true });
  }
  for (const name of await scripts(outdir)) {
    await edit(`${outdir}/${name}`, (text) => text.replaceAll(LAZY_IMPORT, HIDDEN_IMPORT));
  }
  return `${outdir}/main.js`;
}

/** @throws when a rule of the gate is wrong about one of its own examples. */
function verifyRules(): void {
  for (const rule of RULES) {
    const wrong = failedExample(rule);
    if (wrong !== undefined) throw new Error(`the rule "${rule.key}" is wrong about: ${wrong}`);
  }
}

async function bundle(outdir: string, what: readonly string[]): Promise<void> {
  const args = ["bundle", "-q", ...LOCKED, "--outdir", outdir, ...what];
  const { code, stderr } = await runDeno(args);
  if (code !== 0) throw new Error(`deno bundle failed: ${stderr}`);
}

/** Repairs what `deno bundle` wrote and returns the entries: what is imported lazily, and main. */
async function prepareChunks(directory: string): Promise<string[]> {
  const names = await scripts(directory);
  const entries = names.filter((name) => !name.startsWith("chunk-"));
  const hot = HOT.map((module) => {
    const found = entries.find((name) => moduleOf(name) === module);
    if (found === undefined) throw new Error(`no lazy module "${module}" is in the bundle`);
    return `import "./${found}";`;
  }).join("");
  for (const name of names) {
    await edit(`${directory}/${name}`, (text) => {
      const repaired = text.replaceAll(EAGER_REQUIRE, LAZY_REQUIRE)
        .replaceAll(HEAVY_IMPORT, '"./$1.js"');
      if (repaired.includes("createRequire as")) {
        throw new Error(`${name} loads node:module eagerly: the bundler's helper has changed`);
      }
      // The bundler puts into one file what every entry needs. Forty small ones cost 4 ms more.
      const joins = entries.includes(name) && !APART.includes(moduleOf(name));
      return joins ? `${hot}${repaired}` : repaired;
    });
  }
  return entries.map((name) => `${directory}/${name}`);
}

/** In a process of its own: the library's helper ends only some time after it was told to. */
async function minify(
  entryPoints: string[],
  options: BuildOptions & { outdir: string; splitting: boolean },
): Promise<void> {
  const { outdir, splitting, releasesUrl } = options;
  const minifyOptions: MinifyOptions = {
    entryPoints,
    outdir,
    define: releasesUrl === undefined ? {} : { HERMES_RELEASES_URL: JSON.stringify(releasesUrl) },
    bundle: true,
    splitting,
    minify: true,
    format: "esm",
    platform: "node",
    target: "esnext",
    logLevel: "error",
  };
  const args = ["run", "-A", "-q", ...LOCKED, import.meta.url, JSON.stringify(minifyOptions)];
  const { code, stderr } = await runDeno(args);
  if (code !== 0) throw new Error(`esbuild failed: ${stderr}`);
}

/** `run-7OWOOXOM.js` → `run` */
function moduleOf(name: string): string {
  return name.replace(/(?:-[A-Z0-9]{8})?\.js$/, "");
}

async function scripts(directory: string): Promise<string[]> {
  const names = await Array.fromAsync(Deno.readDir(directory), ({ name }) => name);
  return names.filter((name) => name.endsWith(".js")).sort();
}

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const text = await Deno.readTextFile(path);
  const changed = change(text);
  if (changed !== text) await Deno.writeTextFile(path, changed);
}

if (import.meta.main) {
  const { build, stop } = await import("npm:esbuild@0.28.2");
  await build(JSON.parse(Deno.args[0]!));
  await stop();
}
