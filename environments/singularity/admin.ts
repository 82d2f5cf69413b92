/** Looking after instances. */
import { onlyVariables } from "../../src/process/child_environment.ts";
import type { EnvironmentAdmin } from "../options.ts";
import { findSingularity, openSingularity } from "./singularity_environment.ts";

export const SINGULARITY_ADMIN: EnvironmentAdmin = {
  async look({ env }) {
    const { path, version } = await findSingularity(onlyVariables({ PATH: env.PATH ?? "" }));
    return `${version} (${path})`;
  },
  open: openSingularity,
  async clean(options) {
    return (await (await openSingularity(options)).reap()).map((name) => `stopped ${name}`);
  },
};
