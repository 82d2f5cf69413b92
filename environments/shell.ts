/** What a shell environment needs to know of a place: how to start commands and reach files there. */
import type { Environment } from "../src/protocol/environment.ts";
import { EnvironmentError } from "../src/protocol/error.ts";
import type { TerminalSize } from "../src/process/pty.ts";
import type { RawProcess } from "../src/process/raw_process.ts";
import { isVariableName } from "./shell_script.ts";

/** File access by absolute paths. */
export type Files = Pick<
  Environment,
  "realPath" | "readFile" | "writeFile" | "stat" | "list" | "remove" | "rename"
>;

export interface Shell {
  /**
   * Must have settled before `newFile()`. True when private files of before are gone.
   * @throws EnvironmentError once closed.
   */
  ready(): Promise<boolean>;
  /** Does ahead what the first command would have to wait for. */
  prepare?(): Promise<void>;
  /** A path for a new private file, there. */
  newFile(): string;
  /** Removes a private file that is no longer needed; without it, such files are written again. */
  freeFile?(path: string): void;
  start(command: string, options: StartOptions): Promise<Started>;
  /** Takes no more commands and ends whatever is left of earlier ones. */
  endAll(leaders: readonly number[]): Promise<void>;
  /** Lets go of the place; when nothing runs any more. */
  clean(): Promise<void>;
}

export interface StartOptions {
  cwd: string;
  env: Record<string, string>;
  stdin: "null" | "piped";
  /** The caller does not wait for it: `stateIn` may change as soon as it has started. */
  background: boolean;
  /** Size of the pseudo-terminal to run on. */
  terminal?: TerminalSize | undefined;
  /** Starts the command without the walls that stand around commands there. */
  outside?: boolean | undefined;
  /** Ends it also when hermes cannot. */
  timeoutMs?: number | undefined;
  stateIn: string | undefined;
  stateOut?: string | undefined;
}

export interface Started {
  process: RawProcess;
  /** Ends the whole tree: SIGTERM, a grace period, SIGKILL. */
  kill(options?: KillOptions): Promise<void>;
  /** Notes about what the walls stopped or undid; after the command's end. */
  notes?(end: { exitCode: number; output: string }): readonly string[];
  /** The directory it ended in; undefined when it left no whole state. After its end. */
  left(): Promise<string | undefined>;
  /** Removes what was made for this command alone; after its end. */
  release(): Promise<void>;
}

export interface KillOptions {
  graceMs?: number | undefined;
  /** Hang up first: interactive shells ignore SIGTERM but end with their terminal. */
  hangUp?: boolean;
}

/** @throws EnvironmentError for what no shell can take. */
export function checkInput(command: string, env: Record<string, string>): void {
  if (command.includes("\0")) throw new EnvironmentError("A command cannot contain a NUL byte");
  for (const [name, value] of Object.entries(env)) {
    if (!isVariableName(name)) throw new EnvironmentError(`"${name}" is not a variable name`);
    if (value.includes("\0")) throw new EnvironmentError(`The value of ${name} has a NUL byte`);
  }
}
