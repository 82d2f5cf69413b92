/**
 * The only path from a tool call to a result, for the model, a script, a plugin and a
 * sub-agent alike: find and mend → hooks → guardrails → approval → handler → redaction →
 * limits → hooks. Owns the only try/catch round a tool; never throws.
 */
import type {
  CallPlan,
  DispatchOptions,
  DispatchResult,
  ToolDispatcher,
} from "../../protocol/dispatch.ts";
import { ToolError } from "../../protocol/error.ts";
import type { ImagePart, ToolCallPart } from "../../protocol/message.ts";
import type { NestedCallOptions, ToolSpec } from "../../protocol/tool.ts";
import type { NestedCallResult, ToolResult } from "../../protocol/tool_result.ts";
import { type AdmissionParts, consultHooks, requestHookApprovals } from "./admission.ts";
import { requestApprovals } from "../approvals.ts";
import { type CallState, createContext } from "./context.ts";
import { CallTimeout, Deadline, settleWithin } from "./deadline.ts";
import { type GuardedCall, Guardrails, type GuardVerdict } from "./guardrails.ts";
import {
  errorOutcome,
  type Outcome,
  redactDeep,
  refusal,
  resultOutcome,
  withNotes,
} from "./outcome.ts";
import { planCall, prepareCall, type PreparedCall } from "./prepare.ts";
import { keepImages, type KeptImages } from "./result_images.ts";
import { fitResult, type ResultLimits, resultLimits } from "./result_limits.ts";
import { callSummary, resultBlocks, resultLine } from "../tool_view.ts";
import { isUntrusted, wrapUntrusted } from "./untrusted.ts";

/** `redact` is the identity where redaction is off. */
export type DispatcherOptions = AdmissionParts;

const DEFAULT_TIMEOUT_MS = 420_000;
/** How long a handler may take to wind down after an abort before it is abandoned. */
const ABORT_GRACE_MS = 3_000;
const MAX_NESTING = 4;
/** Nested results go to a script in full; events only show their start. */
const NESTED_EVENT_CHARS = 2_000;

/** Creates the dispatcher of one session. */
export function createDispatcher(options: DispatcherOptions): ToolDispatcher {
  return new Dispatcher(options);
}

class Dispatcher implements ToolDispatcher {
  #parts: AdmissionParts;
  #guardrails: Guardrails;
  #limits: ResultLimits;
  #prepared = new WeakMap<ToolCallPart, PreparedCall>();
  /** Arguments and errors are mostly source text: only what is unmistakable may go. */
  #clean = (text: string) => this.#parts.redact(text, "code");

  constructor(options: DispatcherOptions) {
    this.#parts = options;
    this.#guardrails = new Guardrails(options.config);
    this.#limits = resultLimits(options.config, options.session.contextTokens);
  }

  plan(call: ToolCallPart): Promise<CallPlan> {
    const { registry, environment, session } = this.#parts;
    return planCall(this.#prepare(call), { registry, environment, taskId: session.taskId });
  }

  beginTurn(): void {
    this.#guardrails.reset();
  }

  run(call: ToolCallPart, options: DispatchOptions): Promise<DispatchResult> {
    return this.#run(call, options, []);
  }

  async #run(
    call: ToolCallPart,
    options: DispatchOptions,
    outer: readonly Deadline[],
  ): Promise<DispatchResult> {
    const startedAt = performance.now();
    const prepared = this.#prepare(call);
    if (prepared.kind === "refused") return this.#refuse(call, { ...prepared, options, startedAt });
    const { name, facts, args } = prepared;
    using deadline = new Deadline(options.signal, facts.timeoutMs ?? DEFAULT_TIMEOUT_MS);
    const state: CallState = {
      id: call.id,
      name,
      facts,
      args,
      options,
      deadlines: [deadline, ...outer],
      needsApproval: false,
      denied: false,
    };
    const outcome = await this.#transformed(state, await this.#outcomeOf(state));
    return await this.#finish(state, { outcome, startedAt });
  }

