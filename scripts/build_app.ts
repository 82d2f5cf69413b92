/**
 * Bundles the program into one directory of minified, split chunks: what the portable and the
 * compiled builds carry. Two repairs keep start-up fast, both measured: the bundler's `require`
 * helper would load `node:module` for every command (20 ms), and Deno would read every lazy
 * chunk before the first line runs (10 ms).
 */
const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

const EAGER_REQUIRE =
  /import\{createRequire as (\w+)\} from "node:module";var (\w+)=\1\(import\.meta\.url\);/g;
const LAZY_REQUIRE =
  'var $2=(...x)=>process.getBuiltinModule("node:module").createRequire(import.meta.url)(...x);';
const LAZY_IMPORT = /\bimport\("(\.\/[^"]+\.js)"\)/g;

/** Bundles `main.ts` into `outdir` and returns the entry's path. @throws with the bundler's words when it fails. */
export async function buildApp(outdir: string): Promise<string> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "-q", "--minify", "--code-splitting", "--outdir", outdir, `${ROOT}/main.ts`],
    cwd: ROOT,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(`deno bundle failed: ${new TextDecoder().decode(stderr)}`);
  for await (const entry of Deno.readDir(outdir)) {
    if (entry.name.endsWith(".js")) await repairChunk(`${outdir}/${entry.name}`);
  }
  return `${outdir}/main.js`;
}

async function repairChunk(path: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  const repaired = text.replaceAll(EAGER_REQUIRE, LAZY_REQUIRE)
    // A sequence expression is the same specifier, but not one that static analysis follows.
    .replaceAll(LAZY_IMPORT, 'import((0,"$1"))');
  if (repaired.includes("createRequire as")) {
    throw new Error(`${path} loads node:module eagerly: the bundler's helper has changed`);
  }
  if (repaired !== text) await Deno.writeTextFile(path, repaired);
}
