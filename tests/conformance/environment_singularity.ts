/** The singularity environment as a conformance target; the image is named by the test. */
import { createSingularityEnvironment } from "../../environments/singularity.ts";
import type { OpenEnvironment } from "./environment_suite.ts";
import { busyboxImage } from "../support/singularity_image.ts";

export async function open(): Promise<OpenEnvironment> {
  const home = await Deno.makeTempDir({ prefix: "hermes-singularity-" });
  const env = await createSingularityEnvironment({
    cwd: "/",
    home,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: home },
    settings: { singularity_image: await busyboxImage(home), container_persistent: false },
  });
  return {
    env,
    dir: "/workspace",
    async close() {
      await env.close();
      await Deno.remove(home, { recursive: true });
    },
  };
}
