/**
 * The shape of a command: data that help, completion, parsing and docs are all made from,
 * plus a lazy import of the module that does the work.
 */

export interface FlagSpec {
  /** Long name without dashes: `max-turns`. */
  name: string;
  short?: string;
  type: "boolean" | "string" | "number" | "list";
  /** Placeholder in help: `FILE`, `N`. */
  value?: string;
  choices?: readonly string[];
  help: string;
  hidden?: boolean;
}

export type FlagValue = boolean | string | number | string[];

export interface CommandInput {
  /** Positional arguments after the command path. */
  args: string[];
  /** Values by long name; absent when not given. */
  flags: Readonly<Record<string, FlagValue | undefined>>;
  /** The command path: `["sessions", "list"]`. */
  path: string[];
}

/** Returns the exit code. Throws `HermesError` for expected failures. */
export type CommandMain = (input: CommandInput) => Promise<number>;

export interface CommandSpec {
  name: string;
  /** Other spellings that are understood; help and completion show the name alone. */
  aliases?: readonly string[];
  summary: string;
  /**
   * Positional grammar, checked by the parser: `KEY [VALUE...]`. A word without brackets is
   * required, `...` allows any number. Absent: takes none.
   */
  args?: string;
  /** The first positional argument is a program, and everything after it is the program's own. */
  takesProgram?: boolean;
  flags?: readonly FlagSpec[];
  subcommands?: readonly CommandSpec[];
  examples?: readonly string[];
  hidden?: boolean;
  /** Present on commands that do something themselves. */
  load?: () => Promise<{ main: CommandMain }>;
}
