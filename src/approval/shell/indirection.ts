/**
 * How many ways a command takes to run what it does not spell out: text for a shell, program names
 * from variables, builtins that change what later words mean. One way is followed; two together
 * change each other, and a person decides.
 */
import type { Invocation } from "./invocation.ts";
import type { TextPayload } from "./payload.ts";
import type { SimpleCommand, Word } from "./shell_ast.ts";

/** Builtins that change how the shell finds programs or reads words. */
const READING = /^(?:alias|unalias|builtin|enable|hash|shopt|mapfile|readarray|coproc)$/;
/** Builtins that only give values, or input: of interest where text is run that may hold them. */
const GIVING = /^(?:read|declare|typeset|let)$/;
/** `${EDITOR:-vi}` is everyday; a program's name that is cut, replaced or chosen otherwise is not. */
const DEFAULTS = /^(?::?-)?$/;
/** Variables that decide how words are split, or what a shell runs first. */
const VARIABLES = /^(?:IFS|BASH_ENV|ENV|SHELLOPTS|BASHOPTS)$/;

export class Indirections {
  /** Who runs text: `eval`, `bash`, `source`. */
  readonly #texts = new Set<string>();
  readonly #reading = new Set<string>();
  #gives = false;
  /** A program's name is cut, replaced or chosen by an operator. */
  #computesName = false;
  /** Texts and files around the command at hand. */
  #depth = 0;
  #files = 0;

  /** What a person has to decide about. */
  get unjudged(): string[] {
    return [
      ...this.#areCombined() ? ["several ways at once"] : [],
      ...this.#computesName ? ["program name"] : [],
    ];
  }

  /** True when no single way explains what the command runs. */
  #areCombined(): boolean {
    const ways = new Set([...this.#texts, ...this.#reading]);
    // `trap 'rm "$file"' EXIT; read -r file` is how scripts clean up.
    const runsGiven = this.#gives && [...this.#texts].some((via) => via !== "trap");
    return ways.size > 1 || runsGiven;
  }

  /** Follows a text that a shell executes; the text of a file stands on its own. */
  text(payload: TextPayload, follow: () => void): void {
    if (payload.file !== undefined) {
      this.#files++;
      follow();
      this.#files--;
      return;
    }
    // The same way twice is a text inside a text.
    if (this.#files === 0) this.#texts.add(this.#depth > 0 ? "text in text" : payload.via);
    this.#depth++;
    follow();
    this.#depth--;
  }

  /** `$x -rf`, `"${a[@]}"`, `IFS=/`. */
  command({ words, assignments }: SimpleCommand): void {
    if (this.#files > 0) return;
    // Inside a text a whole substitution may only show where an unknown value stood.
    const known = this.#depth === 0 ? /^text$/ : /^(?:text|script)$/;
    if (words[0]?.parts.some(({ kind }) => !known.test(kind)) === true) {
      this.#reading.add("program name");
    }
    // The words of an alias become the beginning of a command.
    const names = words[0]?.raw === "alias" ? words : words.slice(0, 1);
    this.#computesName ||= names.some(isComputedName);
    // `IFS=, read a b` is meant for the one command.
    if (words[0]?.raw !== "read" && assignments.some(({ name }) => VARIABLES.test(name))) {
      this.#reading.add("variable");
    }
  }

  builtin({ program, args, redirects }: Invocation): void {
    if (this.#files > 0) return;
    const takesInput = program === "exec" && redirects.some(({ op }) => op.startsWith("<"));
    if (READING.test(program) || takesInput) this.#reading.add(program);
    this.#gives ||= GIVING.test(program) ||
      (program === "printf" && args[0]?.startsWith("-v") === true) ||
      (program === "set" && args.includes("--"));
  }
}

function isComputedName({ parts }: Word): boolean {
  return parts.some((part) =>
    part.kind === "param" &&
    (part.indirect || !DEFAULTS.test(part.op) || (part.op !== "" && part.name.endsWith("]")))
  );
}
