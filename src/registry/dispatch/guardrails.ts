/**
 * Noticing that the model goes in circles: the same failing call, a tool that keeps
 * failing, a read that never changes. Warns in the result; blocks or ends the turn only
 * where the configuration says so. Counts within one turn.
 */
import type { Outcome } from "./outcome.ts";

type Kind = "exact_failure" | "same_tool_failure" | "idempotent_no_progress";

const WARN_AFTER: Record<Kind, number> = {
  "exact_failure": 2,
  "same_tool_failure": 3,
  "idempotent_no_progress": 2,
};
const STOP_AFTER: Record<Kind, number> = {
  "exact_failure": 5,
  "same_tool_failure": 8,
  "idempotent_no_progress": 5,
};
/** Tools with a limit per turn that is always on: config key, default, code. */
const CAPS: Readonly<Record<string, { key: string; limit: number; code: string }>> = {
  "web_search": { key: "max_web_searches", limit: 50, code: "loop_web_search_cap" },
  "delegate_task": { key: "max_subagents", limit: 50, code: "loop_subagent_cap" },
};
/** A repeated result this long is replaced by a pointer to the first one. */
const STUB_MIN_CHARS = 512;
const STALL_NOTICE_AFTER = 3;
/** Asking again is their purpose. */
const POLLS = /^process$|_get_result$|_poll$/;

export interface GuardedCall {
  name: string;
  idempotent: boolean;
  callId: string;
  /** Parsed, or the raw text when that was impossible. */
  args: unknown;
}

export interface GuardBlock {
  error: string;
  guardrail: Record<string, unknown>;
}

export interface GuardVerdict {
  /** The result itself, or what stands for it. */
  text: string;
  /** What the model must also read, however long the result is. */
  notes: string[];
  /** Ends the turn; says why. */
  halt?: string;
}

interface Repeat {
  digest: number;
  count: number;
  firstCallId: string;
}

export class Guardrails {
  #config: (path: string) => unknown;
  #exactFailures = new Map<string, number>();
  #toolFailures = new Map<string, number>();
  #results = new Map<string, Repeat>();
  #capped = new Map<string, number>();
  #last: Repeat & { signature: string } | undefined;

  constructor(config: (path: string) => unknown) {
    this.#config = config;
  }

  /** A new turn: every count starts again. */
  reset(): void {
    this.#exactFailures.clear();
    this.#toolFailures.clear();
    this.#results.clear();
    this.#capped.clear();
    this.#last = undefined;
  }

