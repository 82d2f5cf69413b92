/** Looking after the host behind ssh. */
import { onlyVariables } from "../../src/process/child_environment.ts";
import { which } from "../../src/util/which.ts";
import { EnvironmentError } from "../../src/protocol/error.ts";
import { runClient } from "../remote/run_client.ts";
import { removeOldSockets } from "./_ssh_host.ts";
import { sshAddress, sshSettings } from "./_ssh_args.ts";
import type { EnvironmentAdmin } from "../options.ts";
import { createSshEnvironment, openSsh } from "./ssh_environment.ts";

export const SSH_ADMIN: EnvironmentAdmin = {
  async look({ env, settings }) {
    const program = await which("ssh", env.PATH);
    if (program === undefined) throw new EnvironmentError("ssh is not installed");
    const address = sshAddress(sshSettings(settings));
    const { stderr } = await runClient([program, "-V"], {
      env: onlyVariables({}),
      timeoutMs: 10_000,
    });
    return `${address} through ${stderr.split(",")[0]!.trim()}`;
  },
  open: openSsh,
  async clean(options) {
    const lines = await removeOldSockets(options.tempDir ?? options.env.TMPDIR ?? "/tmp");
    // Connecting ends what killed ones left there.
    const env = await createSshEnvironment({ ...options, onProgress: (line) => lines.push(line) });
    await env.close();
    return lines;
  },
};
