/**
 * Whether the place where commands shall run can be used at all, asked before a model is: a
 * missing program or address must not cost a request. Starts nothing there.
 */
import { ADMINS } from "../../environments/admin.ts";
import type { Settings } from "../config/load.ts";
import { HermesError, UsageError } from "../protocol/error.ts";
import { reasonOf } from "../util/reason.ts";

export interface EnvironmentCheckOptions {
  settings: Settings;
  cwd: string;
  processEnv: Readonly<Record<string, string>>;
  progress: (line: string) => void;
}

/** @throws {UsageError} that says why commands cannot run where the settings say. */
export async function requireEnvironment(options: EnvironmentCheckOptions): Promise<void> {
  const { settings, cwd, processEnv, progress } = options;
  const { terminal } = settings.config;
  const admin = await ADMINS[terminal.backend]?.();
  try {
    await admin?.look({
      cwd,
      env: processEnv,
      home: processEnv.HOME ?? "/",
      passEnv: terminal.env_passthrough,
      settings: terminal,
      dataDir: settings.home.dir,
      credential: settings.env,
      onProgress: progress,
    });
  } catch (error) {
    if (error instanceof HermesError) throw error;
    const message = `commands cannot run in ${terminal.backend}: ${reasonOf(error)}`;
    throw new UsageError(message, { cause: error });
  }
}
