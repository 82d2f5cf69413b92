/**
 * Permissions as `chmod`, `install -m` and others are told them: which bits a file has in the end,
 * after every step of `u-s+s,go=u-w` or by the digits. Says nothing about whose file it is.
 */
import { type Invocation, parseOptions } from "./shell/invocation.ts";
import { eraseUnknown, hasUnknown } from "./shell/unknown.ts";

const SET_ID = 0o6000;
const OTHERS_WRITE = 0o002;
const SHARED = 0o066;
const EXECUTES = 0o111;

/** What a file has before: its owner reads and writes it. */
const BEFORE = 0o600;
/** What a step without a class of users leaves alone, by the usual umask. */
const UMASK = 0o022;
const WHO: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };
const BITS: Readonly<Record<string, number>> = {
  r: 0o444,
  w: 0o222,
  x: 0o111,
  X: 0o111,
  s: 0o6000,
  t: 0o1000,
};
/** `D` and `F` of rsync say to what a clause applies. */
const CLAUSE = /^[DF]?([ugoa]*)((?:[-+=](?:[0-7]+|[rwxXstugo]*))+)$/;

/** The bits after a mode was applied; undefined when it is none. */
function bitsAfter(mode: string): number | undefined {
  if (/^[DF]?[0-7]+$/.test(mode)) return parseInt(mode.replace(/^[DF]/, ""), 8) & 0o7777;
  let bits = BEFORE;
  for (const clause of mode.split(",")) {
    if (clause === "") continue;
    const [, who, steps] = CLAUSE.exec(clause) ?? [];
    if (who === undefined || steps === undefined) {
      const digits = /^[DF]?([0-7]+)$/.exec(clause)?.[1];
      if (digits === undefined) return undefined;
      bits = parseInt(digits, 8) & 0o7777;
      continue;
    }
    for (const [, op, names = ""] of steps.matchAll(/([-+=])([^-+=]*)/g)) {
      bits = step(bits, { who, op: op!, names });
    }
  }
  return bits;
}

/** One step: `+s`, `-x`, `=u`, `=0755`. */
function step(
  bits: number,
  { who, op, names }: { who: string; op: string; names: string },
): number {
  const isDigits = /^[0-7]+$/.test(names);
  let reach = 0;
  for (const letter of who || "a") reach |= WHO[letter]!;
  let named = isDigits ? parseInt(names, 8) & 0o7777 : 0;
  for (const letter of isDigits ? "" : names) named |= BITS[letter] ?? copied(bits, letter);
  if (!isDigits) named &= reach;
  if (who === "" && !isDigits) named &= ~UMASK;
  if (op === "+") return bits | named;
  return op === "-" ? bits & ~named : (bits & ~reach) | named;
}

/** What the owner, the group or others have, for everybody. */
function copied(bits: number, whose: string): number {
  const has = (bits >> (whose === "u" ? 6 : whose === "g" ? 3 : 0)) & 7;
  return has * 0o111;
}

/** A mode that looks like an option: `chmod -w+s f`. */
const DASHED = /^-[rwxXstugoa,+=0-7]/;

function dashedModes(args: readonly string[]): string[] {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).filter((arg) => DASHED.test(arg));
}

/** The files that `chmod` is told. */
export function modeTargets({ args }: Invocation): string[] {
  const { operands } = parseOptions(args);
  const isGiven = dashedModes(args).length > 0 || args.some((arg) => arg.startsWith("--ref"));
  return isGiven ? operands : operands.slice(1);
}

/** The modes that a command gives files. */
function modesOf({ program, args }: Invocation): string[] {
  const { values, operands } = parseOptions(args, {
    values: program === "install" ? "mogtS" : /^mk/.test(program) ? "m" : "",
    longValues: ["mode", "chmod", "owner", "group", "target-directory"],
  });
  const given = ["m", "mode", "chmod"].flatMap((name) => values.get(name) ?? []);
  if (program !== "chmod") return given;
  const dashed = dashedModes(args);
  if (dashed.length > 0) return [...given, dashed.join(",")];
  // A value that is unknown may be no word at all, or an option.
  const known = operands.findIndex((word) => eraseUnknown(word) !== "");
  return [...given, ...operands.slice(0, Math.max(known, 0) + 1)];
}

/** `4755`, `u+s`, `u-s+s`, `=rwxs`: the file runs with its owner's rights. */
export function setsId(command: Invocation): boolean {
  return modesOf(command).some((mode) =>
    // Whatever is missing may be who, the sign or a leading digit; a mode of which nothing is known is everyday.
    hasUnknown(mode)
      ? /s|^[0-7]{3,}$/.test(eraseUnknown(mode))
      : ((bitsAfter(mode) ?? 0) & SET_ID) !== 0
  );
}

/** `777`, `0666`, `o+w`, `g+r,a-x+rw`, `o=u`: others may write afterwards. */
export function opensToOthers(command: Invocation): boolean {
  return modesOf(command).some((mode) =>
    // The digits that are known are the last ones.
    /\0[0-7]*[2367]$/.test(mode) ||
    ((bitsAfter(eraseUnknown(mode)) ?? 0) & OTHERS_WRITE) !== 0
  );
}

/** `644`, `go+r`: other users may read or write afterwards. */
export function opensToAnybody(command: Invocation): boolean {
  return modesOf(command).some((mode) => ((bitsAfter(eraseUnknown(mode)) ?? 0) & SHARED) !== 0);
}

/** `+x`, `u-w+x`, `755`: the file can be run afterwards. */
export function makesExecutable(command: Invocation): boolean {
  return modesOf(command).some((mode) => ((bitsAfter(mode) ?? 0) & EXECUTES) !== 0);
}
