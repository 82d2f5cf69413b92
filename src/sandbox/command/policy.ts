/**
 * From what is known of a session to the walls around its commands, as data. Looks at names and
 * links on the disk, changes nothing. What holds whatever a person grants is decided here, once:
 * readers of the policy need one rule, `placeOf()`: the deepest place that holds a path decides.
 */
import type {
  CacheMode,
  NetworkAccess,
  SandboxGrant,
  SandboxMode,
  SandboxPolicy,
} from "../../protocol/sandbox.ts";
import { dirname, isAbsolute, isWithin, joinPath, resolvePath } from "../../util/path.ts";
import type { ProtectedPlaces } from "../../util/protected_paths.ts";
import {
  HOME_CREDENTIALS,
  HOME_HISTORIES,
  SYSTEM_SECRET_PLACES,
} from "../../util/secret_places_data.ts";
import { cachePlaces } from "./caches.ts";
import type { PolicyDisk } from "./disk.ts";
import { gitVariables } from "./git_variables.ts";
import {
  ALWAYS_READABLE,
  COMMAND_LIMITS,
  HOME_SOCKET_PLACES,
  OTHER_HOMES,
  SOCKET_DIRECTORY_VARIABLES,
  SOCKET_PLACES,
  SOCKET_VARIABLES,
  TEMPORARY_SOCKET_PLACES,
  TOO_WIDE,
} from "./policy_data.ts";
import { projectId, workspaceOf } from "./workspace.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Settings of `terminal` that are about the walls. */
export interface PolicySettings {
  /** More places that commands may change, `~` allowed. */
  writable: readonly string[];
  /** More places that commands may not read, `~` allowed. */
  hidden: readonly string[];
  caches: CacheMode;
  /** Private memory of one process at most; 0 or absent is no limit. */
  memoryMb?: number;
  /** Variables that reach commands by name. */
  passEnv: readonly string[];
}

/** Directories of this session; `hidden` ones hold the others. */
export interface OwnDirectories {
  writable?: readonly string[];
  readable?: readonly string[];
  hidden?: readonly string[];
}

export interface PolicyFacts {
  mode: Exclude<SandboxMode, "off">;
  /** Default: `on`, in `read-only` `off`. */
  network?: NetworkAccess | undefined;
  /** The session's directory. */
  cwd: string;
  /** What `~` means. */
  home: string;
  /** Hermes itself, under each of its names. */
  places: ProtectedPlaces;
  /** The variables hermes was started with. */
  env: Variables;
  settings: PolicySettings;
  grants?: readonly SandboxGrant[];
  /** Directories of this session that commands need although their like is closed. */
  own?: OwnDirectories;
  disk: PolicyDisk;
}

