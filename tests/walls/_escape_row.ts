/** The shape of one attempt against the walls: what is run inside, and how it shows outside. */
import type { SandboxMode } from "../../src/protocol/sandbox.ts";

/**
 * `refused`: the effect must not happen. `allowed`: it must, so that the walls are no narrower
 * than they say. `recorded`: no wall promises either; what holds here is printed.
 */
export type Expectation = "refused" | "allowed" | "recorded";

/** How an attempt that got through is seen. Variables of attempts (`$OUT`, `$ID`) are replaced. */
export type Effect =
  /** The text of this secret is in the output. */
  | { readonly printed: string }
  /** The file or directory is not as it was. */
  | { readonly changed: string }
  /** As `changed`, but a file that was put back may have another time. */
  | { readonly rewritten: string }
  /** The file holds this text. */
  | { readonly holds: string; readonly text: string }
  /** This listener heard the id of the row. */
  | { readonly contact: string }
  /** The row's own victim noted one of these, or is in this state. */
  | { readonly victim: "signal" | "changed" | "stopped" | "gone" | "nice" | "limits" }
  /** The row's own terminal noted this. */
  | { readonly terminal: "typed" | "shown" }
  /** The attempt says `GAINED`: nothing outside shows it. */
  | "says";

export type WalledMode = Exclude<SandboxMode, "off">;

export interface EscapeRow {
  readonly id: string;
  /**
   * Bash. `$E` is the helper of `escape.c`, `$WS` the workspace and `$W` the row's directory in
   * it, `$OUT` a directory elsewhere and `$T` the row's own in it with a `keep.txt`; `$VICTIM`
   * and `$TTY` belong to the row. The others are in `_escape_world.ts`.
   */
  readonly attempt: string;
  readonly effect: Effect;
  /** Programs, or `root`, or `nobody` for the user without rights. */
  readonly needs?: readonly string[];
  /** `refused` unless said. */
  readonly expect?: Readonly<Partial<Record<WalledMode, Expectation>>>;
  /** Kept by the view of the file system alone: no wall promises it where there is none. */
  readonly byView?: true;
  /** Why the attempt may fail without walls too: the control is then printed, not asserted. */
  readonly control?: string;
  /** Spoils the workspace for others: rows of one name share a world of their own. */
  readonly alone?: string;
  /** How long after the end of the command the effect is looked for. */
  readonly settleMs?: number;
  /** Why an expectation is not `refused`; part of what is printed. */
  readonly note?: string;
}

/** `hosts` stands for a list of hosts in which nothing of this machine is. */
export type NetworkName = "on" | "off" | "loopback" | "hosts";

export interface NetworkRow extends Omit<EscapeRow, "expect"> {
  readonly network: Readonly<Record<NetworkName, Expectation>>;
}

/** An effect that the workspace's own mode allows. */
export const ORDINARY: NonNullable<EscapeRow["expect"]> = { "workspace-write": "allowed" };

/** No wall sees it in any mode. */
export const RECORDED: NonNullable<EscapeRow["expect"]> = {
  "read-only": "recorded",
  "workspace-write": "recorded",
};
