/**
 * What a shell executes while it only seems to compute: numbers, subscripts, prompts, and values
 * given to variables that a program executes. Finds the text and hands it on; judges nothing.
 */
import {
  evaluatedOperands,
  expressionsIn,
  namesIn,
  runsSubstitution,
  runsWhenEvaluated,
} from "./arithmetic.ts";
import { DECIDED_BY_WORDS, HOLDS_NUMBER } from "./executors_data.ts";
import { executedByVariable, isExecutedVariable } from "./executors.ts";
import type { Expander } from "./expand.ts";
import { type Invocation, parseLeading } from "./invocation.ts";
import type { Payload } from "./payload.ts";
import type { Assignment, ParamPart, Word } from "./shell_ast.ts";
import type { ShellState } from "./shell_state.ts";
import { hasUnknownBut, unknown } from "./unknown.ts";

/** Variables that refer to variables; deeper ones are taken for unknown. */
const MAX_DEPTH = 8;
const NUMBER = /^[\s\d+*/%()<>=!&|^~?:,-]*$/;

/** Builtins that take names of variables, and which of their words those are. */
const NAMES: Readonly<Record<string, (args: readonly string[]) => string[]>> = {
  read: (args) => [...parseLeading(args, { values: "adinNptu" }).operands, ...valuesOf(args, "a")],
  printf: (args) => valuesOf(args, "v"),
  wait: (args) => parseLeading(args, { values: "p" }).values.get("p") ?? [],
  unset: (args) => parseLeading(args, {}).operands,
  mapfile: (args) => parseLeading(args, { values: "dnOsuCc" }).operands,
  readarray: (args) => parseLeading(args, { values: "dnOsuCc" }).operands,
  getopts: (args) => args.slice(1, 2),
  export: (args) => names(args),
  readonly: (args) => names(args),
  declare: (args) => names(args),
  typeset: (args) => names(args),
  local: (args) => names(args),
  test: (args) => tested(args),
  "[": (args) => tested(args),
};

export class Evaluation {
  readonly #state: ShellState;
  readonly #expander: Expander;
  readonly #follow: (payload: Payload) => void;

  constructor(
    { state, expander, follow }: {
      state: ShellState;
      expander: Expander;
      follow: (payload: Payload) => void;
    },
  ) {
    this.#state = state;
    this.#expander = expander;
    this.#follow = follow;
  }

  /** Numbers and subscripts inside words. */
  words(words: readonly Word[]): void {
    for (const word of words) {
      for (const { parts, owner } of expressionsIn(word.parts)) {
        if (owner === undefined || !this.#isKeyed(owner)) {
          this.#evaluate(this.#text({ parts, raw: "" }));
        }
      }
    }
  }

