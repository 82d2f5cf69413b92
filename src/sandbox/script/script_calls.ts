/**
 * The parent's answer to the calls of one run: checks each frame, spends the budget, dispatches,
 * counts. Trusts nothing a child says; owns no process and no socket.
 */
import { checkArguments, refusal } from "../walls/allow_list.ts";
import type { ScriptProgress, ScriptRequest } from "../../protocol/script.ts";
import type { NestedCallResult } from "../../protocol/tool_result.ts";

/** Calls of one script that may run at once; past it the socket is not read. */
export const MAX_IN_FLIGHT = 64;

export interface CallFrame {
  id: number;
  tool: string;
  args: Record<string, unknown>;
  /** The script wants details and failure too, not only what a model would read. */
  full?: boolean;
}

/** The call a frame asks for, or undefined when it is not a proper call. */
export function parseCall(frame: Record<string, unknown>): CallFrame | undefined {
  const { t, id, tool, args, full } = frame;
  if (t !== "call" || !Number.isSafeInteger(id) || typeof tool !== "string") return undefined;
  if (typeof args !== "object" || args === null || Array.isArray(args)) return undefined;
  return {
    id: id as number,
    tool,
    args: args as Record<string, unknown>,
    ...(full === true ? { full } : {}),
  };
}

export class ScriptCalls {
  readonly #request: ScriptRequest;
  readonly #callable: string[];
  readonly #abort = new AbortController();
  readonly #startedAt = performance.now();
  #started = 0;
  #finished = 0;
  #room: (() => void) | undefined;

  constructor(request: ScriptRequest) {
    this.#request = request;
    this.#callable = request.tools.map((tool) => tool.name);
  }

  /** Calls that were dispatched; refused ones do not count. */
  get callsMade(): number {
    return this.#started;
  }

  /** Resolves when one more call may be taken: back-pressure for the reader. */
  async ready(): Promise<void> {
    while (this.#started - this.#finished >= MAX_IN_FLIGHT && !this.#abort.signal.aborted) {
      await new Promise<void>((resolve) => this.#room = resolve);
    }
  }

  /** The result of one call. Never throws. */
  async handle(call: CallFrame): Promise<NestedCallResult> {
    const { tool } = call;
    const { maxToolCalls } = this.#request.limits;
    if (!this.#callable.includes(tool)) {
      const session = this.#request.otherTools;
      return failure(refusal(tool, { callable: this.#callable, session }));
    }
    const checked = checkArguments(tool, call.args);
    if ("error" in checked) return failure(checked.error);
    if (this.#started >= maxToolCalls) {
      return failure(`Tool call limit reached (${maxToolCalls}). Print what you have and end.`);
    }
    this.#started++;
    this.#progress();
    try {
      return await this.#request.callTool(tool, checked.args, this.#abort.signal);
    } catch (error) {
      return failure(error instanceof Error ? error.message : String(error));
    } finally {
      this.#finished++;
      this.#room?.();
      this.#progress();
    }
  }

  /** Cancels what is still in flight. */
  close(): void {
    this.#abort.abort(new DOMException("the script has ended", "AbortError"));
    this.#room?.();
  }

  #progress(): void {
    const progress: ScriptProgress = {
      callsFinished: this.#finished,
      callsStarted: this.#started,
      elapsedMs: performance.now() - this.#startedAt,
    };
    this.#request.onProgress?.(progress);
  }
}

function failure(error: string): NestedCallResult {
  return { content: JSON.stringify({ error }), isError: true };
}
