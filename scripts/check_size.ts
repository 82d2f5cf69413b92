/**
 * Fails on files that have grown too long. Function length is the lint plugin's, which sees
 * the syntax tree. Tables (`*_data.ts`) and generated manifests are exempt; there is no allowlist.
 */
import { finish, isTest, ROOT, typescriptFiles } from "./_tree.ts";

const MAX_SOURCE_LINES = 400;
const MAX_TEST_LINES = 800;

/** What is wrong with a file of this length, if anything. */
export function sizeProblem(path: string, text: string): string | undefined {
  if (path.endsWith("_data.ts") || path.endsWith("/manifest.ts")) return undefined;
  const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
  const limit = isTest(path) ? MAX_TEST_LINES : MAX_SOURCE_LINES;
  if (lines <= limit) return undefined;
  return `${path}: ${lines} lines, at most ${limit}: split it by concept`;
}

if (import.meta.main) {
  const problems: string[] = [];
  for (const path of await typescriptFiles()) {
    const problem = sizeProblem(path, await Deno.readTextFile(`${ROOT}/${path}`));
    if (problem !== undefined) problems.push(problem);
  }
  finish(problems);
}
