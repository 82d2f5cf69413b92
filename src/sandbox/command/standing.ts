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
