/**
 * The transcript of a session as the loop sees it. Appending stores first: a message is in
 * memory, and so in a request or on a screen, only after it is on disk.
 */
import type { History } from "../agent/types.ts";
import { type AssistantMessage, type Message, toolCallsOf } from "../protocol/message.ts";

/** Where messages are made durable. */
export interface Persist {
  append(message: Message): void;
  /** Keeps only what the answer cost. */
  discard(message: AssistantMessage): void;
}

export class SessionHistory implements History {
  #messages: Message[];
  #persist: Persist;

  constructor(messages: Message[], persist: Persist) {
    this.#messages = messages;
    this.#persist = persist;
  }

  messages(): readonly Message[] {
    return this.#messages;
  }

  append(message: Message): void {
    this.#persist.append(message);
    this.#messages.push(message);
  }

  discard(message: AssistantMessage): void {
    this.#persist.discard(message);
  }
}

export const NOT_APPROVED =
  "This call needed a yes that nobody gave. It did not run; the person went on with what follows.";
const INTERRUPTED =
  "Hermes stopped before this call reported a result. Whether it took effect is unknown: check before repeating it.";

const NOT_BEGUN =
  "Hermes stopped while this call waited for a yes. It did not run. Call it again if it is still wanted.";

/**
 * Results for calls that never got one (by default a crash mid-call), in order. `notBegun` is the
 * id of a call that had not begun. Ids may recur in later messages.
 */
export function missingResults(
  messages: readonly Message[],
  { error = INTERRUPTED, notBegun }: { error?: string; notBegun?: string } = {},
): Message[] {
  const last = messages.findLastIndex((message) => message.role === "assistant");
  const answered = new Set(
    messages.slice(last + 1).flatMap((m) => m.role === "tool" ? [m.toolCallId] : []),
  );
  const message = messages[last];
  if (message?.role !== "assistant") return [];
  return toolCallsOf(message).filter((call) => !answered.has(call.id)).map((call) => ({
    role: "tool",
    toolCallId: call.id,
    name: call.name,
    content: JSON.stringify({ error: call.id === notBegun ? NOT_BEGUN : error }),
    isError: true,
  }));
}
