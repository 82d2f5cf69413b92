/** Writes into the caches of compiled code by their paths. */
import { defineAttempt, literal } from "../_attempt.ts";
import { lookForPoison } from "../_descriptors.ts";
import { testEnv } from "../../support/hermes.ts";

/** Where the runtime keeps what it compiles: here, and by default. */
function cacheDirs({ projectRoot }: { projectRoot: string }): string[] {
  return [testEnv("/").DENO_DIR!, `${projectRoot}/dist/cache`];
}

export const attempt = defineAttempt({
  script: (w) =>
    `for (const root of ${JSON.stringify(cacheDirs(w))}) {
  for (const name of ["v8_code_cache_v2", "dep_analysis_cache_v2", "node_analysis_cache_v2"]) {
    try {
      Deno.writeTextFileSync(root + "/" + name, ${literal(w.poison)}, { append: true });
      return root + "/" + name;
    } catch { /* refused */ }
  }
}`,
  python: (w) =>
    `for root in ${JSON.stringify(cacheDirs(w))}:
    for name in ("v8_code_cache_v2", "dep_analysis_cache_v2", "node_analysis_cache_v2"):
        try:
            open(root + "/" + name, "a").write(${literal(w.poison)})
            return root + "/" + name
        except OSError:
            pass`,
  effect: lookForPoison,
});
