/** Puts an environment together from a place and the shells and files in it. */
import type { Environment } from "../../src/protocol/environment.ts";
import { resolvePath } from "../../src/util/path.ts";
import { remoteFiles } from "./_remote_files.ts";
import type { RemoteHost } from "./remote_host.ts";
import { RemoteShell } from "./_remote_shell.ts";
import { ShellEnvironment } from "../shell_environment.ts";
import { startDirectory } from "../start_directory.ts";
import { DirectorySync, pushingFirst, type SyncedDirectory, withSync } from "./directory_sync.ts";

export interface RemoteEnvironmentOptions {
  name: string;
  sharesHost: boolean;
  host: RemoteHost;
  /** Exports every task starts from. */
  exports: Readonly<Record<string, string>>;
  /** Take over what a login shell exports. */
  login?: boolean;
  /** Directories to keep equal. */
  sync?: readonly SyncedDirectory[];
  /** The `terminal` section of the configuration. */
  settings?: Readonly<Record<string, unknown>> | undefined;
  onProgress?: ((line: string) => void) | undefined;
}

/** Connects. @throws EnvironmentError when the place cannot be reached. */
export async function createRemoteEnvironment(
  options: RemoteEnvironmentOptions,
): Promise<Environment> {
  const shell = new RemoteShell(options);
  try {
    const { home } = await shell.facts();
    const start = startDirectory(options.name, options.settings);
    const { onProgress = () => {} } = options;
    const syncs = (options.sync ?? []).map((pair) =>
      new DirectorySync({ ...pair, remote: resolvePath(home, pair.remote) }, {
        runner: shell,
        onProgress,
      })
    );
    const { persistent_shell: persistent, daemon_term_grace_seconds: grace } = options.settings ??
      {};
    return new ShellEnvironment({
      name: options.name,
      sharesHost: options.sharesHost,
      cwd: resolvePath(home, start.replace(/^~\/?/, "")),
      home,
      shell: syncs.length === 0 ? shell : withSync(shell, syncs, { onProgress }),
      files: remoteFiles(syncs.length === 0 ? shell : pushingFirst(shell, syncs)),
      persistent: persistent !== false,
      killGraceMs: typeof grace === "number" ? grace * 1000 : undefined,
    });
  } catch (error) {
    await shell.clean();
    throw error;
  }
}
