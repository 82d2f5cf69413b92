/**
 * Where links inside a hermes home lead. People keep `config.yaml` or whole profiles elsewhere
 * and link them; what hermes believes is then a file outside the home, and as protected as the
 * rest. Reads directories and links, no content.
 */
import { dirname, isWithin, joinPath, resolvePath } from "../util/path.ts";
import { HERMES_SECRETS } from "../util/protected_paths_data.ts";

export interface HomeLinks {
  /** Real directories of linked profiles: homes like the one they are linked from. */
  homes: string[];
  /** Files and directories that decide what hermes does. */
  believed: string[];
  /** Files that hold keys. */
  secrets: string[];
}

/** Entries of a home that hermes believes; a link from another name protects nothing. */
const BELIEVED =
  /^(?:config\.yaml|shell-hooks-allowlist\.json|plugin-pins\.json|plugins\.lock|state\.db(?:-wal|-shm)?|cache|hooks|blobs)$/;
const MAX_LINKS = 40;

/** The links of a home root and of its profiles that lead out of the root. */
export function homeLinks(root: string): HomeLinks {
  const found: HomeLinks = { homes: [], believed: [], secrets: [] };
  const profiles = joinPath(root, "profiles");
  const dirs = [root, ...entriesOf(profiles).map(({ name }) => joinPath(profiles, name))];
  const roots = [root, target(root)];
  const isOutside = (path: string) => !roots.some((one) => isWithin(path, one));
  for (const dir of dirs) {
    const real = target(dir);
    if (isOutside(real)) found.homes.push(real);
    for (const { name, isSymlink } of entriesOf(dir)) {
      if (!isSymlink) continue;
      const end = target(joinPath(dir, name));
      if (!isOutside(end)) continue;
      if (HERMES_SECRETS.test(name)) found.secrets.push(end);
      else if (BELIEVED.test(name)) found.believed.push(end);
    }
  }
  return found;
}

function entriesOf(dir: string): Deno.DirEntry[] {
  try {
    return [...Deno.readDirSync(dir)];
  } catch {
    // Not made yet, or not ours to look at.
    return [];
  }
}

/** The end of a chain of links, also when nothing is there yet: a write would make it. */
function target(path: string): string {
  let at = path;
  for (let i = 0; i < MAX_LINKS; i++) {
    try {
      return Deno.realPathSync(at);
    } catch {
      // Something on the way is missing; links before that still count.
    }
    try {
      at = resolvePath(dirname(at), Deno.readLinkSync(at));
    } catch {
      return at;
    }
  }
  return at;
}
