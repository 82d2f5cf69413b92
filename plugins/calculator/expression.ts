/** Arithmetic without `eval`: the model's text is data, never code. */
import { ToolError } from "hermes/plugin";

const CONSTANTS: Record<string, number> = { pi: Math.PI, e: Math.E };
const FUNCTIONS: Record<string, (...values: number[]) => number> = {
  abs: Math.abs,
  ceil: Math.ceil,
  cos: Math.cos,
  floor: Math.floor,
  log: Math.log,
  log10: Math.log10,
  log2: Math.log2,
  max: Math.max,
  min: Math.min,
  pow: Math.pow,
  round: Math.round,
  sin: Math.sin,
  sqrt: Math.sqrt,
  tan: Math.tan,
};
const TOKEN = /\s*(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+|[a-z]\w*|\*\*|[-+*/%(),])/gyi;

/** The value of an expression. Throws a ToolError that the model can act on. */
export function evaluate(expression: string): number {
  const parser = new Parser(tokenize(expression));
  const value = parser.sum();
  parser.end();
  if (!Number.isFinite(value)) throw new ToolError("The result is not a finite number");
  return value;
}

function tokenize(text: string): string[] {
  const tokens = [...text.trim().matchAll(TOKEN)];
  if (tokens.map((token) => token[0]).join("") !== text.trim()) {
    throw new ToolError(`Invalid expression: ${text}`);
  }
  return tokens.map((token) => token[1]!.toLowerCase());
}

class Parser {
  #tokens: string[];
  #at = 0;

  constructor(tokens: string[]) {
    this.#tokens = tokens;
  }

  sum(): number {
    let value = this.#product();
    while (this.#peek("+", "-")) {
      value = this.#next() === "+" ? value + this.#product() : value - this.#product();
    }
    return value;
  }

  end(): void {
    if (this.#at < this.#tokens.length) {
      throw new ToolError(`Unexpected "${this.#tokens[this.#at]}"`);
    }
  }

  #product(): number {
    let value = this.#unary();
    while (this.#peek("*", "/", "%")) {
      const operator = this.#next();
      const right = this.#unary();
      if (operator !== "*" && right === 0) throw new ToolError("Division by zero");
      value = operator === "*" ? value * right : operator === "/" ? value / right : value % right;
    }
    return value;
  }

  #unary(): number {
    if (!this.#peek("-", "+")) return this.#power();
    return this.#next() === "-" ? -this.#unary() : this.#unary();
  }

  #power(): number {
    const base = this.#atom();
    if (!this.#peek("**")) return base;
    this.#next();
    return base ** this.#unary();
  }

  #atom(): number {
    const token = this.#next();
    if (/^[\d.]/.test(token)) return Number(token);
    if (token === "(") {
      const value = this.sum();
      this.#expect(")");
      return value;
    }
    if (this.#peek("(") && Object.hasOwn(FUNCTIONS, token)) {
      return FUNCTIONS[token]!(...this.#list());
    }
    if (Object.hasOwn(CONSTANTS, token)) return CONSTANTS[token]!;
    throw new ToolError(token === "" ? "The expression ends too early" : `Unknown name: ${token}`);
  }

  #list(): number[] {
    this.#expect("(");
    const values = [this.sum()];
    while (this.#peek(",")) {
      this.#next();
      values.push(this.sum());
    }
    this.#expect(")");
    return values;
  }

  #expect(token: string): void {
    if (this.#next() !== token) throw new ToolError(`"${token}" is missing`);
  }

  #peek(...tokens: string[]): boolean {
    return tokens.includes(this.#tokens[this.#at] ?? "");
  }

  #next(): string {
    return this.#tokens[this.#at++] ?? "";
  }
}
