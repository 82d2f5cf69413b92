/** The tree a shell command is parsed into, and the limits beyond which none is built. */

/** A piece of a word. `quoted` pieces are neither split nor brace-expanded. */
export type Part =
  | { kind: "text"; text: string; quoted: boolean }
  | ParamPart
  | { kind: "script"; script: Script; quoted: boolean }
  | { kind: "process"; script: Script; direction: "<" | ">" }
  | { kind: "arithmetic"; parts: Part[] };

/** `$x`, `${x:-y}`, `${a[@]}`: `op` is the operator between name and argument, or empty. */
export interface ParamPart {
  kind: "param";
  name: string;
  op: string;
  /** True for `${!x}`. */
  indirect: boolean;
  /** Subscript of an array; `[@]` is part of the name instead. */
  index?: Word;
  arg?: Word;
  /** The replacement of `${x/pattern/replacement}`. */
  replacement?: Word;
  quoted: boolean;
}

export interface Word {
  parts: Part[];
  /** The source characters, for rules that need what was written (Windows paths). */
  raw: string;
  /** Set where an argument has the form of an assignment: `export x=1`. */
  assignment?: Assignment;
}

export interface Assignment {
  name: string;
  append: boolean;
  /** What stands in the brackets of `name[…]=`. */
  subscript?: string;
  value: Word;
  /** Set for `name=(…)`. */
  items?: Word[];
}

export interface Redirect {
  fd: string;
  op: string;
  target: Word;
  /** The body of a here-document. */
  body?: Word;
}

interface AnyCommand {
  /** Runs beside the script, which writes its input and reads its output. */
  coproc?: true;
}

export interface SimpleCommand extends AnyCommand {
  kind: "simple";
  assignments: Assignment[];
  words: Word[];
  redirects: Redirect[];
}

/** Everything with a body: loops, branches, groups, subshells. */
export interface CompoundCommand extends AnyCommand {
  kind: "compound";
  keyword: string;
  /** Loop variable of `for` and `select`. */
  variable?: string;
  /** Loop values, the `case` subject, the operands of `[[ ]]`; absent for `for x; do`. */
  words?: Word[];
  bodies: Script[];
  redirects: Redirect[];
}

export interface FunctionCommand extends AnyCommand {
  kind: "function";
  name: string;
  body: Command;
}

export type Command = SimpleCommand | CompoundCommand | FunctionCommand;

export interface Pipeline {
  /** How it hangs on the one before: empty for the first. */
  link: "" | "&&" | "||";
  stages: Command[];
}

export interface Statement {
  pipelines: Pipeline[];
  background: boolean;
}

export interface Script {
  statements: Statement[];
}

/** Commands beyond these are refused unread: a person could not review them either. */
export const LIMITS = {
  chars: 128_000,
  /** Length of a command without a single separator. */
  unbrokenChars: 4_096,
  separators: 25_000,
  /** Nesting of substitutions, groups and quoted scripts. */
  depth: 48,
  /** Commands found after unwrapping and expansion. */
  commands: 30_000,
  /** Characters of scripts found inside scripts. */
  payloadChars: 1_000_000,
} as const;

/** The text is no shell the parser knows. */
export class ShellSyntaxError extends Error {
  override name = "ShellSyntaxError";
}

/** A limit was crossed: the command is refused. */
export class ShellLimitError extends Error {
  override name = "ShellLimitError";
}
