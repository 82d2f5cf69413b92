/** The ssh environment as a conformance target. */
import { createSshEnvironment } from "../../environments/ssh/ssh_environment.ts";
import { holdSsh } from "../../scripts/services/ssh.ts";
import { randomId } from "../../src/util/id.ts";
import { sshTestOptions } from "../support/ssh_environment.ts";
import { orRelease } from "./environment_live.ts";
import type { OpenEnvironment } from "./environment_suite.ts";

export async function open(): Promise<OpenEnvironment> {
  const ssh = await holdSsh();
  const options = sshTestOptions(ssh.running);
  const dir = `${ssh.running.home}/case-${randomId(8)}`;
  await Deno.mkdir(dir);
  const withDir = { ...options, settings: { ...options.settings, cwd: dir } };
  const env = await orRelease(ssh, createSshEnvironment(withDir));
  return {
    env,
    dir,
    async close() {
      await env.close();
      await Deno.remove(dir, { recursive: true });
      await ssh.release();
    },
    async breakDown() {
      // The server's end of the connection is the parent of the shell around a command.
      const { output } = await env.exec("cut -d' ' -f4 /proc/$PPID/stat", { taskId: "break" });
      Deno.kill(Number(output), "SIGKILL");
    },
  };
}
