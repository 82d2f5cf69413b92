/**
 * The transcript of a session as the loop sees it. Appending stores first: a message is in
 * memory, and so in a request or on a screen, only after it is on disk.
 */
import type { History } from "../agent/types.ts";
import type { Message } from "../protocol/message.ts";

/** Where a message is made durable; absent for sessions that keep nothing. */
export type Persist = (message: Message) => void;

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
    this.#persist(message);
    this.#messages.push(message);
  }
}

const INTERRUPTED =
  "Hermes stopped before this call reported a result. Whether it took effect is unknown: check before repeating it.";

/** Results for calls that never got one (a crash mid-call), in order. */
export function missingResults(messages: readonly Message[]): Message[] {
  const answered = new Set(messages.flatMap((m) => m.role === "tool" ? [m.toolCallId] : []));
  return messages.flatMap((message) =>
    message.role !== "assistant"
      ? []
      : message.content.flatMap((part): Message[] =>
        part.type !== "tool_call" || answered.has(part.id) ? [] : [{
          role: "tool",
          toolCallId: part.id,
          name: part.name,
          content: JSON.stringify({ error: INTERRUPTED }),
          isError: true,
        }]
      )
  );
}
