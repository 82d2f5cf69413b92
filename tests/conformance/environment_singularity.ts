/** The singularity environment as a conformance target. */
import { createSingularityEnvironment } from "../../environments/singularity/singularity_environment.ts";
import { run } from "../../scripts/services/_service.ts";
import { holdSingularity } from "../../scripts/services/singularity.ts";
import { orRelease } from "./environment_live.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

export async function open(): Promise<OpenEnvironment> {
  const service = await holdSingularity();
  const { program, dataDir, image } = service.running;
  const opening = createSingularityEnvironment({
    cwd: "/",
    home: dataDir,
    // The next hermes must know what a killed one had.
    dataDir,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: dataDir },
    settings: { singularity_image: image, container_persistent: false },
  });
  const env = await orRelease(service, opening);
  return {
    env,
    dir: "/workspace",
    async close() {
      await env.close();
      await service.release();
    },
    async breakDown() {
      const { output } = await env.exec("echo $SINGULARITY_INSTANCE", { taskId: "break" });
      const stop = ["instance", "stop", "--signal", "KILL", output.trim()];
      await run([program, ...stop], { env: { HOME: dataDir } });
    },
    async count(word) {
      const { output } = await run(["ps", "-A", "-o", "args="]);
      return output.split("\n").filter((line) => line.startsWith(word)).length;
    },
  };
}
