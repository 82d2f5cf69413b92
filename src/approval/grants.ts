/**
 * Which grants answer a question. Pure, and strict in one direction: a grant covers what its
 * question showed, for the reasons that the question named, in the project it was given in.
 */
import type { Grant, WallGrantKind } from "../protocol/grant.ts";
import { isWithin } from "../util/path.ts";
import type { Finding } from "./decide.ts";

/** A command that needs a yes. */
export interface CommandCase {
  command: string;
  tool: string;
  project: string;
  cwd: string;
  /** Why the command needs a yes. */
  findings: readonly Finding[];
  /** The command's shape by `shapeOf()`. */
  shape: string | undefined;
}

/** An action of a tool that needs a yes. */
export interface ActionCase {
  subject: string;
  tool: string;
  project: string;
  rule: string;
  digest: string | undefined;
}

/** The tool whose commands need no further name. */
export const COMMAND_TOOL = "terminal";

/** True when grants answer every finding about a command. */
export function coversCommand(grants: readonly Grant[], wanted: CommandCase): boolean {
  if (wanted.findings.some(({ everyTime, kind }) => everyTime === true || kind === "hardline")) {
    return false;
  }
  const here = grants.filter(({ project }) => project === wanted.project);
  const open = wanted.findings.filter((finding) => !here.some((grant) => isOfRule(grant, finding)));
  return open.length === 0 || here.some((grant) => coversText(grant, wanted, open));
}

/** Stored grants never answer `once` findings. */
function isOfRule({ kind, value, scope }: Grant, finding: Finding): boolean {
  if (kind !== "rule" || (finding.once === true && scope !== "session")) return false;
  return isNamed([value], finding);
}

function isNamed(rules: readonly string[], { key, aliases = [] }: Finding): boolean {
  return rules.some((rule) => rule === key || aliases.includes(rule));
}

function coversText(grant: Grant, wanted: CommandCase, open: readonly Finding[]): boolean {
  const { kind, value, rules = [], tool = COMMAND_TOOL, cwd, scope } = grant;
  if (tool !== wanted.tool || (cwd !== undefined && cwd !== wanted.cwd)) return false;
  const isSame = kind === "command"
    ? value === wanted.command.trim()
    : kind === "shape" && wanted.shape !== undefined && value === wanted.shape;
  return isSame &&
    open.every((finding) =>
      isNamed(rules, finding) &&
      (finding.once !== true || (scope === "session" && kind === "command"))
    );
}

/** True when a grant answers a question about an action. */
export function coversAction(grants: readonly Grant[], wanted: ActionCase): boolean {
  return grants.some(({ kind, value, project, tool, rules = [], digest }) => {
    if (project !== wanted.project) return false;
    if (kind === "rule") return value === wanted.rule;
    return kind === "action" && value === wanted.subject && tool === wanted.tool &&
      digest === wanted.digest && rules.includes(wanted.rule);
  });
}

/** True when a grant opens the walls as wanted; a granted path covers what lies in it. */
export function coversWall(
  grants: readonly Grant[],
  wanted: { kind: WallGrantKind; value: string; project: string },
): boolean {
  return grants.some(({ kind, value, project }) => {
    if (kind !== wanted.kind || project !== wanted.project) return false;
    if (kind === "path-write" || kind === "path-read") return isWithin(wanted.value, value);
    if (kind === "host") return value.toLowerCase() === wanted.value.toLowerCase();
    return value === wanted.value.trim();
  });
}
