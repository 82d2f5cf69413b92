/** The walls that really stand around commands here, for `doctor`, `env check` and `explain`. */
import { probeWalls } from "../../../sandbox/command/probe_walls.ts";
import {
  missingWalls,
  networkText,
  type StandingWalls,
  systemGap,
  type WallLine,
  wallLines,
} from "../../../sandbox/command/standing.ts";
import { sessionPolicy } from "../../../session/walls.ts";
import type { PolicyHere } from "./policy_here.ts";

export interface StandingHere {
  /** Undefined where no walls are wanted, or none can be raised. */
  standing: StandingWalls | undefined;
  /** A line for each wall that stands, and for each that does not. */
  lines: WallLine[];
  /** Why commands are not kept as was asked for, where that is so. */
  problem?: string;
}

/** Raises the walls of the policy for a moment, and tries them. */
export async function standingHere({ policy, facts }: PolicyHere): Promise<StandingHere> {
  if (policy === undefined) return { standing: undefined, lines: [] };
  const { network } = policy;
  const gap = systemGap();
  if (gap !== undefined) return none(gap);
  const { standing, problem, refusedBy } = await probeWalls({
    policy: (directory) => sessionPolicy({ ...facts, own: { writable: [directory] } })!,
    tempDir: facts.env.TMPDIR || undefined,
  });
  if (standing === undefined) return none(missingWalls(undefined, network)!);
  const why = problem ?? missingWalls(standing, network);
  return {
    standing,
    lines: wallLines(standing, { network, refusedBy }),
    ...why === undefined ? {} : { problem: why },
  };
}

function none(problem: string): StandingHere {
  return { standing: undefined, lines: [{ stands: false, text: problem }], problem };
}

/** The mode and what it means, in one line, whether or not its walls stand. */
export function modeLine({ settings, policy }: Pick<PolicyHere, "settings" | "policy">): string {
  if (policy !== undefined) return `${policy.mode}, network ${networkText(policy.network)}`;
  const { backend } = settings.config.terminal;
  return backend === "local"
    ? "off: commands may do whatever you may"
    : `${backend}: the place itself is the wall, and no other is raised`;
}

/** Lines for the walls that stand, for those that do not, and for the problem. */
export function standingLines({ lines, problem, standing }: StandingHere): string[] {
  return [
    ...lines.map(({ stands, text }) => `  ${stands ? "stands " : "missing"}  ${text}`),
    // Without any wall the only line says so already.
    ...problem === undefined || standing === undefined ? [] : [`  wrong    ${problem}`],
  ];
}
