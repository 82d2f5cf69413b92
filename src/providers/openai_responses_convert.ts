/** Writes a request in the OpenAI Responses format. Pure; reading is in `openai_responses.ts`. */
import type { AssistantMessage, Message, ToolMessage, UserPart } from "../protocol/message.ts";
import { knownEffort } from "./model_info.ts";
import type { ModelRequest } from "../protocol/provider.ts";
import type { ProviderOptions, WireCall } from "./exchange.ts";
import { imageText, imageUrl } from "./images.ts";
import type {
  ResponsesBody,
  ResponsesContent,
  ResponsesItem,
  ResponsesTool,
} from "./openai_wire.ts";
import { historyArgumentsText } from "./parts.ts";

/** `ReasoningPart.opaque` of this format. */
export interface ResponsesReasoning {
  format: "responses";
  encrypted: string;
  summary: unknown[];
}

type InputItem = ResponsesItem;

/** The whole call. */
export function encodeResponses(request: ModelRequest, options: ProviderOptions): WireCall {
  const { model } = options;
  const body: ResponsesBody = {
    model: model.id,
    instructions: request.system,
    input: request.messages.flatMap((message) => encodeMessage(message, options)),
    store: false,
    stream: true,
  };
  if (request.tools.length > 0) {
    // Not strict: tools have optional parameters, which strict mode forbids.
    body.tools = request.tools.map((tool): ResponsesTool => ({
      type: "function",
      ...tool,
      strict: false,
    }));
    body.tool_choice = request.toolChoice ?? "auto";
    body.parallel_tool_calls = true;
  }
  if (request.maxOutputTokens !== undefined) body.max_output_tokens = request.maxOutputTokens;
  if (model.reasoning) {
    body.include = ["reasoning.encrypted_content"];
    // "minimal" was dropped by later models; "low" is understood by all.
    const wanted = request.reasoningEffort === "minimal" ? "low" : request.reasoningEffort;
    const effort = wanted && knownEffort(wanted, model.id);
    const summary = effort === "none" ? {} : { summary: "auto" as const };
    body.reasoning = { ...summary, ...(effort === undefined ? {} : { effort }) };
  }
  if (request.outputSchema !== undefined) {
    const schema = request.outputSchema;
    body.text = { format: { type: "json_schema", name: "output", schema, strict: false } };
  }
  return {
    url: `${options.baseUrl}/responses`,
    headers: options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {},
    body: { ...body },
  };
}

function encodeMessage(message: Message, options: ProviderOptions): InputItem[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content.map((part) => encodeUser(part, options)) }];
    case "tool":
      return [{
        type: "function_call_output",
        call_id: message.toolCallId,
        output: encodeResult(message, options),
      }];
    case "assistant":
      return encodeAssistant(message, options);
  }
}

/** Text alone stays a string, as it always was; images are items beside it. */
function encodeResult(message: ToolMessage, options: ProviderOptions): string | ResponsesContent[] {
  if (message.images === undefined) return message.content;
  const text = message.content === "" ? [] : [{ type: "text" as const, text: message.content }];
  return [...text, ...message.images].map((part) => encodeUser(part, options));
}

function encodeUser(part: UserPart, options: ProviderOptions): ResponsesContent {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const allowed = options.model.images !== false;
  const url = allowed ? imageUrl(part) : undefined;
  if (url === undefined) return { type: "input_text", text: imageText(allowed) };
  return { type: "input_image", image_url: url };
}

function encodeAssistant(message: AssistantMessage, options: ProviderOptions): InputItem[] {
  const items: InputItem[] = [];
  for (const part of message.content) {
    if (part.type === "text" && part.text !== "") {
      const content = [{ type: "output_text" as const, text: part.text }];
      items.push({ type: "message", role: "assistant", content });
    } else if (part.type === "tool_call") {
      items.push({
        type: "function_call",
        call_id: part.id,
        name: part.name,
        arguments: historyArgumentsText(part.arguments),
      });
    } else if (part.type === "reasoning" && message.provider === options.name) {
      const opaque = part.opaque as Partial<ResponsesReasoning> | undefined;
      if (opaque?.format !== "responses") continue;
      items.push({
        type: "reasoning",
        summary: opaque.summary ?? [],
        encrypted_content: opaque.encrypted ?? "",
      });
    }
  }
  // The API refuses a reasoning item that nothing follows.
  while (isReasoning(items.at(-1))) items.pop();
  return items;
}

function isReasoning(item: InputItem | undefined): boolean {
  return item !== undefined && "type" in item && item.type === "reasoning";
}
