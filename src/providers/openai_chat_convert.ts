/** Writes a request in the Chat Completions format. Pure; reading is in `openai_chat.ts`. */
// deno-lint-ignore-file camelcase -- wire names
import type {
  AssistantMessage,
  ImagePart,
  Message,
  ToolMessage,
  UserPart,
} from "../protocol/message.ts";
import { knownEffort } from "./model_info.ts";
import { messageText, toolCallsOf } from "../protocol/message.ts";
import type { ModelRequest, ToolDefinition } from "../protocol/provider.ts";
import { memoized } from "../util/memo.ts";
import type { ProviderOptions, WireCall } from "./exchange.ts";
import { imageText, imageUrl, textWithNotes } from "./images.ts";
import type {
  ChatAssistant,
  ChatBody,
  ChatContentPart,
  ChatEcho,
  ChatTool,
  ChatWireMessage,
} from "./openai_wire.ts";
import { historyArgumentsText } from "./parts.ts";

/** `ReasoningPart.opaque` of this format. */
export interface ChatReasoning {
  format: "chat";
  /** The field the text came in, and goes back in. */
  field?: "reasoning_content" | "reasoning";
  details?: unknown[];
  /** Signatures that belong to tool calls, by call id. */
  callExtras?: Record<string, unknown>;
}

const CACHE_CONTROL = { type: "ephemeral" } as const;

/** Encodes calls; a message is encoded once, since a conversation is sent whole every time. */
export function createChatEncoder(options: ProviderOptions): (request: ModelRequest) => WireCall {
  const encoder = {
    options,
    message: memoized((message: Message) => encodeMessage(message, options)),
    tool: memoized((tool: ToolDefinition): ChatTool => ({ type: "function", function: tool })),
  };
  return (request) => encodeChat(request, encoder);
}

interface ChatEncoder {
  options: ProviderOptions;
  message(message: Message): ChatWireMessage;
  tool(tool: ToolDefinition): ChatTool;
}

function encodeChat(request: ModelRequest, encoder: ChatEncoder): WireCall {
  const { options } = encoder;
  const { model, quirks = {} } = options;
  const whole = encodeMessages(request.messages, encoder);
  if (request.system !== "") whole.unshift({ role: "system", content: request.system });
  const messages = quirks.cacheMarkers ? withCacheMarkers(whole) : whole;
  const body: ChatBody = {
    model: model.id,
    messages,
    stream: true,
    stream_options: { include_usage: true },
  };
  if (request.tools.length > 0) {
    body.tools = request.tools.map(encoder.tool);
    body.tool_choice = request.toolChoice ?? "auto";
  }
  if (request.maxOutputTokens !== undefined) {
    const field = quirks.maxCompletionTokens ? "max_completion_tokens" : "max_tokens";
    body[field] = request.maxOutputTokens;
  }
  const effort = request.reasoningEffort;
  if (effort !== undefined && quirks.effort === "reasoning") body.reasoning = { effort };
  if (effort !== undefined && quirks.effort === "reasoning_effort" && model.reasoning) {
    body.reasoning_effort = knownEffort(effort, model.id);
  }
  if (request.outputSchema !== undefined && quirks.jsonSchema) {
    const schema = request.outputSchema;
    body.response_format = { type: "json_schema", json_schema: { name: "output", schema } };
  }
  return {
    url: `${options.baseUrl}/chat/completions`,
    headers: options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {},
    body: { ...body },
  };
}

/**
 * This format has no images in results: those of neighbouring results follow as one message of
 * the user, after the last of them, since results must not be torn from their calls.
 */
function encodeMessages(messages: readonly Message[], encoder: ChatEncoder): ChatWireMessage[] {
  const out: ChatWireMessage[] = [];
  let images: ChatContentPart[] = [];
  for (const message of messages) {
    if (message.role !== "tool" && images.length > 0) {
      out.push({ role: "user", content: images });
      images = [];
    }
    out.push(encoder.message(message));
    if (message.role === "tool") images.push(...encodeResultImages(message, encoder.options));
  }
  if (images.length > 0) out.push({ role: "user", content: images });
  return out;
}

