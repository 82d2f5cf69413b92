/**
 * A `ToolContext` for testing one tool without dispatch: real ledger and todo list, answers
 * and settings supplied by the test.
 */
import type {
  ApprovalAnswer,
  ApprovalOutcome,
  ApprovalRequest,
} from "../../src/protocol/approval.ts";
import type { Environment } from "../../src/protocol/environment.ts";
import { ToolError } from "../../src/protocol/error.ts";
import type { Clarifier, ToolServices } from "../../src/protocol/services.ts";
import type { TodoItem } from "../../src/protocol/todo.ts";
import type { ApprovalAsk, CommandPlace, ToolContext } from "../../src/protocol/tool.ts";
import type { ToolResult } from "../../src/protocol/tool_result.ts";
import { denied } from "../../src/registry/approvals.ts";
import { registry } from "../../src/registry/registry.ts";
import { SessionFileLedger } from "../../src/util/file_ledger.ts";
import { redactSecrets } from "../../src/text/redact.ts";

export interface TestContextOptions {
  taskId?: string;
  sandbox?: boolean;
  sessionTools?: readonly string[];
  config?: Record<string, unknown>;
  /** Who answers `clarify`; nobody by default. */
  clarifier?: Clarifier;
  /** What every approval request gets; default `deny`. */
  approve?: ApprovalAnswer;
  services?: ToolServices;
  signal?: AbortSignal;
}

export interface TestContext extends ToolContext {
  /** Approval requests, in order. */
  readonly asked: ApprovalRequest[];
  /** What the gate answers to an action that the tool declares. */
  approve(request: ApprovalRequest): Promise<ApprovalOutcome>;
  /** What the gate answers to a command that the tool declares. */
  approveCommand(command: string, place?: CommandPlace): Promise<ApprovalOutcome>;
}

/** Services that work for one test; share them between contexts to play several tasks. */
export function createTestServices(options: { clarifier?: Clarifier } = {}): ToolServices {
  let items: TodoItem[] = [];
  return {
    todo: { read: () => items, write: (next) => void (items = next) },
    clarifier: options.clarifier ?? { ask: () => Promise.resolve(undefined) },
    processes: {
      start: () => Promise.reject(new Error("no processes in this context")),
      get: () => undefined,
      list: () => [],
      drainNotices: () => [],
      closeAll: () => Promise.resolve(),
    },
    files: new SessionFileLedger(),
    spill: { write: () => Promise.reject(new Error("no spilling in this context")) },
    blobs: { put: () => Promise.reject(new Error("no blobs in this context")) },
  };
}

export function createTestContext(
  env: Environment,
  options: TestContextOptions = {},
): TestContext {
  const asked: ApprovalRequest[] = [];
  const answer = options.approve ?? "deny";
  return {
    asked,
    callId: "call_1",
    sessionId: "session_1",
    taskId: options.taskId ?? "main",
    env,
    signal: options.signal ?? new AbortController().signal,
    fetch: () => Promise.reject(new Error("no network in this context")),
    sessionTools: options.sessionTools ?? ["read_file", "write_file", "patch", "search_files"],
    toolFacts: (name) => registry.facts(name),
    sandbox: options.sandbox ?? false,
    services: options.services ??
      createTestServices(options.clarifier ? { clarifier: options.clarifier } : {}),
    config: (path) => options.config?.[path],
    approve(request) {
      asked.push(request);
      return Promise.resolve({ answer, by: "test" });
    },
    approveCommand: () => Promise.resolve({ answer, by: "test" }),
    redact: (text) => redactSecrets(text, "file"),
    progress() {},
    log() {},
    callTool: () => Promise.reject(new Error("no dispatch in this context")),
  };
}

/** A result as JSON; the keys that tests look into by name are typed. */
export interface ToolReply {
  error: string;
  hint: string;
  content: string;
  diff: string;
  _warning: string;
  _hint: string;
  [key: string]: unknown;
}

/** Runs a registered tool as dispatch does: approvals first; a `ToolError` becomes `{error, ...extra}`. */
export async function runTool(
  name: string,
  args: Record<string, unknown>,
  ctx: TestContext,
): Promise<ToolReply> {
  const { content } = await runToolWhole(name, args, ctx);
  return JSON.parse(typeof content === "string" ? content : JSON.stringify(content));
}

/** The same with everything that the tool says about its result. */
export async function runToolWhole(
  name: string,
  args: Record<string, unknown>,
  ctx: TestContext,
): Promise<ToolResult> {
  const spec = registry.get(name);
  if (spec === undefined) throw new Error(`${name} is not registered: import its module`);
  try {
    const needed = await spec.approval?.(args, ctx) ?? { asks: [], plan: undefined };
    if ("result" in needed) return needed.result;
    const outcomes: ApprovalOutcome[] = [];
    for (const ask of needed.asks) {
      const outcome = "command" in ask
        ? await ctx.approveCommand(ask.command, ask.place)
        : await ctx.approve({ tool: name, ...actionOf(ask) });
      if (outcome.answer === "deny") return denied(ask, outcome);
      outcomes.push(outcome);
    }
    return await spec.handler(args, ctx, { plan: needed.plan, outcomes });
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { content: { error: error.message, ...error.extra }, isError: true };
  }
}

/** What a person would be asked; the gate's words about walls are not needed here. */
function actionOf(ask: Exclude<ApprovalAsk, { command: string }>): Omit<ApprovalRequest, "tool"> {
  if ("action" in ask) return ask.action;
  const { kind, value, reason } = ask.grant;
  return { subject: value, rule: `sandbox: ${kind}`, description: reason, allowAlways: true };
}
