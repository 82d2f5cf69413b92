import { holdDocker } from "../../scripts/services/docker.ts";
import { ENVIRONMENT_CASES } from "./environment_cases.ts";
import { LOSS_CASES } from "./environment_loss_cases.ts";
import { testLiveEnvironment } from "./environment_live.ts";

await testLiveEnvironment(
  { name: "docker", module: new URL("./environment_docker.ts", import.meta.url).href },
  { hold: holdDocker, cases: [...ENVIRONMENT_CASES, ...LOSS_CASES] },
);
