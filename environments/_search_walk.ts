/** The files a search looks at, in path order: ripgrep's ignore and hidden rules, links not followed. */
import { IgnoreRules } from "../src/util/gitignore.ts";
import { dirname } from "../src/util/path.ts";

export interface FoundFile {
  path: string;
  /** Below its root; the name alone for a root that is a file. */
  relative: string;
  /** Given by name, so filters do not apply. */
  named: boolean;
}

/** One ignore file that applies to a directory: its rules speak of paths below `base`. */
interface Scope {
  base: string;
  rules: IgnoreRules;
}

/** Ignore files in order of precedence: all `.rgignore`, all `.ignore`, then `.gitignore`, each deepest first. */
interface Scopes {
  ripgrep: readonly Scope[];
  plain: readonly Scope[];
  git: readonly Scope[];
}

/** Files of the kernel have no end; they are searched only when a root lies in them. */
const KERNEL = new Set(["/proc", "/sys", "/dev"]);
const NO_SCOPES: Scopes = { ripgrep: [], plain: [], git: [] };

/** Files below the roots. `all` includes hidden and ignored ones, but never `.git`. */
export function* walkFiles(
  roots: readonly string[],
  options: { all: boolean },
): Generator<FoundFile> {
  for (const root of roots) {
    const info = statOrNothing(root);
    if (info?.isFile) {
      yield { path: root, relative: root.slice(root.lastIndexOf("/") + 1), named: true };
    }
    if (!info?.isDirectory) continue;
    const scopes = options.all ? NO_SCOPES : parentScopes(root);
    yield* walkDirectory(root, { prefix: root === "/" ? 1 : root.length + 1, scopes, ...options });
  }
}

interface WalkState {
  /** Length of the root with its slash. */
  prefix: number;
  scopes: Scopes;
  all: boolean;
}

function* walkDirectory(directory: string, state: WalkState): Generator<FoundFile> {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(directory)];
  } catch {
    // Not permitted, or gone: there is nothing to search in it.
    return;
  }
  const scopes = state.all ? NO_SCOPES : ownScopes(directory, entries, state.scopes);
  const slash = directory === "/" ? "/" : `${directory}/`;
  entries.sort((a, b) => a.name < b.name ? -1 : 1);
  for (const entry of entries) {
    if (!entry.isFile && !entry.isDirectory) continue;
    const path = slash + entry.name;
    if (KERNEL.has(path) || isLeftOut(path, entry, { ...state, scopes })) continue;
    if (entry.isFile) yield { path, relative: path.slice(state.prefix), named: false };
    else yield* walkDirectory(path, { ...state, scopes });
  }
}

function isLeftOut(path: string, entry: Deno.DirEntry, state: WalkState): boolean {
  if (state.all) return entry.name === ".git";
  const { ripgrep, plain, git } = state.scopes;
  for (const scopes of [ripgrep, plain, git]) {
    for (const { base, rules } of scopes) {
      const verdict = rules.verdict(path.slice(base.length), entry.isDirectory);
      // An explicit "keep" also brings back a hidden file.
      if (verdict !== undefined) return verdict === "ignore";
    }
  }
  return entry.name.startsWith(".");
}

/** The scopes of a directory: its own ignore files before those that came from above. */
function ownScopes(directory: string, entries: readonly Deno.DirEntry[], above: Scopes): Scopes {
  let { ripgrep, plain, git } = above;
  let ownGit: Scope[] = [];
  for (const { name } of entries) {
    if (!name.startsWith(".")) continue;
    // A repository does not obey the ignore files of the one around it.
    if (name === ".git") git = [];
    else if (name === ".gitignore") ownGit = loadScope(directory, name);
    else if (name === ".ignore") plain = [...loadScope(directory, name), ...plain];
    else if (name === ".rgignore") ripgrep = [...loadScope(directory, name), ...ripgrep];
  }
  return { ripgrep, plain, git: [...ownGit, ...git] };
}

/** What the directories above the root contribute. */
function parentScopes(root: string): Scopes {
  const ancestors: string[] = [];
  for (let at = root; at !== "/";) ancestors.push(at = dirname(at));
  let scopes = NO_SCOPES;
  for (const directory of ancestors.reverse()) {
    const names = [".git", ".gitignore", ".ignore", ".rgignore"]
      .filter((name) => statOrNothing(`${directory}/${name}`) !== undefined)
      .map((name) => ({ name, isFile: true, isDirectory: false, isSymlink: false }));
    scopes = ownScopes(directory, names, scopes);
  }
  return scopes;
}

function loadScope(directory: string, name: string): Scope[] {
  const base = directory === "/" ? "/" : `${directory}/`;
  try {
    return [{ base, rules: new IgnoreRules(Deno.readTextFileSync(base + name)) }];
  } catch {
    // An ignore file that cannot be read ignores nothing.
    return [];
  }
}

function statOrNothing(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    // Absent, or hidden by permissions: nothing there for a search.
    return undefined;
  }
}
