/**
 * argv → command, flags and positional arguments, driven by the command table. Pure: no
 * environment, no output; every complaint is a `UsageError` that names the nearest right word.
 */
import { UsageError } from "../protocol/error.ts";
import { didYouMean } from "../util/nearest.ts";
import type { CommandInput, CommandSpec, FlagSpec, FlagValue } from "./command.ts";

export interface Grammar {
  commands: readonly CommandSpec[];
  /** Flags every command takes. */
  globals: readonly FlagSpec[];
  /** Runs, and lends its flags, when no command is named. */
  defaultCommand: CommandSpec;
}

export interface ParsedCommand extends CommandInput {
  spec: CommandSpec;
}

interface Assignment {
  flag: FlagSpec;
  /** As typed, for messages: `--max-turns`, `-p`. */
  typed: string;
  value: string | boolean;
}

/** The grammar position: which command is named so far and which flags it takes. */
class Position {
  readonly path: string[] = [];
  spec: CommandSpec | undefined;
  #grammar: Grammar;
  #settled = false;

  constructor(grammar: Grammar) {
    this.#grammar = grammar;
  }

  /** The named command, or the default one. */
  get command(): CommandSpec {
    return this.spec ?? this.#grammar.defaultCommand;
  }

  get flags(): readonly FlagSpec[] {
    return [...this.#grammar.globals, ...this.command.flags ?? []];
  }

  /** Takes a word as the next command name; false when it is a positional argument. */
  descend(word: string): boolean {
    if (this.#settled) return false;
    const choices = this.spec === undefined ? this.#grammar.commands : this.spec.subcommands ?? [];
    const found = findCommand(choices, word);
    if (found) {
      this.spec = found;
      this.path.push(found.name);
      return true;
    }
    if (this.spec === undefined) throw unknownCommand(word, choices);
    if (choices.length > 0 && this.spec.args === undefined) {
      throw unknownSubcommand(word, this.path, choices);
    }
    this.#settled = true;
    return false;
  }

  /** Words after `--` are never command names. */
  settle(): void {
    this.#settled = true;
  }
}

/** @throws {UsageError} for anything the table does not allow. */
export function parseCommandLine(argv: readonly string[], grammar: Grammar): ParsedCommand {
  const position = new Position(grammar);
  const assignments: Assignment[] = [];
  const args: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const token = argv[i]!;
    if (token === "--") {
      position.settle();
      args.push(...argv.slice(i + 1));
      break;
    }
    if (isFlagToken(token)) {
      const read = readFlag(token, argv[i + 1], position);
      assignments.push(...read.assignments);
      if (read.tookNext) i++;
    } else if (!position.descend(token)) {
      if (position.command.takesProgram) {
        args.push(...argv.slice(i));
        break;
      }
      args.push(token);
    }
  }
  const spec = position.command;
  const flags = collectFlags(assignments, position);
  checkArgumentCount(args, spec, position.path);
  return { spec, path: position.path, args, flags };
}

/** The words that are hermes' own: before `--`, and before the program that the command takes. */
export function ownWords(argv: readonly string[], grammar: Grammar): readonly string[] {
  const position = new Position(grammar);
  try {
    for (let i = 0; i < argv.length; i++) {
      const token = argv[i]!;
      if (token === "--") return argv.slice(0, i);
      if (isFlagToken(token)) {
        if (readFlag(token, argv[i + 1], position).tookNext) i++;
      } else if (!position.descend(token) && position.command.takesProgram) return argv.slice(0, i);
    }
    return argv;
  } catch {
    // The arguments are malformed: their parser reports why.
    const end = argv.indexOf("--");
    return end < 0 ? argv : argv.slice(0, end);
  }
}

/** The command a `--help` asks about: as many leading words as name one, whatever else is wrong. */
export function commandPathOf(
  argv: readonly string[],
  commands: readonly CommandSpec[],
): { path: string[]; spec: CommandSpec | undefined } {
  const path: string[] = [];
  let spec: CommandSpec | undefined;
  let choices: readonly CommandSpec[] = commands;
  for (const word of argv) {
    if (isFlagToken(word)) continue;
    const found = findCommand(choices, word);
    if (!found) break;
    path.push(found.name);
    spec = found;
    choices = found.subcommands ?? [];
  }
  return { path, spec };
}

/** The command of a name, or of another spelling of it. */
export function findCommand(
  commands: readonly CommandSpec[],
  word: string,
): CommandSpec | undefined {
  return commands.find(({ name, aliases }) => name === word || aliases?.includes(word));
}

/** `-` alone is a value (standard input) and so are negative numbers. */
function isFlagToken(token: string): boolean {
  return token.length > 1 && token.startsWith("-") && !/^-\d/.test(token);
}

function readFlag(
  token: string,
  next: string | undefined,
  position: Position,
): { assignments: Assignment[]; tookNext: boolean } {
  return token.startsWith("--")
    ? readLong(token, next, position)
    : readShorts(token, next, position);
}

function readLong(token: string, next: string | undefined, position: Position) {
  const equals = token.indexOf("=");
  const name = equals < 0 ? token.slice(2) : token.slice(2, equals);
  const inline = equals < 0 ? undefined : token.slice(equals + 1);
  const typed = `--${name}`;
  const flag = position.flags.find((candidate) => candidate.name === name);
  if (flag === undefined) {
    const negated = name.startsWith("no-") && inline === undefined
      ? position.flags.find((f) => f.type === "boolean" && f.name === name.slice(3))
      : undefined;
    if (negated === undefined) throw unknownFlag(typed, position);
    return { assignments: [{ flag: negated, typed, value: false }], tookNext: false };
  }
  if (flag.type === "boolean") {
    const value = inline === undefined ? true : readBoolean(inline, typed);
    return { assignments: [{ flag, typed, value }], tookNext: false };
  }
  const value = inline ?? requireValue(next, flag, typed);
  return { assignments: [{ flag, typed, value }], tookNext: inline === undefined };
}

/** `-q`, `-qv`, `-pNAME`, `-p NAME`. */
function readShorts(token: string, next: string | undefined, position: Position) {
  const assignments: Assignment[] = [];
  for (let i = 1; i < token.length; i++) {
    const typed = `-${token[i]}`;
    const flag = position.flags.find((candidate) => candidate.short === token[i]);
    if (flag === undefined) throw unknownFlag(typed, position);
    if (flag.type === "boolean") {
      assignments.push({ flag, typed, value: true });
      continue;
    }
    const inline = token.slice(i + 1).replace(/^=/, "");
    const value = inline === "" ? requireValue(next, flag, typed) : inline;
    assignments.push({ flag, typed, value });
    return { assignments, tookNext: inline === "" };
  }
  return { assignments, tookNext: false };
}

function requireValue(next: string | undefined, flag: FlagSpec, typed: string): string {
  if (next !== undefined && !isFlagToken(next)) return next;
  const value = flag.value ?? "VALUE";
  throw new UsageError(`${typed} needs a value`, {
    hint: `Write "${typed} ${value}", or "${typed}=${value}" when it starts with a dash.`,
  });
}

function readBoolean(text: string, typed: string): boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  throw new UsageError(`${typed} is a switch: "${text}" is neither "true" nor "false"`);
}

