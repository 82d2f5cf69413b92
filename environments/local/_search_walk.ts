/**
 * The files a search looks at, in path order: ripgrep's ignore and hidden rules, links not
 * followed. What the kernel makes up (`/proc`, `/sys`, devices) is never walked.
 */
import { readForeignText } from "../../src/text/foreign_text.ts";
import { IgnoreRules } from "../../src/text/gitignore.ts";
import { dirname } from "../../src/util/path.ts";
import { KERNEL_FILE_SYSTEMS, KERNEL_FILES } from "../../src/util/protected_paths_data.ts";

export interface FoundFile {
  path: string;
  /** Below its root; the name alone for a root that is a file. */
  relative: string;
  /** Given by name, so filters do not apply. */
  named: boolean;
}

/** An ignore file that applies to a directory: its rules speak of paths below `base`. */
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

const MAX_IGNORE_BYTES = 1 << 20;
const NO_SCOPES: Scopes = { ripgrep: [], plain: [], git: [] };

/**
 * Files below the roots. `all` includes hidden and ignored ones, but never `.git`. Undefined stands
 * for an entry that is none of them: looking at it takes time, too.
 */
export function* walkFiles(
  roots: readonly string[],
  options: { all: boolean },
): Generator<FoundFile | undefined> {
  const skipped = kernelMounts();
  for (const root of roots) {
    if (isBelow(root, skipped)) continue;
    const info = statOrNothing(root);
    if (info?.isFile) {
      yield { path: root, relative: root.slice(root.lastIndexOf("/") + 1), named: true };
    }
    if (!info?.isDirectory) continue;
    const scopes = options.all ? NO_SCOPES : parentScopes(root);
    const prefix = root === "/" ? 1 : root.length + 1;
    yield* walkDirectory(root, { prefix, scopes, skipped, ...options });
  }
}

interface WalkState {
  /** Length of the root with its slash. */
  prefix: number;
  scopes: Scopes;
  /** Directories that are not entered. */
  skipped: ReadonlySet<string>;
  all: boolean;
}

/** Where this system has its kernel file systems, also those inside other roots. */
function kernelMounts(): ReadonlySet<string> {
  const mounts = new Set<string>();
  try {
    for (const line of Deno.readTextFileSync("/proc/self/mountinfo").split("\n")) {
      const [place, source] = line.split(" - ");
      if (!KERNEL_FILE_SYSTEMS.has(source?.split(" ")[0] ?? "")) continue;
      const path = place!.split(" ")[4] ?? "";
      mounts.add(
        path.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(parseInt(code, 8))),
      );
    }
  } catch {
    // Not Linux: the usual names are all there is to go by.
  }
  return mounts;
}

function isBelow(path: string, places: ReadonlySet<string>): boolean {
  if (KERNEL_FILES.test(path)) return true;
  for (let at = path; at !== "/" && at !== "."; at = dirname(at)) if (places.has(at)) return true;
  return false;
}

function* walkDirectory(
  directory: string,
  state: WalkState,
): Generator<FoundFile | undefined> {
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
    const path = slash + entry.name;
    if (isPassedOver(path, entry, { ...state, scopes })) yield undefined;
    else if (entry.isFile) yield { path, relative: path.slice(state.prefix), named: false };
    else yield* walkDirectory(path, { ...state, scopes });
  }
}

function isPassedOver(path: string, entry: Deno.DirEntry, state: WalkState): boolean {
  if (!entry.isFile && !entry.isDirectory) return true;
  if (entry.isDirectory && (state.skipped.has(path) || KERNEL_FILES.test(path))) return true;
  return isLeftOut(path, entry, state);
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

/** The ignore files of the directories above the root. */
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
  // An ignore file that cannot be read ignores nothing.
  const text = readForeignText(base + name, MAX_IGNORE_BYTES);
  return text === undefined ? [] : [{ base, rules: new IgnoreRules(text) }];
}

function statOrNothing(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    // Absent, or hidden by permissions: nothing there for a search.
    return undefined;
  }
}
