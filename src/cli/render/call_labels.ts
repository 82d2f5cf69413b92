/** Which call a result belongs to, for calls that run side by side: their ends come in any order. */
import type { AgentEvent } from "../../protocol/event.ts";
import { summarizeCall } from "./tool_line.ts";

interface Running {
  label: string;
  /** Another call ran at the same time. */
  isParallel: boolean;
}

export class CallLabels {
  readonly #running = new Map<string, Running>();

  /** The call of a `tool_end` that needs one to be understood. */
  follow(event: AgentEvent): { label?: string } {
    if (event.type === "tool_start") {
      const siblings = [...this.#running].filter(([id]) => id !== event.parentCallId);
      for (const [, other] of siblings) other.isParallel = true;
      const label = summarizeCall(event);
      this.#running.set(event.callId, { label, isParallel: siblings.length > 0 });
    }
    if (event.type !== "tool_end") return {};
    const ended = this.#running.get(event.callId);
    this.#running.delete(event.callId);
    return ended?.isParallel ? { label: ended.label } : {};
  }
}
