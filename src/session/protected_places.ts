/**
 * Where this process keeps what it trusts, under every name: the user's home, the hermes home,
 * the program and its caches. Asked once a session, when the first command or file tool runs.
 */
import type { Home } from "../config/home.ts";
import { basename, dirname, joinPath } from "../util/path.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { childCacheDir, executablePath, installedFile, isStandalone } from "../util/runtime.ts";

export interface PlaceFacts {
  home: Pick<Home, "root">;
  /** What `~` means. */
  userHome: string;
  /** The variables hermes was started with. */
  env: Readonly<Record<string, string | undefined>>;
}

/** The places, links and what they lead to both listed. */
export async function protectedPlaces(facts: PlaceFacts): Promise<ProtectedPlaces> {
  const [homes, hermesHomes, trustedBase] = await Promise.all([
    namesOf([facts.userHome]),
    namesOf([facts.home.root]),
    namesOf(programPlaces(facts.env)),
  ]);
  return { homes, hermesHomes, trustedBase };
}

/** Files that are hermes when they are run, links and what they lead to both listed. */
export async function hermesPrograms(env: PlaceFacts["env"]): Promise<string[]> {
  const installed = installedFile(env);
  const programs = installed === undefined ? [] : [installed];
  if (isStandalone()) programs.push(executablePath());
  else if (Deno.mainModule.startsWith("file:")) {
    const main = decodeURIComponent(new URL(Deno.mainModule).pathname);
    if (/\/main\.[jt]s$/.test(main)) programs.push(main);
  }
  return await namesOf(programs);
}

/** The installed file, and the directory that holds the unpacked versions and their caches. */
function programPlaces(env: PlaceFacts["env"]): string[] {
  const installed = installedFile(env);
  const cache = childCacheDir();
  return [
    ...(installed === undefined ? [] : [installed]),
    ...(cache === undefined ? [] : [dirname(dirname(cache))]),
  ];
}

async function namesOf(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(paths.map(realName));
  return [...new Set([...paths, ...real])].filter((path) => path !== "");
}

/** The path behind links, also where its last parts are still to be made. */
async function realName(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    const parent = dirname(path);
    // Nothing of it exists or may be looked at: its name is all there is.
    if (parent === path || parent === ".") return path;
    return joinPath(await realName(parent), basename(path));
  }
}
