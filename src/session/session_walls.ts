/**
 * The walls of one session: raised when the first command starts, anew when a mode or a grant
 * changes, gone with the session. Walls that were replaced stay until the last command behind
 * them has ended.
 */
import type { InsideWalls } from "../approval/rules/inside_walls.ts";
import { EnvironmentError } from "../protocol/error.ts";
import type { CommandWalls, RaisedWalls, SandboxPolicy } from "../protocol/sandbox.ts";
import { HostDisk } from "../sandbox/command/disk.ts";
import type { KeptFiles } from "../sandbox/command/kept_files.ts";
import { type StandingWalls, standsFully } from "../sandbox/command/standing.ts";
import type { SessionWallSet, WallsOptions } from "./raise_walls.ts";

/** Walls that are being raised, or stand. */
interface Raise {
  directory: string;
  promise: Promise<HeldWalls | undefined>;
  /** Once they stand. */
  walls?: HeldWalls | undefined;
}

/** Walls that count the commands behind them. */
interface HeldWalls extends SessionWallSet {
  /** Closes them when no command runs behind them any more. */
  retire(): Promise<void>;
}

/** A person has opened a socket, or the place of many. */
function opensSockets({ hidden, readable, writable }: SandboxPolicy): boolean {
  const disk = new HostDisk();
  return !hidden.includes(disk.real("/run")) ||
    [...readable, ...writable].some((path) => disk.kind(path) === "other");
}

export class SessionWalls implements CommandWalls {
  readonly #options: WallsOptions;
  #current: Raise | undefined;
  readonly #retired = new Set<HeldWalls>();
  /** Outlives a change of the walls: what was right before stays right. */
  #kept: KeptFiles | undefined;
  #closed = false;

  constructor(options: WallsOptions) {
    const told = new Set<string>();
    const notice = (line: string) => {
      if (told.has(line)) return;
      told.add(line);
      options.notice(line);
    };
    this.#options = { ...options, notice };
  }

  /** The walls that stand now; undefined before the first command and without walls. */
  get standing(): StandingWalls | undefined {
    return this.#current?.walls?.kernel.standing;
  }

  /**
   * The walls as the approval rules know them: only where everything is kept, so that a command
   * cannot do harm in a way that the rules would have asked about.
   */
  get inside(): InsideWalls | undefined {
    const { policy, kernel } = this.#current?.walls ?? {};
    if (policy === undefined || !standsFully(kernel!.standing)) return undefined;
    const { network } = kernel!.standing;
    return {
      changeable: [...policy.workspace, ...policy.writable],
      closed: network === "off" || network === "loopback",
      sockets: opensSockets(policy),
    };
  }

  async privateParent(preferred: string): Promise<string> {
    const { privateParent } = await import("./private_parent.ts");
    return await privateParent(preferred, await this.#options.policy({}));
  }

  async raise(directory: string): Promise<RaisedWalls | undefined> {
    const { walls, directory: before = directory } = this.#current ?? {};
    // A command may have ended the process that keeps its view of the file system.
    if (before !== directory || walls?.kernel.alive === false) await this.discard();
    if (this.#closed) throw new EnvironmentError("The session is closed");
    return await (this.#current ??= this.#begin(directory)).promise;
  }

  /** The next command gets walls of the policy as it is then. */
  async discard(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    const walls = await current?.promise.catch(() => undefined);
    if (walls === undefined) return;
    // A command that waited for these walls begins in this turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    this.#retired.add(walls);
    await walls.retire();
  }

  /** A file tool changed this path after a person's yes. */
  noteAllowed(path: string): void {
    this.#kept?.noteAllowed(path);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.discard();
    await Promise.all([...this.#retired].map((walls) => walls.close()));
    const kept = this.#kept;
    this.#kept = undefined;
    await kept?.close();
  }

  #begin(directory: string): Raise {
    const raise: Raise = { directory, promise: this.#raise(directory) };
    raise.promise.then((walls) => {
      raise.walls = walls;
    }, () => {
      // The command that asked is told; the next one tries again.
      if (this.#current === raise) this.#current = undefined;
    });
    return raise;
  }

  async #raise(directory: string): Promise<HeldWalls | undefined> {
    const { keepFiles, raiseWalls } = await import("./raise_walls.ts");
    const raised = await raiseWalls(directory, { ...this.#options, kept: () => this.#kept });
    if (raised === undefined) return undefined;
    this.#kept ??= keepFiles(raised, this.#options);
    return this.#held(raised);
  }

  #held(raised: SessionWallSet): HeldWalls {
    let commands = 0;
    let isRetired = false;
    const held: HeldWalls = {
      ...raised,
      begin() {
        commands++;
        raised.begin();
      },
      end: (end) => {
        commands--;
        // A failure has no effect on a command that has ended.
        if (isRetired && commands === 0) held.close().catch(() => {});
        return raised.end(end);
      },
      async retire() {
        isRetired = true;
        if (commands === 0) await held.close();
      },
      close: async () => {
        this.#retired.delete(held);
        await raised.close();
      },
    };
    return held;
  }
}
