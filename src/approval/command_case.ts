/** A command as grants see it: with its findings, its shape and the project it runs in. */
import type { ApprovalContext } from "../protocol/approval.ts";
import type { Finding } from "./decide.ts";
import type { CommandCase } from "./grants.ts";
import { shapeOf } from "./grant_shapes.ts";
import type { Disk } from "./shell/disk.ts";

/** Under `ask-all` every command needs a yes; one to all of them would be no such mode. */
const EVERY_COMMAND: Finding = {
  key: "ask-all",
  description: "runs a command",
  kind: "dangerous",
  wholeRule: false,
};

/** A command as grants see it. */
export function commandCase(
  command: string,
  { findings, context, project, disk, isAskAll }: {
    findings: readonly Finding[];
    context: ApprovalContext;
    project: string;
    disk: Disk | undefined;
    isAskAll: boolean;
  },
): CommandCase {
  const { tool, cwd, realCwd = cwd, environment } = context;
  return {
    command,
    tool,
    project,
    cwd: realCwd,
    findings: isAskAll ? [...findings, EVERY_COMMAND] : findings,
    // Elsewhere nobody can look where paths lead.
    shape: environment === "local" ? shapeOf(command, { cwd: realCwd, project, disk }) : undefined,
  };
}
