/**
 * Whether a command is known to change nothing, for the mode `plan`. What is not known to be
 * harmless is not: an unknown program, an unknown option value, a file that is written.
 */
import type { CommandPolicy } from "./decide.ts";
import { foldText } from "./shell/fold.ts";
import { hasFlag, type Invocation, parseOptions, type RedirectUse } from "./shell/invocation.ts";
import { LIMITS, ShellLimitError } from "./shell/shell_ast.ts";
import { hasUnknown } from "./shell/unknown.ts";
import { walkShell } from "./shell/walk.ts";
import { KNOWN_PROGRAMS } from "./rules/rules.ts";
import {
  HARMLESS_VARIABLES,
  READ_ONLY,
  READ_ONLY_WRAPPERS,
  READERS,
  type ReadOnlyRow,
} from "./read_only_data.ts";

const ANY_ARGUMENTS = new Set(READERS);
const WRAPPERS = new Set(READ_ONLY_WRAPPERS);
/** A system program's whole path names the same program. */
const SYSTEM_PATH = /^(?:\/usr)?(?:\/local)?\/bin\/[^/]+$/;

/** True when every program that the command runs is known to change nothing. */
export function changesNothing(command: string, policy: CommandPolicy): boolean {
  if (command.length > LIMITS.unbrokenChars) return false;
  try {
    return [...new Set([command, foldText(command)])].every((view) => isReading(view, policy));
  } catch (error) {
    if (!(error instanceof ShellLimitError)) throw error;
    return false;
  }
}

function isReading(text: string, policy: CommandPolicy): boolean {
  const { home, places, cwd, variables, files } = policy;
  const walked = walkShell(text, { home, places, cwd, variables, files, programs: KNOWN_PROGRAMS });
  return walked.problem === undefined && walked.unjudged.length === 0 &&
    [...walked.variables.keys()].every((name) => HARMLESS_VARIABLES.test(name)) &&
    walked.invocations.every(isReader);
}

function isReader(run: Invocation): boolean {
  const { program, path, env, redirects, via, args } = run;
  if (!redirects.every(isHarmlessRedirect)) return false;
  if (![...env.keys()].every((name) => HARMLESS_VARIABLES.test(name))) return false;
  if (path === "") return true;
  if (path.includes("/") && !SYSTEM_PATH.test(path)) return false;
  if (hasUnknown(path)) return false;
  if (ANY_ARGUMENTS.has(program)) return true;
  if (WRAPPERS.has(program)) return !args.some(hasUnknown);
  // The arguments that a wrapper adds are not known.
  if (via.length > 0 || args.some(hasUnknown)) return false;
  const row = rowOf(run);
  return row !== undefined && fits(row.args, row.row);
}

function isHarmlessRedirect({ op, target }: RedirectUse): boolean {
  if (op === "<" || op === "<<" || op === "<<-" || op === "<<<") return true;
  if (target === "/dev/null") return true;
  return (op === ">&" || op === "<&") && /^(?:\d{1,3}|-)$/.test(target);
}

function rowOf({ program, args: given }: Invocation) {
  const args = program === "git" && given[0] === "--no-pager" ? given.slice(1) : given;
  const both = `${program} ${args[0] ?? ""}`;
  if (Object.hasOwn(READ_ONLY, both)) return { row: READ_ONLY[both]!, args: args.slice(1) };
  return Object.hasOwn(READ_ONLY, program) ? { row: READ_ONLY[program]!, args } : undefined;
}

function fits(args: readonly string[], row: ReadOnlyRow): boolean {
  const parsed = parseOptions(args);
  if (row.not !== undefined && hasFlag(parsed, ...row.not)) return false;
  if (row.notWords?.some((word) => args.includes(word))) return false;
  if (row.operands !== undefined && parsed.operands.length > row.operands) return false;
  if (row.operand !== undefined && !parsed.operands.every((word) => row.operand!.test(word))) {
    return false;
  }
  return row.args === undefined || row.args.test(args.join(" "));
}