function encodeResultImages(message: ToolMessage, options: ProviderOptions): ChatContentPart[] {
  const sent = (message.images ?? []).filter((image) => isSendable(image, options));
  if (sent.length === 0) return [];
  const heading = {
    type: "text" as const,
    text: `[images of the result of ${message.toolCallId}]`,
  };
  return [heading, ...sent.map((image) => encodeImage(image, true))];
}

function isSendable(image: ImagePart, { model }: ProviderOptions): boolean {
  return model.images !== false && imageUrl(image) !== undefined;
}

function encodeMessage(message: Message, options: ProviderOptions): ChatWireMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: encodeUser(message.content, options) };
    case "tool":
      return {
        role: "tool",
        tool_call_id: message.toolCallId,
        content: textWithNotes(
          message,
          (image) =>
            isSendable(image, options) ? undefined : imageText(options.model.images !== false),
        ),
      };
    case "assistant":
      return encodeAssistant(message, options);
  }
}

function encodeUser(
  parts: readonly UserPart[],
  options: ProviderOptions,
): string | ChatContentPart[] {
  if (parts.every((part) => part.type === "text")) return parts.map((part) => part.text).join("\n");
  return parts.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : encodeImage(part, options.model.images !== false)
  );
}

function encodeImage(part: ImagePart, allowed: boolean): ChatContentPart {
  const url = allowed ? imageUrl(part) : undefined;
  if (url === undefined) return { type: "text", text: imageText(allowed) };
  return { type: "image_url", image_url: { url } };
}

function encodeAssistant(message: AssistantMessage, options: ProviderOptions): ChatAssistant {
  const calls = toolCallsOf(message);
  const own = message.provider === options.name;
  const reasoning = encodeReasoning(message, options);
  const extras = own ? chatOpaque(message)?.callExtras ?? {} : {};
  return {
    role: "assistant",
    content: messageText(message) || (calls.length > 0 ? null : ""),
    ...reasoning,
    ...(calls.length === 0 ? {} : {
      tool_calls: calls.map((call) => ({
        id: call.id,
        type: "function",
        function: { name: call.name, arguments: historyArgumentsText(call.arguments) },
        ...(extras[call.id] === undefined ? {} : { extra_content: extras[call.id] }),
      })),
    }),
  };
}

/** Reasoning goes back only to the provider it came from, in the field it came in. */
function encodeReasoning(message: AssistantMessage, options: ProviderOptions): ChatEcho {
  const echo = options.quirks?.reasoningEcho;
  if (echo === undefined) return {};
  const opaque = message.provider === options.name ? chatOpaque(message) : undefined;
  if (opaque?.details) return { reasoning_details: opaque.details };
  if (opaque?.field) return { [opaque.field]: reasoningText(message) };
  // These servers refuse a tool call without reasoning, also one that another model made.
  return echo === "require" && toolCallsOf(message).length > 0 ? { reasoning_content: " " } : {};
}

function chatOpaque(message: AssistantMessage): ChatReasoning | undefined {
  for (const part of message.content) {
    const opaque = part.type === "reasoning" ? part.opaque as Partial<ChatReasoning> : undefined;
    if (opaque?.format === "chat") return opaque as ChatReasoning;
  }
  return undefined;
}

function reasoningText(message: AssistantMessage): string {
  return message.content.map((part) => part.type === "reasoning" ? part.text : "").join("");
}

/** Marks the system prompt and the last two messages with text. */
function withCacheMarkers(messages: readonly ChatWireMessage[]): ChatWireMessage[] {
  const candidates = messages.filter(({ content }) =>
    typeof content === "string" && content !== ""
  );
  const system = candidates.filter((message) => message.role === "system");
  const last = candidates.filter((message) => message.role !== "system").slice(-2);
  const marked = new Set([...system, ...last]);
  return messages.map((message) => {
    if (!marked.has(message)) return message;
    const text = String(message.content);
    return { ...message, content: [{ type: "text", text, cache_control: CACHE_CONTROL }] };
  });
}
