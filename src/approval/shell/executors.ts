/**
 * Finds the text that a command executes beside the commands in its arguments, by the rows of
 * `executors_data.ts`. What it finds is judged by the caller; unreadable text is named.
 */
import {
  EXECUTOR_ROWS,
  type ExecutorRow,
  GIT_EXECUTES,
  GIT_OPTION_ROWS,
  VARIABLE_ROWS,
} from "./executors_data.ts";
import { inputText, type Invocation, parseLeading } from "./invocation.ts";
import type { Payload } from "./payload.ts";

const BY_PROGRAM = new Map<string, ExecutorRow[]>();
for (const row of EXECUTOR_ROWS) {
  for (const program of row.programs.split(" ")) {
    const list = BY_PROGRAM.get(program);
    if (list === undefined) BY_PROGRAM.set(program, [row]);
    else list.push(row);
  }
}

/** True when a program executes the value of the variable. */
export function isExecutedVariable(name: string): boolean {
  return VARIABLE_ROWS.some(({ names }) => names.test(name));
}

/** What giving a variable a value executes, now or later. */
export function executedByVariable(name: string, value: string): Payload[] {
  const row = VARIABLE_ROWS.find(({ names }) => names.test(name));
  if (row === undefined || row.harmless?.test(value)) return [];
  return [asPayload(row, { text: value, via: name })];
}

/** What the options and operands of a command execute. */
export function executedText(invocation: Invocation): Payload[] {
  const payloads: Payload[] = [];
  for (const row of BY_PROGRAM.get(invocation.program) ?? []) {
    for (const value of valuesOf(row, invocation)) {
      const found = row.text === undefined ? value : matched(row.text, value);
      if (found === undefined) continue;
      payloads.push(asPayload(row, { text: found, via: invocation.program }));
      // Unlike a prompt, words are expanded with `<(…)`.
      if (row.runs === "expanded" && /[<>]\(/.test(found)) {
        payloads.push({ unjudged: invocation.program });
      }
    }
  }
  return payloads;
}

/** Settings, hooks and helpers that git executes because its command line says so. */
export function executedByGit(
  { name, args, settings }: { name: string; args: readonly string[]; settings: readonly string[] },
): Payload[] {
  const payloads: Payload[] = [];
  const copies = name === "clone" || name === "init" || name === "submodule";
  const own = copies ? optionValues(args, ["c", "config"]) : [];
  if (copies && optionValues(args, ["template"]).length > 0) payloads.push({ unjudged: "git" });
  for (const setting of [...settings, ...own]) {
    const cut = setting.indexOf("=");
    const key = (cut < 0 ? setting : setting.slice(0, cut)).trim();
    if (!GIT_EXECUTES.test(key)) continue;
    const value = cut < 0 ? "" : setting.slice(cut + 1);
    const shell = /^(?:core\.(?:pager|editor|sshcommand)|pager\.)/i.test(key) ||
      (/^alias\./i.test(key) && value.startsWith("!"));
    const inert = /^(?:alias|core\.(?:pager|editor|fsmonitor)|pager)\b/i.test(key) &&
      /^(?:[\w-]*|true|false|cat|less.*)$/.test(value);
    if (inert) continue;
    const row = { runs: shell ? "shell" : "code" } as const;
    payloads.push(asPayload(row, { text: value.replace(/^!/, ""), via: "git" }));
  }
  for (const row of GIT_OPTION_ROWS) {
    if (!row.subcommands.split(" ").includes(name)) continue;
    for (const value of optionValues(args, row.options)) {
      payloads.push(asPayload({ runs: "shell", fed: true }, { text: value, via: "git" }));
    }
  }
  if (args.some((arg) => /^(?:ext|fd)::/.test(arg))) payloads.push({ unjudged: "git" });
  return payloads;
}

function asPayload(
  { runs, fed }: Pick<ExecutorRow, "runs" | "fed">,
  { text, via }: { text: string; via: string },
): Payload {
  switch (runs) {
    case "shell":
      return fed === true ? { text, via, fed } : { text, via };
    case "expanded":
      return { text, via, expands: true };
    case "code":
      return { unjudged: via };
  }
}

function matched(pattern: RegExp, value: string): string | undefined {
  const found = pattern.exec(value);
  return found === null ? undefined : found[1] ?? value;
}

function valuesOf(row: ExecutorRow, invocation: Invocation): string[] {
  let { args } = invocation;
  if (row.after !== undefined) {
    const at = args.indexOf(row.after);
    if (at < 0) return [];
    args = args.slice(at + 1);
  }
  const values = row.options === undefined ? [] : optionValues(args, row.options);
  if (row.operands !== undefined) {
    const operands = parseLeading(args, {}).operands.slice(row.operands);
    if (operands.length > 0) values.push(operands.join(" "));
  }
  for (const arg of row.anywhere === undefined ? [] : args) {
    const found = matched(row.anywhere!, arg);
    if (found !== undefined) values.push(found);
  }
  if (row.input === true) {
    const fed = invocation.upstream.length > 0 ||
      invocation.redirects.some(({ op }) => op.startsWith("<"));
    if (fed) values.push(inputText(invocation) ?? "");
  }
  return values;
}

/** Values of the named options: bundled or attached letters, abbreviated long names, whole words. */
export function optionValues(args: readonly string[], names: readonly string[]): string[] {
  const values: string[] = [];
  for (const [i, arg] of args.entries()) {
    if (arg[0] !== "-" || arg.length < 2) continue;
    const next = args[i + 1] ?? "";
    for (const name of names) {
      const value = valueIn(arg, name, next);
      if (value !== undefined) values.push(value);
    }
  }
  return values;
}

function valueIn(arg: string, name: string, next: string): string | undefined {
  if (name.startsWith("-")) {
    if (arg === name) return next;
    return arg.startsWith(`${name}=`) ? arg.slice(name.length + 1) : undefined;
  }
  if (name.length > 1) {
    if (!arg.startsWith("--")) return undefined;
    const cut = arg.indexOf("=");
    const given = arg.slice(2, cut < 0 ? undefined : cut);
    if (given.length < Math.min(3, name.length) || !name.startsWith(given)) return undefined;
    return cut < 0 ? next : arg.slice(cut + 1);
  }
  if (arg[1] === "-") return undefined;
  const at = arg.indexOf(name, 1);
  if (at < 0 || !/^[A-Za-z]*$/.test(arg.slice(1, at))) return undefined;
  return arg.slice(at + 1) || next;
}