/** Converts the raw values; flags typed before the command's name must belong to it too. */
function collectFlags(
  assignments: readonly Assignment[],
  position: Position,
): Record<string, FlagValue> {
  const flags: Record<string, FlagValue> = {};
  const allowed = position.flags;
  for (const { flag, typed, value } of assignments) {
    const known = allowed.find((candidate) => candidate.name === flag.name);
    if (known === undefined) throw unknownFlag(typed, position);
    const converted = typeof value === "boolean" ? value : convert(value, known, typed);
    const before = flags[known.name];
    flags[known.name] = Array.isArray(converted) && Array.isArray(before)
      ? [...before, ...converted]
      : converted;
  }
  return flags;
}

function convert(value: string, flag: FlagSpec, typed: string): FlagValue {
  if (flag.type === "number") {
    const number = value.trim() === "" ? NaN : Number(value);
    if (!Number.isFinite(number)) {
      throw new UsageError(`${typed} needs a number, not "${value}"`);
    }
    return number;
  }
  const items = flag.type === "list" ? value.split(",").map((item) => item.trim()) : [value.trim()];
  if (items.every((item) => item === "")) {
    throw new UsageError(`${typed} needs a value, and got an empty one`, {
      hint: "Leave the flag out when nothing is meant.",
    });
  }
  if (flag.type !== "list") return checkChoice(value, flag, typed);
  return items.filter((item) => item !== "").map((item) => checkChoice(item, flag, typed));
}

function checkChoice(value: string, flag: FlagSpec, typed: string): string {
  if (flag.choices === undefined || flag.choices.includes(value)) return value;
  throw new UsageError(
    `${typed} does not know "${value}".${didYouMean(value, flag.choices)}`,
    { hint: `Choose one of: ${flag.choices.join(", ")}.` },
  );
}

/** `A [B] [C...]`: words without brackets are required, dots allow any number. */
function checkArgumentCount(args: string[], spec: CommandSpec, path: string[]): void {
  const words = (spec.args ?? "").split(" ").filter((word) => word !== "");
  const required = words.filter((word) => !word.startsWith("["));
  const command = commandName(path);
  if (args.length < required.length) {
    throw new UsageError(`${command} needs ${required.slice(args.length).join(" and ")}`, {
      hint: `Usage: ${command} ${spec.args}`,
    });
  }
  if (args.length > words.length && !words.some((word) => word.includes("..."))) {
    const extra = args[words.length]!;
    throw new UsageError(
      words.length === 0
        ? `${command} takes no arguments, but got "${extra}"`
        : `${command} takes ${spec.args}; "${extra}" is too much`,
      { hint: `Quote text with spaces. See "${command} --help".` },
    );
  }
}

function commandName(path: readonly string[]): string {
  return ["hermes", ...path].join(" ");
}

function unknownFlag(typed: string, position: Position): UsageError {
  const command = commandName(position.path);
  const names = position.flags.filter((flag) => !flag.hidden).map((flag) => `--${flag.name}`);
  const hint = position.path.length === 0
    ? `Flags of a command go after its name. See "hermes --help".`
    : `See "${command} --help".`;
  return new UsageError(`unknown flag "${typed}" for "${command}".${didYouMean(typed, names)}`, {
    hint,
  });
}

function unknownCommand(word: string, choices: readonly CommandSpec[]): UsageError {
  const names = choices.filter((choice) => !choice.hidden).map((choice) => choice.name);
  return new UsageError(`unknown command "${word}".${didYouMean(word, names)}`, {
    hint: `See "hermes help", or give the agent a job: hermes run "…"`,
  });
}

function unknownSubcommand(
  word: string,
  path: readonly string[],
  choices: readonly CommandSpec[],
): UsageError {
  const names = choices.filter((choice) => !choice.hidden).map((choice) => choice.name);
  return new UsageError(
    `unknown subcommand "${word}" of "${commandName(path)}".${didYouMean(word, names)}`,
    { hint: `Choose one of: ${names.join(", ")}.` },
  );
}
