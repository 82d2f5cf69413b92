/**
 * Words to the arguments a program would receive: parameters, substitutions with known
 * output, braces, field splitting. What cannot be known becomes a marker inside the text.
 */
import { expandBraces } from "./braces.ts";
import { basename } from "../util/path.ts";
import { PRINTS_NUMBER, PRINTS_SETTINGS, PRINTS_WORD } from "./executors_data.ts";
import { globMatch } from "./glob.ts";
import { literalOutput } from "./literal_output.ts";
import type { Assignment, Command, ParamPart, Part, Script, Word } from "./shell_ast.ts";
import { checkGrowth, MAX_CHOICES, type ShellState } from "./shell_state.ts";
import { hasUnknown, type Known, unknown } from "./unknown.ts";
import { trimEndOf } from "../util/trim_end.ts";

/** Longest value that `${x#…}` and friends are computed for: they cost its square. */
const MAX_STRIPPED = 64;

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
  #index = 0;
  #radix = new Map<string, { stride: number; size: number }>();

  constructor(state: ShellState) {
    this.#state = state;
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
    for (const part of word.parts) {
      const value = this.#value(part);
      text += typeof value === "string" ? value : value.join(" ");
      checkGrowth(text.length);
    }
    return text;
  }

  /** Carries out an assignment; one that may not happen only adds a possible value. */
  assign({ name, value, append, items }: Assignment, { certain }: { certain: boolean }): void {
    if (items !== undefined) {
      const before = append ? this.#state.arrays.get(name) ?? [] : [];
      this.#state.assignArray(name, [...before, ...items.flatMap((item) => this.fields(item))]);
      return;
    }
    const before = append ? this.#state.vars.get(name)?.at(-1) ?? "" : "";
    this.#state.assign(name, { value: before + this.text(value), certain });
  }

  /** What a command substitution prints, when that is certain. */
  output(script: Script): string | undefined {
    const [statement, ...more] = script.statements;
    if (statement === undefined) return "";
    if (more.length > 0 || statement.pipelines.length !== 1) return undefined;
    let text: string | undefined;
    for (const stage of statement.pipelines[0]!.stages) text = this.stageOutput(stage, text);
    return text === undefined ? undefined : trimEndOf(text, "\n");
  }

  /** What one stage of a pipeline prints, when that is certain. */
  stageOutput(stage: Command, stdin: string | undefined): string | undefined {
    if (stage.kind !== "simple" || stage.words.length === 0) return undefined;
    let input = stdin;
    for (const redirect of stage.redirects) {
      if (redirect.op === "<<<") input = this.text(redirect.target);
      else if (redirect.body !== undefined) input = this.text(redirect.body);
      else if (redirect.op === "<" || redirect.fd === "") return undefined;
    }
    const argv = stage.words.flatMap((word) => this.fields(word));
    if (argv.some(hasUnknown) || (input !== undefined && hasUnknown(input))) return undefined;
    return literalOutput(argv, input);
  }

  #split(parts: Part[]): string[] {
    const fields: string[] = [];
    let current = "";
    let open = false;
    const close = () => {
      if (open) fields.push(current);
      current = "";
      open = false;
    };
    for (const part of parts) {
      const value = this.#value(part);
      if (typeof value !== "string") {
        value.forEach((item, i) => {
          if (i > 0) close();
          current += item;
          open = true;
        });
      } else if (part.kind === "text" || !("quoted" in part) || part.quoted) {
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
    }
    close();
    return fields;
  }

  #separator(): RegExp {
    const chars = this.#state.vars.get("IFS")?.at(-1) ?? " \t\n";
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
    if (part.op === "" && (name === "@" || name === "*" || name.endsWith("[@]"))) {
      const list = name.endsWith("[@]")
        ? this.#state.arrays.get(name.slice(0, -3))
        : this.#state.positional;
      return list === undefined ? unknown(name) : part.quoted ? list : list.join(" ");
    }
    const value = part.index === undefined
      ? this.#scalar(name)
      : this.#state.arrays.get(name)?.[Number(part.index.raw)];
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
    if (name === "PWD") return this.#state.cwd;
    if (name === "0") return this.#state.zero;
    return SPECIAL.get(name) ?? this.#state.arrays.get(name)?.[0];
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
        if (!given) this.#state.assign(part.name, { value: arg, certain: true });
        return given ? value : arg;
      case ":-":
      case "-":
        return given ? value : arg;
      case ":+":
      case "+":
        return given || value === undefined ? arg : "";
      case ":?":
      case "?":
        return value ?? unknown(`${part.name}?`);
      case "length":
        return value === undefined ? unknown(part.name) : String(value.length);
      case "/":
      case "//": {
        const replacement = part.replacement === undefined ? "" : this.text(part.replacement);
        return value === undefined
          ? replacement || unknown(part.name)
          : replace(value, { arg, replacement, all: part.op === "//" });
      }
      default:
        return value === undefined || value.length > MAX_STRIPPED
          ? unknown(part.name)
          : transform(value, part.op, arg);
    }
  }
}

/** `${!x}`, but not `${!prefix*}` or the keys `${!a[@]}`. */
function isIndirection({ name, op, arg }: ParamPart): boolean {
  return !name.endsWith("[@]") && !(op === "@" && arg?.raw === "") && !/^[*@]/.test(arg?.raw ?? "");
}

const SPECIAL: ReadonlyMap<string, string> = new Map(Object.entries({
  "?": "0",
  "#": "0",
  "-": "hB",
  "TMPDIR": "/tmp",
}));

function replace(
  value: string,
  { arg, replacement, all }: { arg: string; replacement: string; all: boolean },
): string {
  return all ? value.replaceAll(arg, replacement) : value.replace(arg, () => replacement);
}

/** Case changes, prefix and suffix removal, substrings. */
function transform(value: string, op: string, arg: string): string {
  switch (op) {
    case "^^":
      return value.toUpperCase();
    case ",,":
      return value.toLowerCase();
    case "^":
      return value.slice(0, 1).toUpperCase() + value.slice(1);
    case ",":
      return value.slice(0, 1).toLowerCase() + value.slice(1);
    case ":": {
      const [start = 0, length] = arg.split(":").map((n) => Number(n.trim()));
      const from = start < 0 ? Math.max(0, value.length + start) : start;
      return length === undefined
        ? value.slice(from)
        : value.slice(from, length < 0 ? length : from + length);
    }
    case "#":
    case "##":
    case "%":
    case "%%":
      return strip(value, op, arg);
    default:
      return value;
  }
}

/** Removes the shortest (`#`, `%`) or longest (`##`, `%%`) match at the start or end. */
function strip(value: string, op: string, pattern: string): string {
  const lengths = Array.from({ length: value.length + 1 }, (_, i) => i);
  if (op.length === 2) lengths.reverse();
  for (const n of lengths) {
    const [cut, kept] = op.startsWith("#")
      ? [value.slice(0, n), value.slice(n)]
      : [value.slice(value.length - n), value.slice(0, value.length - n)];
    if (globMatch(pattern, cut)) return kept;
  }
  return value;
}
