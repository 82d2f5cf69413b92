/**
 * The walls of one session: raised when the first command starts, anew when a mode or a grant
 * changes, gone with the session.
 */
import type { CommandWalls, RaisedWalls } from "../protocol/sandbox.ts";
import type { KeptFiles } from "../sandbox/command/kept_files.ts";
import type { InsideWalls } from "../approval/rules/inside_walls.ts";
import { type StandingWalls, standsFully } from "../sandbox/command/standing.ts";
import type { SessionWallSet, WallsOptions } from "./raise_walls.ts";

export class SessionWalls implements CommandWalls {
  readonly #options: WallsOptions;
  #raising: Promise<SessionWallSet | undefined> | undefined;
  #raised: SessionWallSet | undefined;
  /** Outlives a change of the walls: what was right before stays right. */
  #kept: KeptFiles | undefined;

  constructor(options: WallsOptions) {
    const told = new Set<string>();
    const notice = (line: string) => {
      if (told.has(line)) return;
      told.add(line);
      options.notice(line);
    };
    this.#options = { ...options, notice };
  }

  /** What stands now; undefined before the first command and without walls. */
  get standing(): StandingWalls | undefined {
    return this.#raised?.kernel.standing;
  }

  /**
   * The walls as the approval rules know them: only where everything is kept, so that a command
   * cannot do harm in a way that the rules would have asked about.
   */
  get inside(): InsideWalls | undefined {
    const { policy, kernel } = this.#raised ?? {};
    if (policy === undefined || !standsFully(kernel!.standing)) return undefined;
    const { network } = kernel!.standing;
    return { workspace: policy.workspace, closed: network === "off" || network === "loopback" };
  }

  async raise(directory: string): Promise<RaisedWalls | undefined> {
    // A command may have ended the process that keeps its view of the file system.
    if (this.#raised?.kernel.alive === false) await this.discard();
    return await (this.#raising ??= this.#raise(directory));
  }

  /** The next command gets walls of the policy as it is then. */
  async discard(): Promise<void> {
    const raising = this.#raising;
    this.#raising = undefined;
    this.#raised = undefined;
    const raised = await raising?.catch(() => undefined);
    await raised?.close();
  }

  /** A file tool changed this path after a person's yes. */
  noteAllowed(path: string): void {
    this.#kept?.noteAllowed(path);
  }

  async close(): Promise<void> {
    await this.discard();
    const kept = this.#kept;
    this.#kept = undefined;
    await kept?.close();
  }

  async #raise(directory: string): Promise<SessionWallSet | undefined> {
    const { keepFiles, raiseWalls } = await import("./raise_walls.ts");
    const raised = await raiseWalls(directory, { ...this.#options, kept: () => this.#kept });
    if (raised !== undefined) this.#kept ??= keepFiles(raised, this.#options);
    return this.#raised = raised;
  }
}
