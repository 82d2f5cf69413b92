/** A place that is reached through a client program, as the remote shell sees it. */
import type { ClientCommand } from "./_channel.ts";

export interface RemoteHost {
  /** What it is, in messages: `container hermes-1a2b`. */
  readonly label: string;
  /** Makes sure that the place is there, bringing back what has gone. @throws EnvironmentError */
  connect(): Promise<void>;
  /** The client that runs `shell -c script` there. */
  client(command: { shell: string; script: string; tty: boolean }): ClientCommand;
  /** Asked when a client ended without a word from its shell. */
  isAlive(): Promise<boolean>;
  /** Lets the place go, or leaves it for the next hermes. */
  close(): Promise<void>;
}
