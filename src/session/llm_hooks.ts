/**
 * Tells hooks of every request to a model and of every answer, where a session has hooks. A hook
 * that fails or is slow is the runner's matter, never the request's.
 */
import type { HookRunner } from "../protocol/hook.ts";
import { type Message, messageText } from "../protocol/message.ts";
import type { ModelRequest, Provider, ProviderEvent } from "../protocol/provider.ts";

/** Of a longer conversation hooks get the end. */
const MAX_MESSAGES_CHARS = 1_000_000;

export interface LlmHooks {
  sessionId: string;
  hooks: HookRunner;
}

/** A provider whose calls `pre_llm_call` and `post_llm_call` hear of. */
export function withLlmHooks(provider: Provider, told: LlmHooks): Provider {
  return {
    name: provider.name,
    model: provider.model,
    stream: (request, signal) => tellingStream(provider, { request, signal, told }),
  };
}

async function* tellingStream(
  provider: Provider,
  { request, signal, told }: { request: ModelRequest; signal: AbortSignal; told: LlmHooks },
): AsyncGenerator<ProviderEvent, void, void> {
  const { hooks } = told;
  const facts = { sessionId: told.sessionId, provider: provider.name, model: provider.model.id };
  if (hooks.has("pre_llm_call")) {
    const messages = recent(request.messages);
    await hooks.notify("pre_llm_call", { ...facts, messages }, signal);
  }
  for await (const event of provider.stream(request, signal)) {
    // Before it is passed on: whoever has the answer reads no further.
    if (event.type === "end" && hooks.has("post_llm_call")) {
      await hooks.notify("post_llm_call", {
        ...facts,
        messages: recent(request.messages),
        response: messageText(event.message),
        stopReason: event.message.stopReason,
      }, signal);
    }
    yield event;
  }
}

/** The newest messages, as many as fit; without the bytes of images. */
function recent(messages: readonly Message[]): Message[] {
  const kept: Message[] = [];
  let chars = 0;
  for (const message of messages.toReversed()) {
    const plain = withoutImageData(message);
    chars += JSON.stringify(plain).length;
    if (chars > MAX_MESSAGES_CHARS) break;
    kept.unshift(plain);
  }
  return kept;
}

function withoutImageData(message: Message): Message {
  if (message.role !== "user") return message;
  const content = message.content.map((part) => {
    if (part.type !== "image") return part;
    const { data: _, ...rest } = part;
    return rest;
  });
  return { ...message, content };
}
