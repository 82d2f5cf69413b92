/**
 * Characters as an expression tells them apart: those that fit the same of its single-character
 * parts are one symbol, so that the engine's tables stay small. A carriage return that ends a line
 * is a symbol of its own, and so is the end of the text.
 */

/** What is known of the place between two characters. */
export interface Place {
  textStart: boolean;
  textEnd: boolean;
  lineStart: boolean;
  lineEnd: boolean;
  wordEdge: boolean;
}

interface SymbolFacts {
  /** Which parts of the expression it fits. */
  fits: Uint8Array;
  isNewline: boolean;
  isWord: boolean;
  /** The end of a line follows before this character. */
  endsLine: boolean;
  width: number;
}

/** Kinds of characters before a place, which is all that boundaries ask of them. */
const TEXT_START = 0;
const NEWLINE = 1;
const WORD = 2;
const OTHER = 3;

const WORD_CHARACTER = /^[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]$/v;
const LF = 10;
const CR = 13;

/** Symbols are numbers from 4 on; smaller ones stand for what may come before a place. */
const FIRST_SYMBOL = 4;

export class RegexAlphabet {
  #leaves: readonly RegExp[];
  #spansLines: boolean;
  #symbols: SymbolFacts[] = [];
  #bySignature = new Map<string, number>();
  /** Symbols of the basic plane, 0 where not known yet. */
  #basic = new Uint16Array(0x10000);
  #others = new Map<number, number>();
  #end: number;
  #lineEndingReturn: number;
  #places = new Map<number, Place>();

  constructor(leaves: readonly RegExp[], spansLines: boolean) {
    this.#leaves = leaves;
    this.#spansLines = spansLines;
    this.#end = this.#add({
      fits: new Uint8Array(leaves.length),
      isNewline: false,
      isWord: false,
      endsLine: true,
      width: 0,
    });
    this.#lineEndingReturn = this.#add({ ...this.#describe("\r"), endsLine: true });
  }

  /** The symbol of the character at `at`, or of the end. */
  symbolAt(text: string, at: number): number {
    if (at >= text.length) return this.#end;
    const unit = text.charCodeAt(at);
    if (unit === CR && (at + 1 === text.length || text.charCodeAt(at + 1) === LF)) {
      return this.#lineEndingReturn;
    }
    if (unit < 0xd800 || unit > 0xdbff) return this.#basic[unit] || this.#learn(unit);
    const code = text.codePointAt(at)!;
    return code > 0xffff ? this.#others.get(code) ?? this.#learn(code) : this.#basic[unit] ||
      this.#learn(unit);
  }

  /** Code units of a symbol's character. */
  width(symbol: number): number {
    return this.#symbols[symbol - FIRST_SYMBOL]!.width;
  }

  /** True when the character fits a part of the expression. */
  fits(symbol: number, leaf: number): boolean {
    return this.#symbols[symbol - FIRST_SYMBOL]!.fits[leaf] === 1;
  }

  /** What stands before a position. */
  before(text: string, at: number): number {
    if (at === 0) return TEXT_START;
    const low = text.charCodeAt(at - 1);
    const isPair = low >= 0xdc00 && low <= 0xdfff && at > 1;
    return this.kindBefore(this.symbolAt(text, isPair ? at - 2 : at - 1));
  }

  /** A symbol, or a kind already, as what it is to the place behind it. */
  kindBefore(symbol: number): number {
    if (symbol < FIRST_SYMBOL) return symbol;
    const { isNewline, isWord } = this.#symbols[symbol - FIRST_SYMBOL]!;
    return isNewline ? NEWLINE : isWord ? WORD : OTHER;
  }

  /** The place between what stands before it and the next character. */
  place(before: number, symbol: number): Place {
    const kind = this.kindBefore(before);
    const key = symbol * FIRST_SYMBOL + kind;
    let place = this.#places.get(key);
    if (place === undefined) {
      const next = this.#symbols[symbol - FIRST_SYMBOL]!;
      place = {
        textStart: kind === TEXT_START,
        textEnd: symbol === this.#end,
        lineStart: kind === TEXT_START || kind === NEWLINE,
        lineEnd: next.endsLine,
        wordEdge: (kind === WORD) !== next.isWord,
      };
      this.#places.set(key, place);
    }
    return place;
  }

  #learn(code: number): number {
    const symbol = this.#describe(String.fromCodePoint(code));
    const { fits, isNewline, isWord, width } = symbol;
    const signature = `${fits.join("")}${isNewline}${isWord}${width}`;
    let id = this.#bySignature.get(signature);
    if (id === undefined) {
      id = this.#add(symbol);
      this.#bySignature.set(signature, id);
    }
    if (code > 0xffff) this.#others.set(code, id);
    else this.#basic[code] = id;
    return id;
  }

  #describe(character: string): SymbolFacts {
    const isNewline = character === "\n";
    const hidden = isNewline && !this.#spansLines;
    return {
      fits: Uint8Array.from(this.#leaves, (leaf) => !hidden && leaf.test(character) ? 1 : 0),
      isNewline,
      isWord: WORD_CHARACTER.test(character),
      endsLine: isNewline,
      width: character.length,
    };
  }

  #add(symbol: SymbolFacts): number {
    this.#symbols.push(symbol);
    return this.#symbols.length - 1 + FIRST_SYMBOL;
  }
}
