/** What every script needs: the project's root, its TypeScript files, one way to report problems. */

/** Absolute path of the repository, without a trailing slash. */
export const ROOT: string = new URL("..", import.meta.url).pathname.replace(/\/$/, "");

const SKIPPED = new Set([".git", ".cache", "node_modules", "dist", "coverage", "fixtures"]);

/** Every `.ts` file below `folder`, as sorted paths relative to the root. */
export async function typescriptFiles(folder = ""): Promise<string[]> {
  const found: string[] = [];
  for await (const entry of Deno.readDir(`${ROOT}/${folder}`)) {
    const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory && !SKIPPED.has(entry.name)) found.push(...await typescriptFiles(path));
    else if (entry.isFile && entry.name.endsWith(".ts")) found.push(path);
  }
  return found.sort();
}

/** True for files that only tests load. */
export function isTest(path: string): boolean {
  return path.endsWith("_test.ts") || path.startsWith("tests/");
}

/** Runs this Deno with `args` in the root and collects what it prints. */
export async function runDeno(
  args: string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const output = await new Deno.Command(Deno.execPath(), { args, cwd: ROOT }).output();
  const decoder = new TextDecoder();
  return {
    code: output.code,
    stdout: decoder.decode(output.stdout),
    stderr: decoder.decode(output.stderr),
  };
}

/** Prints the problems and ends the process: 1 when there are any. */
export function finish(problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  Deno.exit(problems.length === 0 ? 0 : 1);
}

/**
 * Holds Deno to the committed lock file. Not the default of deno.json: Deno fetches every package
 * a lock file names before anything runs, and most people never use the cloud environments.
 */
export const LOCKED: readonly string[] = ["--lock=deno.lock", "--frozen"];
