/**
 * From what a manifest declares to what a plugin's process is left with: Deno's permission
 * lists, the kernel's path and port grants that follow from them, and its environment.
 */
import type { PluginManifest } from "../protocol/plugin.ts";
import type { GuestPermissions } from "../sandbox/child/contract.ts";
import type { PathGrant, PortGrant } from "../sandbox/walls/landlock.ts";
import { basename, dirname, isWithin, joinPath, resolvePath } from "../util/path.ts";
import type { ProtectedPlaces } from "../util/protected_paths.ts";
import { which } from "../util/which.ts";
import { PluginProblem } from "./problem.ts";

export interface PermissionPlace {
  cwd: string;
  /** What `~` means. */
  userHome: string;
  /** Hermes' own home: never granted. */
  hermesRoot: string;
  /** What else belongs to hermes: its program, and where links of the home lead. */
  trusted?: (() => Promise<ProtectedPlaces>) | undefined;
  /** The plugin's prepared modules and files: always readable. */
  modulesDir: string;
  /** Always readable and writable. */
  dataDir: string;
  env(name: string): string | undefined;
}

export interface Authority {
  permissions: GuestPermissions;
  paths: PathGrant[];
  ports: PortGrant;
  env: Record<string, string>;
}

/** What names are resolved with; absent files are no error. */
const RESOLVER_FILES = ["resolv.conf", "hosts", "nsswitch.conf", "host.conf", "gai.conf"]
  .map((name) => `/etc/${name}`);
const DNS_PORT = 53;
/** What programs are made of beside themselves. */
const LIBRARY_TREES = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share"];

/** @throws {PluginProblem} when a declared path or program cannot be granted. */
export async function resolveAuthority(
  manifest: PluginManifest,
  place: PermissionPlace,
): Promise<Authority> {
  const { permissions: declared } = manifest;
  const read = await findPaths(declared.read, { place, use: "read" });
  const write = await findPaths(declared.write, { place, use: "write" });
  const programs = await findPrograms(declared.run, place);
  const env = variables(manifest, place);
  if (programs.length > 0) {
    env.PATH = [...new Set(programs.map((one) => dirname(one.path)))].join(":");
  }
  const names = (found: readonly FoundPath[]) => found.flatMap(({ path, real }) => [path, real]);
  const permissions = {
    read: unique([place.modulesDir, place.dataDir, ...names(read)]),
    write: unique([place.dataDir, ...names(write)]),
    net: [...declared.net],
    env: namesInEnvironment(manifest),
    run: unique(names(programs)),
  };
  const odd = permissions.run.find((path) => path.includes(","));
  if (odd !== undefined) {
    throw new PluginProblem(`a program whose path has a comma cannot be granted: ${odd}`);
  }
  return {
    permissions,
    env,
    ports: portsOf(declared.net),
    paths: [
      { path: place.modulesDir, access: "tree" },
      { path: place.dataDir, access: "work" },
      ...read.map((one) => grant(one, { file: "read", folder: "tree" })),
      ...write.map((one) => grant(one, { file: "sink", folder: "work" })),
      ...(declared.net.length > 0 ? RESOLVER_FILES.map(readGrant) : []),
      ...programs.map(({ real }): PathGrant => ({ path: real, access: "run" })),
      ...(programs.length > 0 ? LIBRARY_TREES.map(treeGrant) : []),
    ],
  };
}

interface FoundPath {
  path: string;
  /** With symlinks followed: what the kernel will look at. */
  real: string;
  isDirectory: boolean;
}

async function findPaths(
  declared: readonly string[],
  { place, use }: { place: PermissionPlace; use: "read" | "write" },
): Promise<FoundPath[]> {
  const kept = declared.length === 0 ? [] : await keptPlaces(place, use);
  return await Promise.all(declared.map(async (text) => {
    const path = resolvePath(place.cwd, text.replace(/^~(?=$|\/)/, place.userHome));
    const real = await follow(path);
    if (kept.some((own) => isWithin(own, real) || isWithin(real, own))) {
      const what = use === "read" ? "the keys of hermes" : "what hermes trusts";
      throw new PluginProblem(
        `"${text}" holds ${what} or lies among it: name the folder it really needs`,
      );
    }
    const info = await Deno.stat(real).catch(() => undefined);
    return { path, real, isDirectory: info?.isDirectory ?? true };
  }));
}

/** Real paths that no plugin is granted: those with keys, and to write all that hermes believes. */
async function keptPlaces(place: PermissionPlace, use: "read" | "write"): Promise<string[]> {
  const root = await Deno.realPath(place.hermesRoot).catch(() => place.hermesRoot);
  const trusted = await place.trusted?.();
  const secret = [root, ...trusted?.hermesHomes ?? [], ...trusted?.secrets ?? []];
  return use === "read" ? secret : [...secret, ...trusted?.trustedBase ?? []];
}

/** With links followed as far as the path exists; one that leads nowhere yet could lead anywhere. */
async function follow(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch {
    const isLink = await Deno.lstat(path).then((info) => info.isSymlink, () => false);
    if (isLink) throw new PluginProblem(`a link that leads nowhere cannot be granted: ${path}`);
    return path === "/" ? path : joinPath(await follow(dirname(path)), basename(path));
  }
}

async function findPrograms(
  declared: readonly string[],
  place: PermissionPlace,
): Promise<FoundPath[]> {
  return await Promise.all(declared.map(async (program) => {
    const path = await which(program, place.env("PATH"));
    if (path === undefined) throw new PluginProblem(`there is no program "${program}" here`);
    return { path, real: await Deno.realPath(path), isDirectory: false };
  }));
}

function grant(
  { real, isDirectory }: FoundPath,
  access: { file: PathGrant["access"]; folder: PathGrant["access"] },
): PathGrant {
  return { path: real, access: isDirectory ? access.folder : access.file };
}

function readGrant(path: string): PathGrant {
  return { path, access: "read" };
}

function treeGrant(path: string): PathGrant {
  return { path, access: "tree" };
}

/** Ports can be told apart only when every host names one; names are asked for on port 53. */
function portsOf(hosts: readonly string[]): PortGrant {
  const ports = hosts.map((host) => Number(/:(\d+)$/.exec(host)?.[1] ?? NaN));
  if (ports.some(Number.isNaN)) return "any";
  return ports.length === 0 ? [] : [...new Set([...ports, DNS_PORT])];
}

/** Others of the same user can read the environment of a process: no secret is in it. */
function namesInEnvironment({ permissions, requiresEnv }: PluginManifest): string[] {
  return unique([...permissions.env, ...requiresEnv]).filter((name) =>
    !permissions.secrets.includes(name)
  );
}

function variables(manifest: PluginManifest, place: PermissionPlace): Record<string, string> {
  return valuesOf(namesInEnvironment(manifest), place);
}

/** What the plugin is told over its socket. */
export function secretsFor(
  { permissions }: PluginManifest,
  place: Pick<PermissionPlace, "env">,
): Record<string, string> {
  return valuesOf(permissions.secrets, place);
}

function valuesOf(
  names: readonly string[],
  place: Pick<PermissionPlace, "env">,
): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => {
    const value = place.env(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

function unique(list: readonly string[]): string[] {
  return [...new Set(list)];
}
