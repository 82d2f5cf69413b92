/** Live where apptainer or singularity is installed; their words are tested everywhere. */
import { findSingularity } from "../../environments/singularity.ts";
import { ServiceUnavailable } from "../../scripts/services/_service.ts";
import { ENVIRONMENT_CASES } from "./environment_cases.ts";
import { testLiveEnvironment } from "./environment_live.ts";

async function hold() {
  try {
    const running = await findSingularity({ PATH: "/usr/local/bin:/usr/bin:/bin" });
    return { running, release: () => Promise.resolve() };
  } catch (error) {
    throw new ServiceUnavailable((error as Error).message);
  }
}

await testLiveEnvironment(
  { name: "singularity", module: new URL("./environment_singularity.ts", import.meta.url).href },
  { hold, cases: ENVIRONMENT_CASES },
);
