/**
 * The `process` tool: looks at, waits for, types into and ends the background processes that
 * `terminal` started.
 */
import type { ApprovalOutcome } from "../src/protocol/approval.ts";
import { registry } from "../src/registry/registry.ts";
import type { InferSchema, JsonSchema } from "../src/protocol/json_schema.ts";
import type { ManagedProcess } from "../src/protocol/services.ts";
import type { ApprovalAsk, ApprovalPlan, Approved, ToolContext } from "../src/protocol/tool.ts";
import type { ProcessDetails, ProcessState } from "../src/protocol/tool_details.ts";
import type { ToolResult } from "../src/protocol/tool_result.ts";
import { ToolError } from "../src/protocol/error.ts";
import { cleanOutput } from "../src/util/clean_output.ts";
import { counted, joined, outputPreview } from "./_preview.ts";

const SCHEMA = {
  type: "object",
  properties: {
    action: {
      type: "string",
      enum: ["list", "poll", "log", "wait", "kill", "write", "submit", "close"],
    },
    session_id: { type: "string", description: "From terminal; not for list" },
    data: { type: "string", description: "Input for write; submit adds Enter" },
    timeout: { type: "integer", minimum: 1, description: "wait: seconds" },
    offset: { type: "integer", description: "log: first line, from 0" },
    limit: { type: "integer", minimum: 1, description: "log: lines, default the last 200" },
  },
  required: ["action"],
} as const satisfies JsonSchema;

type ProcessArgs = InferSchema<typeof SCHEMA>;

const LOG_LINES = 200;
const PREVIEW_CHARS = 1_000;
const LIST_PREVIEW_CHARS = 200;
const TAIL_CHARS = 8_000;
const MAX_WAIT_S = 180;

registry.register({
  name: "process",
  toolset: "terminal",
  description: "Background processes of terminal: list, poll (status and latest output), log " +
    "(lines), wait, kill, write or submit input, close (end of input).",
  schema: SCHEMA,
  emoji: "⚙️",
  timeoutMs: 0,
  summary: ({ action, session_id: id }) => id === undefined ? action : `${action} ${id}`,
  effects: ["execute"],
  approval: approveProcess,
  handler: runProcess,
  view: {
    line: ({ details: { action, processes } }) =>
      action === "list"
        ? counted(processes.length, "process")
        : joined(stateLine(processes[0]), processes[0]?.command),
    expanded: ({ details: { action, processes, output } }) => [
      ...(action === "list"
        ? [{
          kind: "list" as const,
          items: processes.map((one) => ({ text: `${one.id} ${stateLine(one)}: ${one.command}` })),
        }]
        : []),
      ...(output === "" ? [] : [{ kind: "output" as const, text: output }]),
    ],
  },
});

/** Input that was judged: the whole of what the process has been sent by then. */
interface InputPlan {
  data: string;
  /** Undefined for keys that write nothing. */
  sentBy?: string;
}

/** Input is judged before it is sent; everything else only looks, or ends what was started here. */
function approveProcess(
  { action, session_id: id, data = "" }: ProcessArgs,
  ctx: ToolContext,
): ApprovalPlan<InputPlan> {
  const input = action === "submit" ? `${data}\n` : data;
  const managed = id ? ctx.services.processes.get(id) : undefined;
  const isInput = action === "write" || action === "submit";
  const before = managed && isInput && managed.endedBy === undefined ? sent.get(managed) ?? "" : "";
  if (!managed || !isInput || managed.endedBy !== undefined || isKeyAlone(input, before)) {
    return { asks: [], plan: { data: input } };
  }
  const sentBy = `${before}${input}`.slice(-MAX_SENT);
  const asks = [...keyAsks(input), ...inputAsks(sentBy, managed)];
  return { asks, plan: { data: input, sentBy } };
}

async function runProcess(
  args: ProcessArgs,
  ctx: ToolContext,
  { plan }: Approved<InputPlan>,
): Promise<ToolResult<ProcessDetails>> {
  const table = ctx.services.processes;
  if (args.action === "list") {
    const all = table.list(ctx.taskId);
    return {
      content: { processes: all.map((one) => listed(one, ctx)) },
      details: { kind: "process", action: "list", processes: all.map(stateOf), output: "" },
    };
  }
  if (!args.session_id) throw new ToolError(`session_id is required for ${args.action}`);
  const managed = table.get(args.session_id);
  if (managed === undefined) {
    const error = `No process ${args.session_id}; action=list shows the ones there are`;
    return { content: { status: "not_found", error }, isError: true };
  }
  const content = await act(managed, { args, ctx, plan });
  if (content.error !== undefined) return { content, isError: true };
  const { exitCode } = managed.process;
  return {
    content,
    details: {
      kind: "process",
      action: args.action,
      processes: [stateOf(managed)],
      output: outputPreview(String(content.output ?? content.output_preview ?? ""), ctx),
    },
    // A process that was ended on purpose did not fail.
    isError: exitCode !== undefined && exitCode !== 0 && managed.endedBy !== "kill",
  };
}

