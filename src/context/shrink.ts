/**
 * Making a conversation fit after the provider said it does not: old tool results give way
 * first, the newest and everything people wrote stay. Changes only what is sent, never the
 * transcript.
 */
import type { Message } from "../protocol/message.ts";

/** Share of tool-result text to keep at each attempt. */
const KEEP_SHARE = [0.5, 0.25, 0.1];
const STUB_CHARS = 200;

/** A smaller copy of `messages`, or undefined when there is nothing left to give. */
export function shrinkMessages(
  messages: readonly Message[],
  attempt: number,
): Message[] | undefined {
  const share = KEEP_SHARE[attempt];
  if (share === undefined) return undefined;
  let excess = toolResultChars(messages) * (1 - share);
  if (excess <= 0) return undefined;
  let changed = false;
  const out = messages.map((message): Message => {
    if (message.role !== "tool" || excess <= 0 || message.content.length <= 2 * STUB_CHARS) {
      return message;
    }
    excess -= message.content.length;
    changed = true;
    const { images: _, ...rest } = message;
    return { ...rest, content: stub(message.content) };
  });
  return changed ? out : undefined;
}

/** What the results of tools take up. */
export function toolResultChars(messages: readonly Message[]): number {
  return messages.reduce(
    (sum, { role, content }) => role === "tool" ? sum + content.length : sum,
    0,
  );
}

function stub(content: string): string {
  return JSON.stringify({
    dropped: `${content.length} characters of this old result were left out to fit the context; ` +
      "call the tool again if they are needed",
    start: content.slice(0, STUB_CHARS),
  });
}
