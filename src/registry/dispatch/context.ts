/**
 * The context a handler gets: one per call, the only way from a tool to the world. Owns
 * the pause of the deadline while a person is asked and the approval events.
 */
import type { ApprovalContext, ApprovalGate, ApprovalOutcome } from "../../protocol/approval.ts";
import type { DispatchOptions } from "../../protocol/dispatch.ts";
import type { Environment } from "../../protocol/environment.ts";
import type { ToolServices } from "../../protocol/services.ts";
import type { ToolContext, ToolEffect, ToolFacts } from "../../protocol/tool.ts";
import type { Redactor } from "../../text/redact.ts";
import type { Deadline } from "./deadline.ts";
import type { ToolRegistry } from "../registry.ts";
import { environmentFor, fetchFor } from "./effects.ts";

/** Who a dispatcher works for. */
export interface DispatchSession {
  id: string;
  /** Key of the persistent directory, processes and read history; default `"main"`. */
  taskId?: string;
  /** No person is ever asked: what needs a yes is refused. */
  unattended?: boolean;
  /** Context window of the model; result limits scale with it. */
  contextTokens?: number;
}

/** What every call of a session shares. */
export interface ContextParts {
  registry: ToolRegistry;
  session: DispatchSession;
  environment: Environment;
  services: ToolServices;
  gate: ApprovalGate;
  fetch: typeof fetch;
  tools: readonly string[];
  config(path: string): unknown;
  log(line: string): void;
  redact: Redactor;
}

/** One call while it runs. */
export interface CallState {
  readonly id: string;
  readonly name: string;
  readonly facts: ToolFacts;
  /** What the tool gets; hooks may replace it. */
  args: Record<string, unknown>;
  /** The same without secrets, once it has begun. */
  shown?: unknown;
  readonly options: DispatchOptions;
  /** Its own clock, then those of the calls it runs for. */
  readonly deadlines: readonly [Deadline, ...Deadline[]];
  /** Set once an action needed a yes that no person could give, here or in a nested call. */
  needsApproval: boolean;
  /** Set once the gate said no to the call. */
  denied: boolean;
}

export interface ContextOptions {
  parts: ContextParts;
  state: CallState;
  /** What the tool declares that it does. */
  effects: readonly ToolEffect[] | undefined;
  callTool: ToolContext["callTool"];
}

/** Builds the context of one call. */
export function createContext(
  { parts, state, effects, callTool }: ContextOptions,
): ToolContext {
  const { session, environment } = parts;
  return {
    callId: state.id,
    sessionId: session.id,
    taskId: session.taskId ?? "main",
    env: environmentFor(environment, effects),
    signal: state.deadlines[0].signal,
    fetch: fetchFor(parts.fetch, effects),
    sessionTools: parts.tools,
    toolFacts: (name) => parts.tools.includes(name) ? parts.registry.facts(name) : undefined,
    sandbox: state.options.sandbox === true,
    services: parts.services,
    config: parts.config,
    redact: (text) => parts.redact(text, "file"),
    progress: (text) =>
      state.options.emit({
        type: "tool_delta",
        callId: state.id,
        text: parts.redact(text, "code"),
      }),
    log: (text) => parts.log(parts.redact(`${state.name}: ${text}`)),
    callTool,
  };
}

/** Waits for something that is not the tool's doing: no clock of the call runs meanwhile. */
export async function pauseDeadlines<T>(state: CallState, work: () => Promise<T>): Promise<T> {
  state.deadlines.forEach((deadline) => deadline.pause());
  try {
    return await work();
  } finally {
    state.deadlines.forEach((deadline) => deadline.resume());
  }
}

/** Puts a question to the gate; time spent here does not count as the tool's. */
export async function askGate(
  { parts, state }: Pick<ContextOptions, "parts" | "state">,
  ask: (context: ApprovalContext) => Promise<ApprovalOutcome>,
): Promise<ApprovalOutcome> {
  const { emit } = state.options;
  // What the surface is told if the question is cut off by an abort.
  let ended: Pick<ApprovalOutcome, "answer" | "by" | "choice"> = {
    answer: "deny",
    by: "interrupt",
  };
  let asked = false;
  try {
    const outcome = await pauseDeadlines(state, () =>
      ask({
        callId: state.id,
        tool: state.name,
        environment: parts.environment.name,
        cwd: parts.environment.cwd(parts.session.taskId),
        signal: state.deadlines[0].signal,
        ...(parts.session.unattended ? { unattended: true } : {}),
        asked(request) {
          asked = true;
          const shown = { ...request, subject: parts.redact(request.subject, "code") };
          emit({ type: "approval_start", callId: state.id, request: shown });
        },
      }));
    ended = outcome;
    if (outcome.unanswerable) state.needsApproval = true;
    if (outcome.answer === "deny") state.denied = true;
    return outcome;
  } finally {
    if (asked) {
      const { answer, by, choice } = ended;
      const made = choice === undefined ? {} : { choice };
      emit({ type: "approval_end", callId: state.id, answer, by, ...made });
    }
  }
}
