/**
 * Every name a file has. Links, mounts, hard links and file systems that ignore case give a
 * protected file names that no list of paths knows; device and inode tell them.
 */
import type { FileIdentity } from "../src/protocol/environment.ts";
import type { ToolServices } from "../src/protocol/services.ts";
import type { ToolContext } from "../src/protocol/tool.ts";
import { dirname, joinPath } from "../src/util/path.ts";
import { type ProtectedPlaces, protectionOf } from "../src/util/protected_paths.ts";
import { SECRET_DIRECTORIES, SECRET_FILES } from "../src/util/protected_paths_data.ts";

/** Deeper than this below a directory of keys, hard links are not looked for. */
const MAX_DEPTH = 3;

const joined = new WeakMap<ToolServices, ProtectedPlaces>();

/** The places as the session knows them, and those that the environment's own paths suggest. */
export async function protectedPlaces(ctx: ToolContext): Promise<ProtectedPlaces> {
  let places = joined.get(ctx.services);
  if (places !== undefined) return places;
  const home = ctx.env.resolve("~", ctx.taskId);
  const known = await ctx.services.protectedPlaces?.();
  places = {
    ...known,
    homes: unique([home, ...known?.homes ?? []]),
    hermesHomes: unique([joinPath(home, ".hermes"), ...known?.hermesHomes ?? []]),
    trustedBase: known?.trustedBase ?? [],
  };
  joined.set(ctx.services, places);
  return places;
}

/**
 * The given paths and, for each directory above the real one that is a protected place by
 * another name, the path under that place.
 */
export function allNames(
  ctx: ToolContext,
  file: { path: string; real: string },
  places: ProtectedPlaces,
): string[] {
  const names = unique([file.path, file.real]);
  const { identify } = ctx.env;
  if (identify === undefined) return names;
  const chain = ancestors(file.real);
  const known = placesById(identify, places);
  for (const [i, identity] of identify(chain).entries()) {
    const place = known.get(identity?.id ?? "");
    if (place !== undefined) names.push(joinPath(place, file.real.slice(chain[i]!.length)));
  }
  return unique(names);
}

/** How long the identities of places count: looking at thirty paths takes half a millisecond. */
const KNOWN_MS = 5000;

interface Known {
  at: number;
  byId: Map<string, string>;
}

const knownPlaces = new WeakMap<ProtectedPlaces, Known>();

function placesById(
  identify: NonNullable<ToolContext["env"]["identify"]>,
  places: ProtectedPlaces,
): Map<string, string> {
  const now = performance.now();
  const before = knownPlaces.get(places);
  if (before !== undefined && now - before.at < KNOWN_MS) return before.byId;
  const known = knownDirectories(places);
  const byId = new Map<string, string>();
  for (const [i, identity] of identify(known).entries()) {
    if (identity !== undefined && !byId.has(identity.id)) byId.set(identity.id, known[i]!);
  }
  knownPlaces.set(places, { at: now, byId });
  return byId;
}

/**
 * Identities of files with keys that have more than one hard link. Nearly always empty: then no
 * other file can be one of them.
 */
export async function linkedSecrets(
  ctx: ToolContext,
  places: ProtectedPlaces,
  nearby: readonly string[],
): Promise<Set<string>> {
  const { identify } = ctx.env;
  const found = new Set<string>();
  if (identify === undefined) return found;
  const paths = [
    ...places.trustedBase,
    ...places.secrets ?? [],
    ...places.homes.flatMap((home) => SECRET_FILES.map((name) => joinPath(home, name))),
    ...(await Promise.all([
      ...places.homes.flatMap((home) =>
        SECRET_DIRECTORIES.map((name) => filesIn(ctx, joinPath(home, name), MAX_DEPTH))
      ),
      ...places.hermesHomes.flatMap((home) => hermesFiles(ctx, home)),
      ...nearby.map((directory) => filesIn(ctx, directory, 0)),
    ])).flat(),
  ].filter((path) => (protectionOf(path, places)?.read ?? "free") !== "free");
  for (const identity of identify(unique(paths))) {
    if (identity !== undefined && isLinkedFile(identity)) found.add(identity.id);
  }
  return found;
}

function isLinkedFile({ kind, links }: FileIdentity): boolean {
  return kind === "file" && links > 1;
}

/** Files of a hermes home and its profiles in which keys are kept. */
function hermesFiles(ctx: ToolContext, home: string): Promise<string[]>[] {
  const profiles = filesIn(ctx, joinPath(home, "profiles"), 2);
  const own = ["", "auth", "mcp-tokens", "pairing", "skills/.hub", "cache"]
    .map((name) => filesIn(ctx, joinPath(home, name), 0));
  return [profiles, ...own];
}

async function filesIn(ctx: ToolContext, directory: string, depth: number): Promise<string[]> {
  const entries = await ctx.env.list(directory).catch(() => []);
  const nested = entries.map(({ name, kind }) => {
    const path = joinPath(directory, name);
    if (kind === "file") return [path];
    return kind === "directory" && depth > 0 ? filesIn(ctx, path, depth - 1) : [];
  });
  return (await Promise.all(nested)).flat();
}

/** Directories whose identity says that a file below them is protected. */
function knownDirectories(places: ProtectedPlaces): string[] {
  return unique([
    ...places.hermesHomes,
    ...places.trustedBase,
    ...places.secrets ?? [],
    ...places.programs ?? [],
    ...places.homes.flatMap((home) => SECRET_DIRECTORIES.map((name) => joinPath(home, name))),
    ...places.homes.filter((home) => home !== "/"),
  ]);
}

/** The path and every directory above it but the root. */
function ancestors(path: string): string[] {
  const chain: string[] = [];
  for (let at = path; at !== "/" && at !== "."; at = dirname(at)) chain.push(at);
  return chain;
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