/** The walls around the commands of a session. */
export function sandboxPolicy(facts: PolicyFacts): SandboxPolicy {
  const { mode, disk, settings } = facts;
  const home = facts.home === "" || facts.home === "/" ? "" : disk.real(facts.home);
  const grants = facts.grants ?? [];
  const { trusted, programs } = trustedPlaces(facts);
  const secrets = secretPlaces(facts, home);
  const outside = (path: string) => !trusted.some((one) => isWithin(path, one));
  // A session that was begun among keys does not open them; a yes to this very place does.
  const ordinary = (path: string) => outside(path) && !secrets.some((one) => isWithin(path, one));
  const workspace = workspaceOf(facts.cwd, home, disk).filter(ordinary);
  const granted = (kind: SandboxGrant["kind"]) =>
    grants.filter((grant) => grant.kind === kind)
      .flatMap(({ value }) => placeNames([value], facts, { home, inside: workspace }));
  const [granting, reading] = [granted("path-write"), granted("path-read")];
  const caches = cachePlaces({
    mode: mode === "read-only" ? "off" : settings.caches,
    project: projectId(workspace[0] ?? disk.real(facts.cwd)),
    home,
    env: facts.env,
    disk,
  });
  const configured = mode === "read-only"
    ? []
    : placeNames(settings.writable, facts, { home, inside: workspace });
  const writable = [...configured, ...caches.writable].filter(ordinary);
  writable.push(...(facts.own?.writable ?? []).map((path) => disk.real(path)));
  writable.push(...granting.filter((path) => outside(path) && !programs.includes(path)));
  // Who opens what holds the home means the home as well, though homes are closed.
  if (home !== "" && writable.some((path) => path !== home && isWithin(home, path))) {
    writable.push(home);
  }
  const own = { hidden: (facts.own?.hidden ?? []).map((path) => disk.real(path)) };
  const opened = [...granting, ...reading].filter(outside);
  const wanted = [...workspace, ...writable, ...opened];
  const hidden = [
    ...secrets,
    ...neighbours(facts, home),
    ...placeNames(settings.hidden, facts, { home }),
  ].filter((path) => !wanted.includes(path));
  return {
    mode,
    network: networkWith(facts.network ?? (mode === "read-only" ? "off" : "on"), grants),
    workspace,
    writable: unique(writable).filter((path) => !workspace.includes(path)),
    hidden: unique([...trusted, ...own.hidden, ...hidden]).sort(),
    readable: unique([...readablePlaces(facts, { home, workspace }), ...opened])
      .filter((path) => !workspace.includes(path) && !writable.includes(path))
      .concat(programs).sort(),
    env: { ...caches.env, ...gitVariables(facts.env, settings.passEnv) },
    limits: { ...COMMAND_LIMITS, memoryBytes: (settings.memoryMb ?? 0) * 2 ** 20 },
    own: caches.own,
  };
}

/**
 * Hermes' home, program and caches: closed whatever is granted. A program that is one file among
 * others (`/usr/bin/hermes`) can be read, which gives nothing away, but not changed.
 */
function trustedPlaces({ places, disk }: PolicyFacts): { trusted: string[]; programs: string[] } {
  const base = unique(places.trustedBase);
  const programs = base.filter((path) => disk.kind(path) === "file");
  const trusted = [
    ...places.hermesHomes,
    ...places.secrets ?? [],
    ...base.filter((path) => !programs.includes(path)),
  ];
  return { trusted: unique(trusted), programs };
}

/** Credentials and histories of the person, secrets of the system. */
function secretPlaces(facts: PolicyFacts, home: string): string[] {
  const below = [...HOME_CREDENTIALS, ...HOME_HISTORIES].map((place) => place.replace(/\/$/, ""));
  const own = home === "" ? [] : below.flatMap((place) => namesBelow(home, place, facts));
  return [
    ...own,
    ...SYSTEM_SECRET_PLACES.flatMap((place) => namesBelow("/", place.slice(1), facts)),
  ];
}

/** Other users' homes, and where sockets are. */
function neighbours(facts: PolicyFacts, home: string): string[] {
  const { disk, env } = facts;
  const directories = SOCKET_DIRECTORY_VARIABLES.map((name) => env[name] ?? "").filter(isAbsolute)
    .map((path) => disk.real(path));
  const named = SOCKET_VARIABLES.flatMap((name) => socketPlaces(env[name] ?? "", facts));
  return [
    // These do hold the person's own and the work, which stay open.
    ...OTHER_HOMES.filter((place) => place !== home),
    ...SOCKET_PLACES.flatMap((place) => namesBelow("/", place.slice(1), facts)),
    ...TEMPORARY_SOCKET_PLACES,
    ...home === "" ? [] : HOME_SOCKET_PLACES.flatMap((place) => namesBelow(home, place, facts)),
    ...[...directories, ...named].filter((path) => !isTooWide(path, facts)),
  ];
}

/** The socket a variable names, and its directory where that holds nothing else. */
function socketPlaces(value: string, { disk }: PolicyFacts): string[] {
  const path = /(?:^|[=:])(?:unix:(?:\/\/)?)?(\/[^,;:]+)/.exec(value)?.[1];
  if (path === undefined) return [];
  const real = disk.real(path);
  const directory = dirname(real);
  const names = disk.list(directory);
  const onlySockets = names !== undefined && [...names.values()].every((kind) => kind === "other");
  return onlySockets ? [real, directory] : [real];
}

