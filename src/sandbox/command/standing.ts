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
): string | undefined {
  if (Deno.build.os !== "linux") return "commands run without walls: this system is not Linux";
  if (standing === undefined || (standing.landlock === 0 && standing.view === "none")) {
    return "commands run without walls around files: " +
      "the kernel has no Landlock (Linux 5.13) and allows no namespaces";
  }
  if (standing.network !== network) {
    return `--network ${networkText(network)} cannot be kept here, so commands have no network`;
  }
  return undefined;
}

/** The walls by name, and what does not hold, a line each. */
export function wallLines({ landlock, view, sockets }: StandingWalls): string[] {
  const lines = [
    landlock === 0
      ? "Landlock: none in this kernel; files are kept by the view alone"
      : `Landlock ${landlock}: files, other processes' memory`,
  ];
  if (landlock > 0 && landlock < 3) {
    lines.push("not kept: files outside can be emptied (Landlock 3)");
  }
  if (landlock > 0 && landlock < SIGNAL_SCOPES) {
    lines.push("not kept: signals to your other programs (Landlock 6)");
  }
  lines.push(
    view === "none"
      ? "view of the file system: none (the system allows no namespaces); names of hidden files " +
        "can be listed, modes and times of your files can be changed"
      : view === "full"
      ? "view of the file system: its own, read-only but for the work"
      : "view of the file system: its own, in a user namespace (files of others are nobody's)",
  );
  lines.push("system calls: filtered");
  if (!sockets.unix) lines.push("sockets with names: refused, except pairs");
  return lines;
}

export function networkText(network: NetworkAccess): string {
  return typeof network === "string" ? network : network.hosts.join(",");
}
