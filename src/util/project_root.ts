/**
 * Which project a directory belongs to: the git work tree around it, else the directory itself.
 * The home directory and `/` are no project, whatever lies in them.
 */
import { existsSync } from "./exists.ts";
import { dirname } from "./path.ts";

export interface ProjectRootOptions {
  /** The user's home, under each of its names. */
  homes: readonly string[];
  exists?: (path: string) => boolean;
}

/** `directory` is absolute and normalised. */
export function projectRoot(directory: string, options: ProjectRootOptions): string {
  const { homes, exists = existsSync } = options;
  for (let at = directory; at !== "/" && !homes.includes(at); at = dirname(at)) {
    if (exists(`${at}/.git`)) return at;
  }
  return directory;
}