/** What stays open in closed places, and what stays unchanged in the work. */
function readablePlaces(
  { disk, own }: PolicyFacts,
  { home, workspace }: { home: string; workspace: readonly string[] },
): string[] {
  const always = ALWAYS_READABLE.filter((path) => isThere(path, disk)).map((path) =>
    disk.real(path)
  );
  const readable = [...always, ...(own?.readable ?? []).map((path) => disk.real(path))];
  if (home !== "") readable.push(home);
  // Work in the home itself does not change what shells, editors and desktops load from there.
  if (workspace.includes(home)) {
    const names = [...disk.list(home)?.keys() ?? []].filter((name) => name.startsWith("."));
    readable.push(...[...names, "bin"].map((name) => joinPath(home, name)));
  }
  return readable;
}

/**
 * Paths of a person as absolute real ones. Left out is what lies `inside` the work: it is open
 * anyway, and a command could have made it a link to anywhere.
 */
function placeNames(
  paths: readonly string[],
  { disk, cwd, home: given }: PolicyFacts,
  { home, inside = [] }: { home: string; inside?: readonly string[] },
): string[] {
  return paths.map((path) => path.trim()).filter((path) => path !== "").map((path) =>
    path === "~" || path.startsWith("~/")
      ? joinPath(home || given || "/", path.slice(1))
      : resolvePath(cwd, path)
  ).filter((full) => {
    const parent = disk.real(dirname(full));
    return !inside.some((root) => isWithin(parent, root));
  }).map((full) => disk.real(full));
}

/**
 * The names of a place below a real directory: as written, and where its links lead. Walks through
 * listings, which are kept, instead of asking for each of a hundred places that are not there.
 */
function namesBelow(base: string, place: string, facts: PolicyFacts): string[] {
  const { disk } = facts;
  let at = base === "/" ? "" : base;
  const parts = place.split("/");
  for (const [i, part] of parts.entries()) {
    const kind = disk.list(at || "/")?.get(part);
    if (kind === undefined) return [`${at}/${parts.slice(i).join("/")}`];
    at = `${at}/${part}`;
    if (kind !== "link") continue;
    const rest = parts.slice(i + 1).join("/");
    const real = disk.real(at);
    if (rest !== "") return [`${at}/${rest}`, ...namesBelow(real, rest, facts)];
    return isTooWide(real, facts) ? [at] : [at, real];
  }
  return [at];
}

/** True when all directories above a path list the next one; asks the disk for none of them twice. */
function isThere(path: string, disk: PolicyDisk): boolean {
  const parts = path.slice(1).split("/");
  let at = "";
  return parts.every((part) => {
    const found = disk.list(at || "/")?.has(part);
    at += `/${part}`;
    return found;
  });
}

/** A link or a variable must not close a whole system, a home or the work. */
function isTooWide(path: string, { disk, cwd, home }: PolicyFacts): boolean {
  if (path === "/run") return false;
  const needed = [disk.real(cwd), ...home === "" ? [] : [disk.real(home)]];
  return TOO_WIDE.includes(path) || needed.some((one) => isWithin(one, path));
}

/** A host that was granted is reached although the network is closed. */
function networkWith(network: NetworkAccess, grants: readonly SandboxGrant[]): NetworkAccess {
  const hosts = grants.filter(({ kind }) => kind === "host").map(({ value }) => value);
  if (hosts.length === 0 || network === "on") return network;
  const before = network === "off"
    ? []
    : network === "loopback"
    ? ["localhost", "127.0.0.1", "::1"]
    : network.hosts;
  return { hosts: unique([...before, ...hosts]) };
}

function unique(paths: readonly string[]): string[] {
  return [...new Set(paths)];
}
