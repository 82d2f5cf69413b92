/**
 * `deno task compile [--target NAME] [--out FILE]`: one executable by `deno compile`, from the
 * same bundle as the portable build. Needs Deno's base binary: downloaded by Deno, or named by
 * `DENORT_BIN`.
 */
import { parseArgs } from "node:util";
import { findTarget, hostTarget, type Target } from "./_targets.ts";
import { ROOT } from "./_tree.ts";
import { buildApp, type BuildOptions } from "./build_app.ts";

export interface CompileOptions extends BuildOptions {
  target: Target;
  out: string;
  /** More variables for Deno: `DENORT_BIN` is used in place of the downloaded base binary. */
  env?: Record<string, string>;
  /** A directory with the bundle; without it one is made. */
  app?: string;
}

/**
 * Least authority, and why it is all: ending a command's process tree reads `/proc`, which Deno
 * opens only to `--allow-all`. No code cache: a compiled program keeps it in the shared temporary
 * directory, where it would run what another user put there.
 */
const FLAGS = [
  "--allow-all",
  "--no-prompt",
  "--no-code-cache",
  "--no-config",
  "--no-lock",
  "--no-check",
  "--no-remote",
  "--no-npm",
  "--unstable-no-legacy-abort",
  // Plugins are narrowed to their permissions in a worker.
  "--unstable-worker-options",
];

/** The arguments of `deno` that compile the bundle in `app`. */
export function compileArguments(app: string, options: CompileOptions): string[] {
  const { target, out } = options;
  return [
    "compile",
    ...FLAGS,
    "--target",
    target.triple,
    "--include",
    app,
    "--output",
    out,
    `${app}/main.js`,
  ];
}

/** Names of the files in the listing that `deno compile` prints. */
export function embeddedFiles(listing: string): string[] {
  // deno-lint-ignore no-control-regex -- Deno colours its listing
  const plain = listing.replace(/\x1b\[[0-9;]*m/g, "");
  return [...plain.matchAll(/[├└]──\s(\S+) \([\d.]+\w+\)/g)].map(([, name]) => name!);
}

/**
 * Builds the executable and returns the names of the files in it.
 * @throws when it cannot be built, or when a chunk that another one imports is not in it.
 */
export async function compile(options: CompileOptions): Promise<string[]> {
  if (options.app !== undefined) return await compileApp(options.app, options);
  const app = await Deno.makeTempDir({ prefix: "hermes-compile-" });
  try {
    await buildApp(app, options);
    return await compileApp(app, options);
  } finally {
    await Deno.remove(app, { recursive: true });
  }
}

async function compileApp(app: string, options: CompileOptions): Promise<string[]> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: compileArguments(app, options),
    env: options.env ?? {},
  }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  if (code !== 0) throw new Error(failure(options.target, said));
  const embedded = embeddedFiles(said);
  const missing = (await importedChunks(app)).filter((name) => !embedded.includes(name));
  if (missing.length > 0) throw new Error(`not embedded: ${missing.join(", ")}`);
  return embedded;
}

/** Every file of the bundle that the program may import, lazily or not, and its entry. */
async function importedChunks(app: string): Promise<string[]> {
  const found = new Set(["main.js"]);
  for await (const { name } of Deno.readDir(app)) {
    const text = await Deno.readTextFile(`${app}/${name}`);
    for (const [, chunk] of text.matchAll(/"\.\/([\w-]+\.js)"/g)) found.add(chunk!);
  }
  return [...found].sort();
}

function failure(target: Target, said: string): string {
  if (!/Setting up base binary|Could not find denort/.test(said)) return said.trim();
  const instead = target.name.startsWith("windows")
    ? "set DENORT_BIN to a copy of it"
    : `set DENORT_BIN to a copy of it, or build: deno task portable --target ${target.name}`;
  return `Deno's base binary for ${target.name} is out of reach: ${instead}`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { target: { type: "string" }, out: { type: "string" } },
  });
  try {
    const target = values.target === undefined ? hostTarget() : findTarget(values.target);
    const suffix = target.name.startsWith("windows") ? ".exe" : "";
    const out = values.out ?? `${ROOT}/dist/hermes-compiled-${target.name}${suffix}`;
    const embedded = await compile({ target, out });
    console.log(`${out}: ${embedded.length} files embedded`);
  } catch (error) {
    console.error(`compile: ${error instanceof Error ? error.message : error}`);
    Deno.exit(1);
  }
}
