/**
 * The walls around the commands of a session, from its settings: the one place where flags,
 * settings and what is known of this machine become a policy. Loaded when the first tool runs.
 */
import type { Settings } from "../config/load.ts";
import type { SandboxGrant, SandboxPolicy } from "../protocol/sandbox.ts";
import { HostDisk } from "../sandbox/command/disk.ts";
import { readNetwork } from "../sandbox/command/network_words.ts";
import { type OwnDirectories, sandboxPolicy } from "../sandbox/command/policy.ts";
import { sandboxMode, type WallChoice } from "./wall_choice.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { protectedPlaces } from "./protected_places.ts";

export interface WallFacts {
  settings: Pick<Settings, "config" | "home" | "origin">;
  /** The session's directory. */
  cwd: string;
  /** The directory that `~` means. */
  userHome: string;
  /** The variables hermes was started with. */
  env: Readonly<Record<string, string | undefined>>;
  /** The walls that hold instead of those of the settings. */
  chosen?: WallChoice;
  /** Protected places; looked up when absent. */
  places?: ProtectedPlaces;
  grants?: readonly SandboxGrant[];
  /** Directories of this session that commands need although their like is closed. */
  own?: OwnDirectories;
}

/**
 * The policy; undefined where no walls stand: the mode is `off`, or commands run elsewhere.
 * @throws {UsageError} for a network that is none.
 */
export function sessionPolicy(facts: WallFacts): SandboxPolicy | undefined {
  const { settings, cwd, userHome, env } = facts;
  const { terminal } = settings.config;
  const { chosen = {} } = facts;
  const mode = sandboxMode(settings, chosen);
  if (mode === "off") return undefined;
  const name = settings.origin("terminal.network") === "flag" ? "--network" : "terminal.network";
  return sandboxPolicy({
    mode,
    network: readNetwork(chosen.network ?? terminal.network, { mode, name }),
    cwd,
    home: userHome,
    places: facts.places ?? protectedPlaces({ home: settings.home, userHome, env }),
    env,
    settings: {
      writable: terminal.sandbox_writable,
      hidden: terminal.sandbox_hidden,
      caches: terminal.sandbox_caches,
      memoryMb: terminal.sandbox_memory,
      passEnv: terminal.env_passthrough,
    },
    ...(facts.grants === undefined ? {} : { grants: facts.grants }),
    ...(facts.own === undefined ? {} : { own: facts.own }),
    disk: new HostDisk(),
  });
}
