/** Modal as a conformance target, over the server whose address stands in this module's query. */
import { createModalEnvironment } from "../../environments/modal.ts";
import { MODAL_TOKEN } from "../support/modal_server.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

export async function open(): Promise<OpenEnvironment> {
  const base = await Deno.realPath(await Deno.makeTempDir({ prefix: "hermes-modal-case-" }));
  const dir = `${base}/work`;
  await Deno.mkdir(dir);
  const env = await createModalEnvironment({
    cwd: "/",
    home: base,
    env: {
      MODAL_TOKEN_ID: MODAL_TOKEN.id,
      MODAL_TOKEN_SECRET: MODAL_TOKEN.secret,
      MODAL_SERVER_URL: new URL(import.meta.url).searchParams.get("server")!,
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
  };
}
