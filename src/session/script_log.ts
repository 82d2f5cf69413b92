/** Keeps the calls that scripts make: part of the record, not of the conversation. */
import type { EventBody } from "../protocol/event.ts";
import type { ScriptCall } from "../store/record.ts";

export class ScriptLog {
  readonly #keep: (call: ScriptCall) => void;
  /** Arguments of calls under way, by call id. */
  readonly #arguments = new Map<string, string>();

  constructor(keep: (call: ScriptCall) => void) {
    this.#keep = keep;
  }

  follow(event: EventBody): void {
    if (event.type === "tool_start" && event.sandbox) {
      this.#arguments.set(event.callId, JSON.stringify(event.arguments));
    } else if (event.type === "tool_end" && event.sandbox) {
      this.#keep({
        parentCallId: event.parentCallId ?? "",
        name: event.name,
        arguments: this.#arguments.get(event.callId) ?? "{}",
        result: event.result,
        isError: event.isError,
        durationMs: event.durationMs,
      });
      this.#arguments.delete(event.callId);
    }
  }
}