  /** Subscripts that an array is given on the left of `=`, or in the list of its items. */
  subscripts({ name, subscript, items }: Assignment): void {
    if (this.#state.keyed.has(name)) return;
    if (subscript !== undefined) this.#evaluate(subscript);
    for (const item of items ?? []) {
      const text = this.#text(item);
      const end = text.startsWith("[") ? text.indexOf("]=") : -1;
      if (end > 0) this.#evaluate(text.slice(1, end));
    }
  }

  /** Unquoted values that are unknown, where they decide what a program does. */
  looseWords(
    words: readonly Word[],
    { commands, complete }: { commands: readonly Invocation[]; complete: boolean },
  ): void {
    // Not every combination of values was tried.
    if (
      !complete && (words[0]?.parts.some(({ kind }) => kind !== "text") === true ||
        commands.some(({ program }) => DECIDED_BY_WORDS.has(program)))
    ) {
      this.#follow({ unjudged: "too many values" });
    }
    const isLoose = words.slice(1).map(({ parts: [part, ...more] }) =>
      more.length === 0 && (part?.kind === "param" || part?.kind === "script") && !part.quoted
    );
    if (!isLoose.includes(true)) return;
    const loose = words.slice(1).filter((_, i) => isLoose[i]).map((word) => this.#text(word))
      .filter((text) => hasUnknownBut(text, "number", "quoted"));
    for (const { program, args } of loose.length === 0 ? [] : commands) {
      const where = DECIDED_BY_WORDS.get(program);
      const decides = where === "any" ? args : where === "first" ? args.slice(0, 1) : [];
      if (decides.some((arg) => loose.includes(arg))) {
        this.#follow({ unjudged: `arguments of ${program}` });
      }
    }
  }

  /** The word after `>&`, which bash expands a second time where it is no number. */
  descriptor(text: string): void {
    if (runsSubstitution(text)) this.#follow({ text, via: "redirection", expands: true });
    // A dollar sign that is left stands for a value then; so does the output of a program. What is
    // merely not set opens nothing.
    if (text.includes("$") || /\0\((?!\()/.test(text)) this.#follow({ unjudged: "redirection" });
  }

  /** Variables that are set for one command only. */
  variables(env: ReadonlyMap<string, string>): void {
    for (const [name, value] of env) {
      if (runsWhenEvaluated(value)) this.#armed(value, "subscript");
      for (const payload of executedByVariable(name, value)) this.#follow(payload);
    }
  }

  /** The operands of `[[ ]]`. */
  operands(words: readonly Word[]): void {
    for (const { word, isName } of evaluatedOperands(words)) {
      const text = this.#text(word);
      if (isName) this.#name(text);
      else this.#evaluate(text);
    }
  }

  /** What a builtin evaluates because of its arguments. */
  builtin({ program, path, args }: Invocation): void {
    // `a['$(cmd)']=1`: the quotes make it no assignment to the parser, but one to the shell.
    if (/^[A-Za-z_]\w*\[/.test(path) && runsWhenEvaluated(path)) this.#armed(path, "subscript");
    if (program === "let") { for (const arg of args) this.#evaluate(arg); }
    if (!Object.hasOwn(NAMES, program)) return;
    for (const name of NAMES[program]!(args)) this.#name(name);
    if (!/^(?:declare|typeset|local|export|readonly)$/.test(program)) return;
    const flags = parseLeading(args, {}).flags;
    for (const arg of args) {
      const [, name, value] = /^([A-Za-z_]\w*)(?:\+?=([^]*))?$/.exec(arg) ?? [];
      if (name === undefined) continue;
      if (flags.has("A")) this.#state.keyed.add(name);
      if (flags.has("i")) this.#state.integers.add(name);
      // `declare -a x='([$(cmd)]=1)'` is read as a list of items.
      if (value !== undefined && runsWhenEvaluated(value)) this.#armed(value, program);
      if (flags.has("i") && value !== undefined) this.#evaluate(value);
    }
  }

  /** What became of the variables since it was last asked. */
  assigned(): void {
    for (const { name, value } of this.#state.takeWritten()) {
      if (value === undefined) {
        if (isExecutedVariable(name)) this.#follow({ unjudged: name });
        continue;
      }
      if (runsWhenEvaluated(value)) this.#armed(value, "subscript");
      if (this.#state.integers.has(name)) this.#evaluate(value);
      for (const payload of executedByVariable(name, value)) this.#follow(payload);
    }
    for (const { text, via } of this.#state.takeExpanded()) {
      const isInert = !runsSubstitution(text) && !text.includes("\\") && !hasUnknownBut(text);
      if (!isInert) this.#follow({ text, via, expands: true });
    }
  }

  #text(word: Word): string {
    return this.#expander.text(word);
  }

  #isKeyed({ name }: ParamPart): boolean {
    return this.#state.keyed.has(name);
  }

  /** A name of a variable, which may carry a subscript. */
  #name(text: string): void {
    if (runsWhenEvaluated(text)) this.#armed(text, "subscript");
    const name = text.replace(/(?:\[[^]*)?\+?(?:=[^]*)?$/, "");
    if (hasUnknownBut(name, "number")) this.#follow({ unjudged: "variable name" });
  }

  /** A substitution that is about to run, or will when the value is used as a number. */
  #armed(text: string, via: string): void {
    this.#follow({ unjudged: via });
    this.#follow({ text, via, expands: true });
  }

  #evaluate(text: string, depth = 0): void {
    if (NUMBER.test(text)) return;
    if (runsSubstitution(text)) this.#armed(text, "arithmetic");
    if (hasUnknownBut(text, "number") || depth > MAX_DEPTH) {
      this.#follow({ unjudged: "arithmetic" });
      return;
    }
    const { reads, writes } = namesIn(text);
    for (const name of reads) {
      if (HOLDS_NUMBER.test(name)) continue;
      const values = this.#state.vars.get(name) ?? this.#state.arrays.get(name)?.flat();
      if (values === undefined) this.#follow({ unjudged: "arithmetic" });
      else for (const value of values) this.#evaluate(value, depth + 1);
    }
    for (const name of writes) {
      this.#state.assign(name, { value: unknown(name, "number"), certain: true });
    }
  }
}

function valuesOf(args: readonly string[], letter: string): string[] {
  return parseLeading(args, { values: `${letter}dinNptu` }).values.get(letter) ?? [];
}

function names(args: readonly string[]): string[] {
  return args.filter((arg) => !/^[-+]/.test(arg));
}

/** The word after `-v` of `test`. */
function tested(args: readonly string[]): string[] {
  return args.filter((_, i) => /^-[vR]$/.test(args[i - 1] ?? ""));
}
