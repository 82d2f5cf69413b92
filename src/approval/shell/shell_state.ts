/** What following a script has taught about its shell: variables, files, directory. */
import { unknown } from "./unknown.ts";
import { LIMITS, ShellLimitError } from "./shell_ast.ts";

/** Values kept for a variable, and commands tried for one written command. */
export const MAX_CHOICES = 64;

/** Possible values by name. */
export type EarlierVariables = ReadonlyMap<string, readonly string[]>;

/** What is known about the shell at one point of the script. */
export class ShellState {
  /** Possible values; more than one after branches and loops. Absent: unknown. */
  readonly vars = new Map<string, string[]>();
  /** Possible lists of items. */
  readonly arrays = new Map<string, string[][]>();
  readonly aliases = new Map<string, string>();
  /** Arrays whose subscripts are keys, not numbers. */
  readonly keyed = new Set<string>();
  /** Variables whose values are evaluated as numbers. */
  readonly integers = new Set<string>();
  /** Variables that the function at hand has declared for itself. */
  locals = new Set<string>();
  readonly #before: ReadonlyMap<string, string[]>;
  #written: Written[] = [];
  #expanded: Expanded[] = [];
  /** `$1…`; undefined when unknown, as in a function body seen before its call. */
  positional: string[] | undefined = [];
  /** `$0`. */
  zero = "bash";
  /** Contents of files written so far, and of process substitutions, where certain. */
  readonly files = new Map<string, string>();
  /** Words that substitutions may have printed, the last ones. */
  printed: string[] = [];
  /** Standard input was replaced for what follows: `exec < FILE`. */
  fed = false;
  /** The working directory; undefined after a `cd` to somewhere unknown. */
  cwd: string | undefined;

  /** Commands follow a change of the directory whether or not it came about. */
  moves = false;
  readonly #startsSomewhere: boolean;
  readonly #staysPut: boolean;

  /**
   * @param earlier what commands before this one may have left in the environment.
   * @param staysPut every change of the directory fails, for what follows in any case.
   */
  constructor(cwd?: string, earlier: EarlierVariables = new Map(), staysPut = false) {
    this.cwd = cwd;
    this.#staysPut = staysPut;
    this.#startsSomewhere = cwd !== undefined;
    this.vars.set("HOME", ["~"]);
    this.vars.set("HERMES_HOME", ["~/.hermes"]);
    this.vars.set("IFS", [" \t\n"]);
    for (const [name, values] of earlier) {
      this.vars.set(name, [...this.vars.get(name) ?? [unknown(name)], ...values]);
    }
    this.#before = new Map(this.vars);
  }

  /** The script went to a directory that is unknown. */
  get isLost(): boolean {
    return this.#startsSomewhere && this.cwd === undefined;
  }

  /** Directories that the script made the shell look for programs in. */
  programDirectories(env: ReadonlyMap<string, string>): string[] {
    const values = [...this.vars.get("PATH") ?? [], env.get("PATH") ?? ""];
    return values.flatMap((value) => value.split(":")).filter((dir) =>
      dir !== "" && !dir.includes("\0")
    );
  }

  /** The one value of a variable, where it is certain. */
  literal(name: string): string | undefined {
    const values = this.vars.get(name) ?? [];
    return values.length === 1 && !values[0]!.includes("\0") ? values[0] : undefined;
  }

  /** The variables that were given values here, for the commands that come later. */
  left(): Map<string, string[]> {
    return new Map([...this.vars].filter(([name, values]) => this.#before.get(name) !== values));
  }

  /** Gives variables values for a while; the result takes them back. */
  lend(variables: readonly (readonly [name: string, value: string])[]): () => void {
    const before = variables.map(([name]) => [name, this.vars.get(name)] as const);
    for (const [name, value] of variables) this.vars.set(name, [value]);
    return () => {
      for (const [name, values] of before) {
        if (values === undefined) this.vars.delete(name);
        else this.vars.set(name, values);
      }
    };
  }

  /** Follows one statement of several; what is linked to a `cd` by `&&` is part of its statement. */
  statement<T>(isLast: boolean, run: () => T): T {
    const { cwd } = this;
    const result = run();
    if (this.cwd !== cwd && !isLast) {
      this.moves = true;
      if (this.#staysPut) this.cwd = cwd;
    }
    return result;
  }

  /**
   * Follows what runs in a shell of its own: its directory and words end with it. A variable that
   * it gave a value has that value or the older one afterwards, whoever asks.
   */
  subshell<T>(run: () => T): T {
    const { cwd, positional } = this;
    const before = new Map(this.vars);
    const result = run();
    this.#blend(before);
    this.cwd = cwd;
    this.positional = positional;
    return result;
  }

  /** Follows a function: a variable that is its own may have the older value afterwards. */
  scope(run: () => void): void {
    const { locals } = this;
    const before = new Map(this.vars);
    this.locals = new Set();
    run();
    this.#blend(before, this.locals);
    this.locals = locals;
  }

  #blend(before: ReadonlyMap<string, string[]>, only?: ReadonlySet<string>): void {
    for (const [name, values] of this.vars) {
      const older = before.get(name);
      if (older === values || only?.has(name) === false) continue;
      const both = new Set([...older ?? [unknown(name)], ...values]);
      this.vars.set(name, [...both].slice(0, MAX_CHOICES));
    }
  }

  /** `certain` assignments replace what was known; others add a possibility. */
  assign(name: string, options: { value: string; certain: boolean }): void {
    checkGrowth(options.value.length);
    const known = options.certain ? [] : [...this.vars.get(name) ?? []];
    if (known.length < MAX_CHOICES && !known.includes(options.value)) known.push(options.value);
    this.vars.set(name, known);
    this.#written.push({ name, value: options.value });
  }

  /** Several possible values at once, as a loop gives them; none: unknown from now on. */
  assignAny(name: string, values: readonly string[]): void {
    this.vars.delete(name);
    if (values.length > 0) this.vars.set(name, [...new Set(values)].slice(0, MAX_CHOICES));
    for (const value of values) this.#written.push({ name, value });
    if (values.length === 0) this.#written.push({ name, value: undefined });
  }

  /** The items of an array; several lists when it is open which. */
  assignArray(name: string, ...lists: string[][]): void {
    this.arrays.set(name, lists);
    // `$a` is the first item; a text that the name held before stays possible.
    const before = this.vars.get(name);
    const first = lists.flatMap(([item]) => item ?? []);
    if (before !== undefined && first.length > 0) {
      this.vars.set(name, [...new Set([...before, ...first])].slice(-MAX_CHOICES));
    }
    for (const value of lists.flat()) this.#written.push({ name, value });
  }

  /** Remembers words that a substitution may have printed. */
  keepPrinted(words: readonly string[]): void {
    if (words.length > 0) this.printed = [...words, ...this.printed].slice(0, MAX_CHOICES);
  }

  /** Notes text that a word expanded once more: `${x@P}`. */
  expand(text: string, via: string): void {
    this.#expanded.push({ text, via });
  }

  takeWritten(): Written[] {
    return this.#written.length === 0 ? this.#written : this.#written.splice(0);
  }

  takeExpanded(): Expanded[] {
    return this.#expanded.length === 0 ? this.#expanded : this.#expanded.splice(0);
  }
}

/** A variable that was given a value; undefined when the value is unknown. */
interface Written {
  name: string;
  value: string | undefined;
}

interface Expanded {
  text: string;
  via: string;
}

/** Doubling a value over and over must not exhaust memory. */
export function checkGrowth(length: number): void {
  if (length > LIMITS.chars) throw new ShellLimitError("a value grows too long");
}
