/** Live where apptainer or singularity is installed; their words are tested everywhere. */
import { holdSingularity } from "../../scripts/services/singularity.ts";
import { ENVIRONMENT_CASES } from "./environment_cases.ts";
import { testLiveEnvironment } from "./environment_live.ts";
import { LOSS_CASES } from "./environment_loss_cases.ts";

await testLiveEnvironment(
  { name: "singularity", module: new URL("./environment_singularity.ts", import.meta.url).href },
  { hold: holdSingularity, cases: [...ENVIRONMENT_CASES, ...LOSS_CASES] },
);
