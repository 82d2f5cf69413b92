/**
 * Which findings still need a yes when the command runs behind walls that stand: those whose harm
 * the walls do not bound. Pure; whether walls stand is told.
 */
import type { Invocation } from "../shell/invocation.ts";
import { hasUnknown } from "../shell/unknown.ts";
import { isWithin, resolvePath } from "../../util/path.ts";
import { INSIDE_RULES } from "./inside_data.ts";
import { operands } from "./rule.ts";

/** The walls that a command is going to run behind. */
export interface InsideWalls {
  /** Places that it may change, real: the work first. */
  changeable: readonly string[];
  /** It reaches no other machine. */
  closed: boolean;
}

/** True when a rule's finding in these commands needs a yes although the walls stand. */
export function asksInside(
  key: string,
  { commands, walls }: { commands: readonly Invocation[]; walls: InsideWalls },
): boolean {
  switch (INSIDE_RULES.get(key)) {
    case "bounded":
      return false;
    case "closed":
      return !walls.closed || holdsHistory(commands, walls);
    case "delete":
      return commands.some((command) => deletesHistory(command, walls));
    default:
      return true;
  }
}

/** A text that nobody read could also delete the history: then it is not kept elsewhere either. */
function holdsHistory(commands: readonly Invocation[], walls: InsideWalls): boolean {
  return commands.some((command) => isDeleting(command) && deletesHistory(command, walls));
}

function isDeleting({ program }: Invocation): boolean {
  return program === "rm" || program === "srm" || program === "rmdir";
}

/** What deletes the work as a whole, its history, or something that is not known beforehand. */
function deletesHistory(command: Invocation, { changeable }: InsideWalls): boolean {
  if (!isDeleting(command)) return false;
  // What a list names is not known.
  if (command.via.includes("xargs") || command.place.cwd === undefined) return true;
  return operands(command).some((operand) => {
    if (hasUnknown(operand) || /(?:^|\/)\.?[*?[]|(?:^|\/)\.\.?\/?$/.test(operand)) return true;
    const path = resolvePath(command.place.cwd!, operand);
    if (/(?:^|\/)\.git(?:\/|$)|\.git$/.test(path) || operand.startsWith("~")) return true;
    // Outside, the walls let nothing be deleted; a directory that holds the work holds its history.
    return changeable.some((root) => isWithin(root, path));
  });
}
