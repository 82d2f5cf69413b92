/** A place that is reached through a client program or a library, as the remote shell sees it. */
import type { ClientCommand, DirectClient } from "./channel.ts";
import type { TerminalSize } from "../../src/process/pty.ts";

export interface RemoteCommandLine {
  shell: string;
  script: string;
  tty: boolean;
  /** The size of the terminal; with `tty`. */
  terminal?: TerminalSize | undefined;
}

export interface RemoteHost {
  /** What it is, in messages: `container hermes-1a2b`. */
  readonly label: string;
  /** The link may break while the place goes on: background processes must not depend on it. */
  readonly survivesLink?: boolean;
  /** How long a shell may wait for its command, where it does not learn that hermes has ended. */
  readonly waitSeconds?: number;
  /** Nothing runs there, and it should not be woken only to find that out. */
  readonly dormant?: boolean;
  /**
   * Makes sure that the place is there, bringing back what has gone; `suspect` when a shell that
   * seemed to be there did not answer. @throws EnvironmentError
   */
  connect(options?: { suspect?: boolean }): Promise<void>;
  /** Runs `shell -c script` there, or says how. @throws ChannelRefused when it cannot be reached. */
  client(
    command: RemoteCommandLine,
  ): ClientCommand | Promise<ClientCommand> | Promise<DirectClient>;
  /** Asked when a client ended without a word from its shell. */
  isAlive(): Promise<boolean>;
  /** Lets the place go, or leaves it for the next hermes. */
  close(): Promise<void>;
}