function stateOf({ id, command, process: { exitCode } }: ManagedProcess): ProcessState {
  const shown = command.slice(0, LIST_PREVIEW_CHARS);
  if (exitCode === undefined) return { id, command: shown, running: true };
  return { id, command: shown, running: false, exitCode };
}

function stateLine(state: ProcessState | undefined): string {
  return state === undefined || state.running ? "running" : `exit ${state.exitCode}`;
}

/** What the model reads of an action. */
async function act(
  managed: ManagedProcess,
  { args, ctx, plan }: { args: ProcessArgs; ctx: ToolContext; plan: InputPlan },
): Promise<Record<string, unknown>> {
  switch (args.action) {
    case "list":
    case "poll":
      return poll(managed, ctx);
    case "log":
      return log(managed, args, ctx);
    case "wait":
      return await wait(managed, args.timeout, ctx);
    case "kill":
      return await kill(managed, ctx);
    case "write":
    case "submit":
      return await write(managed, plan);
    case "close":
      await managed.process.closeStdin();
      return { status: "ok", message: "End of input sent" };
  }
}

/** Secrets go before the output is cut. */
function text(managed: ManagedProcess, ctx: ToolContext): string {
  return ctx.redact(cleanOutput(managed.process.output().text));
}

/** The end of the output; a little more is looked at, so that a cut does not hide what a text is. */
function tail(managed: ManagedProcess, options: { chars: number; ctx: ToolContext }): string {
  const recent = cleanOutput(managed.process.output().text).slice(-options.chars - TAIL_CHARS);
  return options.ctx.redact(recent).slice(-options.chars);
}

function state(managed: ManagedProcess): Record<string, unknown> {
  const { exitCode } = managed.process;
  if (exitCode === undefined) return { status: "running" };
  const reason = managed.endedBy === "kill" ? "killed" : "exited";
  return { status: "exited", exit_code: exitCode, completion_reason: reason };
}

function uptimeSeconds(managed: ManagedProcess): number {
  return Math.round((Date.now() - managed.process.startedAt) / 1000);
}

function listed(managed: ManagedProcess, ctx: ToolContext): Record<string, unknown> {
  return {
    session_id: managed.id,
    command: managed.command.slice(0, LIST_PREVIEW_CHARS),
    cwd: managed.cwd,
    pid: managed.process.pid,
    started_at: new Date(managed.process.startedAt).toISOString(),
    uptime_seconds: uptimeSeconds(managed),
    ...state(managed),
    output_preview: tail(managed, { chars: LIST_PREVIEW_CHARS, ctx }),
    ...(managed.watchPatterns.length > 0 ? { watch_patterns: managed.watchPatterns } : {}),
    ...(managed.notifyOnComplete ? { notify_on_complete: true } : {}),
  };
}

function poll(managed: ManagedProcess, ctx: ToolContext): Record<string, unknown> {
  return {
    session_id: managed.id,
    command: managed.command,
    ...state(managed),
    pid: managed.process.pid,
    uptime_seconds: uptimeSeconds(managed),
    output_preview: tail(managed, { chars: PREVIEW_CHARS, ctx }),
  };
}

function log(
  managed: ManagedProcess,
  { offset, limit = LOG_LINES }: ProcessArgs,
  ctx: ToolContext,
): Record<string, unknown> {
  if (managed.endedBy !== undefined) managed.acknowledge();
  const { droppedBytes } = managed.process.output();
  const lines = text(managed, ctx).replace(/\n$/, "").split("\n");
  const from = Math.max(0, Math.min(offset ?? lines.length - limit, lines.length));
  const shown = lines.slice(from, from + limit);
  return {
    session_id: managed.id,
    command: managed.command,
    ...state(managed),
    output: shown.join("\n"),
    total_lines: lines.length,
    showing: shown.length === 0 ? "none" : `${from}-${from + shown.length - 1}`,
    ...(droppedBytes > 0 ? { note: `The first ${droppedBytes} bytes are no longer kept` } : {}),
  };
}

