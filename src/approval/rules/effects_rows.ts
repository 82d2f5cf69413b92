/**
 * What the rows of `effects_data.ts` say of a command's words, and what is assumed of a program
 * that has none. Knows no program by name.
 */
import { type EffectRow, NO_OUTPUT_OPTIONS, OUTPUT_OPTIONS } from "./effects_data.ts";
import { hasFlag, type Invocation, parseOptions } from "../shell/invocation.ts";
import { all, isIdentity, mentioned, readIn, type Touch } from "../shell/mentions.ts";

/** An unknown program reads what it is told of, and writes where its output option points. */
export function ordinary(command: Invocation): Touch[] {
  const { program, args } = command;
  const touches = mentioned(command, args);
  if (!NO_OUTPUT_OPTIONS.has(program)) touches.push(...all("write", outputsOf(args)));
  return touches;
}

/** `-xo`, and `-o/etc/hosts` with what is attached to it. */
const OUTPUT_LETTER = /^-[A-Za-z]{0,8}?[oOw](.*)$/s;

/** The values of output options: separate, after `=`, or attached to a letter. */
export function outputsOf(args: readonly string[]): string[] {
  const files: string[] = [];
  for (const [i, arg] of args.entries()) {
    if (arg[0] !== "-" || arg.length < 2) continue;
    const cut = arg.indexOf("=");
    const next = args[i + 1];
    if (cut > 0 && OUTPUT_OPTIONS.test(arg.slice(0, cut))) files.push(arg.slice(cut + 1));
    else if (next !== undefined && OUTPUT_OPTIONS.test(arg)) files.push(next);
    const attached = OUTPUT_LETTER.exec(arg)?.[1];
    if (attached !== undefined && attached !== "") files.push(attached);
    else if (attached !== undefined && next !== undefined) files.push(next);
  }
  return files;
}

/** What a row says of each operand and each value of an option. */
export function byRow(command: Invocation, row: EffectRow): Touch[] {
  if (row.operands === "look" && row.options === undefined) return [];
  const options = parseOptions(command.args.filter((_, i) => !isIdentity(command, i)), row);
  let skip = row.skip ?? 0;
  // A pattern given by an option leaves every operand a path.
  if (row.operands === "read" && skip > 0 && hasFlag(options, "e", "f", "regexp", "file")) skip = 0;
  const operands = options.operands.slice(skip);
  const touches: Touch[] = [];
  for (const [i, path] of operands.entries()) {
    const isLast = row.last !== undefined && i > 0 && i === operands.length - 1;
    const effect = isLast ? row.last! : row.operands;
    if (effect === "read") touches.push(...readIn(command, path));
    else if (effect !== "look") touches.push({ effect, path });
  }
  for (const [name, values] of options.values) {
    const effect = row.options?.[name] ??
      (row.operands === "look" || skip > 0 ? "look" : "read");
    for (const value of values) {
      if (effect === "read") touches.push(...readIn(command, value));
      else if (effect !== "look") touches.push({ effect, path: value });
    }
  }
  return touches;
}
