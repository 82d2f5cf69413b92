/** What following a script has taught about its shell: variables, files, directory. */
import { LIMITS, ShellLimitError } from "./shell_ast.ts";

/** Values kept for a variable, and commands tried for one written command. */
export const MAX_CHOICES = 64;

/** What is known about the shell at one point of the script. */
export class ShellState {
  /** Possible values; more than one after branches and loops. Absent: unknown. */
  readonly vars = new Map<string, string[]>();
  readonly arrays = new Map<string, string[]>();
  readonly aliases = new Map<string, string>();
  /** `$1…`; undefined when unknown, as in a function body seen before its call. */
  positional: string[] | undefined = [];
  /** `$0`. */
  zero = "bash";
  /** Contents of files written so far, and of process substitutions, where certain. */
  readonly files = new Map<string, string>();
  /** The working directory; undefined after a `cd` to somewhere unknown. */
  cwd: string | undefined;

  constructor(cwd?: string) {
    this.cwd = cwd;
    this.vars.set("HOME", ["~"]);
    this.vars.set("HERMES_HOME", ["~/.hermes"]);
    this.vars.set("IFS", [" \t\n"]);
  }

  /** `certain` assignments replace what was known; others add a possibility. */
  assign(name: string, options: { value: string; certain: boolean }): void {
    checkGrowth(options.value.length);
    const known = options.certain ? [] : this.vars.get(name) ?? [];
    if (known.length < MAX_CHOICES && !known.includes(options.value)) known.push(options.value);
    this.vars.set(name, known);
  }
}

/** Doubling a value over and over must not exhaust memory. */
export function checkGrowth(length: number): void {
  if (length > LIMITS.chars) throw new ShellLimitError("a value grows too long");
}
