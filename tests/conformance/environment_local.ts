/** The local environment as a conformance target. */
import { createLocalEnvironment } from "../../environments/local/local_environment.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

/** A minimal environment: nothing of the test run's own variables. */
export async function open(): Promise<OpenEnvironment> {
  const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-conformance-" }));
  const dir = `${base}/work`;
  const temporary = `${base}/tmp`;
  await Deno.mkdir(dir);
  await Deno.mkdir(temporary);
  const env = createLocalEnvironment({
    cwd: dir,
    home: base,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base, LANG: "C.UTF-8", TMPDIR: temporary },
  });
  return {
    env,
    dir,
    async close() {
      await env.close();
      for await (const left of Deno.readDir(temporary)) {
        throw new Error(`Closing left ${left.name} behind`);
      }
      await Deno.remove(base, { recursive: true });
    },
  };
}
