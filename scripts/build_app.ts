/**
 * Bundles the program into one directory of minified, split chunks: what the portable and the
 * compiled builds carry. Returns the path of its entry.
 */
const ROOT = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

/** Bundles `main.ts` into `outdir`. @throws with the bundler's words when it fails. */
export async function buildApp(outdir: string): Promise<string> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "-q", "--minify", "--code-splitting", "--outdir", outdir, `${ROOT}/main.ts`],
    cwd: ROOT,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(`deno bundle failed: ${new TextDecoder().decode(stderr)}`);
  return `${outdir}/main.js`;
}
