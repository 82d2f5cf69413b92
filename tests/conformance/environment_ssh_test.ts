import { holdSsh } from "../../scripts/services/ssh.ts";
import { ENVIRONMENT_CASES } from "./environment_cases.ts";
import { LOSS_CASES } from "./environment_loss_cases.ts";
import { testLiveEnvironment } from "./environment_live.ts";

await testLiveEnvironment(
  { name: "ssh", module: new URL("./environment_ssh.ts", import.meta.url).href },
  { hold: holdSsh, cases: [...ENVIRONMENT_CASES, ...LOSS_CASES] },
);
