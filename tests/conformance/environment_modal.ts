/** Modal as a conformance target, over a fake client whose directory stands in this module's query. */
import { createModalEnvironment } from "../../environments/cloud/modal_environment.ts";
import { FakeModal, MODAL_TOKEN } from "../support/fake_modal.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

export async function open(): Promise<OpenEnvironment> {
  const query = new URL(import.meta.url).searchParams;
  // The next hermes must know what a killed one had; the test removes all of it.
  const dataDir = await Deno.realPath(query.get("data")!);
  const modal = new FakeModal(await Deno.realPath(query.get("cloud")!));
  const base = await Deno.makeTempDir({ dir: dataDir, prefix: "case-" });
  const dir = `${base}/work`;
  await Deno.mkdir(dir);
  const env = await createModalEnvironment({
    cwd: "/",
    home: base,
    dataDir,
    env: { MODAL_TOKEN_ID: MODAL_TOKEN.id, MODAL_TOKEN_SECRET: MODAL_TOKEN.secret },
    settings: { cwd: dir, container_persistent: false },
  }, modal.connect);
  return {
    env,
    dir,
    async close() {
      await env.close();
      await Deno.remove(base, { recursive: true });
    },
    async breakDown() {
      const { output } = await env.exec("basename $FAKE_CLOUD_SANDBOX", { taskId: "break" });
      await modal.terminate(output.trim());
    },
  };
}
