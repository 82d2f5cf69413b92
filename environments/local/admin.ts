/** Looking after this machine. */
import { EnvironmentError } from "../../src/protocol/error.ts";
import { which } from "../../src/util/which.ts";
import { removeLeftovers } from "./_leftovers.ts";
import type { EnvironmentAdmin } from "../options.ts";

export const LOCAL_ADMIN: EnvironmentAdmin = {
  async look({ env }) {
    const shell = await which("bash", `/bin:${env.PATH ?? ""}`) ?? await which("sh", "/bin");
    if (shell === undefined) throw new EnvironmentError("There is no shell on PATH");
    return shell;
  },
  async clean({ env, tempDir }) {
    const removed = await removeLeftovers(tempDir ?? env.TMPDIR ?? "/tmp");
    return removed.map((dir) => `removed ${dir} and ended its processes`);
  },
};
