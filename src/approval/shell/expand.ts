/**
 * Words to the arguments a program would receive: parameters, substitutions with known
 * output, braces, field splitting. What cannot be known becomes a marker inside the text.
 */
import { expandBraces } from "./braces.ts";
import { basename } from "../../util/path.ts";
import { PRINTS_NUMBER, PRINTS_SETTINGS, PRINTS_WORD } from "./executors_data.ts";
import { literalOutput } from "./literal_output.ts";
import { MAX_STRIPPED, replaceIn, transform } from "./parameter_ops.ts";
import type { Assignment, Command, ParamPart, Part, Script, Word } from "./shell_ast.ts";
import { SET_BY_SHELL, SPECIAL, USUAL } from "./shell_variables_data.ts";
import { checkGrowth, MAX_CHOICES, type ShellState } from "./shell_state.ts";
import { hasUnknown, type Known, unknown } from "./unknown.ts";
import { trimEndOf } from "../../util/trim_end.ts";

/** Scripts that run before a word is complete: substitutions, also within parameters and arithmetic. */
export function* scriptsIn(parts: readonly Part[]): Generator<Script> {
  for (const part of parts) {
    if (part.kind === "script" || (part.kind === "process" && part.direction === "<")) {
      yield part.script;
    }
    if (part.kind === "arithmetic") yield* scriptsIn(part.parts);
    if (part.kind === "param") {
      for (const word of [part.index, part.arg, part.replacement]) {
        if (word !== undefined) yield* scriptsIn(word.parts);
      }
    }
  }
}

/** Expands words under one choice of values for the variables that have several. */
export class Expander {
  readonly #state: ShellState;
  readonly #home: string;
  /** What trying patterns on values has cost so far. */
  #patternWork = 0;
  #index = 0;
  #radix = new Map<string, { stride: number; size: number }>();

  /** @param home where `~` is, for operators that take its value apart. */
  constructor(state: ShellState, home: string) {
    this.#state = state;
    this.#home = home;
  }

