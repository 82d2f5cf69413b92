/**
 * Counts the steps of a backtracking engine that looks for all matches in a text. Counts are the
 * same on every machine and under any load, which times are not, and growth shows on short texts.
 */
import type { RegexTree } from "./_regex_tree.ts";

const CHAR = 0;
const SPLIT = 1;
const JUMP = 2;
/** Remembers the place, for a group or for `MOVED`. */
const SAVE = 3;
/** An iteration of a loop that took no text ends it. */
const MOVED = 4;
const ANCHOR = 5;
/** Look-ahead; `x` is 1 when it must fail. */
const LOOK = 6;
const REFERENCE = 7;
const MATCH = 8;

interface Instruction {
  op: number;
  x: number;
  y: number;
  fits?: (unit: number) => boolean;
  holds?: (text: string, at: number) => boolean;
  code?: Instruction[];
}

/** Groups of an expression take the first slots, loops those behind. */
const LOOP_SLOTS = 100;
const SLOTS = 4000;

export class StepCounter {
  #code: Instruction[];
  #slots = new Int32Array(SLOTS);
  /** What to go back to: a way (`pc`, `at`), or with `pc` -1 - slot the slot's old value. */
  #stack: number[] = [];
  #steps = 0;
  #limit = 0;

  constructor(tree: RegexTree, flags: string) {
    this.#code = compile(tree, flags);
  }

