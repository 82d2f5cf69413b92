/**
 * How the commands of one session are judged: by the rules, in the place where they are going to
 * run, after what earlier commands left. Owns that memory; who is asked is the gate's business.
 */
import type { ApprovalContext } from "../protocol/approval.ts";
import type { CommandPolicy, Evaluation, Inspection } from "./decide.ts";
import { JudgedBefore, type Versions } from "./judged_before.ts";
import type { InsideWalls } from "./rules/inside_walls.ts";
import { SeenFiles, SeenVariables } from "./shell/earlier_commands.ts";

export interface JudgeOptions {
  rules?: Omit<CommandPolicy, "cwd" | "realCwd" | "takesInput" | "variables" | "files" | "judged">;
  /** The walls around commands, once they stand; undefined where there are none. */
  walls?: () => Promise<InsideWalls | undefined>;
}

/** A command judged in the place where it is going to run. */
export interface PlacedJudgement {
  /** Judges the command, each time anew. */
  judge(): Evaluation;
  /** The part that lets the command run when no person is asked. */
  by: "rules" | "walls";
}

export class CommandJudge {
  readonly #options: JudgeOptions;
  readonly #variables = new SeenVariables();
  readonly #files = new SeenFiles();
  readonly #judged = new JudgedBefore<Inspection>();
  #decide: Promise<typeof import("./decide.ts")> | undefined;

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  async placed(command: string, context: ApprovalContext): Promise<PlacedJudgement> {
    // The parser and the rules are loaded with the first command, not with the session; asking
    // for a module again takes a turn of the event loop even when it is there.
    const { evaluate } = await (this.#decide ??= import("./decide.ts"));
    const policy = this.policy(context);
    const judge = (walls?: InsideWalls) => evaluate(command, { ...policy, walls });
    const { walls } = this.#options;
    const isInside = walls !== undefined && context.environment === "local" &&
      context.outside !== true;
    // Walls are asked for only where they could matter: raising the first ones takes a moment.
    const standing = isInside && judge().decision === "prompt" ? await walls() : undefined;
    return { judge: () => judge(standing), by: standing === undefined ? "rules" : "walls" };
  }

  /** How a command of this call is judged without walls. */
  policy({ cwd, realCwd, environment, takesInput }: ApprovalContext): CommandPolicy {
    const { rules } = this.#options;
    return {
      ...rules,
      cwd,
      realCwd,
      disk: environment === "local" ? rules?.disk : undefined,
      takesInput,
      variables: this.#variables.seen,
      files: this.#files,
      judged: { before: this.#judged, versions: () => this.#versions() },
    };
  }

  #versions(): Versions {
    return { variables: this.#variables.version, files: this.#files.version };
  }

  /** Keeps what a command leaves to later commands. */
  keep({ variables, files }: Evaluation): void {
    this.#variables.keep(variables);
    for (const written of files) this.#files.keep(written);
  }
}