  /** Runs `body` once for each combination of possible values; false when there were too many. */
  forEachChoice(body: () => void): boolean {
    // What a command runs in turn makes choices of its own.
    const outer = { index: this.#index, radix: this.#radix };
    const radix = this.#radix = new Map();
    this.#index = 0;
    body();
    const total = [...radix.values()].reduce((product, { size }) => product * size, 1);
    for (let index = 1; index < Math.min(total, MAX_CHOICES); index++) {
      this.#index = index;
      this.#radix = radix;
      body();
    }
    this.#index = outer.index;
    this.#radix = outer.radix;
    return total <= MAX_CHOICES;
  }

  /** The arguments a word becomes: none, one or many. */
  fields(word: Word): string[] {
    const hasBrace = word.parts.some((p) => p.kind === "text" && !p.quoted && p.text.includes("{"));
    const variants = hasBrace ? expandBraces(word.parts) : [word.parts];
    const fields = variants.flatMap((parts) => this.#split(parts));
    checkGrowth(fields.length);
    return fields;
  }

  /** The word as one text, unsplit: assignments, redirection targets, here-documents. */
  text(word: Word): string {
    let text = "";
    for (const part of this.#withTilde(word.parts)) {
      const value = this.#value(part);
      text += typeof value === "string" ? value : value.join(" ");
      checkGrowth(text.length);
    }
    return text;
  }

  /** Where a redirection leads: split like a word, but never into several. */
  target(word: Word): string {
    const fields = this.fields(word);
    return fields.length === 1 ? fields[0]! : this.text(word);
  }

  /** Carries out an assignment; one that may not happen only adds a possible value. */
  assign({ name, value, append, items }: Assignment, { certain }: { certain: boolean }): void {
    if (items !== undefined) {
      const lists = new Map<string, string[]>();
      this.forEachChoice(() => {
        const before = append ? this.#array(name) ?? [] : [];
        const list = [...before, ...items.flatMap((item) => this.fields(item))];
        lists.set(list.join("\n"), list);
      });
      this.#state.assignArray(name, ...lists.values());
      return;
    }
    const before = append ? this.#state.vars.get(name)?.at(-1) ?? "" : "";
    const texts = new Set<string>();
    this.forEachChoice(() => void texts.add(this.text(value)));
    [...texts].forEach((text, i) =>
      this.#state.assign(name, { value: before + text, certain: certain && i === 0 })
    );
  }

  /** What a command substitution prints, when that is certain. */
  output(script: Script): string | undefined {
    const text = this.#printed(script, undefined);
    return text === undefined ? undefined : trimEndOf(text, "\n");
  }

  /** What all commands of a script print, those that may not run included. */
  #printed(script: Script, stdin: string | undefined): string | undefined {
    let all = "";
    for (const { stages } of script.statements.flatMap(({ pipelines }) => pipelines)) {
      let text = stdin;
      for (const stage of stages) text = this.stageOutput(stage, text);
      if (text === undefined) return undefined;
      all += text;
      checkGrowth(all.length);
    }
    return all;
  }

  /** What one stage of a pipeline prints, when that is certain. */
  stageOutput(stage: Command, stdin: string | undefined): string | undefined {
    const isGroup = stage.kind === "compound" && /^[({]$/.test(stage.keyword);
    if (isGroup && stage.redirects.length === 0) return this.#printed(stage.bodies[0]!, stdin);
    if (stage.kind !== "simple" || stage.words.length === 0) return undefined;
    let input = stdin;
    for (const redirect of stage.redirects) {
      if (redirect.op === "<<<") input = this.text(redirect.target);
      else if (redirect.body !== undefined) input = this.text(redirect.body);
      else if (redirect.op === "<" || redirect.fd === "") return undefined;
    }
    const argv = stage.words.flatMap((word) => this.fields(word));
    if (argv.some(hasUnknown) || (input !== undefined && hasUnknown(input))) return undefined;
    return literalOutput(argv, { stdin: input, cwd: this.#state.cwd, home: this.#home });
  }

  /** `~+`, `~-` and a `~` for a home that was changed. */
  #withTilde(parts: readonly Part[]): readonly Part[] {
    const first = parts[0];
    if (first?.kind !== "text" || first.quoted || first.text[0] !== "~") return parts;
    const [head, sign] = /^~(\+|-|[+-]?\d+)?(?=\/|$)/.exec(first.text) ?? [];
    if (head === undefined) return parts;
    const name = sign === undefined ? "HOME" : sign === "+" ? "PWD" : "OLDPWD";
    const known = sign === undefined || (sign.length === 1 && !/\d/.test(sign));
    const base = (known ? this.#scalar(name) : undefined) ??
      (name === "HOME" ? head : unknown(name));
    return [{ ...first, text: base + first.text.slice(head.length) }, ...parts.slice(1)];
  }

  /** A value with `~` written out, as the shell sees it. */
  #written(value: string | undefined): string | undefined {
    return value !== undefined && /^~(?:\/|$)/.test(value) ? this.#home + value.slice(1) : value;
  }

  #split(parts: readonly Part[]): string[] {
    const fields: string[] = [];
    let current = "";
    let open = false;
    const close = () => {
      if (open) fields.push(current);
      current = "";
      open = false;
    };
    const add = (part: Part, inArgument: boolean) => {
      const argument = this.#argumentTaken(part);
      if (argument !== undefined) {
        for (const inner of argument.parts) add(inner, true);
        return;
      }
      const value = this.#value(part);
      if (typeof value !== "string") {
        value.forEach((item, i) => {
          if (i > 0) close();
          current += item;
          open = true;
        });
      } else if (isWhole(part, inArgument)) {
        current += value;
        checkGrowth(current.length);
        open ||= value !== "" || ("quoted" in part && part.quoted);
      } else {
        value.split(this.#separator()).forEach((piece, i) => {
          if (i > 0) close();
          current += piece;
          open ||= piece !== "";
        });
      }
    };
    for (const part of this.#withTilde(parts)) add(part, false);
    close();
    return fields;
  }

  /** The argument of `${x-…}` where it stands for the value and its quotes keep words together. */
  #argumentTaken(part: Part): Word | undefined {
    if (part.kind !== "param" || part.quoted || !/^:?[-+]$/.test(part.op)) return undefined;
    if (!part.arg!.parts.some((inner) => "quoted" in inner && inner.quoted)) return undefined;
    if (part.indirect || part.index !== undefined || /^[@*]|\[@\]$/.test(part.name)) {
      return undefined;
    }
    const value = this.#scalar(part.name);
    const isGiven = value !== undefined && (value !== "" || part.op[0] !== ":");
    const takes = part.op.endsWith("-")
      ? this.#isMissing(part, value)
      : value === undefined
      ? this.#digit(`${part.name}+`, 2) === 0
      : isGiven;
    return takes ? part.arg : undefined;
  }

  #separator(): RegExp {
    const chars = this.#scalar("IFS") ?? " \t\n";
    if (chars === " \t\n") return BLANKS;
    return chars === "" ? /(?!)/ : new RegExp(`[${chars.replace(/[\]\\^-]/g, "\\$&")}]+`);
  }

  #value(part: Part): string | string[] {
    switch (part.kind) {
      case "text":
        return part.text;
      case "script":
        return this.output(part.script) ?? unknown("(…)", this.#kindOf(part.script));
      case "process":
        return this.#processFile(part.script);
      case "arithmetic":
        return unknown("((…))", "number");
      case "param":
        return this.#parameter(part);
      default:
        return part satisfies never;
    }
  }

  /** What the program that prints a substitution's output says about it. */
  #kindOf(script: Script): Known | undefined {
    const stage = script.statements.at(-1)?.pipelines.at(-1)?.stages.at(-1);
    if (stage?.kind !== "simple" || stage.words.length === 0) return undefined;
    const argv = stage.words.flatMap((word) => this.fields(word));
    const [path = "", ...args] = argv;
    const program = basename(path);
    const isNumber = Object.hasOwn(PRINTS_NUMBER, program) && PRINTS_NUMBER[program]!(args);
    if (isNumber) return "number";
    if (program === "printf" && args[0] === "%q") return "quoted";
    if (PRINTS_WORD.test(argv.join(" ").slice(0, 200))) return "quoted";
    const alone = script.statements.length === 1 && script.statements[0]!.pipelines.length === 1 &&
      script.statements[0]!.pipelines[0]!.stages.length === 1 && !argv.some(hasUnknown);
    return alone && PRINTS_SETTINGS.test(argv.join(" ").slice(0, 200)) ? "settings" : undefined;
  }

