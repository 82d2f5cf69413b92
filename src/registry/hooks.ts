/**
 * The hook runner: listeners by name, in order, each isolated and limited in time. Plugins
 * add functions, `shell_hooks.ts` adds configured commands; neither can break a turn.
 */
import type { HookDirective, HookName, HookPayload, HookRunner } from "../protocol/hook.ts";
import { Deadline, settleWithin } from "./deadline.ts";

/** What a listener answers depends on the hook; observers answer nothing. May throw. */
export type HookListener = (
  payload: HookPayload,
  signal: AbortSignal,
) => Promise<unknown> | unknown;

export interface HooksOptions {
  log(line: string): void;
  /** Longest time one listener may take; default 60 s. */
  timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** Context one turn may gain from hooks. */
const MAX_CONTEXT_CHARS = 10_000;
const CONTEXT_KEPT_EACH_END = 500;

interface Entry {
  listener: HookListener;
  timeoutMs: number;
}

export class Hooks implements HookRunner {
  #entries = new Map<HookName, Entry[]>();
  #log: (line: string) => void;
  #timeoutMs: number;

  constructor(options: HooksOptions) {
    this.#log = options.log;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Adds a listener behind the others; the returned function removes it. */
  on(name: HookName, listener: HookListener, options: { timeoutMs?: number } = {}): () => void {
    const entry = { listener, timeoutMs: options.timeoutMs ?? this.#timeoutMs };
    this.#entries.set(name, [...this.#entries.get(name) ?? [], entry]);
    return () => {
      const rest = (this.#entries.get(name) ?? []).filter((other) => other !== entry);
      if (rest.length > 0) this.#entries.set(name, rest);
      else this.#entries.delete(name);
    };
  }

  has(name: HookName): boolean {
    return this.#entries.has(name);
  }

  async preToolCall(payload: HookPayload, signal: AbortSignal): Promise<HookDirective[]> {
    const directives: HookDirective[] = [];
    let args = payload.args;
    // Each listener judges the call as the ones before have left it.
    for await (const answer of this.#run("pre_tool_call", () => ({ ...payload, args }), signal)) {
      const directive = parseDirective(answer);
      if (directive === undefined) continue;
      directives.push(directive);
      // A demand for approval silences no guard behind it; after a block there is nothing to judge.
      if (directive.action === "block") break;
      if (directive.action === "modify") args = { ...args as object, ...directive.args };
    }
    return directives;
  }

  async preLlmCall(payload: HookPayload, signal: AbortSignal): Promise<string> {
    const parts: string[] = [];
    for await (const answer of this.#run("pre_llm_call", () => payload, signal)) {
      const text = typeof answer === "string" ? answer : contextOf(answer);
      if (text.trim() !== "") parts.push(text);
    }
    return boundContext(parts.join("\n\n"));
  }

  async notify(name: HookName, payload: HookPayload): Promise<void> {
    for await (const _ of this.#run(name, () => payload, new AbortController().signal)) {
      // Observers: their answers mean nothing.
    }
  }

  /** The answers of every listener in turn; one that fails is logged and left out. */
  async *#run(name: HookName, payload: () => HookPayload, signal: AbortSignal) {
    for (const { listener, timeoutMs } of this.#entries.get(name) ?? []) {
      if (signal.aborted) return;
      let answer: unknown;
      try {
        using deadline = new Deadline(signal, timeoutMs);
        const running = (async () => await listener(payload(), deadline.signal))();
        answer = await settleWithin(running, { signal: deadline.signal, graceMs: 0 });
      } catch (error) {
        this.#log(`Hook ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
        continue;
      }
      yield answer;
    }
  }
}

/** A directive in any of the accepted spellings; undefined for anything else. */
export function parseDirective(answer: unknown): HookDirective | undefined {
  if (answer === null || typeof answer !== "object") return undefined;
  const fields = answer as Record<string, unknown>;
  const action = fields.action ?? fields.decision;
  const message = textOf(fields.message) ?? textOf(fields.reason);
  if (action === "block") {
    return { action, message: message ?? "no reason given" };
  }
  if (action === "approve") {
    const rule = textOf(fields.rule) ?? textOf(fields.rule_key);
    return { action, ...(message ? { message } : {}), ...(rule ? { rule } : {}) };
  }
  const args = fields.args ?? fields.tool_input;
  if (action !== "modify" || args === null || typeof args !== "object" || Array.isArray(args)) {
    return undefined;
  }
  return { action, args: args as Record<string, unknown> };
}

function contextOf(answer: unknown): string {
  if (answer === null || typeof answer !== "object") return "";
  return textOf((answer as Record<string, unknown>).context) ?? "";
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function boundContext(text: string): string {
  if (text.length <= MAX_CONTEXT_CHARS) return text;
  const left = text.length - 2 * CONTEXT_KEPT_EACH_END;
  return `${
    text.slice(0, CONTEXT_KEPT_EACH_END)
  }\n[… ${left} characters of hook output left out …]\n` +
    text.slice(-CONTEXT_KEPT_EACH_END);
}