async function wait(
  managed: ManagedProcess,
  timeout: number | undefined,
  ctx: ToolContext,
): Promise<Record<string, unknown>> {
  const configured = ctx.config("terminal.timeout");
  const longest = typeof configured === "number" && configured > 0 ? configured : MAX_WAIT_S;
  const seconds = Math.min(timeout ?? longest, longest);
  const ended = await endsWithin(managed, seconds * 1000, ctx.signal);
  const note = timeout !== undefined && timeout > longest
    ? { timeout_note: `Waited ${longest} s, the most one call may` }
    : {};
  const result = {
    command: managed.command,
    output: tail(managed, { chars: PREVIEW_CHARS * 2, ctx }),
  };
  if (ended) {
    managed.acknowledge();
    return { ...result, ...state(managed) };
  }
  if (ctx.signal.aborted) return { status: "interrupted", ...result };
  return { status: "timeout", process_running: true, ...result, ...note };
}

/** True when the process ended in time; false after the timeout or an abort. */
function endsWithin(managed: ManagedProcess, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const give = () => settle(false);
    const timer = setTimeout(give, ms);
    function settle(ended: boolean): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", give);
      resolve(ended);
    }
    signal.addEventListener("abort", give);
    if (signal.aborted) give();
    managed.process.exited.then(() => settle(true));
  });
}

async function kill(
  managed: ManagedProcess,
  ctx: ToolContext,
): Promise<Record<string, unknown>> {
  const running = managed.endedBy === undefined;
  managed.acknowledge();
  await managed.kill();
  return {
    status: running ? "killed" : "already_exited",
    session_id: managed.id,
    exit_code: managed.process.exitCode,
    output: tail(managed, { chars: PREVIEW_CHARS, ctx }),
  };
}

/** What each process was sent so far: a command may come in pieces. */
const sent = new WeakMap<ManagedProcess, string>();
/** Longer histories are judged by their end. */
const MAX_SENT = 16_000;

async function write(
  managed: ManagedProcess,
  { data, sentBy }: InputPlan,
): Promise<Record<string, unknown>> {
  if (managed.endedBy !== undefined) {
    return { status: "already_exited", error: "The process has ended and takes no input" };
  }
  if (sentBy !== undefined) sent.set(managed, sentBy);
  await managed.process.write(data);
  return { status: "ok", bytes_written: new TextEncoder().encode(data).length };
}

/** Ctrl-C, Ctrl-D, Ctrl-Z. */
// deno-lint-ignore no-control-regex
const SIGNAL_KEY = /^[\x03\x04\x1a]+$/;
/** Escape, arrows, function keys, Ctrl-L. */
// deno-lint-ignore no-control-regex
const PLAIN_KEYS = /^(?:\x1b(?:\[[0-9;]{0,16}[A-Za-z~]|O[A-Z])?|\x0c)+$/;
// deno-lint-ignore no-control-regex
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;

/** True for keys that write nothing: a signal, or moving about while no line has been begun. */
function isKeyAlone(data: string, before: string): boolean {
  return SIGNAL_KEY.test(data) || (PLAIN_KEYS.test(data) && /(?:^|[\r\n])$/.test(before));
}

function denyInput({ reason }: ApprovalOutcome): ToolResult {
  const error = reason ?? "The input was denied.";
  return { content: { status: "blocked", error }, isError: true };
}

/** Keys that edit a line make of it what was never written: what runs then cannot be judged. */
function keyAsks(data: string): ApprovalAsk[] {
  if (!CONTROL.test(data)) return [];
  return [{
    action: {
      subject: `process write ${JSON.stringify(data)}`,
      rule: "input with control keys",
      description: "types keys that edit the line, so that what it runs cannot be checked",
      allowAlways: false,
      onceOnly: true,
    },
    denied: denyInput,
  }];
}

/**
 * Input may be a command where a shell reads it, or one that an editor starts: the gate judges it
 * like one. Words that answer a question are harmless commands.
 */
function inputAsks(text: string, { cwd }: ManagedProcess): ApprovalAsk[] {
  if (text.trim() === "") return [];
  const started = text.replace(/^[ \t]*(?::?[\w,.%$]*!|\\!)/gm, "");
  return [...new Set([text, started])].map((command) => ({
    command,
    place: { cwd },
    denied: denyInput,
  }));
}
