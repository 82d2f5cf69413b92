/**
 * The parts of an environment's private directory on this machine, by what commands behind walls
 * may do there. Everything else in the directory is hermes' alone. Makes nothing.
 */
import { joinPath } from "./path.ts";

export interface PrivatePlaces {
  /** Temporary files of commands. */
  temporary: string;
  /** Where commands leave their state for the next one. */
  state: string;
  /** Files that hermes gives commands to read: long scripts, start-up files. */
  given: string;
}

export function privatePlaces(directory: string): PrivatePlaces {
  return {
    temporary: joinPath(directory, "tmp"),
    state: joinPath(directory, "state"),
    given: joinPath(directory, "given"),
  };
}
