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
  /** Directories to make, mode 0700. */
  own: string[];
}

const NONE: CachePlaces = { env: {}, writable: [], own: [] };

/** What commands get for their caches. */
export function cachePlaces(facts: CacheFacts): CachePlaces {
  const { mode, home, env, disk } = facts;
  if (mode === "off" || home === "") return NONE;
  if (mode === "shared") {
    const shared = CACHE_ROWS.flatMap(({ shared = [] }) => shared)
      .map((place) => existing(home, place, disk)).filter((path) => path !== "");
    return { env: {}, writable: [...new Set(shared)], own: [] };
  }
  const given = env.XDG_CACHE_HOME ?? "";
  const caches = isAbsolute(given) ? given : joinPath(home, ".cache");
  const root = disk.real(joinPath(caches, PRIVATE_CACHES, facts.project));
  const context = {
    root,
    env: (name: string) => env[name] ?? "",
    there: (place: string) => existing(home, place, disk),
    text: (place: string) => existing(home, place, disk) && (disk.text(`${home}/${place}`) ?? ""),
  };
  const variables = CACHE_ROWS.flatMap((row) => Object.entries(row.variables(context)))
    .filter(([, value]) => value !== "");
  return { env: Object.fromEntries(variables), writable: [root], own: [root] };
}

/** The real path of a place below the home, or an empty text where there is none. */
function existing(home: string, place: string, disk: PolicyDisk): string {
  let at = home;
  for (const part of place.split("/")) {
    // Listings are kept: most of these places are on no machine.
    if (!disk.list(at)?.has(part)) return "";
    at = `${at}/${part}`;
  }
  return disk.real(at);
}
