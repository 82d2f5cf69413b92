/** Where the tools of a session work: its environment, and the walls around commands there. */
import { createEnvironment } from "../../environments/manifest.ts";
import type { Settings } from "../config/load.ts";
import type { Environment } from "../protocol/environment.ts";
import type { ProcessTable } from "../protocol/services.ts";
import type { GateOptions } from "./gate.ts";
import type { SessionWalls } from "./session_walls.ts";
import type { WallChoice } from "./wall_choice.ts";
import { WallFactsOf } from "./wall_facts.ts";

export interface PlaceOptions {
  settings: Settings;
  cwd: string;
  environment: string;
  processEnv: Readonly<Record<string, string>>;
  /** False for a session that leaves nothing. */
  persist: boolean;
  /** The directory that `~` means. */
  userHome: string;
  processes: ProcessTable;
  wallChoice: () => WallChoice;
  progress: (line: string) => void;
}

export interface ToolPlace {
  environment: Environment;
  /** Undefined where commands run elsewhere. */
  walls: SessionWalls | undefined;
  facts: WallFactsOf;
}

/** @throws {UsageError} for an unknown environment. */
export async function openPlace(options: PlaceOptions): Promise<ToolPlace> {
  const { settings, processEnv, userHome } = options;
  const facts = new WallFactsOf(options, userHome);
  const walls = await sessionWalls(options, facts);
  const sudoPassword = settings.env("SUDO_PASSWORD");
  const environment = await createEnvironment(options.environment, {
    cwd: options.cwd,
    env: sudoPassword === undefined ? processEnv : { ...processEnv, SUDO_PASSWORD: sudoPassword },
    home: userHome,
    passEnv: settings.config.terminal.env_passthrough,
    settings: settings.config.terminal,
    dataDir: settings.home.dir,
    credential: settings.env,
    onProgress: options.progress,
    ...walls === undefined ? {} : { walls },
  });
  return { environment, walls, facts };
}

/** Raised with the first command. */
async function sessionWalls(
  { settings, persist, processes, progress }: PlaceOptions,
  facts: WallFactsOf,
): Promise<SessionWalls | undefined> {
  const { backend, sandbox_required: required } = settings.config.terminal;
  if (backend !== "local") return undefined;
  const { SessionWalls } = await import("./session_walls.ts");
  return new SessionWalls({
    policy: async (own) => ({ ...await facts.now(), ...own }),
    required,
    ...persist ? { keptDir: settings.home.path("cache", "kept") } : {},
    isBusy: () => processes.list().some(({ endedBy }) => endedBy === undefined),
    notice: progress,
  });
}

/** The walls as the approval gate asks for them, and its news to them. */
export function wallsOfGate(
  { environment, walls, facts }: ToolPlace,
): Pick<GateOptions, "walls" | "onGranted"> {
  if (walls === undefined) return {};
  return {
    async walls() {
      await environment.prepare?.();
      return walls.inside;
    },
    onGranted(grant) {
      if (facts.grant(grant)) void walls.discard();
    },
  };
}
