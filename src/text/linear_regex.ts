/**
 * Matching in time proportional to the text, whatever the expression: all ways through the
 * program are followed at once, and sets of them are remembered as states. For expressions of
 * models over files of anybody, where an engine that goes back can take forever.
 */
import * as program from "./regex_program.ts";
import { type Place, RegexAlphabet } from "./regex_alphabet.ts";

export interface LinearOptions extends program.ProgramOptions {
  /** A match may hold line feeds. */
  spansLines: boolean;
}

/** Called now and then during long work; throws to end it. */
export type Clock = () => void;

interface State {
  /** Instructions to go on from, sorted. */
  from: Int32Array;
  /** The character before this place, as the alphabet names it. */
  before: number;
  /** State by next character; `ACCEPT` when a match ends before it. */
  next: (State | typeof ACCEPT | undefined)[];
}

const ACCEPT = null;
/** More states than this are forgotten and made again: memory stays bounded. */
const MAX_STATES = 3000;
const MAX_STATE_NUMBERS = 2_000_000;
/** Work between two looks at the clock. */
const CLOCK_STEPS = 1 << 18;

export class LinearRegex {
  #code: program.Instruction[];
  #alphabet: RegexAlphabet;
  #states = new Map<string, State>();
  /** How many instructions they hold. */
  #numbers = 0;
  /** When an instruction was last visited; compared with `#round`. */
  #visited: Int32Array;
  #round = 0;
  #work = 0;

  /** @throws SyntaxError when this engine cannot run the expression. */
  constructor(source: string, options: LinearOptions) {
    const { code, leaves } = program.compileProgram(source, options);
    this.#code = code;
    this.#alphabet = new RegexAlphabet(leaves, options.spansLines);
    this.#visited = new Int32Array(code.length);
  }

  /** Where the first match ends that starts at `from` or behind and ends first; -1 when there is none. */
  firstEnd(text: string, from: number, clock?: Clock): number {
    const alphabet = this.#alphabet;
    let state = this.#state(new Int32Array([0]), alphabet.before(text, from));
    for (let at = from;;) {
      const symbol = alphabet.symbolAt(text, at);
      let next = state.next[symbol];
      if (next === undefined) {
        next = this.#step(state, symbol, clock);
        state.next[symbol] = next;
      }
      if (next === ACCEPT) return at;
      if (at >= text.length) return -1;
      at += alphabet.width(symbol);
      state = next;
    }
  }

  /** The match that a backtracking engine would find first. */
  match(text: string, from: number, clock?: Clock): { index: number; end: number } | undefined {
    const alphabet = this.#alphabet;
    let threads: Thread[] = [];
    let found: { index: number; end: number } | undefined;
    let before = alphabet.before(text, from);
    for (let at = from;;) {
      const symbol = alphabet.symbolAt(text, at);
      const starts = found === undefined ? [...threads, { pc: 0, start: at }] : threads;
      const place = alphabet.place(before, symbol);
      const reached = this.#close(starts, place);
      threads = [];
      for (const { pc, start } of reached) {
        const { op, x } = this.#code[pc]!;
        if (op === program.MATCH) {
          found = { index: start, end: at };
          break;
        }
        if (alphabet.fits(symbol, x)) threads.push({ pc: pc + 1, start });
      }
      this.#tick(reached.length + 1, clock);
      if (at >= text.length || (found !== undefined && threads.length === 0)) return found;
      at += alphabet.width(symbol);
      before = symbol;
    }
  }

  #step(state: State, symbol: number, clock: Clock | undefined): State | typeof ACCEPT {
    const alphabet = this.#alphabet;
    const starts = [...state.from].map((pc) => ({ pc, start: 0 }));
    const reached = this.#close(starts, alphabet.place(state.before, symbol));
    this.#tick(reached.length + 1, clock);
    const targets = new Set([0]);
    for (const { pc } of reached) {
      const { op, x } = this.#code[pc]!;
      if (op === program.MATCH) return ACCEPT;
      if (alphabet.fits(symbol, x)) targets.add(pc + 1);
    }
    return this.#state(Int32Array.from(targets).sort(), symbol);
  }

  #state(from: Int32Array, symbol: number): State {
    const before = this.#alphabet.kindBefore(symbol);
    const key = `${before}:${from.join()}`;
    let state = this.#states.get(key);
    if (state === undefined) {
      this.#numbers += from.length;
      if (this.#states.size >= MAX_STATES || this.#numbers > MAX_STATE_NUMBERS) this.#forget();
      state = { from, before, next: [] };
      this.#states.set(key, state);
    }
    return state;
  }

  /** Drops the ways between states too, which would keep all of them alive. */
  #forget(): void {
    for (const state of this.#states.values()) state.next = [];
    this.#states.clear();
    this.#numbers = 0;
  }

  /** `CHAR` and `MATCH` instructions that can be reached here without reading, the preferred first. */
  #close(starts: readonly Thread[], place: Place): Thread[] {
    const round = ++this.#round;
    const reached: Thread[] = [];
    const stack: number[] = [];
    for (const { pc: first, start } of starts) {
      stack.push(first);
      while (stack.length > 0) {
        const pc = stack.pop()!;
        if (this.#visited[pc] === round) continue;
        this.#visited[pc] = round;
        const { op, x, y } = this.#code[pc]!;
        if (op === program.SPLIT) stack.push(y, x);
        else if (op === program.JUMP) stack.push(x);
        else if (op === program.ASSERT) {
          if (holds(x, place)) stack.push(pc + 1);
        } else reached.push({ pc, start });
      }
    }
    return reached;
  }

  #tick(work: number, clock: Clock | undefined): void {
    this.#work += work;
    if (this.#work < CLOCK_STEPS) return;
    this.#work = 0;
    clock?.();
  }
}

interface Thread {
  pc: number;
  start: number;
}

function holds(kind: number, place: Place): boolean {
  switch (kind) {
    case program.LINE_START:
      return place.lineStart;
    case program.LINE_END:
      return place.lineEnd;
    case program.TEXT_START:
      return place.textStart;
    case program.TEXT_END:
      return place.textEnd;
    case program.WORD_EDGE:
      return place.wordEdge;
    default:
      return !place.wordEdge;
  }
}
