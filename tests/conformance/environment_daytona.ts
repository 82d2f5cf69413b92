/** Daytona as a conformance target, over the server whose address stands in this module's query. */
import { createDaytonaEnvironment } from "../../environments/cloud/daytona_environment.ts";
import { DAYTONA_KEY } from "../support/daytona_server.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

export async function open(): Promise<OpenEnvironment> {
  const query = new URL(import.meta.url).searchParams;
  // The next hermes must know what a killed one had; the test removes all of it.
  const dataDir = await Deno.realPath(query.get("data")!);
  const base = await Deno.makeTempDir({ dir: dataDir, prefix: "case-" });
  const dir = `${base}/work`;
  await Deno.mkdir(dir);
  const env = await createDaytonaEnvironment({
    cwd: "/",
    home: base,
    dataDir,
    env: {
      DAYTONA_API_KEY: DAYTONA_KEY,
      DAYTONA_API_URL: query.get("server")!,
    },
    settings: { cwd: dir, container_persistent: false },
  });
  return {
    env,
    dir,
    async close() {
      await env.close();
      await Deno.remove(base, { recursive: true });
    },
    async breakDown() {
      const { output } = await env.exec("basename $FAKE_CLOUD_SANDBOX", { taskId: "break" });
      const url = `${query.get("server")}/sandbox/${output.trim()}/stop`;
      const headers = { authorization: `Bearer ${DAYTONA_KEY}` };
      await (await fetch(url, { method: "POST", headers })).text();
    },
  };
}
