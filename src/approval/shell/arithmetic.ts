/**
 * Text that a shell evaluates as a number. Bash runs the command substitutions in the subscript
 * of an array there, also when they came from a variable: `x='a[$(reboot)]'; echo $((x))`.
 */
import type { ParamPart, Part, Word } from "./shell_ast.ts";

/** Whether the text holds a substitution after an opening bracket: evaluated, it runs a command. */
export function runsWhenEvaluated(text: string): boolean {
  const open = text.indexOf("[");
  return open >= 0 && runsSubstitution(text.slice(open));
}

/** Whether expanding the text would run something: `$(…)`, backticks, `${…@P}`. */
export function runsSubstitution(text: string): boolean {
  return text.includes("$(") || text.includes("`") || text.includes("${");
}

/** Names that an expression reads, and those that it gives a number. */
export function namesIn(expression: string): { reads: string[]; writes: string[] } {
  const plain = expression.replace(/\0[^\0]*\0/g, " 0 ");
  const reads = new Set<string>();
  const writes = new Set<string>();
  for (const [found, name = "", assigns] of plain.matchAll(/([A-Za-z_]\w*)(\s*=(?!=))?/g)) {
    // `0x1f` and `16#ff` are numbers.
    if (/[\w#]/.test(plain[plain.indexOf(found) - 1] ?? "")) continue;
    (assigns === undefined ? reads : writes).add(name);
  }
  return { reads: [...reads].filter((name) => !writes.has(name)), writes: [...writes] };
}

export interface Expression {
  parts: Part[];
  /** The parameter whose subscript it is. */
  owner?: ParamPart;
}

/** The expressions inside words: `$((…))`, `${a[…]}`, `${x:…}`, also within each other. */
export function* expressionsIn(parts: readonly Part[]): Generator<Expression> {
  for (const part of parts) {
    if (part.kind === "arithmetic") {
      yield { parts: part.parts };
      yield* expressionsIn(part.parts);
    }
    if (part.kind !== "param") continue;
    if (part.index !== undefined) yield { parts: part.index.parts, owner: part };
    if (part.op === ":" && part.arg !== undefined) yield { parts: part.arg.parts };
    for (const word of [part.index, part.arg, part.replacement]) {
      if (word !== undefined) yield* expressionsIn(word.parts);
    }
  }
}

/** Operators of `[[ ]]` whose operands are numbers. */
const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** The words of a `[[ ]]` that are evaluated: operands of comparisons, and names after `-v`. */
export function evaluatedOperands(words: readonly Word[]): { word: Word; isName: boolean }[] {
  return words.flatMap((word, i) => {
    const before = words[i - 1]?.raw ?? "";
    const isName = /^-[vR]$/.test(before);
    const isNumber = COMPARES.test(before) || COMPARES.test(words[i + 1]?.raw ?? "");
    return isName || isNumber ? [{ word, isName }] : [];
  });
}
