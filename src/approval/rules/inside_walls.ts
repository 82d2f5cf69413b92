/**
 * Which findings still need a yes when the command runs behind walls that stand: those whose harm
 * the walls do not bound. Pure; whether walls stand is told.
 */
import { dirname, isWithin, joinPath } from "../../util/path.ts";
import type { Invocation } from "../shell/invocation.ts";
import { absolutePath } from "../shell/paths.ts";
import { hasUnknown } from "../shell/unknown.ts";
import { INSIDE_RULES } from "./inside_data.ts";
import { isRemote, operands } from "./rule.ts";

/** The walls that a command is going to run behind. */
export interface InsideWalls {
  /** Real paths that the command may change: the work first. */
  changeable: readonly string[];
  /** True when the command reaches no other machine. */
  closed: boolean;
  /** True when the command reaches sockets of services on this machine. */
  sockets: boolean;
}

interface Line {
  commands: readonly Invocation[];
  walls: InsideWalls;
}

/** True when a rule's finding in these commands needs a yes although the walls stand. */
export function asksInside(key: string, { commands, walls }: Line): boolean {
  // Walls on this machine bound nothing on another one.
  if (!walls.closed && commands.some(actsElsewhere)) return true;
  switch (INSIDE_RULES.get(key)) {
    case "bounded":
      return false;
    case "written":
      return commands.some((command) => writesOpenPlace(command, walls));
    case "service":
      return !walls.closed || walls.sockets;
    case "closed":
      return !walls.closed || commands.some(namesHistory) || deletesHistory({ commands, walls });
    case "delete":
      return !commands.some(isDeleting) || deletesHistory({ commands, walls });
    default:
      return true;
  }
}

/** True when a command acts on another machine: through `ssh` and its like, or by an option. */
function actsElsewhere(command: Invocation): boolean {
  return isRemote(command) ||
    command.args.some((arg) => /^(?:-H|--host(?:=|$)|--connect(?:=|$)|--context(?:=|$))/.test(arg));
}

/** True when a command may write to a place that the person opened besides the work. */
function writesOpenPlace({ args, redirects, place }: Invocation, walls: InsideWalls): boolean {
  return [...args, ...redirects.map(({ target }) => target)].some((word) => {
    if (hasUnknown(word)) return true;
    // `of=…`, `--output=…`
    const path = word.slice(word.lastIndexOf("=") + 1);
    if (!/^[/~]/.test(path)) return false;
    const full = absolutePath(path, place);
    return walls.changeable.some((one) => isWithin(full, one));
  });
}

const HISTORY = /(?:^|\/)\.git(?:\/|$)|\.git$/;

function namesHistory({ args, redirects }: Invocation): boolean {
  return [...args, ...redirects.map(({ target }) => target)].some((word) =>
    word.split(/[\s"'`;=()]/).some((part) => HISTORY.test(part))
  );
}

function isDeleting({ program }: Invocation): boolean {
  return /^(?:rm|srm|rmdir|mv|tar|unlink|shred|truncate)$/.test(program);
}

/** True when a command deletes the work as a whole, its history, or an unknown path. */
function deletesHistory({ commands, walls }: Line): boolean {
  const deleting = commands.filter(isDeleting);
  // A link that is made on the way leads to a place that was not inspected.
  const links = commands.some(({ program }) => /^(?:ln|link|cp|mount)$/.test(program));
  return deleting.some((command) => links || deletesThere(command, walls));
}

function deletesThere(command: Invocation, walls: InsideWalls): boolean {
  const { via, place } = command;
  // The names that a list holds are not known.
  if (via.includes("xargs") || via.includes("parallel") || place.cwd === undefined) return true;
  return operands(command).some((operand) => {
    if (hasUnknown(operand) || /^~/.test(operand) || /(?:^|\/)\.\.?\/*$/.test(operand)) return true;
    const path = absolutePath(operand, place);
    return isHistory(path, walls) || isHistory(realParent(path, place), walls) ||
      // The operand is a repository of its own.
      place.disk?.realPath(joinPath(path, ".git")) !== undefined;
  });
}

/** The path that is deleted: links above its last part are resolved. */
function realParent(path: string, { disk }: Invocation["place"]): string {
  const parent = disk?.realPath(dirname(path));
  return parent === undefined ? path : joinPath(parent, path.slice(path.lastIndexOf("/") + 1));
}

function isHistory(path: string, { changeable }: InsideWalls): boolean {
  if (HISTORY.test(path) || /^\/(?:proc|dev)(?:\/|$)/.test(path)) return true;
  // A directory that holds the work holds its history. Outside, the walls let nothing be deleted.
  return changeable.some((root) => isWithin(root, path)) || isWidePattern(path, changeable);
}

/**
 * True for a pattern that may mean the work, all that is in it, or a name with a dot: any pattern
 * but those in a directory of the work and those that begin with a letter.
 */
function isWidePattern(path: string, roots: readonly string[]): boolean {
  const first = path.search(/[*?[\]{}()!]/);
  if (first < 0) return false;
  if (/[{}()!]/.test(path)) return true;
  const directory = path.slice(0, path.lastIndexOf("/", first)) || "/";
  const parts = path.slice(directory.length).split("/");
  if (parts.some((part) => /^\..*[*?[]/.test(part))) return true;
  const isBelow = roots.some((root) => directory !== root && isWithin(directory, root));
  const isTop = roots.includes(directory);
  return !isBelow && !(isTop && /^\/[\w-]/.test(path.slice(directory.length)));
}
