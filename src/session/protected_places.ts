/**
 * Where this process keeps what it trusts, under every name: the user's home, the hermes home,
 * the program and its caches. Asked once a session, when the first command or file tool runs.
 */
import { type Home, resolveHome } from "../config/home.ts";
import { type HomeLinks, homeLinks } from "../config/home_links.ts";
import { runtimeCacheDir } from "../sandbox/child/child_command.ts";
import { existsSync } from "../util/exists.ts";
import { basename, dirname, isAbsolute, isWithin, joinPath, resolvePath } from "../util/path.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { buildKind, executablePath, installedFile, portableRoot } from "../util/runtime.ts";

export interface PlaceFacts {
  home: Pick<Home, "root">;
  /** What `~` means. */
  userHome: string;
  /** The variables hermes was started with. */
  env: Readonly<Record<string, string | undefined>>;
  /** The directory hermes was started in; default the one it is in now. */
  cwd?: string;
}

/** The places, links and what they lead to both listed. */
export function protectedPlaces(facts: PlaceFacts): ProtectedPlaces {
  const roots = hermesHomePlaces(facts);
  const links = roots.map(homeLinks);
  const ends = (kind: keyof HomeLinks) =>
    links.flatMap((found) => found[kind]).filter((path) => !isWithin(facts.userHome, path));
  return {
    homes: namesOf([facts.userHome]),
    hermesHomes: namesOf([...roots, ...ends("homes")]),
    trustedBase: namesOf([...programPlaces(facts), ...ends("believed")]),
    secrets: namesOf(ends("secrets")),
    programs: namesOf(searchedPlaces(facts)),
  };
}

/** Files that are hermes when they are run, links and what they lead to both listed. */
export function hermesPrograms(env: PlaceFacts["env"], cwd: string = Deno.cwd()): string[] {
  const programs = installedPlaces(env, cwd);
  if (buildKind() === "compiled") programs.push(executablePath());
  else if (Deno.mainModule.startsWith("file:")) {
    const main = decodeURIComponent(new URL(Deno.mainModule).pathname);
    if (/\/main\.[jt]s$/.test(main)) programs.push(main);
  }
  return namesOf(programs);
}

/** The home in use, and the one that a hermes without `HERMES_HOME` would use. */
function hermesHomePlaces({ home, userHome }: PlaceFacts): string[] {
  const usual = userHome === "" ? [] : [resolveHome({ env: { HOME: userHome } }).root];
  return [home.root, ...usual];
}

/**
 * The installed file, the runtime that executes it, and every directory a portable executable
 * may be unpacked into, whichever of them is in use now: the next start looks there first. From
 * source the runtime's cache holds compiled modules; the checkout itself may be edited.
 */
function programPlaces({ env, userHome, cwd = Deno.cwd() }: PlaceFacts): string[] {
  const places = [...installedPlaces(env, cwd), executablePath()];
  const unpacked = portableRoot();
  if (unpacked !== undefined) places.push(dirname(unpacked));
  if (env.HERMES_BIN_CACHE) places.push(resolvePath(cwd, env.HERMES_BIN_CACHE));
  const caches = env.XDG_CACHE_HOME || (userHome === "" ? "" : joinPath(userHome, ".cache"));
  // `npm` is where the npm package keeps the executables that it starts.
  const kept = caches === "" ? [] : ["hermes/bin", "hermes/npm"];
  places.push(...kept.map((name) => resolvePath(cwd, joinPath(caches, name))));
  places.push(joinPath(env.TMPDIR || "/tmp", `hermes-${Deno.uid() ?? 0}`));
  if (buildKind() === "source") {
    const cache = runtimeCacheDir(env as Record<string, string>);
    if (cache !== undefined) places.push(resolvePath(cwd, cache));
  }
  return places;
}

/** The installed file, the one of before the last update, and the next one while it is tried. */
function installedPlaces(env: PlaceFacts["env"], cwd: string): string[] {
  const installed = installedFile(env);
  if (installed === undefined) return [];
  // A shell that was given the file by a relative name passes that name on.
  const path = resolvePath(cwd, installed);
  return [path, `${path}.old`, `${path}.new`];
}

/** Programs that hermes itself starts by name: to search, to check syntax, to reach elsewhere. */
const STARTED = ["bash", "rg", "grep", "find", "python3", "gofmt", "rustfmt", "ssh", "docker"];

/**
 * Directories of the PATH, and where a link there leads for a program that hermes starts. A
 * directory that holds the work itself is left out: all of the work would be protected.
 */
function searchedPlaces({ env, userHome, cwd = Deno.cwd() }: PlaceFacts): string[] {
  const dirs = [...new Set((env.PATH ?? "").split(":"))].filter((dir) =>
    isAbsolute(dir) && !isWithin(cwd, dir) && !isWithin(userHome, dir)
  );
  const programs = STARTED.flatMap((name) => {
    const path = dirs.map((dir) => joinPath(dir, name)).find(existsSync);
    return path === undefined ? [] : [realName(path)];
  });
  return [...dirs, ...programs];
}

function namesOf(paths: readonly string[]): string[] {
  return [...new Set([...paths, ...paths.map(realName)])]
    .filter((path) => path !== "" && path !== "/");
}

/** The path behind links, also where its last parts are still to be made. */
function realName(path: string): string {
  try {
    return Deno.realPathSync(path);
  } catch {
    const parent = dirname(path);
    // Nothing of it exists or may be looked at: its name is all there is.
    if (parent === path || parent === ".") return path;
    return joinPath(realName(parent), basename(path));
  }
}
