/** Which walls hold: what a person chose while the session runs, else the settings. */
import type { Settings } from "../config/load.ts";
import type { SandboxMode } from "../protocol/sandbox.ts";

/** The walls that a person chose while the session runs, or that the approval policy wants. */
export interface WallChoice {
  sandbox?: SandboxMode | undefined;
  network?: string | undefined;
}

/** The mode that holds: `off` also where commands run elsewhere. */
export function sandboxMode(
  settings: Pick<Settings, "config">,
  chosen: WallChoice = {},
): SandboxMode {
  const { backend, sandbox } = settings.config.terminal;
  return backend === "local" ? chosen.sandbox ?? sandbox : "off";
}
