/** Which variables move the cache of each tool, and where the person's own is. */
import { joinPath } from "../../util/path.ts";
import type { PolicyDisk } from "./disk.ts";

/** Below the cache directory of the person. */
export const PRIVATE_CACHES = "hermes/walls";

/** What a row may look at. */
export interface CacheContext {
  /** The project's own cache directory. */
  root: string;
  home: string;
  env: Readonly<Record<string, string | undefined>>;
  disk: PolicyDisk;
}

export interface CacheRow {
  tool: string;
  /** Why this is all the tool needs, or why it gets no more. */
  why: string;
  /** Set where caches are private; an empty value sets nothing. */
  variables(context: CacheContext): Record<string, string>;
  /** The person's own, below the home: writable where caches are shared. */
  shared?: readonly string[];
}

function below(variables: Readonly<Record<string, string>>) {
  return ({ root }: CacheContext): Record<string, string> =>
    Object.fromEntries(
      Object.entries(variables).map(([name, place]) => [name, joinPath(root, place)]),
    );
}

export const CACHE_ROWS: readonly CacheRow[] = [
  {
    tool: "everything else",
    why: "most tools keep to the XDG directory",
    variables: below({ XDG_CACHE_HOME: "xdg" }),
    shared: [".cache"],
  },
];