  /** Steps to find every match; `limit` when there are more. */
  count(text: string, limit: number): number {
    this.#steps = 0;
    this.#limit = limit;
    this.#slots.fill(-1);
    for (let at = 0; at <= text.length && this.#steps < limit;) {
      const end = this.#run(this.#code, text, at);
      at = end > at ? end : at + 1;
    }
    return Math.min(this.#steps, limit);
  }

  /** The end of the match that starts at `start`, or -1. */
  #run(code: readonly Instruction[], text: string, start: number): number {
    const stack = this.#stack;
    /** What was on the stack before belongs to the expression around a look-ahead. */
    const base = stack.length;
    const slots = this.#slots;
    let pc = 0;
    let at = start;
    while (this.#steps++ < this.#limit) {
      const step = code[pc]!;
      let fits = true;
      switch (step.op) {
        case CHAR:
          fits = at < text.length && step.fits!(text.charCodeAt(at));
          if (fits) at++;
          break;
        case SPLIT:
          stack.push(step.y, at);
          pc = step.x;
          continue;
        case JUMP:
          pc = step.x;
          continue;
        case SAVE:
          stack.push(-1 - step.x, slots[step.x]!);
          slots[step.x] = at;
          break;
        case MOVED:
          fits = slots[step.x] !== at;
          break;
        case ANCHOR:
          fits = step.holds!(text, at);
          break;
        case LOOK:
          fits = (this.#run(step.code!, text, at) >= 0) === (step.x === 0);
          break;
        case REFERENCE: {
          const [from, to] = [slots[step.x * 2]!, slots[step.x * 2 + 1]!];
          const said = from < 0 || to < from ? "" : text.slice(from, to);
          fits = text.startsWith(said, at);
          if (fits) at += said.length;
          break;
        }
        case MATCH:
          stack.length = base;
          return at;
      }
      if (fits) {
        pc++;
        continue;
      }
      while (stack.length > base && stack[stack.length - 2]! < 0) {
        const value = stack.pop()!;
        slots[-1 - stack.pop()!] = value;
      }
      if (stack.length === base) return -1;
      at = stack.pop()!;
      pc = stack.pop()!;
    }
    stack.length = base;
    return -1;
  }
}

function compile(
  tree: RegexTree,
  flags: string,
  loops = { next: LOOP_SLOTS },
): Instruction[] {
  const code: Instruction[] = [];
  emit(tree, { code, flags, loops });
  code.push({ op: MATCH, x: 0, y: 0 });
  return code;
}

interface Output {
  code: Instruction[];
  flags: string;
  loops: { next: number };
}

function emit(tree: RegexTree, out: Output): void {
  const { code } = out;
  switch (tree.type) {
    case "char":
      code.push({ op: CHAR, x: 0, y: 0, fits: unitTest(tree.fits) });
      return;
    case "sequence":
      for (const item of tree.items) emit(item, out);
      return;
    case "choice":
      return emitChoice(tree.options, out);
    case "repeat":
      return emitRepeat(tree, out);
    case "group":
      code.push({ op: SAVE, x: tree.index * 2, y: 0 });
      emit(tree.body, out);
      code.push({ op: SAVE, x: tree.index * 2 + 1, y: 0 });
      return;
    case "reference":
      code.push({ op: REFERENCE, x: tree.index, y: 0 });
      return;
    case "anchor":
      code.push({ op: ANCHOR, x: 0, y: 0, holds: anchorTest(tree) });
      return;
    case "look":
      code.push(
        tree.behind ? lookBehind(tree, out.flags) : {
          op: LOOK,
          x: tree.negative ? 1 : 0,
          y: 0,
          code: compile(tree.body, out.flags, out.loops),
        },
      );
  }
}

function emitChoice(options: readonly RegexTree[], out: Output): void {
  const { code } = out;
  const jumps: Instruction[] = [];
  for (const [i, option] of options.entries()) {
    if (i === options.length - 1) {
      emit(option, out);
      break;
    }
    const split = { op: SPLIT, x: code.length + 1, y: 0 };
    code.push(split);
    emit(option, out);
    const jump = { op: JUMP, x: 0, y: 0 };
    code.push(jump);
    jumps.push(jump);
    split.y = code.length;
  }
  for (const jump of jumps) jump.x = code.length;
}

/** Repetitions are written out up to here; more of the same does not change how steps grow. */
const MAX_COPIES = 16;

function emitRepeat(tree: RegexTree & { type: "repeat" }, out: Output): void {
  const { code } = out;
  for (let i = 0; i < Math.min(tree.min, MAX_COPIES); i++) emit(tree.body, out);
  const isLoop = tree.max > MAX_COPIES;
  const splits: Instruction[] = [];
  const goes: number[] = [];
  for (let i = tree.min; i < (isLoop ? tree.min + 1 : tree.max); i++) {
    const start = code.length;
    const split = { op: SPLIT, x: 0, y: 0 };
    code.push(split);
    splits.push(split);
    goes.push(code.length);
    const slot = out.loops.next++;
    if (isLoop) code.push({ op: SAVE, x: slot, y: 0 });
    emit(tree.body, out);
    if (isLoop) code.push({ op: MOVED, x: slot, y: 0 }, { op: JUMP, x: start, y: 0 });
  }
  for (const [i, split] of splits.entries()) {
    split.x = tree.lazy ? code.length : goes[i]!;
    split.y = tree.lazy ? goes[i]! : code.length;
  }
}

function unitTest(fits: RegExp): (unit: number) => boolean {
  const known = new Map<number, boolean>();
  return (unit) => {
    let answer = known.get(unit);
    if (answer === undefined) {
      answer = fits.test(String.fromCharCode(unit));
      known.set(unit, answer);
    }
    return answer;
  };
}

const WORD = /\w/;

function anchorTest(
  { kind, multiline }: RegexTree & { type: "anchor" },
): (text: string, at: number) => boolean {
  const isEnd = (unit: string | undefined) =>
    unit === undefined || (multiline && /[\n\r\u2028\u2029]/.test(unit));
  if (kind === "^") return (text, at) => isEnd(text[at - 1]);
  if (kind === "$") return (text, at) => isEnd(text[at]);
  const isEdge = (text: string, at: number) =>
    WORD.test(text[at - 1] ?? "") !== WORD.test(text[at] ?? "");
  return kind === "b" ? isEdge : (text, at) => !isEdge(text, at);
}

/** Looking back is left to the real engine and costs one step: none here repeats without a bound. */
function lookBehind(tree: RegexTree & { type: "look" }, flags: string): Instruction {
  const regex = new RegExp(tree.source, `${flags.replace(/[gy]/g, "")}y`);
  return {
    op: ANCHOR,
    x: 0,
    y: 0,
    holds: (text, at) => {
      regex.lastIndex = at;
      return regex.test(text);
    },
  };
}
