/**
 * Where package managers keep what they fetch behind the walls: a directory of the project's own,
 * the person's, or nowhere. Makes nothing; `own` names the directories that must be made first.
 */
import type { CacheMode } from "../../protocol/sandbox.ts";
import { isAbsolute, joinPath } from "../../util/path.ts";
import { CACHE_ROWS, PRIVATE_CACHES } from "./caches_data.ts";
import type { PolicyDisk } from "./disk.ts";

export interface CacheFacts {
  mode: CacheMode;
  /** Names the project's own directory. */
  project: string;
  /** Real path of the home; empty where there is none. */
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  disk: PolicyDisk;
}

export interface CachePlaces {
  env: Record<string, string>;
  writable: string[];
  /** Directories to make, mode 0700, parents first. */
  own: string[];
}

const NONE: CachePlaces = { env: {}, writable: [], own: [] };

export function cachePlaces(facts: CacheFacts): CachePlaces {
  const { mode, home, env, disk } = facts;
  if (mode === "off" || home === "") return NONE;
  if (mode === "shared") {
    const shared = CACHE_ROWS.flatMap(({ shared = [] }) => shared)
      .map((place) => joinPath(home, place))
      .filter((path) => disk.kind(path) !== undefined).map((path) => disk.real(path));
    return { env: {}, writable: [...new Set(shared)], own: [] };
  }
  const given = env.XDG_CACHE_HOME ?? "";
  const caches = isAbsolute(given) ? given : joinPath(home, ".cache");
  const root = disk.real(joinPath(caches, PRIVATE_CACHES, facts.project));
  const places = { root, home, env, disk };
  const variables = CACHE_ROWS.flatMap(({ variables }) => Object.entries(variables(places)));
  return {
    env: Object.fromEntries(variables.filter(([, value]) => value !== "")),
    writable: [root],
    own: [root],
  };
}
