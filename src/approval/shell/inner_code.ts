/** Shell commands inside one-line programs of other languages, in their obvious calls. */
import { awkEffects } from "./awk_code.ts";
import { type Invocation, type ParsedOptions, parseOptions } from "./invocation.ts";
import type { Payload } from "./payload.ts";
import { hasUnknownBut } from "./unknown.ts";
import { scripts } from "./unwrap.ts";

/** Languages whose one-line scripts are searched for shell commands. */
export const INTERPRETERS =
  /^(?:python|pypy|perl|ruby|node|nodejs|bun|deno|php|lua|osascript|rscript|julia|awk|gawk|mawk|nawk)[\d.]*$/;
const CALLS =
  /\b(system|\w*popen\w*|exec\w*|spawn\w*|check_\w+|run|call|shell\w*|Command|rmtree|rm_rf|rmSync|removeSync)\b\s*\(?((?:"(?:[^"\\]|\\[^]){0,2000}"|'(?:[^'\\]|\\[^]){0,2000}'|[^)"']){0,2000})/gi;
const BACKTICKS = /`([^`]{1,2000})`|\bqx\s*[({[|!](.{1,2000}?)[)}\]|!]/g;
const STRINGS = /"((?:[^"\\]|\\.){0,1000})"|'((?:[^'\\]|\\.){0,1000})'/g;

/** Commands in calls such as `os.system('…')` and `spawn("rm", ["-rf", "/"])`. */
export function unwrapCode({ args }: Invocation): Payload[] {
  const payloads: Payload[] = [];
  for (const arg of args) {
    for (const [, name = "", inside = ""] of arg.matchAll(CALLS)) {
      const strings = [...inside.matchAll(STRINGS)].map((found) => found[1] ?? found[2] ?? "");
      const [first] = strings;
      if (first === undefined) continue;
      if (/^r/i.test(name) && name !== "run") {
        payloads.push({ argv: ["rm", "-r", first], via: "code" });
      } else payloads.push(...scripts([first], "code"));
      if (strings.length > 1) payloads.push({ argv: strings, via: "code" });
    }
    for (const [, ticks, quoted] of arg.matchAll(BACKTICKS)) {
      payloads.push(...scripts([ticks ?? quoted], "code"));
    }
  }
  return payloads;
}

const AWK = /^[gmn]?awk$/;

/** `awk "$x"` and `sed "$x"` run the value of a variable as a program that can start others. */
export function unreadableProgram({ program, args }: Invocation): Payload[] {
  const isAwk = AWK.test(program);
  if (!isAwk && !/^g?sed$/.test(program)) return [];
  const { values, operands } = parseOptions(args, {
    values: isAwk ? "Fvfei" : "efl",
    longValues: ["file", "source", "assign", "field-separator", "include", "expression"],
  });
  const given = ["e", "source", "expression"].flatMap((name) => values.get(name) ?? []);
  const files = ["f", "file", "i", "include"].flatMap((name) => values.get(name) ?? []);
  const hasProgram = given.length + files.length > 0;
  const texts = hasProgram ? given : operands.slice(0, 1);
  const isOpaque = texts.some((text) => hasUnknownBut(text, "number")) ||
    files.some((file) => /^(?:-|\/dev\/(?:stdin|fd\/.*))$|\0/.test(file));
  const found: Payload[] = isOpaque ? [{ unjudged: program }] : [];
  return isAwk ? [...found, ...texts.flatMap((text) => awkPayloads(text, values))] : found;
}

/** What an awk program starts, and the files it writes as if `tee` did. */
function awkPayloads(text: string, options: ParsedOptions["values"]): Payload[] {
  if (!/[|>]/.test(text)) return [];
  const assignments = [...options.get("v") ?? [], ...options.get("assign") ?? []];
  const given = new Map(assignments.map((word): [string, string] => {
    const cut = word.indexOf("=");
    return [word.slice(0, cut), word.slice(cut + 1)];
  }));
  const { commands, files } = awkEffects(text, given);
  return [
    ...commands.map((command): Payload =>
      command === undefined ? { unjudged: "awk" } : { text: command, via: "awk" }
    ),
    ...files.map((file): Payload => ({ argv: ["tee", file], via: "awk" })),
  ];
}
