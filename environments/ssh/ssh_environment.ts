/**
 * Commands and files on another host, over the system's `ssh`: its keys, agent, configuration
 * and known hosts. Host keys are always checked.
 */
import type { Environment } from "../../src/protocol/environment.ts";
import { EnvironmentError } from "../../src/protocol/error.ts";
import { which } from "../../src/util/which.ts";
import { clientEnvironment } from "../../src/process/child_environment.ts";
import { createRemoteEnvironment } from "../remote/remote_environment.ts";
import { passedVariables, readWords } from "../settings.ts";
import { sshSettings } from "./_ssh_args.ts";
import { SshHost } from "./_ssh_host.ts";
import { parseSync } from "../remote/directory_sync.ts";
import type { EnvironmentOptions } from "../options.ts";

/** Connects. @throws EnvironmentError when the host cannot be reached. */
export async function createSshEnvironment(options: EnvironmentOptions): Promise<Environment> {
  return await createRemoteEnvironment({
    name: "ssh",
    // A person's machine with a person's files: every rule applies.
    sharesHost: true,
    host: await openSsh(options),
    exports: passedVariables(options),
    login: true,
    sync: parseSync(readWords(options.settings ?? {}, "ssh_sync"), options),
    settings: options.settings,
    onProgress: options.onProgress,
  });
}

/** The host; connects to nothing yet. */
export async function openSsh(options: EnvironmentOptions): Promise<SshHost> {
  const { env, home } = options;
  const settings = sshSettings(options.settings);
  const program = await which("ssh", env.PATH);
  if (program === undefined) {
    throw new EnvironmentError("ssh is not installed. Install an OpenSSH client");
  }
  // The agent is asked; a program that would ask a person is not.
  const clientEnv = clientEnvironment(env, {
    pass: ["SSH_AUTH_SOCK", "SSH_AGENT_PID", "KRB5CCNAME"],
    home,
  });
  const key = settings.key.replace(/^~(?=\/)/, home);
  return new SshHost({
    settings: { ...settings, key },
    program,
    env: clientEnv,
    tempDir: options.tempDir ?? env.TMPDIR ?? "/tmp",
  });
}
