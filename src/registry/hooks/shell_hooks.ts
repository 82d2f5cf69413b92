/**
 * Hooks declared in the configuration as commands: read, matched against the tool, spoken
 * to in JSON over standard input and output. Consent is asked of `hook_consent.ts` before
 * every run, processes are run by whatever `spawn` is given.
 */
import { HOOK_NAMES, type HookName, type HookPayload, UNSENT_HOOKS } from "../../protocol/hook.ts";
import { didYouMean } from "../../util/nearest.ts";
import { resolvePath } from "../../util/path.ts";
import { reasonOf } from "../../util/reason.ts";
import { which } from "../../util/which.ts";
import { Deadline } from "../dispatch/deadline.ts";
import type { HookConsents } from "./hook_consent.ts";
import { privateArgv } from "./hook_copy.ts";
import type { HookExit, HookSpawn } from "./hook_process.ts";
import { expandHome, type HookProgram, surveyProgram } from "./hook_program.ts";
import { type Hooks, parseDirective } from "./hooks.ts";

export interface ShellHook {
  event: HookName;
  command: string;
  argv: readonly string[];
  /** As written; absent means every tool. */
  matcher?: string;
  timeoutMs: number;
  /** A failure blocks the call; only on `pre_tool_call`. */
  failClosed: boolean;
}

const DEFAULT_TIMEOUT_S = 60;
const MAX_TIMEOUT_S = 300;
const MAX_STDERR_CHARS = 400;
/** The runner's own limit must be the second to fire: only the hook knows how to fail. */
const MARGIN_MS = 1_000;

export interface ParsedHooks {
  hooks: ShellHook[];
  /** What is wrong with the others, one line each. */
  problems: string[];
  /** Those of hooks that were to fail closed: nothing may run without them. */
  missingGuards: string[];
}

/** Reads the `hooks` section. */
export function parseShellHooks(config: unknown): ParsedHooks {
  const hooks: ShellHook[] = [];
  const problems: string[] = [];
  const missingGuards: string[] = [];
  for (const [event, entries] of Object.entries(config ?? {})) {
    if (!isHookName(event)) {
      const why = UNSENT_HOOKS.get(event) ??
        `there is no such event.${didYouMean(event, HOOK_NAMES)}`;
      const problem = `hooks.${event}: ${why}`;
      // Whoever wrote this relies on it, whatever the event was to be called.
      const isRelied = [entries].flat().some(failsClosed);
      (isRelied ? missingGuards : problems).push(problem);
      continue;
    }
    for (const entry of Array.isArray(entries) ? entries : [entries]) {
      const hook = parseEntry(event, entry);
      if (typeof hook !== "string") hooks.push(hook);
      else if (isGuard(event, entry)) missingGuards.push(`hooks.${event}: ${hook}`);
      else problems.push(`hooks.${event}: ${hook}`);
    }
  }
  return { hooks, problems, missingGuards };
}

/** A failure of it blocks the call. */
function isGuard(event: HookName, entry: unknown): boolean {
  return event === "pre_tool_call" && failsClosed(entry);
}

function failsClosed(entry: unknown): boolean {
  return ((entry ?? {}) as Record<string, unknown>).fail_closed === true;
}

function isHookName(name: string): name is HookName {
  return (HOOK_NAMES as readonly string[]).includes(name);
}

function parseEntry(event: HookName, entry: unknown): ShellHook | string {
  const { command, matcher, timeout } = (entry ?? {}) as Record<string, unknown>;
  if (typeof command !== "string" || command.trim() === "") return "a hook needs a command";
  const argv = splitWords(command);
  if (!argv) return `unbalanced quotes in: ${command}`;
  if (typeof matcher === "string" && !matcherPattern(matcher)) {
    return `the matcher "${matcher}" is no regular expression`;
  }
  const seconds = typeof timeout === "number" && timeout > 0 ? timeout : DEFAULT_TIMEOUT_S;
  return {
    event,
    command,
    argv,
    ...(typeof matcher === "string" ? { matcher } : {}),
    timeoutMs: Math.min(seconds, MAX_TIMEOUT_S) * 1000,
    failClosed: isGuard(event, entry),
  };
}