  /** A name for the output of `<(…)`, under which its text is found when certain. */
  #processFile(script: Script): string {
    const path = unknown(`<(${this.#state.files.size})`, this.#kindOf(script));
    const text = this.output(script);
    if (text !== undefined) this.#state.files.set(path, text);
    return path;
  }

  #parameter(part: ParamPart): string | string[] {
    let name = part.name;
    if (part.indirect) {
      name = this.#scalar(name) ?? "";
      if (isIndirection(part)) this.#state.expand(name || unknown(part.name), "indirection");
    }
    if (name === "@" || name === "*" || name.endsWith("[@]")) {
      const list = name.endsWith("[@]") ? this.#array(name.slice(0, -3)) : this.#state.positional;
      // `${a[@]-x}` is the list, unless there is none.
      if (part.op === "" || (/^:?[-=?]$/.test(part.op) && list !== undefined && list.length > 0)) {
        return list === undefined ? unknown(name) : part.quoted ? list : list.join(" ");
      }
    }
    const value = part.index === undefined
      ? this.#scalar(name)
      : this.#array(name)?.[Number(part.index.raw)];
    return part.op === "" ? value ?? unknown(name) : this.#operate(part, value);
  }

  /** One value of a variable under the current choice; undefined when unknown. */
  #scalar(name: string): string | undefined {
    const values = this.#state.vars.get(name);
    if (values !== undefined) return values[this.#digit(name, values.length)];
    if (/^[1-9]\d*$/.test(name)) {
      const list = this.#state.positional;
      return list === undefined ? undefined : list[Number(name) - 1] ?? "";
    }
    if (name === "PWD") return this.#written(this.#state.cwd);
    if (name === "0") return this.#state.zero;
    return SPECIAL.get(name) ?? this.#array(name)?.[0];
  }

  /** The items of an array under the current choice. */
  #array(name: string): string[] | undefined {
    const lists = this.#state.arrays.get(name);
    return lists?.[lists.length === 1 ? 0 : this.#digit(`${name}[]`, lists.length)];
  }

  /** Whether `${x-…}` is its argument; what the shell itself sets may be either. */
  #isMissing({ name, op }: ParamPart, value: string | undefined): boolean {
    if (value === undefined) return !SET_BY_SHELL.test(name) || this.#digit(`${name}-`, 2) === 0;
    return value === "" && op[0] === ":";
  }

  /** Which of `size` values this choice takes: a mixed-radix digit, assigned on first use. */
  #digit(name: string, size: number): number {
    let place = this.#radix.get(name);
    if (place === undefined) {
      const last = [...this.#radix.values()].at(-1);
      place = { stride: last === undefined ? 1 : last.stride * last.size, size };
      this.#radix.set(name, place);
    }
    return Math.floor(this.#index / place.stride) % size;
  }

  /** `${x OP arg}`. An unknown value takes the branch that reveals the argument. */
  #operate(part: ParamPart, value: string | undefined): string {
    const arg = part.arg === undefined ? "" : this.text(part.arg);
    const given = value !== undefined && (value !== "" || !part.op.startsWith(":"));
    switch (part.op) {
      case "@":
        if (arg === "P") this.#state.expand(value ?? unknown(part.name), "prompt expansion");
        if (arg === "Q") return unknown(part.name, "quoted");
        return arg === "P" ? unknown(part.name) : value ?? unknown(part.name);
      case ":=":
      case "=":
        if (!given) this.#state.assign(part.name, { value: arg, certain: value !== undefined });
        return this.#orArgument(part, { value, arg });
      case ":-":
      case "-":
        return this.#orArgument(part, { value, arg });
      case ":+":
      case "+":
        if (value === undefined) return this.#digit(`${part.name}+`, 2) === 0 ? arg : "";
        return given ? arg : "";
      case ":?":
      case "?":
        return value ?? unknown(`${part.name}?`);
      case "length":
        return value === undefined ? unknown(part.name) : String(value.length);
      default:
        return this.#compute(part, { value: this.#written(value), arg });
    }
  }

  /** An empty argument reveals nothing: the value stays open. */
  #orArgument(part: ParamPart, { value, arg }: { value: string | undefined; arg: string }): string {
    const isOpen = value === undefined && arg === "";
    if (!isOpen && this.#isMissing(part, value)) return arg;
    return value ?? USUAL.get(part.name) ?? unknown(part.name);
  }

  /** Pieces and replacements of a value, which a few variables have on every machine. */
  #compute(part: ParamPart, { value, arg }: { value: string | undefined; arg: string }): string {
    const text = value ?? USUAL.get(part.name);
    const replacement = part.replacement === undefined ? "" : this.text(part.replacement);
    const reveals = text === undefined && replacement !== "" && part.op.startsWith("/");
    if (reveals && this.#digit(`${part.name}/`, 2) === 0) return replacement;
    if (text === undefined || text.length > MAX_STRIPPED || hasUnknown(text)) {
      return unknown(part.name);
    }
    this.#patternWork += text.length ** (part.op.startsWith("/") ? 3 : 2);
    if (this.#patternWork > MAX_PATTERN_WORK) return unknown(part.name);
    if (part.op === "/" || part.op === "//") {
      return replaceIn(text, { pattern: arg, replacement, all: part.op === "//" });
    }
    return transform(text, { op: part.op, arg }) ?? unknown(part.name);
  }
}

/** Characters compared for patterns in all; values beyond that stay unknown. */
const MAX_PATTERN_WORK = 5_000_000;

const BLANKS = /[ \t\n]+/;

/** Whether the value of a part is not split at blanks. */
function isWhole(part: Part, inArgument: boolean): boolean {
  if (part.kind === "text") return part.quoted || !inArgument;
  return !("quoted" in part) || part.quoted;
}

/** `${!x}`, but not `${!prefix*}` or the keys `${!a[@]}`. */
function isIndirection({ name, op, arg }: ParamPart): boolean {
  return !name.endsWith("[@]") && !(op === "@" && arg?.raw === "") && !/^[*@]/.test(arg?.raw ?? "");
}
