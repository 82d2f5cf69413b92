/**
 * Judges the commands of one session: with what earlier ones left, and behind the walls where they
 * stand. Owns no yes.
 */
import type { ApprovalContext } from "../protocol/approval.ts";
import type { CommandPolicy, Evaluation, Inspection } from "./decide.ts";
import { JudgedBefore } from "./judged_before.ts";
import type { InsideWalls } from "./rules/inside_walls.ts";
import { SeenFiles, SeenVariables } from "./shell/earlier_commands.ts";

export interface CommandJudgeOptions {
  rules?: Omit<CommandPolicy, "cwd" | "realCwd" | "takesInput" | "variables" | "files" | "judged">;
  /** The walls around commands, once they stand; undefined where there are none. */
  walls?: () => Promise<InsideWalls | undefined>;
}

/** A command that can be judged again: what others left meanwhile counts. */
export interface JudgedCommand {
  judge(): Evaluation;
  /** Who lets it run if nobody is asked. */
  by: "rules" | "walls";
}

export class CommandJudge {
  readonly #options: CommandJudgeOptions;
  readonly #variables = new SeenVariables();
  readonly #files = new SeenFiles();
  readonly #before = new JudgedBefore<Inspection>();
  #decide: Promise<typeof import("./decide.ts")> | undefined;

  constructor(options: CommandJudgeOptions) {
    this.#options = options;
  }

  /** A command as it is judged where it is going to run. */
  async open(command: string, context: ApprovalContext): Promise<JudgedCommand> {
    // The parser and the rules are loaded with the first command, not with the session; asking
    // for a module again takes a turn of the event loop even when it is there.
    const { evaluate } = await (this.#decide ??= import("./decide.ts"));
    const judgeBy = (policy: CommandPolicy) =>
      evaluate(command, { ...policy, judged: this.#judged() });
    const policy = this.policy(context);
    const { walls } = this.#options;
    const mayBeInside = walls !== undefined && context.environment === "local" &&
      context.outside !== true;
    // Walls are asked for only where they could matter: raising the first ones takes a moment.
    const standing = mayBeInside && judgeBy(policy).decision === "prompt"
      ? await walls()
      : undefined;
    if (standing === undefined) return { judge: () => judgeBy(policy), by: "rules" };
    return { judge: () => judgeBy({ ...policy, walls: standing }), by: "walls" };
  }

  /** How commands of this call are judged, the walls left aside. */
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
    };
  }

  /** Takes over what a command that runs leaves to later ones. */
  keep({ variables, files }: Evaluation): void {
    this.#variables.keep(variables);
    for (const written of files) this.#files.keep(written);
  }

  #judged(): NonNullable<CommandPolicy["judged"]> {
    const versions = { variables: this.#variables.version, files: this.#files.version };
    return { before: this.#before, versions };
  }
}