  /** A call that cannot run; the model must hear it, and repeating it counts as going in circles. */
  #refuse(call: ToolCallPart, refused: RefusedCall): DispatchResult {
    const { name, options, outcome, unknownTool, startedAt } = refused;
    const place: CallPlace = { id: call.id, name, options, args: call.arguments };
    this.#emitStart(place);
    const { text, notes, halt }: GuardVerdict = isNested(options)
      ? { text: outcome.text, notes: [] }
      : this.#guardrails.after({
        name,
        idempotent: false,
        callId: call.id,
        args: call.arguments,
      }, outcome);
    return {
      ...this.#report(place, { outcome, text: this.#clean(withNotes(text, notes)), startedAt }),
      ...(unknownTool ? { unknownTool } : {}),
      ...(halt === undefined ? {} : { halt }),
    };
  }

  /** Hooks, guardrails, approval and the handler: the part that may fail in any way. */
  async #outcomeOf(state: CallState): Promise<Outcome> {
    const { signal } = state.deadlines[0];
    try {
      const { refused, demands = [] } = signal.aborted
        ? {}
        : await consultHooks(this.#parts, state);
      const spec = await this.#load(state.name);
      this.#emitStart(state);
      signal.throwIfAborted();
      const stop = refused ?? this.#guard(state);
      if (stop) return stop;
      const denied = await requestHookApprovals(this.#parts, { state, demands });
      return denied ?? await this.#execute(state, spec);
    } catch (error) {
      if (error instanceof ToolError) return errorOutcome(error, this.#clean);
      if (signal.aborted) return stopped(state.name, signal.reason);
      const detail = error instanceof Error ? error.stack ?? error.message : String(error);
      this.#parts.log(this.#parts.redact(`Tool ${state.name} failed: ${detail}`));
      return errorOutcome(error, this.#clean);
    }
  }

  #guard(state: CallState): Outcome | undefined {
    if (state.deadlines.length > MAX_NESTING) {
      return refusal("Calls inside calls are nested too deep.", { status: "blocked" });
    }
    const blocked = this.#guardrails.admit(state.name) ??
      (isNested(state.options) ? undefined : this.#guardrails.before(guarded(state)));
    if (!blocked) return undefined;
    const extra = { guardrail: blocked.guardrail };
    return refusal(blocked.error, { status: "blocked", extra });
  }

  /** Without a wait where the module has been imported. */
  #load(name: string): ToolSpec | undefined | Promise<ToolSpec | undefined> {
    const { registry } = this.#parts;
    return registry.get(name) ?? registry.load(name);
  }

  async #execute(state: CallState, spec: ToolSpec | undefined): Promise<Outcome> {
    const { registry, redact } = this.#parts;
    if (!spec) {
      const why = registry.loadFailure(state.name) ?? "it was removed";
      return refusal(this.#clean(`Tool ${state.name} is unavailable: ${why}`));
    }
    const { signal } = state.deadlines[0];
    const running = this.#approveAndRun(state, spec);
    const value = await settleWithin(running, { signal, graceMs: ABORT_GRACE_MS });
    const mode = spec.redaction?.(state.args) ?? (spec.toolset === "file" ? "file" : "code");
    return resultOutcome(value, { name: state.name, clean: (text) => redact(text, mode) });
  }

  /** What the tool declares is asked first; nothing runs once the call has been given up. */
  async #approveAndRun(state: CallState, spec: ToolSpec): Promise<ToolResult> {
    let nestedCalls = 0;
    const context = createContext({
      parts: this.#parts,
      state,
      effects: spec.effects,
      callTool: (name, args, options = {}) =>
        this.#callTool(state, {
          id: `${state.id}.${++nestedCalls}`,
          type: "tool_call",
          name,
          arguments: typeof args === "string" ? args : JSON.stringify(args ?? {}),
        }, options),
    });
    const answer = await requestApprovals(spec, { parts: this.#parts, state, context });
    if (answer.kind === "ended") return answer.result;
    context.signal.throwIfAborted();
    return await spec.handler(state.args, context, answer.approved);
  }

  async #callTool(
    parent: CallState,
    call: ToolCallPart,
    options: NestedCallOptions,
  ): Promise<NestedCallResult> {
    const own = parent.deadlines[0].signal;
    const result = await this.#run(call, {
      signal: options.signal ? AbortSignal.any([own, options.signal]) : own,
      emit: parent.options.emit,
      parentCallId: parent.id,
      sandbox: options.sandbox ?? parent.options.sandbox ?? false,
    }, parent.deadlines);
    if (result.needsApproval) parent.needsApproval = true;
    const { content, isError, details } = result.message;
    return { content, isError, ...(details === undefined ? {} : { details }) };
  }

  /** From the outcome to what the model reads. */
  async #finish(
    state: CallState,
    { outcome, startedAt }: { outcome: Outcome; startedAt: number },
  ): Promise<DispatchResult> {
    const { facts, options } = state;
    let text = outcome.text;
    let halt: string | undefined;
    const { images, notes } = await this.#images(state, outcome);
    if (notes.length > 0) text = [text, ...notes].filter(Boolean).join("\n");
    if (!isNested(options)) {
      const verdict: GuardVerdict = outcome.fromTool
        ? this.#guardrails.after(guarded(state), { ...outcome, text })
        : { text, notes: [] };
      halt = verdict.halt;
      text = await fitResult(verdict.text, {
        facts,
        callId: state.id,
        limits: this.#limits,
        usedChars: options.batch?.usedChars ?? 0,
        spill: this.#parts.services.spill,
      });
      if (outcome.fromTool && isUntrusted(facts)) text = wrapUntrusted(state.name, text);
      // Beside preview and marks: these are hermes's own words and must be read.
      text = withNotes(text, verdict.notes);
      if (options.batch) options.batch.usedChars += text.length;
    }
    const end: CallEnd = { outcome, text, images, startedAt };
    await this.#notifyPost(state, end);
    return {
      ...this.#report(state, end),
      ...(state.needsApproval ? { needsApproval: true } : {}),
      ...(halt === undefined ? {} : { halt }),
    };
  }

  /** Scripts read text: their calls keep no images. */
  async #images(state: CallState, { images = [] }: Outcome): Promise<KeptImages> {
    if (images.length === 0) return { images: [], notes: [] };
    if (isNested(state.options)) {
      return { images: [], notes: ["[images are left out: scripts get text]"] };
    }
    return await keepImages(images, this.#parts.services.blobs);
  }

  /** What hooks make of the result of a tool; words of dispatch itself stay as they are. */
  async #transformed(state: CallState, outcome: Outcome): Promise<Outcome> {
    const { hooks, session, environment } = this.#parts;
    if (!outcome.fromTool || !hooks.has("transform_tool_result")) return outcome;
    const text = await hooks.transform("transform_tool_result", {
      sessionId: session.id,
      taskId: session.taskId ?? "main",
      callId: state.id,
      toolName: state.name,
      args: state.args,
      cwd: environment.cwd(session.taskId),
      result: outcome.text,
      status: outcome.status,
    }, state.options.signal);
    return text === undefined ? outcome : { ...outcome, text };
  }

  async #notifyPost(state: CallState, end: CallEnd): Promise<void> {
    const { hooks, session, environment } = this.#parts;
    if (!hooks.has("post_tool_call")) return;
    await hooks.notify("post_tool_call", {
      sessionId: session.id,
      taskId: session.taskId ?? "main",
      callId: state.id,
      toolName: state.name,
      args: state.args,
      cwd: environment.cwd(session.taskId),
      result: end.text,
      status: state.denied && end.outcome.status === "error" ? "blocked" : end.outcome.status,
      isError: end.outcome.failed,
      ...(end.outcome.details === undefined ? {} : { details: end.outcome.details }),
      durationMs: Math.round(performance.now() - end.startedAt),
    }, state.options.signal);
  }

  #emitStart(place: CallPlace): void {
    const { id, name, options } = place;
    const shown = place.shown = redactDeep(place.args, this.#clean);
    options.emit({
      type: "tool_start",
      callId: id,
      name,
      arguments: shown,
      summary: callSummary(this.#parts.registry.get(name), shown),
      ...nestedFields(options),
    });
  }

  #report(place: CallPlace, { outcome, text, images, startedAt }: CallEnd): DispatchResult {
    const { id, name, options, shown: args } = place;
    const { failed: isError, details, problem } = outcome;
    const data = details === undefined ? {} : { details };
    const spec = this.#parts.registry.get(name);
    const words = problem === undefined ? undefined : this.#clean(problem);
    const shown = { args, text, isError, problem: words, details, images };
    const summary = resultLine(spec, shown);
    options.emit({
      type: "tool_end",
      callId: id,
      name,
      isError,
      durationMs: Math.round(performance.now() - startedAt),
      result: isNested(options) ? beginning(text) : text,
      ...data,
      summary,
      ...(isNested(options) ? nestedFields(options) : { view: resultBlocks(spec, shown) }),
    });
    return {
      message: {
        role: "tool",
        toolCallId: id,
        name,
        content: text,
        isError,
        ...(images === undefined || images.length === 0 ? {} : { images }),
        ...data,
      },
    };
  }

  #prepare(call: ToolCallPart): PreparedCall {
    let prepared = this.#prepared.get(call);
    if (!prepared) this.#prepared.set(call, prepared = prepareCall(call, this.#parts));
    return prepared;
  }
}

type CallPlace = Pick<CallState, "id" | "name" | "options" | "shown"> & { args: unknown };

type RefusedCall = PreparedCall & { kind: "refused" } & {
  options: DispatchOptions;
  startedAt: number;
};

interface CallEnd {
  outcome: Outcome;
  text: string;
  images?: ImagePart[];
  startedAt: number;
}

function guarded({ id, name, facts, args }: CallState): GuardedCall {
  return { name, idempotent: facts.idempotent === true, callId: id, args };
}

function isNested(options: DispatchOptions): boolean {
  return options.parentCallId !== undefined;
}

function nestedFields({ parentCallId, sandbox }: DispatchOptions) {
  if (parentCallId === undefined) return {};
  return sandbox ? { parentCallId, sandbox } : { parentCallId };
}

function beginning(text: string): string {
  return text.length > NESTED_EVENT_CHARS ? `${text.slice(0, NESTED_EVENT_CHARS)}…` : text;
}

function stopped(name: string, reason: unknown): Outcome {
  if (reason instanceof CallTimeout) {
    const error = `${name} ${reason.message} and was stopped; its effects are unknown.`;
    return refusal(error, { status: "timeout" });
  }
  return refusal("Cancelled: the turn was interrupted.", { status: "cancelled" });
}
