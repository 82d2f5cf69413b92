/** Which walls stand around commands on this machine, and in which words people read of it. */
import type { NetworkAccess } from "../../protocol/sandbox.ts";
import type { SocketRules } from "./command_filter.ts";

export interface StandingWalls {
  /** The kernel's Landlock version; 0 is none. */
  landlock: number;
  /** A view of the file system of its own: `full`, with files of others as nobody's, or `none`. */
  view: "full" | "own users" | "none";
  sockets: SocketRules;
  /** What of the network setting is kept here. */
  network: NetworkAccess;
}

/** One wall in words. */
export interface WallLine {
  /** False for what nothing keeps on this machine. */
  stands: boolean;
  text: string;
}

/** Files outside cannot be emptied since this version. */
const TRUNCATE = 3;
/** Signals and sockets without a file are kept since this version. */
export const SIGNAL_SCOPES = 6;

/** True where nothing of a command's reach is left to its good will. */
export function standsFully({ landlock, view }: StandingWalls): boolean {
  return landlock >= SIGNAL_SCOPES && view !== "none";
}

/** Why the walls are not what was asked for, in one line; undefined when they are. */
export function missingWalls(
  standing: StandingWalls | undefined,
  network: NetworkAccess,
  { os = Deno.build.os }: { os?: typeof Deno.build.os } = {},
): string | undefined {
  const elsewhere = systemGap(os);
  if (elsewhere !== undefined) return elsewhere;
  if (standing === undefined || !keepsFiles(standing)) {
    return "commands run without walls around files: " +
      "the kernel has no Landlock (Linux 5.13) and allows no namespaces";
  }
  if (!sameNetwork(standing.network, network)) {
    return `--network ${networkText(network)} cannot be kept here, so commands have no network`;
  }
  return undefined;
}

/** Why there are no walls on this system at all; undefined on Linux. */
export function systemGap(os: typeof Deno.build.os = Deno.build.os): string | undefined {
  if (os === "linux") return undefined;
  return os === "darwin"
    ? "commands run without walls: on macOS hermes raises none yet"
    : "commands run without walls: this system is not Linux";
}

/** True where something keeps commands from files that are not theirs to change. */
export function keepsFiles({ landlock, view }: StandingWalls): boolean {
  return landlock > 0 || view !== "none";
}

export interface WallWords {
  /** What was asked for; default what is kept. */
  network?: NetworkAccess;
  /** The setting of the system that refuses namespaces, where one is known. */
  refusedBy?: string | undefined;
}

/** The walls by name and what does not hold, a line each. */
export function wallLines(standing: StandingWalls, words: WallWords = {}): WallLine[] {
  return [
    ...fileLines(standing, words),
    kept("system calls: no mounts, namespaces or kernel modules, no rights to gain"),
    processLine(standing),
    socketLine(standing),
    ...networkLines(standing, words.network ?? standing.network),
  ];
}

function fileLines({ landlock, view }: StandingWalls, { refusedBy }: WallWords): WallLine[] {
  const because = refusedBy === undefined ? "" : ` (${refusedBy})`;
  const lines = [
    landlock > 0 ? kept(`files: Landlock ${landlock} of the kernel`) : gap(
      "files: no Landlock in this kernel (Linux 5.13), " +
        (view === "none" ? "nothing keeps them" : "the view alone keeps them"),
    ),
    view === "none"
      ? gap(
        `view of the file system: none, the system allows no namespaces${because}. Names of ` +
          "hidden files can be listed, modes and times of your files can be changed",
      )
      : kept(
        "view of the file system: its own, read-only but for the work" +
          (view === "full" ? "" : "; in a user namespace, where files of others are nobody's"),
      ),
  ];
  if (landlock > 0 && landlock < TRUNCATE && view === "none") {
    lines.push(gap(`emptying files: possible outside the work (Landlock ${TRUNCATE}, Linux 6.2)`));
  }
  return lines;
}

function processLine({ landlock }: StandingWalls): WallLine {
  if (landlock >= SIGNAL_SCOPES) return kept("other programs: no signals, no memory, no variables");
  return gap(
    landlock === 0
      ? "other programs: signals reach yours, and their variables can be read"
      : `other programs: signals reach yours (Landlock ${SIGNAL_SCOPES}, Linux 6.12)`,
  );
}

function socketLine({ sockets }: StandingWalls): WallLine {
  return kept(
    sockets.unix
      ? "sockets of docker, ssh agents and desktops: out of sight"
      : "sockets with names: all refused, also those of a command's own; pairs work",
  );
}

/** Where the network is open there is no wall to speak of. */
function networkLines(standing: StandingWalls, wanted: NetworkAccess): WallLine[] {
  if (wanted === "on") return [];
  const words = networkText(wanted);
  if (!sameNetwork(standing.network, wanted)) {
    return [gap(`network ${words}: cannot be kept here, so commands have none`)];
  }
  return [kept(`network: ${words}${typeof wanted === "string" ? "" : ", through a proxy"}`)];
}

function kept(text: string): WallLine {
  return { stands: true, text };
}

function gap(text: string): WallLine {
  return { stands: false, text };
}

/** Lists of hosts are kept as they are, or not at all. */
function sameNetwork(a: NetworkAccess, b: NetworkAccess): boolean {
  return networkText(a) === networkText(b);
}

export function networkText(network: NetworkAccess): string {
  return typeof network === "string" ? network : network.hosts.join(",");
}
