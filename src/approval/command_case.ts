/** A command as grants see it: with its findings, its shape and the project it runs in. */
import type { ApprovalContext } from "../protocol/approval.ts";
import type { CommandPolicy, Finding } from "./decide.ts";
import type { CommandCase } from "./grants.ts";
import { shapeOf } from "./grant_shapes.ts";

/** Under `ask-all` every command needs a yes; a yes to all commands would undo the mode. */
const EVERY_COMMAND: Finding = {
  key: "ask-all",
  description: "runs a command",
  kind: "dangerous",
  wholeRule: false,
};

/** A command as grants see it. */
export function commandCase(
  command: string,
  { findings, context, project, policy, isAskAll }: {
    findings: readonly Finding[];
    context: Pick<ApprovalContext, "tool" | "cwd" | "realCwd" | "environment">;
    project: string;
    policy: Pick<CommandPolicy, "disk" | "home" | "places">;
    isAskAll: boolean;
  },
): CommandCase {
  const { tool, cwd, realCwd = cwd, environment } = context;
  const { disk, home, places } = policy;
  // A whole home is no project, and links of another machine cannot be resolved.
  const isWide = project === "/" || project === home || places?.homes.includes(project) === true;
  const hasShape = environment === "local" && !isWide;
  return {
    command,
    tool,
    project,
    cwd: realCwd,
    findings: isAskAll ? [...findings, EVERY_COMMAND] : findings,
    shape: hasShape ? shapeOf(command, { cwd: realCwd, project, disk }) : undefined,
  };
}
