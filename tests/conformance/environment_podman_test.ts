/** Podman runs the docker environment's code: one case of each kind shows that it can. */
import { holdPodman } from "../../scripts/services/podman.ts";
import { ENVIRONMENT_CASES } from "./environment_cases.ts";
import { testLiveEnvironment } from "./environment_live.ts";

const CHOSEN =
  /^(?:gives the command's exit code|passes every byte on stdin|keeps the working dir|keeps exports, and|ends the whole tree|takes input and the end|runs a command on a pseudo|writes and reads every byte|replaces a file whole)/;

await testLiveEnvironment(
  { name: "podman", module: new URL("./environment_podman.ts", import.meta.url).href },
  { hold: holdPodman, cases: ENVIRONMENT_CASES.filter(({ name }) => CHOSEN.test(name)) },
);
