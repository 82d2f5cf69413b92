/**
 * The hook runner: listeners by name, in order, each isolated and limited in time. Plugins
 * add functions, `shell_hooks.ts` adds configured commands; neither can break a turn.
 */
import {
  type HookDirective,
  type HookName,
  type HookPayload,
  type HookRunner,
  TRANSFORMED,
  type TransformName,
} from "../../protocol/hook.ts";
import { Deadline, settleWithin } from "../dispatch/deadline.ts";

/** What a listener answers depends on the hook; observers answer nothing. May throw. */
export type HookListener = (
  payload: HookPayload,
  signal: AbortSignal,
) => Promise<unknown> | unknown;

export interface HooksOptions {
  log(line: string): void;
  /** Takes secrets out of the context that listeners add; default keeps everything. */
  redact?: (text: string) => string;
  /** Longest time one listener may take; default 60 s. */
  timeoutMs?: number;
}

export interface ListenerOptions {
  timeoutMs?: number;
  /** Whose it is, for the log. */
  owner?: string;
}

const DEFAULT_TIMEOUT_MS = 60_000;
/** What observers have left when a person has interrupted the turn and waits. */
const AFTER_INTERRUPT_MS = 1_000;
/** Context one turn may gain from hooks. */
const MAX_CONTEXT_CHARS = 10_000;
const CONTEXT_KEPT_EACH_END = 500;

interface Entry {
  listener: HookListener;
  timeoutMs: number;
  owner?: string;
}

export class Hooks implements HookRunner {
  #entries = new Map<HookName, Entry[]>();
  #log: (line: string) => void;
  #redact: (text: string) => string;
  #timeoutMs: number;

  constructor(options: HooksOptions) {
    this.#log = options.log;
    this.#redact = options.redact ?? ((text) => text);
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  }

  /** Adds a listener behind the others; the returned function removes it. */
  on(name: HookName, listener: HookListener, options: ListenerOptions = {}): () => void {
    const entry = { timeoutMs: this.#timeoutMs, ...options, listener };
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
    const run = {
      // Each listener judges the call as the ones before have left it.
      payload: () => ({ ...payload, args }),
      read: parseDirective,
      signal,
    };
    for await (const directive of this.#run("pre_tool_call", run)) {
      if (directive === undefined) continue;
      directives.push(directive);
      // A demand for approval silences no guard behind it; after a block there is nothing to judge.
      if (directive.action === "block") break;
      if (directive.action === "modify") args = { ...args as object, ...directive.args };
    }
    return directives;
  }

  async preTurn(payload: HookPayload, signal: AbortSignal): Promise<string> {
    const parts: string[] = [];
    const run = { payload: () => payload, read: contextOf, signal };
    for await (const text of this.#run("pre_turn", run)) {
      if (text.trim() !== "") parts.push(text);
    }
    return boundContext(this.#redact(parts.join("\n\n")));
  }

  async transform(
    name: TransformName,
    payload: HookPayload,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    const key = TRANSFORMED[name];
    let replaced: string | undefined;
    const run = {
      // Each listener gets the text as the ones before have left it.
      payload: () => replaced === undefined ? payload : { ...payload, [key]: replaced },
      read: replacementOf,
      signal,
    };
    for await (const text of this.#run(name, run)) replaced = text ?? replaced;
    return replaced === undefined ? undefined : this.#redact(replaced);
  }

  async notify(name: HookName, payload: HookPayload, turn?: AbortSignal): Promise<void> {
    using hurry = new Hurry(turn);
    const run = { payload: () => payload, read: () => {}, signal: hurry.signal };
    for await (const _ of this.#run(name, run)) {
      // Observers: their answers mean nothing.
    }
  }

  /** What is read from the answer of every listener in turn; one that fails is logged and left out. */
  async *#run<T>(
    name: HookName,
    { payload, read, signal }: {
      payload: () => HookPayload;
      read: (answer: unknown) => T;
      signal: AbortSignal;
    },
  ) {
    for (const { listener, timeoutMs, owner } of this.#entries.get(name) ?? []) {
      if (signal.aborted) return;
      let said: T;
      try {
        using deadline = new Deadline(signal, timeoutMs);
        const running = (async () => await listener(payload(), deadline.signal))();
        said = read(await settleWithin(running, { signal: deadline.signal, graceMs: 0 }));
      } catch (error) {
        const whose = owner === undefined ? "" : ` of ${owner}`;
        const reason = error instanceof Error ? error.message : String(error);
        this.#log(`Hook ${name}${whose} failed: ${reason}`);
        continue;
      }
      yield said;
    }
  }
}

/** Observers are waited for without a limit, until the turn they belong to is interrupted. */
class Hurry implements Disposable {
  #controller = new AbortController();
  #turn: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #begin = () => {
    const giveUp = () => this.#controller.abort(new Error("the turn was interrupted"));
    this.#timer = setTimeout(giveUp, AFTER_INTERRUPT_MS);
  };

  constructor(turn: AbortSignal | undefined) {
    this.#turn = turn;
    if (turn?.aborted) this.#begin();
    else turn?.addEventListener("abort", this.#begin, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#turn?.removeEventListener("abort", this.#begin);
  }
}

/**
 * A directive in any of the accepted spellings; undefined when nothing is said.
 * @throws {TypeError} for anything else: a guard that is not understood must not seem content.
 */
export function parseDirective(answer: unknown): HookDirective | undefined {
  if (answer === undefined || answer === null) return undefined;
  const fields: Record<string, unknown> = typeof answer === "object" ? { ...answer } : {};
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
  if (action === "modify" && args !== null && typeof args === "object" && !Array.isArray(args)) {
    return { action, args: args as Record<string, unknown> };
  }
  const isSilent = typeof answer === "object" && Object.keys(fields).length === 0;
  if (isSilent || action === "continue") return undefined;
  throw new TypeError(`its answer is no directive: ${JSON.stringify(answer)?.slice(0, 100)}`);
}

function contextOf(answer: unknown): string {
  if (typeof answer === "string") return answer;
  if (answer === null || typeof answer !== "object") return "";
  return textOf((answer as Record<string, unknown>).context) ?? "";
}

/**
 * The text an answer puts in the place of another; undefined when it says nothing.
 * @throws {TypeError} for anything else: a filter that is not understood must be noticed.
 */
function replacementOf(answer: unknown): string | undefined {
  if (answer === undefined || answer === null) return undefined;
  if (typeof answer === "string") return answer;
  const fields: Record<string, unknown> = typeof answer === "object" ? { ...answer } : {};
  if (typeof fields.text === "string") return fields.text;
  if (typeof answer === "object" && Object.keys(fields).length === 0) return undefined;
  throw new TypeError(`its answer has no text: ${JSON.stringify(answer)?.slice(0, 100)}`);
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
