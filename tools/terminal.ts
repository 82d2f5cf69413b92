/**
 * The `terminal` tool: a shell command in the session's environment, waited for or left
 * running in the background. Decides nothing about safety: the approval gate does.
 */
import { registry } from "../src/registry/registry.ts";
import type { ApprovalOutcome } from "../src/protocol/approval.ts";
import type { ExecResult, SpawnOptions } from "../src/protocol/environment.ts";
import { EnvironmentError } from "../src/protocol/error.ts";
import type { InferSchema, JsonSchema } from "../src/protocol/json_schema.ts";
import type { ApprovalPlan, Approved, CommandPlace, ToolContext } from "../src/protocol/tool.ts";
import type { CommandDetails } from "../src/protocol/tool_details.ts";
import type { ToolResult } from "../src/protocol/tool_result.ts";
import { cleanOutput } from "../src/util/clean_output.ts";
import { commandRedactMode } from "../src/text/redact_command.ts";
import { firstLine, joined, outputPreview } from "./_preview.ts";
import { foregroundRefusal, isPlainDirectoryName } from "./_terminal_guard.ts";
import { exitCodeMeaning, outcomeHint } from "./_terminal_notes.ts";

/** Most characters that are kept of an output that does not fit into a result. */
const MAX_OVERFLOW_CHARS = 5_000_000;

/** Keeps the beginning of an output of any size. */
class OverflowLog {
  totalChars = 0;
  #parts: string[] = [];

  push(text: string): void {
    const room = MAX_OVERFLOW_CHARS - this.totalChars;
    this.totalChars += text.length;
    if (room > 0) this.#parts.push(text.slice(0, room));
  }

  get complete(): boolean {
    return this.totalChars <= MAX_OVERFLOW_CHARS;
  }

