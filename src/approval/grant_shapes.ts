/**
 * The shape of a command: the same program, subcommand and options, with `*` for the operands that
 * may differ inside the project. Two commands have the same shape only when both are one plain
 * command and every operand of both stays in the project.
 */
import { isWithin, normalizePath, resolvePath } from "../util/path.ts";
import { type Disk, KnownDisk } from "./shell/disk.ts";
import { ShellLimitError } from "./shell/shell_ast.ts";
import { type ShapeRow, SHAPES } from "./grant_shapes_data.ts";

/** Where a command is going to run. */
export interface ShapePlace {
  /** The command's directory, with links resolved. */
  cwd: string;
  /** The project around the directory. */
  project: string;
  /** Tells where links lead; without it paths are judged by their names. */
  disk?: Disk | undefined;
}

/** Words that mean themselves to every shell: no quotes, expansions, operators or assignments. */
const PLAIN_COMMAND = /^[A-Za-z0-9_./+=,@%-]+(?: +[A-Za-z0-9_./+=,@%-]+)*$/;
const OPERAND = /^[A-Za-z0-9_./][A-Za-z0-9_./-]*$/;
const FIXED_OPERAND = /^[A-Za-z0-9][A-Za-z0-9_.+=,-]*$/;
/** A yes to other paths of a project is none to its history or to the settings of hermes. */
const KEPT_NAMES = new Set([".git", ".hermes"]);
const MAX_CHARS = 4_000;

/** The shape of a command in `place`; undefined for a command without one. */
export function shapeOf(command: string, place: ShapePlace): string | undefined {
  const text = command.trim();
  if (text.length > MAX_CHARS || !PLAIN_COMMAND.test(text)) return undefined;
  const words = text.split(/ +/);
  const found = rowOf(words);
  if (found === undefined) return undefined;
  const { row, head } = found;
  const rest = words.slice(head);
  const first = rest.findIndex((word) => !word.startsWith("-"));
  if (first < 0 || !rest.slice(0, first).every((word) => isKnownOption(word, row))) {
    return undefined;
  }
  const start = first + (row.fixed ?? 0);
  const [fixed, operands] = [rest.slice(first, start), rest.slice(start)];
  if (operands.length === 0 || operands.length > (row.most ?? Infinity)) return undefined;
  if (!fixed.every((word) => FIXED_OPERAND.test(word))) return undefined;
  if (!operands.every((word) => staysInside(word, place))) return undefined;
  return [...words.slice(0, head), ...rest.slice(0, start), "*"].join(" ");
}

/** The row of a program, or of a program and its subcommand, and how many words name it. */
function rowOf(words: readonly string[]): { row: ShapeRow; head: number } | undefined {
  const [program = "", subcommand = ""] = words;
  const both = `${program} ${subcommand}`;
  if (Object.hasOwn(SHAPES, both)) return { row: SHAPES[both]!, head: 2 };
  return Object.hasOwn(SHAPES, program) ? { row: SHAPES[program]!, head: 1 } : undefined;
}

function isKnownOption(word: string, { letters = "", options = [] }: ShapeRow): boolean {
  if (word.startsWith("--")) return options.includes(word);
  return word.length > 1 && [...word.slice(1)].every((letter) => letters.includes(letter));
}

/** True when a name or path lies below the project, by its text and with links resolved. */
function staysInside(word: string, { cwd, project, disk }: ShapePlace): boolean {
  // Behind a link, `..` leads to where its target lies.
  if (!OPERAND.test(word) || word.split("/").includes("..")) return false;
  const path = resolvePath(cwd, word);
  if (!isInside(path, project)) return false;
  if (disk === undefined) return true;
  try {
    const known = new KnownDisk(disk);
    return isInside(known.resolve(path), known.resolve(normalizePath(project)));
  } catch (error) {
    if (!(error instanceof ShellLimitError)) throw error;
    return false;
  }
}

function isInside(path: string, project: string): boolean {
  if (path === project || !isWithin(path, project)) return false;
  const below = path.slice(project === "/" ? 1 : project.length + 1);
  return !below.split("/").some((name) => KEPT_NAMES.has(name.toLowerCase()));
}