  /** Refuses a call that reached a cap; counts it otherwise. Applies to scripts too. */
  admit(name: string): GuardBlock | undefined {
    const cap = CAPS[name];
    if (!cap) return undefined;
    const limit = this.#number(`loop_caps.${cap.key}`, cap.limit);
    const count = (this.#capped.get(name) ?? 0) + 1;
    if (limit > 0 && count > limit) {
      const message = `${name} was called ${limit} times in this turn, which is the limit. ` +
        "Work with what you have.";
      return block({ action: "block", code: cap.code, message, tool: name, count: limit });
    }
    this.#capped.set(name, count);
    return undefined;
  }

  /** Refuses a call that keeps failing or keeps changing nothing, where hard stops are on. */
  before(call: GuardedCall): GuardBlock | undefined {
    if (this.#config("tool_loop_guardrails.hard_stop_enabled") !== true) return undefined;
    const signature = signatureOf(call);
    const failures = this.#exactFailures.get(signature) ?? 0;
    const { name: tool } = call;
    if (failures >= this.#stop("exact_failure")) {
      const message = `This call of ${tool} failed ${failures} times with the same arguments. ` +
        "Change the arguments or the approach.";
      const code = "repeated_exact_failure_block";
      return block({ action: "block", code, message, tool, count: failures, signature });
    }
    const same = this.#results.get(signature)?.count ?? 0;
    if (call.idempotent && same >= this.#stop("idempotent_no_progress")) {
      const message = `This call of ${tool} gave the same result ${same} times. ` +
        "Use that result or ask for something else.";
      const code = "idempotent_no_progress_block";
      return block({ action: "block", code, message, tool, count: same, signature });
    }
    return undefined;
  }

  /** The result as the model should read it, and whether the turn must end. */
  after(call: GuardedCall, outcome: Outcome): GuardVerdict {
    const signature = signatureOf(call);
    const repeat = this.#noteResult(signature, call.callId, digest(outcome.text));
    const stall = this.#noteStall(signature, call, repeat);
    const notes: string[] = [];
    let halt: string | undefined;
    if (outcome.failed) halt = this.#noteFailure(call.name, signature, notes);
    else {
      this.#exactFailures.delete(signature);
      this.#toolFailures.delete(call.name);
      if (call.idempotent && this.#warns("idempotent_no_progress", repeat.count)) {
        notes.push(note("idempotent_no_progress_warning", repeat.count, "same result again"));
      }
    }
    if (stall.notice) notes.push(stall.notice);
    const body = stall.stub && !outcome.failed && outcome.text.length >= STUB_MIN_CHARS
      ? stall.stub
      : outcome.text;
    return { text: body, notes, ...(halt === undefined ? {} : { halt }) };
  }

  #noteFailure(tool: string, signature: string, notes: string[]): string | undefined {
    const exact = (this.#exactFailures.get(signature) ?? 0) + 1;
    const total = (this.#toolFailures.get(tool) ?? 0) + 1;
    this.#exactFailures.set(signature, exact);
    this.#toolFailures.set(tool, total);
    if (this.#warns("exact_failure", exact)) {
      const advice = "the same call failed again; change the arguments or the approach";
      notes.push(note("repeated_exact_failure_warning", exact, advice));
    } else if (this.#warns("same_tool_failure", total)) {
      const advice = `${tool} keeps failing; find out why before calling it again`;
      notes.push(note("same_tool_failure_warning", total, advice));
    }
    const stops = this.#config("tool_loop_guardrails.hard_stop_enabled") === true;
    if (!stops || total < this.#stop("same_tool_failure")) return undefined;
    return `${tool} failed ${total} times in this turn (same_tool_failure_halt).`;
  }

  #noteResult(signature: string, callId: string, value: number): Repeat {
    const known = this.#results.get(signature);
    const repeat = known?.digest === value
      ? { ...known, count: known.count + 1 }
      : { digest: value, count: 1, firstCallId: callId };
    this.#results.set(signature, repeat);
    return repeat;
  }

  /** Counts identical calls in a row; any other call in between starts again. */
  #noteStall(signature: string, call: GuardedCall, repeat: Repeat) {
    const last = this.#last;
    const again = last?.signature === signature && last.digest === repeat.digest;
    const count = again ? last.count + 1 : 1;
    const firstCallId = again ? last.firstCallId : call.callId;
    this.#last = { signature, digest: repeat.digest, count, firstCallId };
    const active = this.#config("agent.stall_guards") !== false && !POLLS.test(call.name);
    return {
      stub: active && count >= 2
        ? `[Unchanged: the result is identical to that of call ${firstCallId} above.]`
        : undefined,
      notice: active && count >= STALL_NOTICE_AFTER
        ? `[This is the same call with the same result ${count} times in a row. Do something else.]`
        : undefined,
    };
  }

  #warns(kind: Kind, count: number): boolean {
    if (this.#config("tool_loop_guardrails.warnings_enabled") === false) return false;
    return count >= this.#number(`warn_after.${kind}`, WARN_AFTER[kind]);
  }

  #stop(kind: Kind): number {
    return this.#number(`hard_stop_after.${kind}`, STOP_AFTER[kind]);
  }

  #number(key: string, fallback: number): number {
    const value = this.#config(`tool_loop_guardrails.${key}`);
    return typeof value === "number" ? value : fallback;
  }
}

interface BlockFacts {
  action: "block";
  code: string;
  message: string;
  tool: string;
  count: number;
  signature?: string;
}

function block({ tool, ...facts }: BlockFacts): GuardBlock {
  return { error: facts.message, guardrail: { ...facts, "tool_name": tool } };
}

function note(code: string, count: number, advice: string): string {
  return `[${code}, ${count} times: ${advice}.]`;
}

/** Tool and arguments, whatever the order of the keys. */
function signatureOf(call: GuardedCall): string {
  return `${call.name} ${canonical(call.args)}`;
}

function canonical(args: unknown): string {
  const text = isInOrder(args) ? JSON.stringify(args) : JSON.stringify(args, sortKeys);
  return text.length > 512 ? `${text.slice(0, 200)}…${digest(text)}` : text;
}

function sortKeys(_: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => a < b ? -1 : 1));
}

/** True for a flat object whose keys are sorted, as most arguments are. */
function isInOrder(args: unknown): boolean {
  if (args === null || typeof args !== "object") return false;
  let before = "";
  for (const [key, value] of Object.entries(args)) {
    if (key < before || typeof value === "object") return false;
    before = key;
  }
  return true;
}

/** A quick 53-bit digest; only equality within one turn depends on it. */
function digest(text: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    low = Math.imul(low ^ code, 2654435761);
    high = Math.imul(high ^ code, 1597334677);
  }
  return 4294967296 * (2097151 & (high ^ (high >>> 15))) + ((low ^ (low >>> 13)) >>> 0);
}