/** True when the hook concerns this tool; events without a tool concern every hook. */
export function matches(hook: ShellHook, toolName: unknown): boolean {
  if (hook.matcher === undefined || typeof toolName !== "string") return true;
  return matcherPattern(hook.matcher)?.test(toolName) ?? false;
}

function matcherPattern(matcher: string): RegExp | undefined {
  try {
    return new RegExp(matcher === "*" ? "" : `^(?:${matcher})$`);
  } catch {
    // Reported as a problem when the configuration is read.
    return undefined;
  }
}

/** Hooks whose program is not there or is none, one line each. */
export async function unrunnable(
  hooks: readonly ShellHook[],
  { env, cwd }: Pick<ShellHookOptions, "env" | "cwd">,
): Promise<string[]> {
  const lines = await Promise.all(hooks.map(async ({ event, argv }) => {
    const program = expandHome(argv[0]!, env);
    const path = program.includes("/") ? resolvePath(cwd, program) : program;
    if (await which(path, env.PATH)) return [];
    return [`Hook for ${event} cannot run: ${program} is not there or not executable`];
  }));
  return lines.flat();
}

export interface ShellHookOptions {
  spawn: HookSpawn;
  env: Readonly<Record<string, string>>;
  cwd: string;
  log(line: string): void;
}

export interface ConsentOptions {
  consents: HookConsents;
  /** Runs everything, agreed to or not. */
  accept: boolean;
  /** Where private copies of scripts are kept. */
  copies: string;
  /** Told which hooks do not run. */
  notice(line: string): void;
}

/** Attaches configured hooks behind the ones already there; those without consent do not run. */
export async function attachShellHooks(
  hooks: Hooks,
  configured: readonly ShellHook[],
  options: ShellHookOptions & ConsentOptions,
): Promise<void> {
  for (const hook of configured) {
    const guard = new ConsentGuard(hook, options);
    // What is not agreed to now is not looked at again in this session.
    const agreed = await guard.argv() !== undefined;
    if (!agreed && !hook.failClosed) continue;
    hooks.on(hook.event, async (payload, signal) => {
      if (!matches(hook, payload.toolName)) return undefined;
      const argv = agreed ? await guard.argv() : undefined;
      if (argv !== undefined) {
        return (await runShellHook({ ...hook, argv }, payload, { ...options, signal })).answer;
      }
      return hook.failClosed ? block(`the hook "${hook.command}" is not approved`) : undefined;
    }, { timeoutMs: hook.timeoutMs + MARGIN_MS });
  }
}

/** Why a hook may not run, and the program it was asked of. */
export async function consentTo(
  hook: ShellHook,
  { consents, env, cwd }: Pick<ShellHookOptions, "env" | "cwd"> & Pick<ConsentOptions, "consents">,
): Promise<{ program?: HookProgram; objection?: string }> {
  const known = (path: string) => consents.known(path);
  const program = await surveyProgram(hook.argv, { env, cwd, known });
  if (program === undefined) return { objection: `${hook.argv[0]} is not there` };
  const objection = consents.objection(hook, program.files);
  return objection === undefined ? { program } : { program, objection };
}

/** Asks before every run whether the hook is still what the person agreed to. */
class ConsentGuard {
  readonly #hook: ShellHook;
  readonly #options: ShellHookOptions & ConsentOptions;
  #told = "";

  constructor(hook: ShellHook, options: ShellHookOptions & ConsentOptions) {
    this.#hook = hook;
    this.#options = options;
  }

