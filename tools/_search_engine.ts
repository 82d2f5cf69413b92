/**
 * Which engine answers a search: ripgrep where it is installed, the environment's own, or
 * `find` and `grep`. All answer the same query with the same shape.
 */
import type { Environment, SearchQuery, SearchResult } from "../src/protocol/environment.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import { OWN_COMMAND } from "./_own_command.ts";
import { searchWithGrep } from "./_search_grep.ts";
import { searchWithRipgrep } from "./_search_rg.ts";

/** `--field-match-separator`, which results are told apart by, came with 13. */
const OLDEST_RIPGREP = 13;

const hasRipgrep = new WeakMap<Environment, Promise<boolean>>();

/** The first engine that can read the expression answers; `invalid` is set when none can. */
export async function search(ctx: ToolContext, query: SearchQuery): Promise<SearchResult> {
  const { env } = ctx;
  let result: SearchResult | undefined;
  if (await ripgrepInstalled(env)) {
    // ripgrep cannot tell that a file is another one's hard link.
    const byIdentity = env.search !== undefined && (await query.excludeIds?.())?.size;
    if (!byIdentity) result = await searchWithRipgrep(env, query);
  }
  if (result !== undefined && result.invalid === undefined) return result;
  // Expressions that ripgrep refuses (look-around) or that backtracking cannot bear go on to the next.
  const refused = result?.invalid;
  if (env.search) result = await env.search(query);
  if (result === undefined || (result.invalid !== undefined && refused === undefined)) {
    const answer = await searchWithGrep(env, query);
    result = answer.invalid === undefined ? answer : result ?? answer;
  }
  return result.invalid === undefined || refused === undefined
    ? result
    : { ...result, invalid: refused };
}

/** Asked once for each environment. */
function ripgrepInstalled(env: Environment): Promise<boolean> {
  let known = hasRipgrep.get(env);
  if (known === undefined) {
    known = env.exec("rg --version 2>/dev/null", { ...OWN_COMMAND, timeoutMs: 10_000 }).then((
      { output },
    ) => Number(/^ripgrep (\d+)/m.exec(output)?.[1] ?? 0) >= OLDEST_RIPGREP);
    hasRipgrep.set(env, known);
    // A failed probe says nothing lasting.
    known.catch(() => hasRipgrep.delete(env));
  }
  return known;
}
