/** Modal as a conformance target, over the server whose address stands in this module's query. */
import { createModalEnvironment } from "../../environments/cloud/modal_environment.ts";
import { createModalClient } from "../../src/deps/modal.ts";
import { MODAL_TOKEN } from "../support/modal_server.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

export async function open(): Promise<OpenEnvironment> {
  const query = new URL(import.meta.url).searchParams;
  // The next hermes must know what a killed one had; the test removes all of it.
  const dataDir = await Deno.realPath(query.get("data")!);
  const base = await Deno.makeTempDir({ dir: dataDir, prefix: "case-" });
  const dir = `${base}/work`;
  await Deno.mkdir(dir);
  const env = await createModalEnvironment({
    cwd: "/",
    home: base,
    dataDir,
    env: {
      MODAL_TOKEN_ID: MODAL_TOKEN.id,
      MODAL_TOKEN_SECRET: MODAL_TOKEN.secret,
      MODAL_SERVER_URL: query.get("server")!,
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
      const { client, close } = createModalClient({
        tokenId: MODAL_TOKEN.id,
        tokenSecret: MODAL_TOKEN.secret,
        serverUrl: query.get("server")!,
        environment: undefined,
      });
      await (await client.sandboxes.fromId(output.trim())).terminate();
      close();
    },
  };
}