  text(): string {
    return cleanOutput(this.#parts.join(""));
  }
}

const DEFAULT_TIMEOUT_S = 180;
const MAX_FOREGROUND_S = 600;
/** More than a system takes as one argument, and far more than the gate reads. */
const MAX_COMMAND_CHARS = 500_000;
/** Longer commands show their latest line this often. */
const PROGRESS_MS = 500;
/** Who lets a command run that needs no approval. */
const WITHOUT_ASKING = /^(?:rules|walls|isolated environment)$/;
/** Reads the token from a pipe and refuses a terminal. */
const NEEDS_PIPE = /\bgh\s+auth\s+login\b(?:(?!\bgh\s+auth\s).)*--with-token\b/;
const SUDO_REFUSED = /Sorry, try again|incorrect password attempt|no password was provided/;

const SCHEMA = {
  type: "object",
  properties: {
    command: { type: "string" },
    background: { type: "boolean", description: "Return at once with a session_id" },
    timeout: { type: "integer", minimum: 1, description: "Seconds, default 180, at most 600" },
    workdir: { type: "string", description: "Directory for this command only" },
    pty: { type: "boolean", description: "Pseudo-terminal, for interactive programs" },
    outside: { type: "string", description: "Why it must run outside the sandbox; asks the user" },
    notify_on_complete: {
      type: "boolean",
      description: "Background: tell when it ends",
    },
    watch_patterns: {
      type: "array",
      items: { type: "string" },
      description: "Background: tell when a line contains one of these",
    },
  },
  required: ["command"],
} as const satisfies JsonSchema;

type TerminalArgs = InferSchema<typeof SCHEMA>;

registry.register({
  name: "terminal",
  toolset: "terminal",
  description:
    "Run a shell command. Directory and exports persist between calls. Long-running programs " +
    "(servers, watchers): background=true, then the process tool. Prefer read_file, write_file, " +
    "patch and search_files over cat, sed, echo > and grep.",
  schema: SCHEMA,
  emoji: "💻",
  timeoutMs: 0,
  redaction: ({ command }) => commandRedactMode(command),
  summary: ({ command }) => command,
  effects: ["execute", "spawn"],
  approval: approveTerminal,
  handler: runTerminal,
  view: {
    line: ({ details: { exitCode, output, timedOut, processId, sandbox } }) =>
      processId === undefined
        ? joined(
          `exit ${exitCode}`,
          timedOut && "timed out",
          sandbox && "held back by the sandbox",
          output && firstLine(output),
        )
        : `running in the background as ${processId}`,
    expanded: ({ details: { output, exitCode, cwd, sandbox } }) => [
      ...(output === "" ? [] : [{
        kind: "output" as const,
        text: output,
        ...(exitCode === 0 ? {} : { isError: true }),
      }]),
      ...(sandbox === undefined ? [] : [{ kind: "text" as const, text: sandbox }]),
      ...(cwd === undefined ? [] : [{ kind: "text" as const, text: `now in ${cwd}` }]),
    ],
  },
});

/** How the command that was judged is going to run. */
interface TerminalPlan {
  place: SpawnOptions;
  /** A pseudo-terminal was asked for, and the command refuses one. */
  ptyRefused: boolean;
}

async function approveTerminal(
  args: TerminalArgs,
  ctx: ToolContext,
): Promise<ApprovalPlan<TerminalPlan>> {
  const refusal = refuse(args, ctx);
  if (refusal) return { result: refusal };
  const where = await findDirectory(args, ctx);
  if ("error" in where) return { result: refused(where.error) };
  const place: SpawnOptions = { taskId: ctx.taskId };
  // What was judged is what is entered: the path behind the links of `workdir`.
  if (args.workdir !== undefined) place.cwd = where.realCwd ?? where.cwd;
  const ptyRefused = args.pty === true && NEEDS_PIPE.test(args.command);
  if (args.pty && !ptyRefused) place.pty = true;
  const outside = await asksOutside(args, ctx);
  if (outside) place.outside = true;
  const denied = ({ reason, unanswerable }: ApprovalOutcome) =>
    refused(
      reason ?? "The command was denied. Do not try it again in another form.",
      unanswerable ? "pending_approval" : "blocked",
    );
  const { command } = args;
  return {
    asks: outside
      ? [{ grant: { kind: "outside", value: command, reason: args.outside ?? "" }, denied }]
      : [{ command, place: { ...where, takesInput: args.background === true }, denied }],
    plan: { place, ptyRefused },
  };
}

/** Where no walls stand, everything runs outside already. */
async function asksOutside({ outside = "" }: TerminalArgs, ctx: ToolContext): Promise<boolean> {
  if (outside.trim() === "" || ctx.env.name !== "local") return false;
  return await ctx.services.sandboxPolicy?.() !== undefined;
}

async function runTerminal(
  args: TerminalArgs,
  ctx: ToolContext,
  { plan: { place, ptyRefused }, outcomes }: Approved<TerminalPlan>,
): Promise<ToolResult<CommandDetails>> {
  const by = outcomes[0]?.by;
  const isAsked = by !== undefined && !WITHOUT_ASKING.test(by);
  try {
    const { content, details } = args.background
      ? await runBackground(args, place, ctx)
      : await runForeground(args, place, ctx);
    return {
      content: {
        ...content,
        ...(isAsked ? { approval: `Approved by ${by}` } : {}),
        ...(ptyRefused
          ? { pty_note: "Ran without pty: this command reads its token from a pipe" }
          : {}),
      },
      details: { ...details, ...(isAsked ? { approvedBy: by } : {}) },
      isError: details.exitCode !== 0,
    };
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error;
    const { message } = error;
    const hint = "The next call connects again; tell the user when it keeps failing.";
    return refused(message, "degraded", { reason: message, retry_hint: hint });
  }
}

/** What the model reads, and the same for people. */
interface Ran {
  content: Record<string, unknown>;
  details: CommandDetails;
}

/**
 * Where the command is going to run, for the gate. A directory that is not there ends the call;
 * one that vanishes later, or may not be entered, is the shell's to refuse.
 */
async function findDirectory(
  { workdir }: TerminalArgs,
  { env, taskId }: ToolContext,
): Promise<CommandPlace | { error: string }> {
  const cwd = workdir === undefined ? env.cwd(taskId) : env.resolve(workdir, taskId);
  // Elsewhere each look is a way over the network, and the session's own directory has no links
  // that lead back to this machine.
  if (workdir === undefined && env.name !== "local") return { cwd };
  try {
    const info = await env.stat(cwd);
    if (info?.kind === "directory") return { cwd, realCwd: await env.realPath(cwd) };
  } catch (error) {
    if (error instanceof EnvironmentError) throw error;
    return { error: `Nothing ran: cannot enter ${cwd}: ${(error as Error).message}` };
  }
  return {
    error: workdir === undefined
      ? `Nothing ran: the session's directory ${cwd} is gone. Give a workdir that exists.`
      : `Nothing ran: workdir ${cwd} is not a directory`,
  };
}

function refused(
  error: string,
  status = "error",
  extra: Record<string, unknown> = {},
): ToolResult<CommandDetails> {
  return { content: { output: "", exit_code: -1, error, status, ...extra }, isError: true };
}

/** What is wrong with the arguments themselves; undefined when nothing is. */
function refuse(args: TerminalArgs, ctx: ToolContext): ToolResult | undefined {
  const { command, timeout, workdir } = args;
  if (command.trim() === "") return refused("command must be a non-empty string");
  if (command.length > MAX_COMMAND_CHARS) {
    return refused(
      `command has ${command.length} characters, at most ${MAX_COMMAND_CHARS} are read: ` +
        "write a file and run that",
    );
  }
  if (command.includes("\0")) return refused("command must not contain a NUL byte");
  if (workdir !== undefined && !isPlainDirectoryName(workdir)) {
    return refused("workdir contains characters that are not part of a directory name", "blocked");
  }
  if (ctx.sandbox && (args.background || args.pty)) {
    return refused("Scripts may only run commands in the foreground, without pty", "blocked");
  }
  if (args.background) return undefined;
  if (timeout !== undefined && timeout > MAX_FOREGROUND_S) {
    return refused(
      `timeout ${timeout} is above the ${MAX_FOREGROUND_S} s a foreground command may take; ` +
        "use background=true",
    );
  }
  const advice = foregroundRefusal(command);
  return advice === undefined ? undefined : refused(advice);
}

async function runForeground(
  args: TerminalArgs,
  place: SpawnOptions,
  ctx: ToolContext,
): Promise<Ran> {
  const before = ctx.env.cwd(ctx.taskId);
  const timeoutS = args.timeout ?? numberSetting(ctx, "terminal.timeout", DEFAULT_TIMEOUT_S);
  const maxOutputChars = numberSetting(ctx, "tool_output.max_bytes", 50_000);
  const overflow = new OverflowLog();
  // The preparation for the first command is not part of the time that the command takes.
  await ctx.env.prepare?.();
  const showProgress = progressReporter(ctx);
  const result = await ctx.env.exec(args.command, {
    ...place,
    timeoutMs: timeoutS * 1000,
    signal: ctx.signal,
    maxOutputChars,
    onOutput(text) {
      overflow.push(text);
      showProgress(text);
    },
  });
  const output = finalOutput(result, timeoutS);
  const meaning = exitCodeMeaning(args.command, result.exitCode);
  const hint = outcomeHint(args.command, { code: result.exitCode, output });
  const moved = result.cwd === before ? {} : { cwd: result.cwd };
  const sandbox = result.notes === undefined ? {} : { sandbox: result.notes.join(" ") };
  return {
    content: {
      output,
      exit_code: result.exitCode,
      error: null,
      ...moved,
      ...(result.truncated ? await spill(overflow, ctx) : {}),
      ...(meaning === undefined ? {} : { exit_code_meaning: meaning }),
      ...(hint === undefined ? {} : { hint }),
      ...sandbox,
      ...(SUDO_REFUSED.test(output) ? { sudo_auth_failed: true } : {}),
    },
    details: {
      kind: "command",
      exitCode: result.exitCode,
      output: outputPreview(output, ctx),
      ...(result.timedOut ? { timedOut: true } : {}),
      ...moved,
      ...sandbox,
    },
  };
}

function progressReporter(ctx: ToolContext): (text: string) => void {
  let shownAt = performance.now();
  return (text) => {
    if (performance.now() - shownAt < PROGRESS_MS) return;
    const line = cleanOutput(text).trimEnd().split("\n").at(-1)!.slice(0, 200);
    if (line === "") return;
    shownAt = performance.now();
    ctx.progress(line);
  };
}

function finalOutput(result: ExecResult, timeoutS: number): string {
  const text = cleanOutput(result.output).trimEnd();
  const note = result.timedOut
    ? `[Command timed out after ${timeoutS}s]`
    : result.interrupted
    ? "[Command interrupted]"
    : "";
  return text === "" || note === "" ? text + note : `${text}\n${note}`;
}

async function spill(overflow: OverflowLog, ctx: ToolContext): Promise<Record<string, unknown>> {
  const path = await ctx.services.spill.write(`terminal-${ctx.callId}.log`, overflow.text());
  return {
    output_total_chars: overflow.totalChars,
    full_output_path: path,
    truncation_note: `The middle is missing; ${
      overflow.complete ? "all of it" : "the first 5 000 000 characters"
    } can be read with read_file or search_files at full_output_path`,
  };
}

async function runBackground(
  args: TerminalArgs,
  place: SpawnOptions,
  ctx: ToolContext,
): Promise<Ran> {
  const notify = args.notify_on_complete === true;
  const patterns = notify ? [] : args.watch_patterns ?? [];
  const managed = await ctx.services.processes.start(ctx.env, args.command, {
    ...place,
    notifyOnComplete: notify,
    watchPatterns: patterns,
  });
  return {
    content: {
      output: "Background process started",
      session_id: managed.id,
      pid: managed.process.pid,
      exit_code: 0,
      error: null,
      ...(notify ? { notify_on_complete: true } : {}),
      ...(patterns.length > 0 ? { watch_patterns: patterns } : {}),
      ...(notify && args.watch_patterns?.length ? { watch_patterns_ignored: true } : {}),
      ...(notify || patterns.length > 0
        ? {}
        : { hint: "It runs silently: look with process(action=poll|log|wait)." }),
    },
    details: { kind: "command", exitCode: 0, output: "", processId: managed.id },
  };
}

function numberSetting(ctx: ToolContext, path: string, fallback: number): number {
  const value = ctx.config(path);
  return typeof value === "number" && value > 0 ? value : fallback;
}