  /** What to run; undefined, and said, when the person has not agreed to it. */
  async argv(): Promise<readonly string[] | undefined> {
    const { accept, copies, notice } = this.#options;
    if (accept) return this.#hook.argv;
    const { program, objection } = await consentTo(this.#hook, this.#options);
    if (program !== undefined && objection === undefined) return await privateArgv(program, copies);
    const { event, command } = this.#hook;
    const line = `Hook for ${event} is not approved and does not run: ${command} ` +
      `(${objection}; see: hermes hooks approve)`;
    if (line !== this.#told) notice(line);
    this.#told = line;
    return undefined;
  }
}

export interface ShellHookReport {
  /** What the hook says, as a directive or context; undefined when it says nothing. */
  answer: unknown;
  exit?: HookExit;
  /** Why the hook counts as failed. */
  failure?: string;
  durationMs: number;
}

/** Runs one hook. Never rejects: a failure is logged, and blocks where the hook fails closed. */
export async function runShellHook(
  hook: ShellHook,
  payload: HookPayload,
  options: ShellHookOptions & { signal: AbortSignal },
): Promise<ShellHookReport> {
  const startedAt = performance.now();
  const report = (answer: unknown, rest: Partial<ShellHookReport> = {}): ShellHookReport => ({
    answer,
    ...rest,
    durationMs: Math.round(performance.now() - startedAt),
  });
  let exit: HookExit;
  try {
    using deadline = new Deadline(options.signal, hook.timeoutMs);
    exit = await options.spawn({
      argv: [expandHome(hook.argv[0]!, options.env), ...hook.argv.slice(1)],
      stdin: JSON.stringify(toWire(hook.event, { cwd: options.cwd, ...payload })),
      env: options.env,
      cwd: options.cwd,
      signal: deadline.signal,
    });
  } catch (error) {
    return report(...failed(hook, describeFailure(hook, error), options));
  }
  const said = readAnswer(hook.event, exit.stdout);
  if (hook.event === "pre_tool_call" && exit.code === 2) {
    const words = said.message ?? (exit.stderr.trim().slice(0, MAX_STDERR_CHARS) ||
      `"${hook.command}" refused the call`);
    return report(block(words), { exit });
  }
  const failure = exit.code !== 0
    ? [`exit code ${exit.code}`, exit.stderr.trim().slice(0, MAX_STDERR_CHARS)]
      .filter(Boolean).join(": ")
    : said.problem;
  if (failure === undefined) return report(said.answer, { exit });
  const [answer, rest] = failed(hook, failure, options);
  return report(answer, { ...rest, exit });
}

function failed(
  hook: ShellHook,
  failure: string,
  options: ShellHookOptions,
): [answer: unknown, rest: { failure: string }] {
  options.log(`Hook ${hook.event} "${hook.command}" failed: ${failure}`);
  const answer = hook.failClosed
    ? block(`the hook "${hook.command}" failed: ${failure}`)
    : undefined;
  return [answer, { failure }];
}

function block(message: string) {
  return { action: "block", message };
}

function describeFailure(hook: ShellHook, error: unknown): string {
  if (error instanceof Deno.errors.NotFound) return `cannot run ${hook.argv[0]}: not found`;
  return error instanceof Error ? error.message : String(error);
}

/** The payload in the spelling hook programs read. */
function toWire(event: HookName, payload: HookPayload): Record<string, unknown> {
  const { sessionId, toolName, args, cwd, ...rest } = payload;
  const extra = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
  return {
    "hook_event_name": event,
    "tool_name": toolName ?? null,
    "tool_input": args ?? null,
    "session_id": sessionId,
    cwd: cwd ?? null,
    extra,
  };
}

function readAnswer(
  event: HookName,
  stdout: string,
): { answer?: unknown; message?: string; problem?: string } {
  const text = stdout.trim();
  if (text === "") return {};
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { problem: `standard output is not JSON: ${text.slice(0, 100)}` };
  }
  if (event !== "pre_tool_call") return { answer };
  try {
    const directive = parseDirective(answer);
    return directive?.action === "block" ? { answer, message: directive.message } : { answer };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

/** The words of `line`; undefined when a quote is left open. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!;
    if (quote !== "'" && char === "\\" && i + 1 < line.length) {
      const next = line[++i]!;
      // Inside double quotes a backslash only protects what is special there.
      word = (word ?? "") + (quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next);
    } else if (quote !== "") {
      if (char === quote) quote = "";
      else word += char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== "") return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
